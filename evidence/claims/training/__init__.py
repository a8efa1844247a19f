"""Claims of lesson 07 and its lab."""
