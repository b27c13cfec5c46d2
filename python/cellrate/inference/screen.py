"""Prints an inference on the screen."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cellrate.inference import words
from cellrate.inference.finding import Finding, Inference
from cellrate.inference.plan import Stage

GOOD, BAD, FAINT = "green", "bold red", "dim"
STYLES = {"held-out": GOOD, "fitted": "yellow", "as-assumed": FAINT}


def show(inference: Inference, console: Console) -> None:
    """Prints the finding on each parameter, then the two columns of counts."""
    for finding in inference.findings:
        _show_finding(finding, console)
    console.print()
    for assumption in inference.unconcerned:
        console.print(Text(f"{assumption.id}: no result depends on it", style=FAINT))
    console.print(Text(words.counted_results(inference) + ":", style="bold"))
    console.print(Text(f"  as assumed before looking: {words.column(inference.assumed)}"))
    console.print(Text(f"  with inferred values:      {words.column(inference.inferred)}"))
    if not inference.kept:
        console.print(Text("  no value held out, so both are the same", style=FAINT))
    for assumption, alternative in inference.kept:
        console.print(Text(f"    {assumption.id}: {alternative.label}"))


def _show_finding(finding: Finding, console: Console) -> None:
    assumption = finding.parameter.assumption
    console.print()
    title = Text(assumption.id, style="bold")
    console.print(title.append(f"  {assumption.parameter}", style="default"))
    console.print(Text(f"  assumed: {assumption.assumed}", style=FAINT))
    console.print(Text(f"  rests on {words.rests_on(finding)}", style=FAINT))
    if nothing := words.exclusion(finding):
        console.print(Text(f"  {nothing}", style=FAINT))
    table = Table(box=None, pad_edge=False, padding=(0, 1))
    table.add_column("  value", overflow="fold")
    for name in ("share", "half A", "half B"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("")
    for value, label in enumerate(finding.parameter.labels):
        table.add_row(f"  {label}", *shares(finding, value), _standing(finding, value))
    console.print(table)
    if finding.problems:
        count = words.counted(len(finding.problems), "result")
        console.print(Text(f"  {count} could not be evaluated and counted as missed:", style=FAINT))
        console.print(Text(f"    {finding.problems[0]}", style=FAINT))
    console.print(Text(f"  {words.conclusion(finding)}", style=STYLES[finding.verdict]))


def shares(finding: Finding, value: int) -> tuple[str, str, str]:
    """Share of the results that a value meets, as text: of all, and of either half."""
    scores, parts = finding.scores, finding.hold_out.halves
    halves = [f"{scores.share(value, part):.3f}" if all(parts) else "-" for part in parts]
    return f"{scores.share(value):.3f}", halves[0], halves[1]


def _standing(finding: Finding, value: int) -> Text:
    style = BAD if finding.excluded(value) else GOOD if finding.p[value] is None else ""
    return Text(words.standing(finding, value), style=style)


def show_plan(paper: str, stages: Sequence[Stage], console: Console) -> None:
    """Prints the numbers of results and simulations of each stage."""
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    table.add_column(paper, overflow="fold")
    for name in ("results", "runs", "known", "to do"):
        table.add_column(name, justify="right", no_wrap=True)
    for stage in stages:
        todo = stage.runs - stage.known
        table.add_row(
            stage.what, *(f"{n:,}" for n in (stage.results, stage.runs, stage.known, todo))
        )
    console.print(table)
    console.print(
        Text(
            "Values that lose clearly with the first seed save some runs; "
            "combinations of values that held out need more.",
            FAINT,
        )
    )
