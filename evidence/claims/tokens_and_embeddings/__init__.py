"""Claims of the labs of lesson 01."""
