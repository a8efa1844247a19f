"""Tests that look at the course through a real browser."""
