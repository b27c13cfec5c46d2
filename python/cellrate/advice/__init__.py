"""Answers about a scenario: explanation, buffer size, tuned parameters, fluid-model pictures."""
