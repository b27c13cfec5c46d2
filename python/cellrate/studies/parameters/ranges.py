"""Ranges of parameters for a search: an interval, powers of two, or a few values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

Scale: TypeAlias = Literal["linear", "log", "powers-of-two"]
SCALES: tuple[Scale, ...] = ("linear", "log", "powers-of-two")

WHOLE = frozenset({"integer", "Cells", "Bytes", "Buffer", "QueueLength"})
"""Kinds of parameters with whole values only."""

DIGITS = 3
"""Significant digits of a value that a search proposes."""

FEW = 20
"""Greatest number of values of a range that a search lists one by one."""


@dataclass(frozen=True)
class Range:
    """An interval of a number or quantity.

    Attributes:
        path: Dotted path of the parameter.
        kind: As in `keys.Key`.
        low: Least value, in SI units or cells.
        high: Greatest value, in the same unit.
        scale: Spacing of the values between `low` and `high`: linear, logarithmic or powers of two.
        step: Values are multiples of this step; 0 for any value.
        alike: Dotted paths of further parameters that always have the same value.
    """

    path: str
    kind: str
    low: float
    high: float
    scale: Scale
    step: float = 0.0
    alike: tuple[str, ...] = ()

    @cached_property
    def values(self) -> tuple[str, ...] | None:
        """Every value in order, if there are few; None if there are many or a continuum."""
        if self.scale == "powers-of-two":
            count = round(math.log2(self.high / self.low)) + 1
            return tuple(self.text(self.low * 2.0**n) for n in range(count))
        step = self.step or (1.0 if self.kind in WHOLE else 0.0)
        if not step or self.scale == "log" or (self.high - self.low) / step >= FEW:
            return None
        count = round((self.high - self.low) / step) + 1
        return tuple(self.text(self.low + n * step) for n in range(count))

    ordered = True
    """Neighbouring values are similar."""

    def at(self, share: float) -> str:
        """The value at a fraction `share` of the range on its scale, as text of a scenario.

        Args:
            share: 0 is low, 1 is high.
        """
        if self.scale == "linear":
            value = self.low + share * (self.high - self.low)
        else:
            value = self.low * (self.high / self.low) ** share
        return self.text(self._rounded(value))

    def text(self, value: float) -> str:
        """A value as text of a scenario."""
        return written(value, self.kind)

    def pairs(self, value: str) -> tuple[tuple[str, str], ...]:
        """Path and value of every parameter that has a value of this range."""
        return tuple((path, value) for path in (self.path, *self.alike))

    def words(self) -> str:
        """Description of the range as text for the terminal."""
        spread = {"linear": "", "log": ", logarithmic", "powers-of-two": ", powers of two"}
        alike = "".join(f", with {path} alike" for path in self.alike)
        return f"{self.text(self.low)} to {self.text(self.high)}{spread[self.scale]}{alike}"

    def _rounded(self, value: float) -> float:
        """Rounds a value to `DIGITS` or to a step, within the range."""
        if self.step:
            value = round(value / self.step) * self.step
        elif value:
            value = round(value, DIGITS - 1 - math.floor(math.log10(abs(value))))
        if self.kind in WHOLE:
            value = float(round(value))
        return min(max(value, self.low), self.high)


@dataclass(frozen=True)
class Choices:
    """The values of a parameter for a search, as a short list.

    Attributes:
        path: Dotted path of the parameter.
        kind: As in `keys.Key`.
        values: Allowed values, as text of a scenario.
    """

    path: str
    kind: str
    values: tuple[str, ...]

    @property
    def ordered(self) -> bool:
        """True if neighbouring values are similar, as numbers are."""
        return self.kind not in {"boolean", "choice"}

    def pairs(self, value: str) -> tuple[tuple[str, str], ...]:
        """Path and value of the parameter."""
        return ((self.path, value),)

    def words(self) -> str:
        """List of the values as text for the terminal."""
        return ", ".join(self.values)


Space: TypeAlias = tuple[Range | Choices, ...]


def written(value: float, kind: str) -> str:
    """A number or quantity as text of a scenario, in a unit that fits its size.

    >>> written(0.0005, "Time"), written(1.5e8, "Rate"), written(100.0, "Cells")
    ('0.5 ms', '150 Mbit/s', '100 cells')

    Args:
        value: Value in SI units or cells.
        kind: As in `keys.Key`.
    """
    if kind in {"Time", "Delay"}:
        return _scaled(value, ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")))
    if kind == "Rate":
        return _scaled(value, ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"), (1.0, "bit/s")))
    if kind in {"Cells", "Buffer"}:
        return f"{round(value)} cell{'' if round(value) == 1 else 's'}"
    if kind == "QueueLength":
        return f"{round(value)} packets"
    if kind == "Bytes":
        return f"{round(value)} bytes"
    return str(round(value)) if kind == "integer" else repr(float(value))


def _scaled(value: float, units: tuple[tuple[float, str], ...]) -> str:
    """A value in the largest unit in which it is at least 0.1; `units` go from large to small."""
    size, unit = next(((s, u) for s, u in units if value >= 0.1 * s), units[-1])
    return f"{value / size:.15g} {unit}"
