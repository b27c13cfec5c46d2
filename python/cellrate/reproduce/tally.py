"""Counts of a report: claims that hold and scored numbers that are met; list of disagreements."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from cellrate.common.numbers import estimate_text
from cellrate.reproduce.paper_data import Explanation
from cellrate.reproduce.results import ClaimResult, ExperimentResult, ValueResult
from cellrate.reproduce.scoring import WITHIN, last_place, within
from cellrate.reproduce.standing import Standing


@dataclass(frozen=True)
class Share:
    """A part of a number of things, such as 3 of 5."""

    some: int
    all: int

    def __str__(self) -> str:
        return f"{self.some} of {self.all}"


@dataclass(frozen=True)
class Miss:
    """A disagreement, its standing, and its explanation."""

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
    """Values that keep the printed order of their group, whatever their scores."""
    again: Share
    """Scored numbers that repeat another in a different unit, and are met."""
    values_within: tuple[int, ...]
    """Scored numbers that differ by at most each of `scoring.WITHIN`, without repeated ones."""
    misses: tuple[Miss, ...]

    def sentence(self) -> str:
        """The counts in words."""
        return f"{self.claims} claims about runs hold, {self.values} scored numbers are met"

    def apart(self) -> str:
        """Counts that are not part of the score, in words."""
        parts = [f"{self.checks} checks of the papers' arithmetic hold"] if self.checks.all else []
        if self.in_order.all:
            parts.append(f"in runs with loss, {self.in_order} values rank as in the paper")
        if self.again.all:
            parts.append(f"{self.again} numbers that restate another number in other units agree")
        return ", ".join(parts)

    def ends(self) -> str:
        """Counts of the disagreements by standing, in words."""
        counts = Counter(miss.standing for miss in self.misses)
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
    return Tally(
        claims=Share(sum(c.always for c in claims), len(claims)),
        checks=Share(sum(c.always for c in checks), len(checks)),
        values=Share(sum(bool(v.met) for v in values), len(values)),
        in_order=Share(sum(bool(v.in_order) for v in ordered), len(ordered)),
        again=Share(sum(bool(v.met) for v in again), len(again)),
        values_within=tuple(sum(_within(v, share) for v in values) for share in WITHIN),
        misses=tuple(miss for result in results for miss in _misses(result)),
    )


def _misses(result: ExperimentResult) -> list[Miss]:
    """Disagreements of an experiment, numbers before claims."""
    misses = [
        Miss(
            result.experiment.id,
            value.published.quantity,
            _value_found(value),
            value.standing or Standing.UNEXPLAINED,
            known(value.explanation),
        )
        for value in result.values
        if value.met is False
    ]
    return misses + [
        Miss(
            result.experiment.id,
            claim.claim.text,
            _claim_found(claim),
            claim.standing or Standing.UNEXPLAINED,
            known(claim.explanation),
        )
        for claim in result.claims
        if not claim.always
    ]


def _value_found(value: ValueResult) -> str:
    if value.measured is None or value.published.value is None:
        return ""
    found = f"{value.published.printed} printed, {estimate_text(value.measured)} measured"
    if value.drawn is None:
        return found
    place = last_place(value.published.printed, value.published.value)
    percentile = value.drawn.percentile(value.published.value, place)
    return f"{found}, percentile {percentile:.3g} of {value.drawn.seeds} seeds"


def _claim_found(claim: ClaimResult) -> str:
    found = f"holds in {claim.count} of {len(claim.holds)} seeds"
    if claim.drawn is None:
        return found
    return f"{found}, with other starts in {claim.drawn.holding} of {claim.drawn.seeds}"


def known(explanation: Explanation | None) -> str:
    """Explanation of a disagreement, with the experiment that would decide; empty without one."""
    if explanation is None:
        return ""
    decides = f" What would decide: {explanation.open}" if explanation.open else ""
    return explanation.text + decides


def _within(value: ValueResult, share: float) -> bool:
    printed, measured = value.published.value, value.measured
    return printed is not None and measured is not None and within(printed, measured.mean, share)
