"""The method of steps: from event to event, while everything that acts is known from before."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import TypeAlias, cast

import numpy as np
from scipy.integrate import OdeSolution, solve_ivp
from scipy.integrate._ivp.ivp import OdeResult

from cellrate.theory.efci.groups import Groups
from cellrate.theory.efci.history import History
from cellrate.theory.efci.loop import Floats

RELATIVE, ABSOLUTE = 1e-9, 1e-12
SAMPLES = 33
LONGEST_SECONDS = 1.0

Event: TypeAlias = Callable[[float, Floats], float]


class Told(Enum):
    """What the switch tells the sources: by marks, and by the pace of the RM cells."""

    CONGESTED = auto()
    RELIEVED = auto()
    EMPTY = auto()


class Steps:
    """State: rates of the groups, what they have sent, the queue, what was wasted.

    Rates are shares of BW, amounts seconds of BW.

    Attributes:
        record: Times and states of each step, states of shape (2 groups + 2, times).
        crossings: Times at which the queue grew beyond Q_H, and the states then; what was wasted
            counts from the crossing before.
        turnings: Time and queue in seconds of BW where the aggregate rate passed BW.
    """

    def __init__(self, groups: Groups, rates: Floats, queue_seconds: float) -> None:
        self.groups, self.count = groups, len(rates)
        self.now = 0.0
        self.state = np.concatenate([rates, np.zeros(self.count), [queue_seconds, 0.0]])
        empty = queue_seconds == 0 and rates.sum() < 1
        self.told = Told.EMPTY if empty else Told.RELIEVED
        self.acting = [self.told] * self.count
        self.coming: list[tuple[float, int, Told]] = []
        self.history = History(rates, empty=empty, keep_seconds=float(2 * groups.tau.max()))
        self.record: list[tuple[Floats, Floats]] = []
        self.crossings: list[tuple[float, Floats]] = []
        self.turnings: list[tuple[float, float]] = []
        # A turning at the very beginning is none.
        self.turned = bool(np.isclose(rates.sum(), 1.0, rtol=RELATIVE))

    def advance(self) -> None:
        """To the next event or change of law, or as far as the past is known."""
        until, turns = self._until(), False
        if self.told is not Told.EMPTY and not self.turned:
            # Between turnings the queue cannot cross a level there and back within a step.
            looked = self._solve(until, [_event(self._surplus, 0)])
            until, turns = float(looked.t[-1]), looked.status == 1
        events = self._events()
        solution = self._solve(until, list(events.values()))
        self._keep(solution)
        self.turned = turns and solution.status == 0
        if self.turned:
            self.turnings.append((self.now, float(self.state[-2])))
        times = cast(list[Floats], solution.t_events)
        for told, happened in zip(events, times, strict=True):
            if happened.size:
                self._tell(told)
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
        looks_back = self.count > 1 or (self.groups.delayed and Told.EMPTY in self.acting)
        known = float(self.groups.tau.min()) if looks_back else LONGEST_SECONDS
        return min(until, self.now + known)

    def _slopes(self, s: float, state: Floats) -> Floats:
        rates = state[: self.count]
        total = rates.sum()
        slopes = np.zeros_like(state)
        slopes[: self.count] = [self._slope(g, s, rates[g]) for g in range(self.count)]
        slopes[self.count : -2] = rates
        if self.told is Told.EMPTY:
            slopes[-1] = 1 - total
        else:
            slopes[-2] = total - 1
        return slopes

    def _slope(self, group: int, s: float, rate: float) -> float:
        """Laws of `groups`: RM cells that return now left the queue a round trip ago."""
        groups, acting = self.groups, self.acting[group]
        if acting is Told.EMPTY and not groups.delayed:
            leaving = rate
        elif self.count == 1 and acting is not Told.EMPTY:
            leaving = 1.0
        else:
            leaving = self.history.leaving(group, s - float(groups.tau[group]))
        change = -groups.decay[group] * rate if acting is Told.CONGESTED else groups.air[group]
        return float(leaving * change)

    def _events(self) -> dict[Told, Event]:
        """What may happen, by what the switch then tells."""
        high, low = (x / self.groups.bandwidth for x in (self.groups.high, self.groups.low))
        events: dict[Told, Event] = {}
        if self.told is Told.EMPTY:
            events[Told.RELIEVED] = _event(self._surplus, +1)
        elif self.told is Told.CONGESTED:
            events[Told.RELIEVED] = _event(lambda _, y: float(y[-2] - low), -1)
        else:
            events[Told.CONGESTED] = _event(lambda _, y: float(y[-2] - high), +1)
            events[Told.EMPTY] = _event(lambda _, y: float(y[-2]), -1)
        return events

    def _surplus(self, _: float, state: Floats) -> float:
        return float(state[: self.count].sum() - 1)

    def _tell(self, told: Told) -> None:
        if told is Told.CONGESTED:
            self.crossings.append((self.now, self.state.copy()))
            self.state[-1] = 0.0  # counted anew, as tolerances are relative to what was counted
        if told is Told.EMPTY:
            self.state[-2] = 0.0
        if self.told is Told.EMPTY:
            self.turned = True  # that was the turning
        self.told = told
        self.coming += [(self.now + float(tau), g, told) for g, tau in enumerate(self.groups.tau)]

    def _change_laws(self) -> None:
        due = [change for change in self.coming if change[0] <= self.now]
        self.coming = [change for change in self.coming if change[0] > self.now]
        for _, group, told in sorted(due, key=lambda change: change[0]):
            self.acting[group] = told


def _event(function: Event, direction: int) -> Event:
    """An event as `solve_ivp` wants it."""

    def event(s: float, state: Floats) -> float:
        return function(s, state)

    event.direction, event.terminal = direction, True  # type: ignore[attr-defined]
    return event
