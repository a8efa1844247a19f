"""Claims of lesson 03 and its labs."""
