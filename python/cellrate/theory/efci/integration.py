"""Integrates the delayed equations of the fluid model numerically, as an independent check.

The integration shares only the constants AIR, kappa, BW and tau with the closed forms, and has
several groups of sources that share one queue. The paper leaves sources with different delays to
future work. For group g, with N_g sources and round trip tau_g, only the number of returning RM
cells changes. The link serves cells in the order of arrival. So the share of group g among the
cells that leave at s equals its share of the arrivals one queueing delay earlier. With a_g(s) for
the arrivals of group g and d_g(s) for its departures (d_g = a_g while the queue is empty), every
law of the model is

    da_g/ds = AIR_g d_g(s - tau_g)                     not congested at s - tau_g
            = -taken_g a_g d_g(s - tau_g) / (N_g Nrm)  congested at s - tau_g

where `taken` is RDF, or -ln(1 - RDF) per cell. For one group d = BW, and these are the laws of the
model. The delay of a group is from the switch back to the switch. The queue does not delay marks,
because a cell is marked when it leaves the queue.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import TypeAlias, cast

import numpy as np
import numpy.typing as npt
from scipy.integrate import OdeSolution, solve_ivp
from scipy.integrate._ivp.ivp import OdeResult

from cellrate.theory.assumptions import require
from cellrate.theory.efci.loop import EfciLoop, Floats


@dataclass(frozen=True, eq=False)
class Groups:
    """Constants of the groups that share a queue; arrays have an entry per group.

    Attributes:
        bandwidth: BW in cells/s.
        sources: N_g.
        tau: Round trips tau_g in seconds.
        high: Q_H in cells.
        low: Q_L in cells.
        air: AIR_g in 1/s.
        decay: Rate of decay of each group if it had the link alone, in 1/s.
        delayed: True if growth from an empty queue is delayed, see `EfciLoop.growth`.
    """

    bandwidth: float
    sources: Floats
    tau: Floats
    high: float
    low: float
    air: Floats
    decay: Floats
    delayed: bool

    @classmethod
    def of(cls, loops: Sequence[EfciLoop]) -> Groups:
        """Groups from a loop per group; each loop is written as if the group were alone.

        Raises:
            AssumptionError: The loops differ in bandwidth (corrected for RM cells or not),
                thresholds or growth.
            ValueError: There is no loop, or a loop holds arrays.
        """
        if not loops or any(loop.shape for loop in loops):
            raise ValueError("groups must be one or more loops, each without arrays")
        first = loops[0]
        for loop in loops[1:]:
            for name, own, shared in (
                ("bandwidth_cells_per_second", loop.bw, first.bw),
                ("high_cells", loop.high, first.high),
                ("low_cells", loop.low, first.low),
            ):
                require(
                    own == shared, name, own, "must be equal in all groups, which share a queue"
                )
            require(
                loop.growth == first.growth, "growth", loop.growth, "must be equal in all groups"
            )
        return cls(
            bandwidth=float(first.bw),
            sources=np.array([float(loop.n) for loop in loops]),
            tau=np.array([float(loop.tau) for loop in loops]),
            high=float(first.high),
            low=float(first.low),
            air=np.array([float(loop.air) for loop in loops]),
            decay=np.array([float(loop.kappa) for loop in loops]),
            delayed=first.growth == "delayed",
        )


class History:
    """Past rates at which cells of each group of sources left the queue, as shares of BW.

    Cells leave in the order of arrival. So each group's share of the leaving cells equals its share
    at the time when these cells arrived. Values between the added times are interpolated linearly.

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
        """Appends an interval of time.

        Args:
            time: Times, shape (times,).
            rates: Arrivals of each group as shares of BW, shape (groups, times).
            arrived: Arrivals of all groups so far, in seconds of BW (cells / BW), shape (times,).
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


RELATIVE, ABSOLUTE = 1e-9, 1e-12
SAMPLES = 33
LONGEST_SECONDS = 1.0

Event: TypeAlias = Callable[[float, Floats], float]


class Feedback(Enum):
    """Feedback of the switch to the sources: by marks, and by the rate of returning RM cells."""

    CONGESTED = auto()
    RELIEVED = auto()
    EMPTY = auto()


class Steps:
    """Integrates the delayed equations in steps, each with one law for every group.

    The state holds the rate of each group, the amount that each has sent, the queue, and the
    capacity wasted since the last crossing of Q_H. Rates are shares of BW, amounts are in seconds
    of BW (cells / BW).

    Attributes:
        record: Times and states of each step, states of shape (2 groups + 2, times).
        crossings: Times at which the queue grew beyond Q_H, and the states then.
        turnings: Times at which the aggregate rate passed BW, and the queue then in seconds of BW.
    """

    def __init__(self, groups: Groups, rates: Floats, queue_seconds: float) -> None:
        self.groups, self.count = groups, len(rates)
        self.now = 0.0
        self.state = np.concatenate([rates, np.zeros(self.count), [queue_seconds, 0.0]])
        empty = queue_seconds == 0 and rates.sum() < 1
        self.feedback = Feedback.EMPTY if empty else Feedback.RELIEVED
        self.acting = [self.feedback] * self.count
        self.coming: list[tuple[float, int, Feedback]] = []
        self.history = History(rates, empty=empty, keep_seconds=float(2 * groups.tau.max()))
        self.record: list[tuple[Floats, Floats]] = []
        self.crossings: list[tuple[float, Floats]] = []
        self.turnings: list[tuple[float, float]] = []
        # A rate of BW at the very beginning does not count as a turning.
        self.turned = bool(np.isclose(rates.sum(), 1.0, rtol=RELATIVE))

    def advance(self) -> None:
        """Integrates to the next event or change of law, or to the end of the known past."""
        until, turns = self._until(), False
        if self.feedback is not Feedback.EMPTY and not self.turned:
            # Between turnings the queue cannot cross a level there and back within a step.
            trial = self._solve(until, [_event(self._surplus, 0)])
            until, turns = float(trial.t[-1]), trial.status == 1
        events = self._events()
        solution = self._solve(until, list(events.values()))
        self._keep(solution)
        self.turned = turns and solution.status == 0
        if self.turned:
            self.turnings.append((self.now, float(self.state[-2])))
        times = cast(list[Floats], solution.t_events)
        for feedback, happened in zip(events, times, strict=True):
            if happened.size:
                self._send(feedback)
        self._change_laws()

    def _solve(self, until: float, events: list[Event]) -> OdeResult:
        return solve_ivp(
            self._slopes,
            (self.now, until),
            self.state,
            events=events,
            dense_output=True,
            rtol=RELATIVE,
            atol=ABSOLUTE,
        )

    def _keep(self, solution: OdeResult) -> None:
        end = float(solution.t[-1])
        time = np.linspace(self.now, end, SAMPLES)
        states = np.asarray(cast(OdeSolution, solution.sol)(time))
        self.record.append((time, states))
        rates, sent = states[: self.count], states[self.count : -2].sum(axis=0)
        self.history.add(time, rates, sent, states[-2])
        self.now, self.state = end, solution.y[:, -1].copy()

    def _until(self) -> float:
        until = min((at for at, _, _ in self.coming), default=np.inf)
        looks_back = self.count > 1 or (self.groups.delayed and Feedback.EMPTY in self.acting)
        known = float(self.groups.tau.min()) if looks_back else LONGEST_SECONDS
        return min(until, self.now + known)

    def _slopes(self, s: float, state: Floats) -> Floats:
        rates = state[: self.count]
        total = rates.sum()
        slopes = np.zeros_like(state)
        slopes[: self.count] = [self._slope(g, s, rates[g]) for g in range(self.count)]
        slopes[self.count : -2] = rates
        if self.feedback is Feedback.EMPTY:
            slopes[-1] = 1 - total
        else:
            slopes[-2] = total - 1
        return slopes

    def _slope(self, group: int, s: float, rate: float) -> float:
        """Slope of a group's rate; RM cells that return now left the queue a round trip ago."""
        groups, acting = self.groups, self.acting[group]
        if acting is Feedback.EMPTY and not groups.delayed:
            leaving = rate
        elif self.count == 1 and acting is not Feedback.EMPTY:
            leaving = 1.0
        else:
            leaving = self.history.leaving(group, s - float(groups.tau[group]))
        change = -groups.decay[group] * rate if acting is Feedback.CONGESTED else groups.air[group]
        return float(leaving * change)

    def _events(self) -> dict[Feedback, Event]:
        """Events that may end a step, such as a threshold crossing, by the feedback they begin."""
        high, low = (x / self.groups.bandwidth for x in (self.groups.high, self.groups.low))
        events: dict[Feedback, Event] = {}
        if self.feedback is Feedback.EMPTY:
            events[Feedback.RELIEVED] = _event(self._surplus, +1)
        elif self.feedback is Feedback.CONGESTED:
            events[Feedback.RELIEVED] = _event(lambda _, y: float(y[-2] - low), -1)
        else:
            events[Feedback.CONGESTED] = _event(lambda _, y: float(y[-2] - high), +1)
            events[Feedback.EMPTY] = _event(lambda _, y: float(y[-2]), -1)
        return events

    def _surplus(self, _: float, state: Floats) -> float:
        return float(state[: self.count].sum() - 1)

    def _send(self, feedback: Feedback) -> None:
        if feedback is Feedback.CONGESTED:
            self.crossings.append((self.now, self.state.copy()))
            self.state[-1] = 0.0  # counted anew, since tolerances are relative to the count
        if feedback is Feedback.EMPTY:
            self.state[-2] = 0.0
        if self.feedback is Feedback.EMPTY:
            self.turned = True  # this event was the turning
        self.feedback = feedback
        self.coming += [
            (self.now + float(tau), g, feedback) for g, tau in enumerate(self.groups.tau)
        ]

    def _change_laws(self) -> None:
        due = [change for change in self.coming if change[0] <= self.now]
        self.coming = [change for change in self.coming if change[0] > self.now]
        for _, group, feedback in sorted(due, key=lambda change: change[0]):
            self.acting[group] = feedback


