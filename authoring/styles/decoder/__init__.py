"""Right answers to the exercises of lesson 06, in other styles."""
