"""What can be wrong with an expression."""


class ExpressionError(Exception):
    """An expression cannot be evaluated: what it says, and what is wrong with it."""
