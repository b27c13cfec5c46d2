"""Computes the trajectory from event to event.

The queue crosses a threshold, and a round trip later ACR follows another law.
"""

from __future__ import annotations

from collections import deque
from math import exp, inf, log

import numpy as np

from cellrate.theory.assumptions import require
from cellrate.theory.efci.segments import (
    Constants,
    Phase,
    Segment,
    seconds_down,
    seconds_to_bandwidth,
    seconds_up,
)

# Least time that phase 3 takes to reach BW, in round trips.
LEAST = 1e-9


class Walk:
    """The trajectory of ACR and queue in segments, each with one law.

    Attributes:
        segments: All segments so far.
        crossings: Number of segments before each upward crossing of Q_H.
        lost: For each time at which the queue began to grow again, the number of segments before
            it, and the capacity lost while the queue was empty, in seconds of BW.
    """

    def __init__(self, constants: Constants, share: float, rate: float, queue: float) -> None:
        self.constants, self.share, self.growth = constants, share, constants.mode
        self.now, self.rate, self.queue = 0.0, rate, queue
        self.congested, self.empty = False, queue == 0 and rate < 1
        self.phase = Phase.GROWTH if self.empty else Phase.REFILL
        self.coming: deque[tuple[float, Phase]] = deque()
        self.segments: list[Segment] = []
        self.crossings: list[int] = []
        self.lost: list[tuple[int, float]] = []
        self._emptied, self._came = 0, 0.0

    def schedule(self, at: float, phase: Phase) -> None:
        """Schedules a law that will act from a time on."""
        self.coming.append((at, phase))

    def run(self, cycles: int) -> None:
        """Advances until Q_H has been crossed upwards `cycles` times."""
        while len(self.crossings) < cycles:
            self._advance()

    def _advance(self) -> None:
        crossing = self._until_crossing()
        change = self.coming[0][0] - self.now if self.coming else inf
        length = min(crossing, change)
        segment = Segment(
            self.now, length, self.phase, self.rate, self.queue, self.empty, self.growth
        )
        self.segments.append(segment)
        x = np.asarray(length)
        self.rate = float(segment.rates(self.constants, x))
        numeric = 0 < self.rate < inf
        require(
            numeric,
            "ACR / fair share",
            self.rate,
            "must stay above 0 and finite: set a shorter round trip or a smaller rdf",
        )
        self.queue = float(segment.queues(self.constants, x))
        self.now += length
        if change <= crossing:
            self.now, self.phase = self.coming.popleft()
            if self.phase is Phase.GROWTH:
                self.growth = self._growth()
        else:
            self._cross()

    def _until_crossing(self) -> float:
        where = (self.constants, self.phase, self.rate, self.queue)
        if self.empty:
            return self._until_full()
        if self.congested:
            return seconds_down(*where, self.constants.low)
        return min(seconds_up(*where, self.constants.high, self.growth), seconds_down(*where, 0.0))

    def _until_full(self) -> float:
        if self.phase is Phase.DECREASE:
            return inf
        return seconds_to_bandwidth(self.constants, self.phase, self.rate, self.growth)

    def _cross(self) -> None:
        """Handles the queue crossing a threshold, emptying or beginning to grow.

        The law of ACR changes a round trip later.
        """
        felt = self.now + self.constants.tau
        if self.empty:
            self._fill()
            self.schedule(felt, Phase.REFILL)
        elif self.congested:
            self.congested, self.queue = False, self.constants.low
            self.schedule(felt, Phase.INCREASE)
        elif self.rate > 1:
            self.congested, self.queue = True, self.constants.high
            self.crossings.append(len(self.segments))
            self.schedule(felt, Phase.DECREASE)
        else:
            self.empty, self.queue, self._emptied = True, 0.0, len(self.segments)
            self.schedule(felt, Phase.GROWTH)

    def grow_after(self, phase_3_seconds: float, came: float) -> None:
        """Starts the trajectory at the end of a phase 3 in which `came` seconds of BW arrived."""
        left = max(self.constants.tau - phase_3_seconds, 0.0)
        self._came = came
        self.schedule(left, Phase.GROWTH)
        self.schedule(self.constants.tau, Phase.REFILL)

    def _growth(self) -> float:
        """Rate of growth of phase 3's law, which begins now; see `trough` for the slowest mode."""
        constants = self.constants
        if not constants.delayed or self.now == 0:
            return constants.mode
        if not self.empty:
            after = self.rate + constants.air * self._came
            return log(after / self.rate) / (self.coming[0][0] - self.now)
        past = self.segments[self._emptied :]
        faded = sum(
            exp(-constants.mode * (segment.start - past[0].start))
            * segment.faded(constants, constants.mode)
            for segment in past
        )
        mode = (self.rate + constants.air * faded) / (1 + constants.mode * constants.tau)
        return -log(self.rate) / max(-log(mode) / constants.mode, LEAST * constants.tau)

    def _fill(self) -> None:
        """Records the capacity lost while the queue was empty, when the queue begins to grow."""
        constants, past = self.constants, self.segments[self._emptied :]
        came = sum(float(s.arrivals(constants, np.asarray(s.length))) for s in past)
        if constants.delayed and self.phase is Phase.GROWTH and past[0].phase is not Phase.GROWTH:
            felt = next(segment.rate for segment in past if segment.phase is Phase.GROWTH)
            came = (exp(constants.mode * constants.tau) - felt) / constants.air
        self._came, self.empty, self.rate, self.growth = came, False, 1.0, constants.mode
        self.lost.append((len(self.segments), sum(segment.length for segment in past) - came))
