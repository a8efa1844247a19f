"""Exercises of lesson 05."""
