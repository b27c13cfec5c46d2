"""Markdown overviews of all papers and of their errata, committed for the documentation."""

from collections.abc import Sequence

from cellrate.common.numbers import estimate_text
from cellrate.reproduce.errata import ErratumResult
from cellrate.reproduce.errata_page import INTRODUCTION
from cellrate.reproduce.evidence import plain
from cellrate.reproduce.front_page import HOW_SCORED, counts_of, general_claims
from cellrate.reproduce.reproduction import Reproduction
from cellrate.reproduce.scoring import WITHIN
from cellrate.reproduce.seeds import seeds_text
from cellrate.reproduce.tally import tally


def overview(parts: Sequence[Reproduction]) -> str:
    """Markdown text of the counts and general claims of all papers."""
    results = [result for part in parts for result in part.results]
    seeds = results[0].seeds
    shares = " | ".join(f"within {share:.0%}" for share in WITHIN)
    lines = [
        "# All papers",
        "",
        f"{len(results)} experiments, {seeds_text(seeds)}. Written by",
        f"`cellrate reproduce --seeds {len(seeds)} --evidence docs/evidence`.",
        "",
        f"| paper | experiments | claims about runs | scored numbers met | {shares} | errata |",
        f"|---|--:|--:|--:|{'--:|' * len(WITHIN)}--:|",
        *[
            f"| [{part.paper.id}]({part.paper.id}.md) | {len(part.results)} | "
            f"{' | '.join(counts_of(part.tally))} | {len(part.errata)} |"
            for part in parts
        ],
        (
            f"| all | {len(results)} | {' | '.join(counts_of(tally(results)))} | "
            f"{sum(len(part.errata) for part in parts)} |"
        ),
        "",
        HOW_SCORED,
        "",
        f"{tally(results).apart()}. What disagrees: {tally(results).ends()}.",
        "",
        "## General claims",
        "",
        "| | claim | shown by | seeds |",
        "|--:|---|---|--:|",
    ]
    for number, result, claim in general_claims(results):
        count = f"{claim.count} of {len(claim.holds)}"
        lines.append(
            f"| {number} | {plain(claim.claim.text)} | {result.experiment.id} | "
            f"{count if claim.always else f'**{count}**'} |"
        )
    return "\n".join(lines) + "\n"


def errata_overview(parts: Sequence[Reproduction]) -> str:
    """Markdown text of the errata."""
    lines = ["# Errata of the papers", "", INTRODUCTION]
    for part in (part for part in parts if part.errata):
        lines += ["", f"## {plain(part.paper.title)}"]
        for result in part.errata:
            lines += _erratum(result)
    return "\n".join(lines) + "\n"


def _erratum(result: ErratumResult) -> list[str]:
    erratum = result.erratum
    lines = [
        "",
        f"### {plain(erratum.where)}",
        "",
        f"Printed: {plain(erratum.printed)}. Right: {plain(erratum.right)}. {plain(erratum.why)}",
        "",
    ]
    for proof in result.proofs:
        verdict = "holds" if proof.holds else "**does not hold**"
        lines.append(f"- {plain(proof.proof.text)}: `{proof.proof.holds_if}` {verdict}")
        lines += [
            f"  - {plain(quantity)}: {estimate_text(value)} {plain(unit)}".rstrip()
            for quantity, value, unit in proof.values
        ]
    return lines
