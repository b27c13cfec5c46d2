"""Whole numbers of users: counts and seeds, within stated limits."""

from __future__ import annotations

import operator
import re

from cellrate.common.problems import BadInput

MOST_SEED = 2**63 - 1
"""Largest seed: the largest integer of TOML, in which a scenario states its seed."""
MOST_SEEDS = 1_000_000
"""Greatest number of seeds; results of all seeds are held in memory."""
MOST_WORKERS = 4096
"""Greatest number of runs at a time, and of threads of a run."""
MOST_TRIES = 10_000
"""Greatest number of settings and of simulations of a search.

Each step of a search examines all of them.
"""
LIMITS: dict[str, tuple[int, int | None]] = {
    "budget": (1, MOST_TRIES),
    "credit_cells": (1, None),
    "eager_bytes": (0, None),
    "first_seed": (0, MOST_SEED),
    "replication": (0, None),
    "search_seed": (0, MOST_SEED),
    "seed": (0, MOST_SEED),
    "seeds": (1, MOST_SEEDS),
    "tries": (1, MOST_TRIES),
    "workers": (1, MOST_WORKERS),
}
"""Least and greatest value of arguments of public functions, by name; None without a greatest."""
WRITTEN = re.compile(r"\d[\d_]*")


def read_whole_number(text: str, what: str, least: int, most: int | None = None) -> int:
    """Reads a whole number in decimal digits, which `_` may separate.

    >>> read_whole_number("1_000", "--seeds", 1)
    1000

    Raises:
        BadInput: The text is not a whole number within the limits; fractions are never rounded.
    """
    value = int(text) if WRITTEN.fullmatch(text) and not text.endswith("_") else None
    if value is None or value < least or (most is not None and value > most):
        raise BadInput(f"{what} {text}: must be {allowed(least, most)}")
    return value


def require_whole_number(value: object, what: str, least: int, most: int | None = None) -> int:
    """Returns an argument that is a whole number; numpy's integers are among them.

    Raises:
        TypeError: The value is not an integer; `True` and 1.0 are not integers.
        ValueError: The value is outside the limits.
    """
    message = f"{what} = {value!r}: must be {allowed(least, most)}"
    if isinstance(value, bool):
        raise TypeError(message)
    try:
        whole = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(message) from None
    if whole < least or (most is not None and whole > most):
        raise ValueError(message)
    return whole


def allowed(least: int, most: int | None) -> str:
    """The text of an error message for a whole number between two limits.

    >>> allowed(1, None), allowed(0, 9)
    ('a whole number of at least 1', 'a whole number from 0 to 9')
    """
    if most is None:
        return f"a whole number of at least {least}"
    return f"a whole number from {least} to {most}"
