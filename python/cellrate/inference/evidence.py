"""An inference as a Markdown page and one picture for the documentation."""

from __future__ import annotations

from pathlib import Path

from cellrate.common import whole_file
from cellrate.inference import words
from cellrate.inference.drawing import pictures
from cellrate.inference.finding import Finding, Inference
from cellrate.inference.screen import shares
from cellrate.reproduce.evidence import plain
from cellrate.simulation import figures


def write_evidence(inference: Inference, directory: Path) -> list[Path]:
    """Writes the page and its picture, and returns their paths.

    Raises:
        OSError: They cannot be written.
    """
    directory.mkdir(parents=True, exist_ok=True)
    stem = directory / f"{inference.paper.id}-inferred"
    drawn = figures.save(pictures(inference.findings), stem, ("svg",)) if inference.findings else []
    path = stem.with_suffix(".md")
    whole_file.write_text(path, evidence(inference))
    return [path, *drawn]


def evidence(inference: Inference) -> str:
    """Markdown text of the page."""
    paper, assumed, inferred = inference.paper, inference.assumed, inference.inferred
    first = f" --first-seed {inference.seeds[0]}" if inference.seeds[0] != 1 else ""
    command = f"cellrate infer {paper.id} --seeds {len(inference.seeds)}{first}"
    numbers = [f"{column.numbers_met} of {column.numbers}" for column in (assumed, inferred)]
    claims = [f"{column.claims_holding} of {column.claims}" for column in (assumed, inferred)]
    lines = [
        f"# {paper.title}: what was not printed",
        "",
        "Written by",
        f"`{command} --evidence docs/evidence`.",
        words.RULES,
        "",
        f"{words.counted_results(inference)}:",
        "",
        "| | as assumed before looking | with inferred values that held out |",
        "|---|--:|--:|",
        f"| numbers met | {' | '.join(numbers)} |",
        f"| claims about runs that hold | {' | '.join(claims)} |",
        "",
    ]
    lines += [f"- {plain(a.parameter)}: *{plain(b.label)}*" for a, b in inference.kept] or [
        "No value held out, so both are the same."
    ]
    for finding in inference.findings:
        lines += _section(finding)
    if inference.unconcerned:
        names = "; ".join(plain(a.parameter) for a in inference.unconcerned)
        lines += ["", f"No result depends on: {names}."]
    if inference.findings:
        lines += ["", "## The pictures", "", _picture(paper.id)]
    return "\n".join(lines) + "\n"


def _picture(paper: str) -> str:
    caption = (
        "Share of the results that each value meets. Dot: all, hollow if excluded; grey bar: "
        "from the least to the greatest seed; triangles: half A upwards, half B downwards"
    )
    return f"![{caption}.]({paper}-inferred.svg)"


def _section(finding: Finding) -> list[str]:
    assumption = finding.parameter.assumption
    nothing = words.exclusion(finding)
    return [
        "",
        f"## {plain(assumption.id)}: {plain(assumption.parameter)}",
        "",
        f"Assumed: {plain(assumption.assumed)}. Rests on {words.rests_on(finding)}."
        + (f" {nothing}." if nothing else ""),
        "",
        f"**{plain(words.conclusion(finding))}**",
        "",
        "| value | share | half A | half B | |",
        "|---|--:|--:|--:|---|",
        *(
            f"| {plain(label)} | {' | '.join(shares(finding, value))} "
            f"| {words.standing(finding, value)} |"
            for value, label in enumerate(finding.parameter.labels)
        ),
        *(
            ["", f"Not evaluated, counted as missed: {words.counted(len(problems), 'result')}."]
            if (problems := finding.problems)
            else []
        ),
    ]
