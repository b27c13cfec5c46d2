"""Errors of `cellrate.reproduce`."""


class ReproduceError(Exception):
    """A request or a paper's data cannot be used.

    The message names the file, option or experiment, what is wrong, and what is allowed.
    """
