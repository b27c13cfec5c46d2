"""The small language of measures and claims: expressions over finished runs."""
