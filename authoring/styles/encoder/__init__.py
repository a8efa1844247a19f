"""Right answers to the exercises of lesson 05, in other styles."""
