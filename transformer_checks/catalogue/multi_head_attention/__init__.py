"""Exercises of lesson 03."""
