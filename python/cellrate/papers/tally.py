"""Counts of a report: claims that hold and scored numbers that are met; list of disagreements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cellrate.common.numbers import estimate_text
from cellrate.papers.results import ClaimResult, Disagreement, ExperimentResult, ValueResult
from cellrate.papers.scoring import WITHIN, Standing, last_place, within


@dataclass(frozen=True)
class Share:
    """A count of results out of all, such as 3 of 5."""

    some: int
    all: int

    def __str__(self) -> str:
        return f"{self.some} of {self.all}"


@dataclass(frozen=True)
class Miss:
    """A disagreement between paper and simulation, with its class and its explanation."""

    experiment: str
    what: str
    found: str
    standing: Standing
    why: str


@dataclass(frozen=True)
class Tally:
    """Counts over experiments. A claim counts as holding if it holds in every seed."""

    claims: Share
    """Claims about runs that hold."""
    checks: Share
    """Checks of the papers' arithmetic (claims that use no run) that hold."""
    values: Share
    """Scored numbers that are met, without numbers that repeat another in a different unit."""
    in_order: Share
    """Values that keep the printed order of their group, whether they are met or not."""
    again: Share
    """Scored numbers that repeat another in a different unit, and are met."""
    robust: int
    """Claims and values that hold as assumed, and also in at least half of the joint readings.

    A joint reading is one set of values for all open parameters.
    """
    fragile: int
    """Claims and values that hold as assumed, but in less than half of the joint readings."""
    values_within: tuple[int, ...]
    """Counts of scored numbers whose relative difference is at most each value of `scoring.WITHIN`;
    numbers repeated in another unit do not count."""
    misses: tuple[Miss, ...]

    def sentence(self) -> str:
        """A sentence with the counts."""
        return f"{self.claims} claims about runs hold, {self.values} scored numbers are met"

    def apart(self) -> str:
        """Text with counts that are not part of the score."""
        parts = [f"{self.checks} checks of the papers' arithmetic hold"] if self.checks.all else []
        if self.in_order.all:
            parts.append(f"in runs with loss, {self.in_order} values rank as in the paper")
        if self.again.all:
            parts.append(f"{self.again} numbers that restate another number in other units agree")
        return ", ".join(parts)

    def of_readings(self) -> str:
        """A sentence with the numbers `robust` and `fragile`; empty if both are 0."""
        if not self.robust + self.fragile:
            return ""
        return (
            f"of what holds, {self.robust} also in at least half of the joint readings, "
            f"{self.fragile} in less (fragile)"
        )

    def by_standing(self) -> Counter[Standing]:
        """Counts of the disagreements by class."""
        return Counter(miss.standing for miss in self.misses)

    def ends(self) -> str:
        """A sentence with the counts of the disagreements by class."""
        counts = self.by_standing()
        return ", ".join(
            f"{counts[standing]} {standing.value}" for standing in Standing if counts[standing]
        )


def tally(results: Sequence[ExperimentResult]) -> Tally:
    """Counts the claims and values that hold and lists those that do not."""
    claims = [c for r in results for c in r.claims if c.claim.about_runs]
    checks = [c for r in results for c in r.claims if not c.claim.about_runs]
    scored = [v for r in results for v in r.values if v.met is not None]
    values = [v for v in scored if not v.published.again]
    again = [v for v in scored if v.published.again]
    ordered = [v for r in results for v in r.values if v.in_order is not None]
    held: list[ClaimResult | ValueResult] = [c for c in claims if c.always]
    held += [v for v in values if v.met]
    return Tally(
        claims=_share(c.always for c in claims),
        checks=_share(c.always for c in checks),
        values=_share(bool(v.met) for v in values),
        in_order=_share(bool(v.in_order) for v in ordered),
        again=_share(bool(v.met) for v in again),
        robust=sum(each.readings.is_robust for each in held),
        fragile=sum(each.readings.is_fragile for each in held),
        values_within=tuple(sum(_within(v, share) for v in values) for share in WITHIN),
        misses=tuple(miss for result in results for miss in _misses(result)),
    )


def _share(found: Iterable[bool]) -> Share:
    """Number of true elements, and number of all elements."""
    found = list(found)
    return Share(sum(found), len(found))


def _misses(result: ExperimentResult) -> list[Miss]:
    """Disagreements of an experiment, numbers before claims."""
    values = [(v.published.quantity, _value_found(v), v.disagreement) for v in result.values]
    claims = [(c.claim.text, _claim_found(c), c.disagreement) for c in result.claims]
    return [
        Miss(result.experiment.id, what, found + _readings(why), why.standing, why.known)
        for what, found, why in values + claims
        if why is not None
    ]


def _readings(why: Disagreement) -> str:
    return f", in {why.readings} joint readings" if why.readings.met else ""


def _value_found(value: ValueResult) -> str:
    if value.measured is None or value.published.value is None:
        return ""
    found = f"{value.published.printed} printed, {estimate_text(value.measured)} measured"
    drawn = value.disagreement.drawn if value.disagreement else None
    if drawn is None:
        return found
    place = last_place(value.published.printed, value.published.value)
    percentile = drawn.percentile(value.published.value, place)
    return f"{found}, percentile {percentile:.3g} of {drawn.seeds} seeds"


def _claim_found(claim: ClaimResult) -> str:
    found = f"holds in {claim.count} of {len(claim.holds)} seeds"
    drawn = claim.disagreement.drawn if claim.disagreement else None
    return f"{found}, with other starts in {drawn.holding} of {drawn.seeds}" if drawn else found


def _within(value: ValueResult, share: float) -> bool:
    printed, measured = value.published.value, value.measured
    return printed is not None and measured is not None and within(printed, measured.mean, share)
