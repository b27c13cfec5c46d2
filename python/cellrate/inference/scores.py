"""Marks of results under each value of an open parameter, with each seed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

ASSUMED = 0
"""Index of the assumed value, which is the first."""


@dataclass(frozen=True)
class Scores:
    """Marks of results.

    Attributes:
        experiments: The experiment of each result.
        met: For each value, the assumed one first, an array of seeds by results, True where a
            result is met. All values have the first seed; a value out of the race has only that.
    """

    experiments: tuple[str, ...]
    met: tuple[npt.NDArray[np.bool_], ...]

    @property
    def full(self) -> tuple[int, ...]:
        """Values that were run with all seeds."""
        most = max(len(marks) for marks in self.met)
        return tuple(value for value, marks in enumerate(self.met) if len(marks) == most)

    def shares(self, value: int, among: Collection[str] | None = None) -> list[float]:
        """Share of the results that are met, by seed; only of experiments in `among`, if given."""
        columns = self._columns(among)
        return [float(np.mean(row[columns])) if columns else 0.0 for row in self.met[value]]

    def share(self, value: int, among: Collection[str] | None = None) -> float:
        """Share of the results that are met, mean over the seeds."""
        return float(np.mean(self.shares(value, among)))

    def gains(self, value: int, other: int, among: Collection[str] | None = None) -> list[int]:
        """Results met under `value` less those under `other`, for each seed that both have."""
        columns = self._columns(among)
        difference = self._difference(value, other)[:, columns]
        return [int(gain) for gain in difference.sum(axis=1)]

    def by_experiment(self, value: int, other: int) -> dict[str, float]:
        """Results met under `value` less those under `other`, by experiment; mean over seeds."""
        mean = self._difference(value, other).mean(axis=0)
        gains = dict.fromkeys(self.experiments, 0.0)
        for experiment, difference in zip(self.experiments, mean, strict=True):
            gains[experiment] += float(difference)
        return gains

    def best(self, among: Collection[str] | None = None) -> int:
        """The value under which most results are met; among equals the one with the least index."""
        counts = {value: self._count(value, among) for value in self.full}
        return max(self.full, key=lambda value: (counts[value], -value))

    def _count(self, value: int, among: Collection[str] | None) -> int:
        return int(self.met[value][:, self._columns(among)].sum())

    def _difference(self, value: int, other: int) -> npt.NDArray[np.int8]:
        seeds = min(len(self.met[value]), len(self.met[other]))
        first, second = self.met[value][:seeds], self.met[other][:seeds]
        return first.astype(np.int8) - second.astype(np.int8)

    def _columns(self, among: Collection[str] | None) -> Sequence[int]:
        return [
            column
            for column, experiment in enumerate(self.experiments)
            if among is None or experiment in among
        ]
