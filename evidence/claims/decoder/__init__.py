"""Claims of lesson 06 and of its lab."""
