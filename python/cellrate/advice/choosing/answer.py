"""Result of a choice of control: recommendation, runner-up, and the choice in changed scenarios."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from cellrate.advice.choosing.candidates import Option
from cellrate.advice.choosing.checking import unused
from cellrate.advice.choosing.goals import Goals, Judgement
from cellrate.advice.formulas.growth import Excess
from cellrate.advice.tuning.objective import ALIKE
from cellrate.advice.tuning.other_runs import Circumstance
from cellrate.simulation.runner import Job


@dataclass(frozen=True)
class Elsewhere:
    """The choice in a scenario with one property changed, among the best options of some controls.

    Attributes:
        circumstance: The changed property of the scenario, and its factor.
        best: The best option in the changed scenario; None if no option meets the goals.
        recommended: The recommended option, run in the changed scenario.
        missed: Texts on the goals that the recommended option misses there.
        excess: The port that background alone overloads, if with any buffer it loses more than the
            goals allow; else None.
    """

    circumstance: Circumstance
    best: Option | None
    recommended: Option
    missed: Sequence[str] = ()
    excess: Excess | None = None

    @property
    def is_other(self) -> bool:
        """True if in the changed scenario another option is better than the recommended option."""
        best, own = self.best, self.recommended
        if best is None or best.candidate == own.candidate:
            return best is None
        rates = own.speed, best.speed
        as_good = own.buffer_cells <= best.buffer_cells and rates[0] >= (1 - ALIKE) * rates[1]
        return not as_good

    @property
    def choice(self) -> Option | None:
        """The recommended option if it is as good as any there, else the best; None without one."""
        return self.best if self.is_other else self.recommended


@dataclass(frozen=True)
class Side:
    """The choice in scenarios that multiply one property by factors on one side of 1.

    Attributes:
        kept: The factor farthest from 1 up to which the recommendation is the same.
        lost: The scenario with the factor nearest to 1 that has another recommendation; None if the
            recommendation is the same with all factors.
    """

    kept: float
    lost: Elsewhere | None


def sides(about: str, elsewhere: Iterable[Elsewhere]) -> tuple[Side, Side]:
    """The choice as the property named `about` is multiplied: by factors below 1, and above 1."""
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
    """The sentence that lists what the time limit left out; empty if it left out nothing."""
    if not_tried:
        yield (
            f"The time limit ended the search. Not yet tried: {'; '.join(not_tried)}. The same "
            "command with more --minutes continues the search."
        )


@dataclass(frozen=True)
class Rejected:
    """An option that met the goals in the search, but misses some in its check.

    Attributes:
        option: The option, with the seeds of the search.
        checked: The option, with the seeds of the check.
        missed: Texts on the goals that the option misses in the check.
    """

    option: Option
    checked: Option
    missed: tuple[str, ...]


@dataclass(frozen=True)
class Answer:
    """Result of `choose` over ATM: the recommended control, and all options that were run.

    Attributes:
        base: The scenario that the control was chosen for.
        goals: Requirements that the control must meet.
        seeds: Seeds of the search.
        check_seeds: Seeds of the check, which the search does not use.
        options: All options that were run with every seed. For a control without such an option,
            the option with default parameters.
        judgement: The recommended option, the runner-up, and what other controls miss, all with the
            seeds of the search.
        checked: The recommended option, run with the seeds of the check. None if the time limit
            ended the check, or too many options missed a goal in their checks.
        rejected: Options that missed a goal in their checks.
        front: The Pareto front: options of which no other is better in one of buffer, speed
            and delay, and no worse in the rest.
        other_starts: The recommended option, run with random start times of flows
            (`OTHER_STARTS`) and the seeds of the check. None if the runs of different seeds differ
            without random starts, if the scenario draws starts, or if the option was not run.
        longer: The recommended option in a longer run (`other_runs.longer`) with the first seed
            of the check; None if it was not run.
        elsewhere: The choice in changed scenarios, with random starts if `has_drawn_buffer`.
        refused: Controls that the scenario does not allow, with the reason.
        unfinished: Controls that were not run, or not searched to the end, because of the time
            limit.
        not_tried: What the time limit left out, as text; empty if nothing.
        simulated: Number of runs that were simulated.
        known: Number of runs whose results were already stored.
    """

    base: Job
    goals: Goals
    seeds: tuple[int, ...]
    check_seeds: tuple[int, ...]
    options: tuple[Option, ...]
    judgement: Judgement
    checked: Option | None
    rejected: tuple[Rejected, ...]
    front: tuple[Option, ...]
    other_starts: Option | None
    longer: Option | None
    elsewhere: tuple[Elsewhere, ...]
    refused: Mapping[str, str]
    unfinished: tuple[str, ...]
    not_tried: tuple[str, ...]
    simulated: int
    known: int

    @property
    def rows(self) -> dict[Option, Sequence[str]]:
        """The best option of each control by buffer, with texts on the goals that it misses.

        An option that missed a goal in its check stands here if its control has no other.
        """
        found = dict(self.judgement.rows)
        names = {one.candidate.name for one in found}
        for one in reversed(self.rejected):
            if one.option.candidate.name not in names:
                names.add(one.option.candidate.name)
                found[one.option] = [f"{', '.join(one.missed)} {unused(one.checked.seeds)}"]
        return dict(sorted(found.items(), key=lambda row: row[0].buffer_cells))

    @property
    def recommended(self) -> Option | None:
        """The option to take; None if no option meets the goals.

        Its measures are those of the check if the option was checked. If random starts of flows
        need a larger buffer, and the goals allow this buffer, the option has this buffer.
        """
        best, drawn = self.checked or self.judgement.best, self.other_starts
        if best is None or drawn is None or not self.has_drawn_buffer:
            return best
        return replace(best, buffer_cells=drawn.buffer_cells, overrides=drawn.overrides)

    @property
    def has_drawn_buffer(self) -> bool:
        """True if with random starts of flows the option needs more buffer, as the goals allow.

        The changed scenarios then have random starts, too.
        """
        return decides(self.other_starts, self.checked, self.goals)


def decides(drawn: Option | None, checked: Option | None, goals: Goals) -> bool:
    """True if an option with random starts gives the buffer.

    Args:
        drawn: The option with random starts; None if it was not run.
        checked: The option with the starts of the scenario; None if it was not checked.
        goals: The goals, which may not allow the buffer that random starts need.
    """
    if checked is None or drawn is None:
        return False
    cells, most = drawn.buffer_cells, goals.buffer_cells
    return cells > checked.buffer_cells and (most is None or cells <= most)
