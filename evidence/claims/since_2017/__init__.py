"""Claims of lesson 11."""
