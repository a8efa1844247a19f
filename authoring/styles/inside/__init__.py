"""Right answers to the exercises of lesson 12, in other styles."""
