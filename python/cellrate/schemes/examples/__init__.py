"""Python versions of built-in components, as a user would write them.

A run with such a class has the same digest (hash of all events) as with the built-in component.
"""
