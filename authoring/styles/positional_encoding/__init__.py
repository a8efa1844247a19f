"""Right answers to the exercises of lesson 04, in other styles."""
