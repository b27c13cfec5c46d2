"""What has left the queue so far: the past that delayed equations look back on."""

from __future__ import annotations

import numpy as np

from cellrate.theory.efci.loop import Floats


class History:
    """How fast the cells of each group left the queue, as a share of BW, at times gone by.

    Cells leave in the order in which they came: the shares of the groups among those that leave are
    what they were among those that arrived at the same place of the queue. Between the times that
    were added everything is linear.

    Args:
        rates: Arrivals of each group before time 0, as shares of BW.
        empty: Whether the queue was empty then.
        keep_seconds: How far anybody looks back.
    """

    def __init__(self, rates: Floats, *, empty: bool, keep_seconds: float) -> None:
        shares = rates / rates.sum()
        self._keep = keep_seconds
        self._time = np.array([0.0])
        self._leaving = (rates if empty else shares)[:, None]
        self._arrived = np.array([0.0])
        self._shares = shares[:, None]

    def add(self, time: Floats, rates: Floats, arrived: Floats, queue: Floats) -> None:
        """Appends a stretch of time.

        Args:
            time: Times, shape (times,).
            rates: Arrivals of each group as shares of BW, shape (groups, times).
            arrived: What all groups have sent so far, in seconds of BW, shape (times,).
            queue: Queue in seconds of BW; None of it means that the link sends what arrives.
        """
        shares = rates / rates.sum(axis=0)
        self._arrived = np.concatenate([self._arrived, arrived])
        self._shares = np.concatenate([self._shares, shares], axis=1)
        left = arrived - queue
        places = [np.interp(left, self._arrived, share) for share in self._shares]
        leaving = rates if not queue.any() else np.array(places)
        self._time = np.concatenate([self._time, time])
        self._leaving = np.concatenate([self._leaving, leaving], axis=1)
        self._forget(float(left[-1]))

    def leaving(self, group: int, at: float) -> float:
        """How fast cells of a group left at a time, as a share of BW."""
        return float(np.interp(at, self._time, self._leaving[group]))

    def _forget(self, left: float) -> None:
        """Drops what nobody can look back on."""
        first = max(int(np.searchsorted(self._time, self._time[-1] - self._keep)) - 1, 0)
        self._time, self._leaving = self._time[first:], self._leaving[:, first:]
        first = max(int(np.searchsorted(self._arrived, left)) - 1, 0)
        self._arrived, self._shares = self._arrived[first:], self._shares[:, first:]
