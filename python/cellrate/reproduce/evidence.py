"""Markdown pages of a paper's results, committed so that the documentation can show them."""

from collections.abc import Sequence

from cellrate.common.numbers import estimate_text, number, percent
from cellrate.reproduce.model import Paper
from cellrate.reproduce.numbers import printed
from cellrate.reproduce.results import ClaimResult, ExperimentResult, ValueResult
from cellrate.reproduce.sensitivity import Moved, Sensitivity
from cellrate.reproduce.tally import tally

MOVES = 0.02
"""Relative changes up to this one are left out of the page of open assumptions."""


def evidence(paper: Paper, results: Sequence[ExperimentResult]) -> str:
    """Markdown text of a paper's results."""
    seeds = results[0].seeds
    counts = tally(results)
    lines = [
        f"# {paper.title}",
        "",
        f"{', '.join(paper.authors)}; {paper.published_in}, {paper.year}.",
        "",
        f"Seeds {seeds[0]} to {seeds[-1]}; means with 95 % confidence intervals.",
        "Written by",
        f"`cellrate reproduce {paper.id} --seeds {len(seeds)} --evidence docs/evidence`.",
        "",
        f"**{counts.sentence()}.** {counts.apart()}.",
        f"What disagrees: {counts.ends() or 'nothing'}.",
        "",
        "## What disagrees",
        "",
        *[
            f"- **{m.standing.value}**, `{m.experiment}`: {plain(m.what)} ({plain(m.found)}). "
            f"{plain(m.why)}".rstrip()
            for m in counts.misses
        ],
    ]
    for result in results:
        lines += _section(result)
    return "\n".join(lines) + "\n"


def _section(result: ExperimentResult) -> list[str]:
    experiment = result.experiment
    lines = [
        "",
        f"## {experiment.id}: {plain(experiment.title)}",
        "",
        f"{plain(experiment.where)}; `{result.command}`",
    ]
    values = [value for value in result.values if value.published.kind != "arithmetic"]
    if values:
        lines += [
            "",
            "| quantity | kind | printed | measured | difference | |",
            "|---|---|--:|--:|--:|---|",
        ]
        lines += [_value(value) for value in values]
    lines += _claims("claim", [claim for claim in result.claims if claim.claim.about_runs])
    arithmetic = [value for value in result.values if value.published.kind == "arithmetic"]
    if arithmetic:
        lines += [
            "",
            "| the paper's arithmetic | printed | computed | difference |",
            "|---|--:|--:|--:|",
        ]
        lines += [_computed(value) for value in arithmetic]
    return lines + _claims(
        "check of the paper's arithmetic",
        [claim for claim in result.claims if not claim.claim.about_runs],
    )


def _claims(title: str, claims: Sequence[ClaimResult]) -> list[str]:
    if not claims:
        return []
    return ["", f"| {title} | seeds |", "|---|--:|", *[_claim(claim) for claim in claims]]


def _computed(value: ValueResult) -> str:
    cells = (
        plain(value.published.quantity),
        printed(value.published),
        estimate_text(value.measured) if value.measured else "",
        percent(value.relative_difference),
    )
    return f"| {' | '.join(cells)} |"


def _value(value: ValueResult) -> str:
    published = value.published
    verdict = {None: "", True: "met", False: "**not met**"}[value.met]
    verdict += {None: "", True: ", in order", False: ", not in order"}[value.in_order]
    cells = (
        plain(published.quantity),
        published.kind,
        printed(published),
        estimate_text(value.measured) if value.measured else "",
        percent(value.relative_difference),
        verdict,
    )
    return f"| {' | '.join(cells)} |"


def _claim(result: ClaimResult) -> str:
    count = f"{result.count} of {len(result.holds)}"
    return f"| {plain(result.claim.text)} | {count if result.always else f'**{count}**'} |"


def sensitivity_evidence(paper: Paper, sensitivities: Sequence[Sensitivity]) -> str:
    """Markdown text of the effects of a paper's open assumptions."""
    some = [s.experiment.removeprefix(f"{paper.id}-") for s in sensitivities]
    names = " ".join([paper.id, *(some if len(some) < len(paper.experiments) else [])])
    lines = [
        f"# {paper.title}: what is left open",
        "",
        "Each open assumption varied alone; of an experiment's values those that move by",
        f"more than {MOVES:.0%}, and of its claims those that hold in more or fewer seeds.",
        "Written by",
        f"`cellrate reproduce {names} --sensitivity --evidence docs/evidence`.",
    ]
    for sensitivity in sensitivities:
        rows = [row for moved in sensitivity.moved for row in _rows(moved)]
        if rows:
            lines += ["", f"## {sensitivity.experiment}", ""]
            lines += [
                "| instead | value or claim | as assumed | then |",
                "|---|---|--:|--:|",
                *rows,
            ]
    return "\n".join(lines) + "\n"


def _rows(moved: Moved) -> list[str]:
    instead = plain(f"{moved.assumption.parameter}: {moved.alternative.label}")
    rows = [
        f"| {instead} | {plain(quantity)} | {number(base.mean)} | {number(other.mean)} |"
        for quantity, (base, other) in moved.values.items()
        if not abs(other.mean - base.mean) <= MOVES * abs(base.mean)
    ]
    seeds = [
        f"| {instead} | claim `{name}` | {before} | {after} |"
        for name, (before, after) in moved.claims.items()
        if before != after
    ]
    return rows + seeds


def plain(text: str) -> str:
    """Escapes the characters that have a meaning in a Markdown table."""
    return text.replace("|", "\\|").replace("*", "\\*").replace("_", "\\_").replace("<", "&lt;")
