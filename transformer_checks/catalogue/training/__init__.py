"""Exercises of lesson 07."""
