"""Functions and units that every expression of the language of measures can use."""

# ruff: noqa: ANN401 - values of the language are of any type
from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, is_dataclass
from functools import lru_cache
from itertools import pairwise
from statistics import pstdev
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar

from cellrate import theory
from cellrate.language.expressions import MOST_BITS, Readable, makes_lists
from cellrate.theory.cell_conversions import CELL_BYTES

# The number of frequencies used is the length of the series to this power.
BANDWIDTH = 0.65
SHORTEST = 128


def hurst(values: Sequence[float] | npt.NDArray[np.float64]) -> float:
    """Hurst parameter of a series by the local Whittle estimator.

    Robinson 1995, Gaussian semiparametric estimation of long range dependence: the power of the m
    lowest frequencies is assumed to be a constant times frequency^(1 - 2H). Nothing is assumed
    about higher frequencies or the distribution of the values. The standard error is
    1/(2 sqrt(m)).

    Args:
        values: At least 128 values at equal distances.

    Raises:
        ValueError: There are too few values, or all values are equal.
    """
    series = np.asarray(values, dtype=np.float64)
    if series.size < SHORTEST:
        raise ValueError(f"a Hurst parameter needs at least {SHORTEST} values, not {series.size}")
    if np.ptp(series) == 0:
        raise ValueError("a Hurst parameter needs values that differ")
    used = int(series.size**BANDWIDTH)
    power = np.abs(np.fft.rfft(series - series.mean())[1 : used + 1]) ** 2
    frequency = 2 * np.pi * np.arange(1, used + 1) / series.size
    mean_logarithm = np.log(frequency).mean()

    def misfit(h: float) -> float:
        exponent = 2 * h - 1
        return float(np.log(np.mean(power * frequency**exponent)) - exponent * mean_logarithm)

    return float(minimize_scalar(misfit, bounds=(0.01, 1.2), method="bounded").x)


class _Theory(Readable):
    """`theory.f(...)`: the public functions of `cellrate.theory`."""

    def __getattr__(self, name: str) -> Any:
        if name not in theory.__all__:
            raise AttributeError(f"cellrate.theory has no `{name}`")

        def opened(*args: Any, **named: Any) -> Any:
            key = (name, args, tuple(named.items()))
            return _known(*key) if _hashable(key) else _compute(*key)

        return opened


def _compute(name: str, args: tuple[Any, ...], named: tuple[tuple[str, Any], ...]) -> Any:
    given = [_itself(one) for one in args]
    result = getattr(theory, name)(*given, **{key: _itself(one) for key, one in named})
    if isinstance(result, np.ndarray):
        return result.tolist()
    return _Fields(result) if is_dataclass(result) else result


_known = lru_cache(maxsize=4096)(_compute)
"""Cache of formula results, since claims and figures repeat the same calls for every seed."""


def _hashable(key: object) -> bool:
    try:
        hash(key)
    except TypeError:
        return False
    return True


class _Fields(Readable):
    """Several results of one function, as fields by name; arrays become lists."""

    def __init__(self, results: Any) -> None:
        self._itself = results
        self._results = {field.name: getattr(results, field.name) for field in fields(results)}

    def __getattr__(self, name: str) -> Any:
        if name not in self._results:
            raise AttributeError(f"there is no `{name}`; there are {', '.join(self._results)}")
        value = self._results[name]
        return value.tolist() if isinstance(value, np.ndarray) else value


def _itself(value: Any) -> Any:
    """A result as the function returned it, for use as an argument of another function."""
    return value._itself if isinstance(value, _Fields) else value  # noqa: SLF001


def mean(values: Sequence[float]) -> float:
    """Arithmetic mean; an error without values."""
    if not values:
        raise ValueError("`mean` needs at least one value")
    return math.fsum(values) / len(values)


def jain(values: Sequence[float]) -> float:
    """Jain's fairness index; an error without values or if all are zero."""
    return math.fsum(values) ** 2 / (len(values) * math.fsum(x * x for x in values))


def spread(values: Sequence[float]) -> float:
    """Standard deviation (of the values as a whole population) / mean."""
    return pstdev(values) / mean(values)


def increasing(values: Sequence[float]) -> bool:
    """True if each value is larger than the one before."""
    return all(a < b for a, b in pairwise(values))


def decreasing(values: Sequence[float]) -> bool:
    """True if each value is smaller than the one before."""
    return all(a > b for a, b in pairwise(values))


def cells_of_bytes(size: float) -> int:
    """Whole cells of 53 bytes in `size` bytes."""
    return math.floor(size / CELL_BYTES)


def cells_of_kib(size: float) -> int:
    """Whole cells of 53 bytes in `size` KiB."""
    return cells_of_bytes(size * 1024)


def cells_of_seconds(seconds: float, bits_per_second: float) -> float:
    """Cells that a link of a rate carries in a time; not rounded."""
    return seconds * bits_per_second / (8 * CELL_BYTES)


def _sum(values: Iterable[Any], /, start: float = 0) -> Any:
    # A sum of lists would copy the partial sum for each list.
    if not isinstance(start, int | float):
        raise TypeError("`sum` adds only numbers")
    return sum(values, start)


def _round(number: Any, ndigits: int | None = None) -> Any:
    if isinstance(number, int) and ndigits is not None and ndigits < -MOST_BITS:
        raise ValueError(f"`round` to {ndigits:,} digits; allowed: at least {-MOST_BITS:,}")
    return round(number, ndigits)


@makes_lists
def _sorted(values: Iterable[Any], /, **named: Any) -> list[Any]:
    return sorted(values, **named)


@makes_lists
def _zip(*lists: Iterable[Any]) -> list[Any]:
    return list(zip(*lists, strict=True))


@makes_lists
def _pairs(values: Iterable[Any]) -> list[Any]:
    return list(pairwise(values))


_FUNCTIONS: tuple[Callable[..., Any], ...] = (
    abs, all, any, len, max, min, range, int, float,
    math.sqrt, math.log, math.log2, math.exp, math.ceil, math.floor,
    mean, jain, spread, hurst, increasing, decreasing,
    cells_of_bytes, cells_of_kib, cells_of_seconds,
)  # fmt: skip


def builtins() -> dict[str, Any]:
    """All functions, units and constants by name."""
    scope: dict[str, Any] = {function.__name__: function for function in _FUNCTIONS}
    scope |= {"sum": _sum, "round": _round, "sorted": _sorted, "zip": _zip, "pairs": _pairs}
    scope |= {"KiB": 1024, "MiB": 1024**2, "ms": 1e-3, "us": 1e-6, "Mbit": 1e6}
    return scope | {"True": True, "False": False, "theory": _Theory()}
