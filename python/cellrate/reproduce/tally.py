"""The end of a report: how many claims hold, how many scored numbers are met, what misses."""

from collections.abc import Sequence
from dataclasses import dataclass

from cellrate.numbers import estimate_text
from cellrate.reproduce.results import ExperimentResult, ValueResult
from cellrate.reproduce.scoring import WITHIN, within

UNEXPLAINED = "not explained yet"


@dataclass(frozen=True)
class Miss:
    """A disagreement and what is known of why."""

    experiment: str
    what: str
    found: str
    why: str


@dataclass(frozen=True)
class Tally:
    """Counts over experiments. A claim holds if it holds in every seed."""

    claims_holding: int
    claims: int
    values_met: int
    values_scored: int
    values_within: tuple[int, ...]
    """Scored numbers that differ by at most each of `scoring.WITHIN`."""
    misses: tuple[Miss, ...]

    def sentence(self) -> str:
        """The counts in words."""
        return (
            f"{self.claims_holding} of {self.claims} claims hold, "
            f"{self.values_met} of {self.values_scored} scored numbers are met"
        )


def tally(results: Sequence[ExperimentResult]) -> Tally:
    """Counts what holds and lists what does not."""
    claims = [(r, c) for r in results for c in r.claims]
    values = [(r, v) for r in results for v in r.values if v.met is not None]
    misses = [
        Miss(
            r.experiment.id,
            v.published.quantity,
            f"{v.published.printed} printed, {estimate_text(v.measured)} measured"
            if v.measured
            else "",
            v.explanation or UNEXPLAINED,
        )
        for r, v in values
        if not v.met
    ]
    misses += [
        Miss(
            r.experiment.id,
            c.claim.text,
            f"holds in {c.count} of {len(c.holds)} seeds",
            c.explanation or UNEXPLAINED,
        )
        for r, c in claims
        if not c.always
    ]
    return Tally(
        claims_holding=sum(c.always for _, c in claims),
        claims=len(claims),
        values_met=sum(bool(v.met) for _, v in values),
        values_scored=len(values),
        values_within=tuple(sum(_within(v, share) for _, v in values) for share in WITHIN),
        misses=tuple(misses),
    )


def _within(value: ValueResult, share: float) -> bool:
    printed, measured = value.published.value, value.measured
    return printed is not None and measured is not None and within(printed, measured.mean, share)
