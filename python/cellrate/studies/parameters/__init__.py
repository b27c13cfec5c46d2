"""Parameters of a scenario by dotted path: types, values, and ranges for a search."""
