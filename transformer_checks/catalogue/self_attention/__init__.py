"""Exercises of lesson 02."""
