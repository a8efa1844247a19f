"""Claims of lesson 05 and its lab."""
