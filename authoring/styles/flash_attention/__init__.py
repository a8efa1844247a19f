"""Right answers to the exercises of lesson 09, in other styles."""