def _event(function: Event, direction: int) -> Event:
    """Adds the attributes of a terminal event for `solve_ivp` to a function."""

    def event(s: float, state: Floats) -> float:
        return function(s, state)

    event.direction, event.terminal = direction, True  # type: ignore[attr-defined]
    return event


@dataclass(frozen=True, eq=False)
class Integrated:
    """Result of the integration; all values but the series are of the last whole cycle.

    Attributes:
        time_seconds: Times, shape (times,).
        acr_cells_per_second: ACR of a source of each group, shape (groups, times).
        queue_cells: Queue, shape (times,).
        maximum_queue_cells: Greatest queue.
        minimum_queue_cells: Least queue.
        period_seconds: Time from one crossing of Q_H to the next.
        utilisation: Share of the bottleneck's capacity that was used.
        throughput_cells_per_second: Mean arrivals of a source of each group, shape (groups,).
    """

    time_seconds: Floats
    acr_cells_per_second: Floats
    queue_cells: Floats
    maximum_queue_cells: float
    minimum_queue_cells: float
    period_seconds: float
    utilisation: float
    throughput_cells_per_second: Floats


def integrate(
    loops: EfciLoop | Sequence[EfciLoop],
    cycles: int = 20,
    start_shares: npt.ArrayLike | None = None,
    start_queue_cells: float = 0.0,
) -> Integrated:
    """Integrates the delayed equations of one group of sources, or of several (see `Groups`).

    Args:
        loops: One loop, or one for each group.
        cycles: Number of whole cycles, each from one crossing of Q_H to the next.
        start_shares: Rate of each group at the start as a share of BW; N_g / N if absent.
        start_queue_cells: Queue at the start, below Q_H.

    Raises:
        AssumptionError: The groups do not share link and queue, or the start is outside the model.
    """
    groups = Groups.of([loops] if isinstance(loops, EfciLoop) else loops)
    even = groups.sources / groups.sources.sum()
    shares = even if start_shares is None else np.asarray(start_shares, dtype=np.float64)
    require(shares > 0, "start_shares", shares, "must be above 0")
    fits = 0 <= start_queue_cells < groups.high
    require(fits, "start_queue_cells", start_queue_cells, "must be at least 0 and below high_cells")
    steps = Steps(groups, np.broadcast_to(shares, even.shape), start_queue_cells / groups.bandwidth)
    while len(steps.crossings) <= cycles:
        steps.advance()
    return _result(groups, steps)


def _result(groups: Groups, steps: Steps) -> Integrated:
    (begins, first), (ends, last) = steps.crossings[-2:]
    period = ends - begins
    turned = [queue for at, queue in steps.turnings if begins <= at <= ends]
    states = np.concatenate([states for _, states in steps.record], axis=1)
    count = steps.count
    each = groups.bandwidth / groups.sources
    return Integrated(
        time_seconds=np.concatenate([time for time, _ in steps.record]),
        acr_cells_per_second=states[:count] * each[:, None],
        queue_cells=np.maximum(states[-2], 0.0) * groups.bandwidth,
        maximum_queue_cells=max(turned) * groups.bandwidth,
        minimum_queue_cells=0.0 if last[-1] > 0 else min(turned) * groups.bandwidth,
        period_seconds=period,
        utilisation=1 - float(last[-1]) / period,
        throughput_cells_per_second=(last - first)[count:-2] / period * each,
    )
