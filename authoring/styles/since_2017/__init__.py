"""Right answers to the exercises of lesson 11, in other styles."""
