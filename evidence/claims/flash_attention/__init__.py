"""Claims of lesson 09 and its labs: flash attention."""
