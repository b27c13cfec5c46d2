"""What a formula takes for granted, and the error that names which of it fails."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


class AssumptionError(ValueError):
    """An argument lies outside what a formula takes for granted.

    Attributes:
        argument: Name of the parameter.
        value: The value that was found; of arrays, the first one outside.
        allowed: What is allowed, and which assumption fails otherwise.
    """

    def __init__(self, argument: str, value: object, allowed: str) -> None:
        super().__init__(f"{argument} = {value}: {allowed}")
        self.argument = argument
        self.value = value
        self.allowed = allowed


def require(condition: npt.ArrayLike, argument: str, value: npt.ArrayLike, allowed: str) -> None:
    """Does nothing if the condition holds everywhere.

    Args:
        condition: A truth value, or an array of them; shapes broadcast against `value`.
        argument: Name of the parameter that is at fault otherwise.
        value: Its value or values.
        allowed: What is allowed.

    Raises:
        AssumptionError: It does not hold; shows the first value for which it does not.
    """
    holds = np.asarray(condition, dtype=bool)
    if holds.all():
        return
    holds, values = np.broadcast_arrays(holds, np.asarray(value))
    # A list's elements are Python's own, also where an integer is beyond any of numpy's types.
    raise AssumptionError(argument, values[~holds].tolist()[0], allowed)


def require_finite(**arguments: npt.ArrayLike) -> None:
    """Refuses infinities and NaN."""
    for name, value in arguments.items():
        require(np.isfinite(_floats(value)), name, value, "must be a finite number")


def require_positive(**arguments: npt.ArrayLike) -> None:
    """Refuses what is not finite and above 0."""
    for name, value in arguments.items():
        require_finite(**{name: value})
        require(_floats(value) > 0, name, value, "must be above 0")


def require_not_negative(**arguments: npt.ArrayLike) -> None:
    """Refuses what is not finite and at least 0."""
    for name, value in arguments.items():
        require_finite(**{name: value})
        require(_floats(value) >= 0, name, value, "must be at least 0")


def require_at_least(least: float, **arguments: npt.ArrayLike) -> None:
    """Refuses what is not finite and at least `least`."""
    for name, value in arguments.items():
        require_finite(**{name: value})
        require(_floats(value) >= least, name, value, f"must be at least {least:g}")


def require_share(**arguments: npt.ArrayLike) -> None:
    """Refuses what is not above 0 and at most 1."""
    for name, value in arguments.items():
        array = _floats(value)
        require((array > 0) & (array <= 1), name, value, "must be above 0 and at most 1")


def require_whole(least: int, **arguments: npt.ArrayLike) -> None:
    """Refuses what is not a whole number of at least `least`."""
    for name, value in arguments.items():
        array = _floats(value)
        holds = np.isfinite(array) & (array >= least) & (array == np.floor(array))
        require(holds, name, value, f"must be a whole number of at least {least}")


def _floats(value: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """The values as floats, for integers may be beyond any of numpy's types."""
    return np.asarray(value, dtype=np.float64)
