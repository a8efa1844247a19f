"""Right answers to the exercises of lesson 02, in other styles."""
