"""Right answers to the exercises of lesson 03, in other styles."""
