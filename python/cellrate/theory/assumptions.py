"""Checks of the assumptions of formulas, and the error that names a failed assumption."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt


class AssumptionError(ValueError):
    """An argument lies outside the assumptions of a formula.

    Attributes:
        argument: Name of the parameter.
        value: Value of the argument; of an array, the first value outside the assumptions.
        allowed: Description of allowed values, and of the assumption that fails otherwise.
    """

    def __init__(self, argument: str, value: object, allowed: str) -> None:
        super().__init__(f"{argument} = {value}: {allowed}")
        self.argument = argument
        self.value = value
        self.allowed = allowed


def require(condition: npt.ArrayLike, argument: str, value: npt.ArrayLike, allowed: str) -> None:
    """Checks that a condition holds everywhere.

    Args:
        condition: A truth value, or an array of them; its shape broadcasts against `value`.
        argument: Name of the parameter that the condition is about.
        value: Value or values of the parameter.
        allowed: Description of allowed values.

    Raises:
        AssumptionError: The condition fails; the message shows the first value for which it does.
    """
    if isinstance(condition, bool | np.bool_) and condition:  # usual, and numpy is slow
        return
    holds = np.asarray(condition, dtype=bool)
    if holds.all():
        return
    holds, values = np.broadcast_arrays(holds, np.asarray(value))
    # `tolist` gives Python's own types, also for integers beyond any of numpy's types.
    raise AssumptionError(argument, values[~holds].tolist()[0], allowed)


def require_finite(**arguments: npt.ArrayLike) -> None:
    """Refuses infinities and NaN."""
    for name, value in arguments.items():
        require(np.isfinite(_floats(value)), name, value, "must be a finite number")


def require_positive(**arguments: npt.ArrayLike) -> None:
    """Refuses values that are not finite or not above 0."""
    for name, value in arguments.items():
        if _is_between(value, math.ulp(0.0)):
            continue
        require_finite(**{name: value})
        require(_floats(value) > 0, name, value, "must be above 0")


def require_not_negative(**arguments: npt.ArrayLike) -> None:
    """Refuses values that are not finite or below 0."""
    for name, value in arguments.items():
        if _is_between(value, 0.0):
            continue
        require_finite(**{name: value})
        require(_floats(value) >= 0, name, value, "must be at least 0")


def require_at_least(least: float, **arguments: npt.ArrayLike) -> None:
    """Refuses values that are not finite or below `least`."""
    for name, value in arguments.items():
        require_finite(**{name: value})
        require(_floats(value) >= least, name, value, f"must be at least {least:g}")


def require_share(**arguments: npt.ArrayLike) -> None:
    """Refuses values that are not above 0 or exceed 1."""
    for name, value in arguments.items():
        array = _floats(value)
        require((array > 0) & (array <= 1), name, value, "must be above 0 and at most 1")


def require_whole(least: int, **arguments: npt.ArrayLike) -> None:
    """Refuses values that are not whole numbers of at least `least`."""
    for name, value in arguments.items():
        array = _floats(value)
        holds = np.isfinite(array) & (array >= least) & (array == np.floor(array))
        require(holds, name, value, f"must be a whole number of at least {least}")


def _is_between(value: object, least: float) -> bool:
    """True for a finite float of at least `least`; a fast test without numpy."""
    return isinstance(value, float) and least <= value < math.inf


def _floats(value: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Converts values to floats, since integers may be beyond any of numpy's types."""
    return np.asarray(value, dtype=np.float64)
