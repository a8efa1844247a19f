"""Submissions as a class hands them in, each with the verdict that it must get."""
