"""Scenarios, runs and their results."""
