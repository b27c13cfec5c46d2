"""The answer to the question which control to choose."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from cellrate.advice.choosing.candidates import Option
from cellrate.advice.choosing.circumstances import Circumstance
from cellrate.advice.choosing.goals import ALIKE, Goals, Judgement
from cellrate.simulation.runner import Job


@dataclass(frozen=True)
class Elsewhere:
    """The choice under another circumstance, among the best option of each control.

    Attributes:
        circumstance: The changed property of the scenario, and its factor.
        best: What the goals choose there; None if nothing meets them.
        recommended: The recommended option there.
    """

    circumstance: Circumstance
    best: Option | None
    recommended: Option

    @property
    def is_other(self) -> bool:
        """True if the recommended option is neither the best there nor as good as the best."""
        best, own = self.best, self.recommended
        if best is None or best.candidate == own.candidate:
            return best is None
        rates = own.throughput_bits_per_second, best.throughput_bits_per_second
        as_good = own.buffer_cells <= best.buffer_cells and rates[0] >= (1 - ALIKE) * rates[1]
        return not as_good


@dataclass(frozen=True)
class Side:
    """The choice with more of a property than in the scenario, or with less.

    Attributes:
        kept: The farthest factor up to which the recommendation stays; 1 for the scenario itself.
        lost: The nearest circumstance in which it does not; None if it stays throughout.
    """

    kept: float
    lost: Elsewhere | None


def sides(about: str, elsewhere: Iterable[Elsewhere]) -> tuple[Side, Side]:
    """The choice with less of a property of the scenario, and the choice with more."""
    asked = [one for one in elsewhere if one.circumstance.about == about]
    found = []
    for above in (False, True):
        near_first = sorted(
            (one for one in asked if (one.circumstance.factor > 1) is above),
            key=lambda one: abs(math.log(one.circumstance.factor)),
        )
        kept = list(takewhile(lambda one: not one.is_other, near_first))
        rest = near_first[len(kept) :]
        found.append(
            Side(
                kept[-1].circumstance.factor if kept else 1.0,
                rest[0] if rest else None,
            )
        )
    return found[0], found[1]


def left_out(not_tried: Sequence[str]) -> Iterator[str]:
    """The sentence on what the time limit left out; none if it left out nothing."""
    if not_tried:
        yield (
            f"Stopped at the time limit; not yet tried: {'; '.join(not_tried)}. "
            "The same command with more --minutes goes on."
        )


@dataclass(frozen=True)
class Answer:
    """The choice of a control.

    Attributes:
        base: The scenario that the control was chosen for.
        goals: Requirements that the control must meet.
        seeds: Seeds of the runs.
        options: Everything that was run with every seed, and the defaults of controls without that.
        judgement: The recommended option, the runner-up, and what other controls miss.
        front: Options that are best in buffer, throughput or delay for what they cost in the rest.
        other_starts: The recommended option with drawn starts (`OTHER_STARTS`); None if the seeds
            differ without, and if it was not run.
        elsewhere: The choice under other circumstances.
        refused: Controls that the scenario does not allow, with the reason.
        unfinished: Controls that the time limit left without a run, or without a whole search.
        not_tried: What the time limit left out, as text; empty if nothing.
        simulated: Number of runs that were simulated.
        known: Number of runs whose results had been kept.
    """

    base: Job
    goals: Goals
    seeds: tuple[int, ...]
    options: tuple[Option, ...]
    judgement: Judgement
    front: tuple[Option, ...]
    other_starts: Option | None
    elsewhere: tuple[Elsewhere, ...]
    refused: Mapping[str, str]
    unfinished: tuple[str, ...]
    not_tried: tuple[str, ...]
    simulated: int
    known: int
