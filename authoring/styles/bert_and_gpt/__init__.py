"""Right answers to the exercises of lesson 08, in other styles."""
