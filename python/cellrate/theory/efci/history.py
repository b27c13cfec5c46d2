"""History of the departures from the queue, which the delayed equations need."""

from __future__ import annotations

import numpy as np

from cellrate.theory.efci.loop import Floats


class History:
    """Past rates at which cells of each group left the queue, as shares of BW.

    Cells leave in the order of arrival, so the shares of the groups among the cells that leave are
    the shares among them when they arrived. Values between the added times are interpolated
    linearly.

    Args:
        rates: Arrivals of each group before time 0, as shares of BW.
        empty: True if the queue was empty before time 0.
        keep_seconds: Length of the past that is kept.
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
            arrived: Arrivals of all groups so far, in seconds of BW, shape (times,).
            queue: Queue in seconds of BW, shape (times,); if it is 0 throughout, departures equal
                arrivals.
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
        """Rate at which cells of a group left at a time, as a share of BW."""
        return float(np.interp(at, self._time, self._leaving[group]))

    def _forget(self, left: float) -> None:
        """Drops the past beyond `keep_seconds`, and arrivals that have left the queue."""
        first = max(int(np.searchsorted(self._time, self._time[-1] - self._keep)) - 1, 0)
        self._time, self._leaving = self._time[first:], self._leaving[:, first:]
        first = max(int(np.searchsorted(self._arrived, left)) - 1, 0)
        self._arrived, self._shares = self._arrived[first:], self._shares[:, first:]
