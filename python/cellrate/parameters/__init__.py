"""Parameters of a scenario by dotted path: what they are, and what they may be set to."""
