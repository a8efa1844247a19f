"""Right answers to the exercises of lesson 01, in other styles."""
