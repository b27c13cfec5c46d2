"""Python versions of built-in components, as a user would write them; digests are equal."""
