"""Right answers to the exercises of lesson 07, in other styles."""
