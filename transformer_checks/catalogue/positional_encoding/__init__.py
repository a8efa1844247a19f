"""Exercises of lesson 04."""
