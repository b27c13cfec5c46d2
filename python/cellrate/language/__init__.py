"""The expression language in which studies and papers define measures and claims over runs."""
