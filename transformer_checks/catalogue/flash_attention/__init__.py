"""Exercises of lesson 09."""
