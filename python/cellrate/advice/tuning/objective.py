"""Ranks settings by criteria in their order, each with a tolerance."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TypeAlias

from cellrate.advice.tuning.measures import OF_LINK_LAYERS, Criterion, Measures
from cellrate.common.problems import BadInput, choose
from cellrate.language.ended_flows import TRANSFER

Means: TypeAlias = Mapping[str, float | None]

ALIKE = 0.02
"""Utilisations and throughputs that differ by no more than this share count as equal."""

# A line that is always full has a standing queue; among lines that are almost as full, the queue
# decides.
FULL = f"loss,utilisation={ALIKE}"
DEFAULT = f"{FULL},queue,fairness"
ALL_FILES = f"unfinished,completion,{FULL},queue"
SOME_FILES = f"unfinished,{FULL},completion,queue,fairness"


def default(kinds: Collection[str]) -> str:
    """The criteria of a scenario by the kinds of its sources.

    If files of a fixed size all end, every setting has the same utilisation over the run. The mean
    queue would then decide, and favour a line without traffic. So where sources transfer files,
    completion comes before the queue, and files alone have no fairness. Other sources fill the
    line, so if a scenario has other sources, too, loss and utilisation come before completion, but
    after the files that do not end.
    """
    if TRANSFER not in kinds:
        return DEFAULT
    return ALL_FILES if set(kinds) == {TRANSFER} else SOME_FILES


@dataclass(frozen=True)
class Shortfall:
    """The first criterion in which a setting is worse than the best one, with both values."""

    criterion: Criterion
    value: float
    best: float


@dataclass(frozen=True)
class Objective:
    """Criteria in their order; each decides among settings that earlier criteria rank as equal.

    The first criterion keeps the settings within its tolerance of the best value. Among these, the
    second criterion keeps the settings within its tolerance, and so on. The settings that remain
    are ordered by their exact values. The second best setting is the best one after the best has
    been removed.
    """

    criteria: tuple[Criterion, ...]
    link_layer: str = "atm"

    @classmethod
    def named(cls, text: str, link_layer: str = "atm") -> Objective:
        """Parses a list such as `loss,utilisation=0.01,queue`, of runs over a link layer.

        Raises:
            BadInput: A criterion is unknown or comes twice, or a tolerance is not valid.
        """
        criteria = tuple(_criterion(part.strip(), link_layer) for part in text.split(","))
        names = [criterion.name for criterion in criteria]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise BadInput(f"--objective {text}: {twice} comes twice")
        return cls(criteria, link_layer)

    def files_ending_first(self) -> Objective:
        """The objective with `unfinished` before `completion`, unless it names both or neither.

        Runs whose files do not all end have no completion time. So a setting under which fewer
        files end ranks behind by `unfinished`, and completion decides where equally many end.
        """
        names = [criterion.name for criterion in self.criteria]
        if "completion" not in names or "unfinished" in names:
            return self
        at = names.index("completion")
        unfinished = _criterion("unfinished", self.link_layer)
        return replace(self, criteria=(*self.criteria[:at], unfinished, *self.criteria[at:]))

    @property
    def known(self) -> tuple[Criterion, ...]:
        """All criteria of runs over the link layer, and those of the objective alone."""
        found = OF_LINK_LAYERS[self.link_layer]
        names = {one.name for one in found}
        return (*found, *(one for one in self.criteria if one.name not in names))

    def best(self, candidates: Sequence[Means]) -> int:
        """Index of the best setting.

        Raises:
            ValueError: The sequence is empty.
        """
        left = list(range(len(candidates)))
        for criterion in self.criteria:
            left = self._as_good(criterion, candidates, left)
        return min(left, key=lambda at: self._exact(candidates[at]))

    def ranked(self, candidates: Sequence[Means]) -> list[int]:
        """Indices of all settings, the best first."""
        left, order = list(range(len(candidates))), []
        while left:
            at = left[self.best([candidates[n] for n in left])]
            order.append(at)
            left.remove(at)
        return order

    def shortfall(self, candidate: Means, best: Means) -> Shortfall | None:
        """First criterion in which a setting is worse than the best; None if within tolerances."""
        for criterion in self.criteria:
            value, wanted = candidate[criterion.name], best[criterion.name]
            if value is None or wanted is None or criterion.reaches(value, wanted):
                continue
            return Shortfall(criterion, value, wanted)
        return None

    def dropped(self, at: int, candidates: Sequence[Means]) -> Shortfall | None:
        """First criterion in which a setting is worse than the best value of those still left.

        None if the setting is as good as the best values to the end, or has no value there.
        """
        left = list(range(len(candidates)))
        for criterion in self.criteria:
            before, left = left, self._as_good(criterion, candidates, left)
            value = candidates[at][criterion.name]
            if at in left:
                continue
            values = (candidates[one][criterion.name] for one in before)
            known = [one for one in values if one is not None]
            best = max(known) if criterion.best == "greatest" else min(known)
            return None if value is None else Shortfall(criterion, value, best)
        return None

    def unmeasured(self, candidates: Sequence[Means]) -> list[Criterion]:
        """Criteria for which no setting has a value, so that they do not affect the ranking."""
        return [c for c in self.criteria if all(one[c.name] is None for one in candidates)]

    def _as_good(
        self, criterion: Criterion, candidates: Sequence[Means], left: Sequence[int]
    ) -> list[int]:
        found = [(at, candidates[at][criterion.name]) for at in left]
        values = [value for _, value in found if value is not None]
        if not values:
            return list(left)
        best = max(values) if criterion.best == "greatest" else min(values)
        return [at for at, value in found if value is not None and criterion.reaches(value, best)]

    def _exact(self, means: Means) -> tuple[float, ...]:
        """Sort key of a setting by its exact means, the best first."""
        values = ((criterion.best, means[criterion.name] or 0.0) for criterion in self.criteria)
        return tuple(-value if best == "greatest" else value for best, value in values)


def undominated(costs: Sequence[tuple[float, ...]]) -> list[int]:
    """Indices of the Pareto front: no other item has one cost less and no cost greater."""
    return [
        at
        for at, own in enumerate(costs)
        if not any(
            other != own and all(a <= b for a, b in zip(other, own, strict=True)) for other in costs
        )
    ]


def means_of(runs: Sequence[Measures]) -> Means:
    """Mean of every measure over seeds; None for a measure that a run lacks."""
    columns = {name: [run.values[name] for run in runs] for name in runs[0].values}
    return {name: _mean(values) for name, values in columns.items()}


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if len(known) == len(values) else None


def _criterion(text: str, link_layer: str) -> Criterion:
    name, equals, tolerance = (part.strip() for part in text.partition("="))
    known = {criterion.name: criterion for criterion in OF_LINK_LAYERS[link_layer]}
    criterion = known[choose(name, list(known), "criterion")]
    if not equals:
        return criterion
    try:
        value = float(tolerance)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1:
        raise BadInput(f"--objective {text}: a tolerance is a number of at least 0 and below 1")
    return replace(criterion, tolerance=value)
