"""Claims of lesson 12."""
