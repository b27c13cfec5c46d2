"""Errors of expressions."""


class ExpressionError(Exception):
    """An expression cannot be evaluated; the message quotes it and says what is wrong."""
