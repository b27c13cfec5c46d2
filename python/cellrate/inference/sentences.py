"""Sentences on findings."""

from __future__ import annotations

from cellrate.inference.answer import Finding, Inference
from cellrate.inference.exclusion import EXCLUDED_BELOW
from cellrate.inference.hold_out import Verdict
from cellrate.inference.sign_flips import least_p
from cellrate.reproduce.seeds import seeds_text

OF_VERDICT: dict[Verdict, str] = {
    "held-out": "held out",
    "fitted": "fitted only",
    "as-assumed": "as assumed",
}

RULES = (
    "A result is a scored number or a claim about runs; a value's share is that of the results "
    "it meets, over the seeds. A value is excluded if it loses against the best one with "
    f"p < {EXCLUDED_BELOW} (signs of whole experiments flipped, one-sided, not corrected for the "
    "number of values). It has held out if it is best over all, if what either half of the "
    "experiments alone would choose gains on the other half, and if it gains on both halves and "
    "with every seed; and some value has to pass all this with the first seed alone, or no other "
    "seed is run. Parameters are tried one at a time; of combinations, only that of what held "
    "out is run."
)


def title(inference: Inference) -> str:
    """Title of a report."""
    return f"{inference.paper.title}: what was not printed"


def counted(number: int, what: str) -> str:
    """A number of things: `1 result`, `2 results`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def rests_on(finding: Finding) -> str:
    """Numbers of results and experiments behind a finding."""
    parameter = finding.parameter
    count = len(parameter.experiments)
    text = f"{counted(len(parameter.subjects), 'result')} of {counted(count, 'experiment')}"
    if finding.groups < count:
        text += f", in {counted(finding.groups, 'group')} without common runs"
    return text


def exclusion(finding: Finding) -> str:
    """Reason why no value can be excluded; empty if values can be."""
    if finding.can_exclude:
        return ""
    count = len(finding.parameter.experiments)
    least = least_p(count)
    return (
        f"{counted(count, 'experiment')} can exclude no value: the least p is {least:.2g}, "
        f"not below {EXCLUDED_BELOW}."
    )


def standing(finding: Finding, value: int) -> str:
    """Standing of a value (best, allowed or excluded) with its p-value."""
    p = finding.p[value]
    if p is None:
        return "best"
    text = f"{'excluded' if finding.excluded(value) else 'allowed'}, p = {p:.2g}"
    if finding.seeds(value) < finding.asked:
        text += f", out after {counted(finding.seeds(value), 'seed')}"
    return text


def conclusion(finding: Finding) -> str:
    """Verdict of a finding and its reason."""
    hold_out, labels = finding.hold_out, finding.parameter.labels
    if finding.verdict == "as-assumed":
        return "as assumed: no other value meets more results"
    chosen = f"{labels[hold_out.best]} ({finding.gain:+.2g} results)"
    if finding.verdict == "fitted":
        return f"fitted only, not used: {chosen}: {hold_out.why}"
    if finding.dropped:
        return f"held out alone, not used: {chosen}: the others that held out do better without it"
    return f"held out: {chosen}"


def shares(finding: Finding, value: int) -> tuple[str, str, str]:
    """Share of the results that a value meets, as text: of all, and of either half."""
    scores, parts = finding.scores, finding.hold_out.halves
    halves = [f"{scores.share(value, part):.3f}" if all(parts) else "-" for part in parts]
    return f"{scores.share(value):.3f}", halves[0], halves[1]


def not_evaluated(finding: Finding) -> str:
    """Number of results that could not be evaluated."""
    return f"Not evaluated, counted as missed: {counted(len(finding.problems), 'result')}"


def counted_results(inference: Inference) -> str:
    """Title of the columns: the results that they count, and the seeds."""
    which = "all results" if inference.whole else "the results that these parameters concern"
    return (
        f"Of {which}, {seeds_text(inference.seeds)}: numbers met on the mean over the seeds, "
        "claims that hold with every seed"
    )
