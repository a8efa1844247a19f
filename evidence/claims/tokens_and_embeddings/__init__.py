"""Claims of lesson 01 and its lab."""
