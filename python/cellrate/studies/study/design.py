"""Designs of studies: the combinations of values that are run."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scipy.stats import qmc

from cellrate.studies.study.definition import Axis

MOST_POINTS = 1_000_000
"""Greatest number of points, counted before any is made; a point takes some 2 kB of memory."""


class TooManyPoints(Exception):
    """A design has more points than can be held."""


def rows(axes: Sequence[Axis], design: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Values of all factors, point by point.

    Args:
        axes: The axes of the design.
        design: ``kind``; for space-filling designs also ``points`` and ``seed``.

    Raises:
        TooManyPoints: There are more than `MOST_POINTS`.
    """
    if design["kind"] == "grid":
        return grid(axes)
    return _filling(axes, design)


def grid(axes: Sequence[Axis]) -> Iterator[tuple[str, ...]]:
    """All combinations; the first axis varies slowest."""
    levels = [list(axis.rows) for axis in axes]
    count = 1
    for each in levels:
        count *= len(each)
    if count > MOST_POINTS:
        raise TooManyPoints(f"{count:,} combinations; at most {MOST_POINTS:,} can be held")
    for combination in itertools.product(*levels):
        yield tuple(itertools.chain.from_iterable(combination))


def _filling(axes: Sequence[Axis], design: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Points that fill the unit cube; each axis is one of its dimensions."""
    if not axes:
        yield ()
        return
    sampler: qmc.QMCEngine
    if design["kind"] == "sobol":
        sampler = qmc.Sobol(len(axes), scramble=True, rng=design["seed"])
    else:
        sampler = qmc.LatinHypercube(len(axes), rng=design["seed"])
    with warnings.catch_warnings():
        # A Sobol sequence is balanced only at powers of two, as the reference of study files says.
        warnings.simplefilter("ignore", UserWarning)
        points = sampler.random(design["points"])
    for point in points:
        yield tuple(
            itertools.chain.from_iterable(
                axis.at(float(share)) for axis, share in zip(axes, point, strict=True)
            )
        )
