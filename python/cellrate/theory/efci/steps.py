"""Method of steps for the delayed equations: each step needs only values of the past."""

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


class Feedback(Enum):
    """Feedback of the switch to the sources: by marks, and by the rate of returning RM cells."""

    CONGESTED = auto()
    RELIEVED = auto()
    EMPTY = auto()


class Steps:
    """Integration in steps.

    The state holds the rate of each group, the amount that each has sent, the queue, and the
    capacity wasted since the last crossing of Q_H. Rates are shares of BW, amounts seconds of BW.

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
        """Integrates to the next event or change of law, or as far as the known past allows."""
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
        """Law of a group's rate; RM cells that return now left the queue a round trip ago."""
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
        """Events that may happen, by the feedback that they cause."""
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
            self.turned = True  # that was the turning
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
