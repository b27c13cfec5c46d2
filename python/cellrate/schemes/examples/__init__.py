"""Twins of built-in schemes, written as a user would write them; each gives the same digest."""
