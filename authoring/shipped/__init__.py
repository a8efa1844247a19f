"""How the models that come with the course were made, and are scored: docs/shipped_models.md."""
