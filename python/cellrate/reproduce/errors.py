"""Errors of `cellrate.reproduce`."""


class ReproduceError(Exception):
    """A request or a paper's data cannot be used.

    The message names the file, option or experiment, what is wrong, and what is allowed.
    """


class NotMeasurable(ReproduceError):
    """A measure or a claim cannot be evaluated: nothing happened in the runs that it is about."""
