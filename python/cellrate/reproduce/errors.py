"""Errors of this package."""


class ReproduceError(Exception):
    """A paper's data cannot be used: which file or experiment, what is wrong, what is allowed."""
