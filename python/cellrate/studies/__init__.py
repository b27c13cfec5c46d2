"""Studies: many runs, their data, comparison, pictures and report."""
