"""Joint readings: experiments are run with random values of all open parameters at once.

A joint reading is one set of values, one for each open parameter (a parameter that the paper does
not print), out of the values declared for it. The joint readings of a paper are the rows of a
design, made in blocks of 64 rows, with a column per open parameter. In a column each value of the
parameter, the assumed value too, occurs equally often. A new column is the random order, of several
hundred, that is least associated with the columns before it (Pearson's chi squared over its
degrees of freedom).

A Sobol sequence is not suited. The first bits of its dimensions are linear functions of the six
bits of the row number, and only 63 such functions exist. In one paper 4 of 325 pairs of columns
determined each other over 64 points, and 16 pairs had a chi squared of more than four times the
degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
import numpy.typing as npt

from cellrate._core import ScenarioError
from cellrate.papers.laboratory import Laboratory, Unit
from cellrate.papers.paper import (
    Choice,
    Paper,
    Reading,
    ReadingAxis,
    Readings,
    ReproduceError,
    Subject,
    assumptions_of,
    subjects_of,
)

BLOCK = 64
"""Number of joint readings (sets of values of all open parameters) in a block of the design."""
BLOCKS = 8
ORDERS = 400
"""Number of random orders of a column; the one least associated with earlier columns is taken."""

Column = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def points(axes: tuple[ReadingAxis, ...]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yields each joint reading: its number from 1, and the index of each parameter's value."""
    for block in range(BLOCKS):
        columns = _block_of(tuple(len(axis.labels) for axis in axes), block)
        for row, values in enumerate(zip(*columns, strict=True), 1):
            yield BLOCK * block + row, tuple(map(int, values))


@cache
def _block_of(sizes: tuple[int, ...], block: int) -> tuple[tuple[int, ...], ...]:
    """Joint readings of one block; open parameter i has `sizes[i]` possible values."""
    random = np.random.default_rng([1, block])
    columns: list[Column] = []
    for size in sizes:
        even = (np.arange(BLOCK) + random.integers(size)) % size
        orders = [random.permutation(even) for _ in range(ORDERS if columns else 1)]
        columns.append(_least_associated(orders, [_members(column) for column in columns]))
    return tuple(tuple(map(int, column)) for column in columns)


def _least_associated(orders: list[Column], known: list[Floats]) -> Column:
    """The order whose greatest chi squared over degrees of freedom with a known column is least.

    The quotients are rounded, so that rounding errors of sums do not affect the choice.
    """
    if not known:
        return orders[0]
    others = np.concatenate(known)
    begins = np.cumsum([0, *(len(one) for one in known[:-1])])
    freedom = np.array([len(one) - 1 for one in known])

    def most(order: Column) -> float:
        own = _members(order)
        squares = np.add.reduceat(_deviations(own, others).sum(axis=0), begins)
        return round(float((squares / ((len(own) - 1) * freedom)).max()), 9)

    return min(orders, key=most)


def _members(column: Column) -> Floats:
    """For each value of the column a row that is 1 where the column has the value."""
    rows: Floats = (column[None, :] == np.unique(column)[:, None]).astype(float)
    return rows


def association(one: Floats, other: Floats) -> float:
    """Chi squared over degrees of freedom of two columns' contingency table; near 1 by chance."""
    return float(_deviations(one, other).sum()) / ((len(one) - 1) * (len(other) - 1))


def _deviations(one: Floats, other: Floats) -> Floats:
    """The terms of chi squared."""
    expected = np.outer(one.sum(axis=1), other.sum(axis=1)) / one.shape[1]
    terms: Floats = (one @ other.T - expected) ** 2 / expected
    return terms


def choices_at(paper: Paper, values: tuple[int, ...]) -> tuple[Choice, ...]:
    """Alternatives that replace assumed values in a joint reading with these value numbers."""
    assumptions = assumptions_of(paper).values()
    pairs = zip(assumptions, values, strict=True)
    return tuple((each, each.alternatives[value - 1]) for each, value in pairs if value)


def measure_readings(
    laboratory: Laboratory, wanted: int, before: Readings, keep: Callable[[Readings], None]
) -> Readings:
    """Simulates joint readings until there are `wanted`, those in `before` included.

    After each joint reading `keep` stores all of them.

    Joint readings whose values make a scenario invalid are left out.

    Raises:
        ReproduceError: The paper's data is broken, or all rows of the design are used.
    """
    subjects, found = subjects_of(laboratory.paper), before
    last = found.readings[-1].point if found.readings else 0
    for number, values in points(found.axes):
        if len(found.readings) >= wanted:
            return found
        if number <= last:
            continue
        met = _met(laboratory, subjects, values, number)
        if met is not None:
            more = (*found.readings, Reading(number, values, met))
            found = Readings(found.axes, found.results, more)
            keep(found)
    most = len(found.readings)
    raise ReproduceError(f"{laboratory.paper.id}: --readings {wanted}: allowed: at most {most}")


def _met(
    laboratory: Laboratory, subjects: tuple[Subject, ...], values: tuple[int, ...], number: int
) -> tuple[bool, ...] | None:
    """For each result True if it is met with the numbered values of the open parameters.

    None if the values make a scenario invalid.
    """
    choices = choices_at(laboratory.paper, values)
    units = [Unit(choices, subject, (number,)) for subject in subjects]
    try:
        laboratory.needed(units)
    except ScenarioError:
        return None
    marks = laboratory.marks(units, f"{laboratory.paper.id}, reading at point {number}")
    return tuple(mark.met for mark in marks)
