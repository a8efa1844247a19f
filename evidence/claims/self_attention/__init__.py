"""Claims of lesson 02."""
