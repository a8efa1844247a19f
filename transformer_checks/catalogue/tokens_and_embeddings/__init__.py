"""Exercises of lesson 01."""
