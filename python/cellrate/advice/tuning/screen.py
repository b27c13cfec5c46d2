"""Prints a tuning on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.table import Table

from cellrate.advice.tuning import model_words, words
from cellrate.advice.tuning.report import METHODS, Report
from cellrate.common.terminal import console, say

MOST_ROWS = 15


def show(report: Report, written: Sequence[Path] = ()) -> None:
    """Prints the result in sentences, then a table of the settings that were simulated."""
    say(f"{report.base.path}: settings proposed by {METHODS[report.method]}")
    say(f"  ranked by {_objective(report)}")
    if report.no_model is not None:
        say(f"The fluid model of EFCI does not describe it: {report.no_model}.")
    for one in report.space:
        say(f"  varied {one.path}: {one.words()}")
    for left in report.left:
        say(f"  not varied: {left.why}")
    for caution in report.modelled.model.cautions if report.modelled else ():
        say(f"  note: {caution}")
    for sentence in words.headline(report):
        say(sentence)
    console().print(settings(report))
    if report.runner_up is not None:
        console().print(versus(report))
    for setting, message in report.refused.items():
        say(f"  refused: {setting.label}: {message}")
    say(words.effort(report))
    say(words.command(report))
    for path in written:
        say(f"  {path}")


def settings(report: Report) -> Table:
    """Table of the best settings that were simulated, with the means over their seeds."""
    criteria, paths = words.columns(report), words.paths(report)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in paths.values() or ("setting",):
        table.add_column(name, no_wrap=True)
    if report.modelled:
        table.add_column("fluid model")
    table.add_column("seeds", justify="right")
    for one in criteria:
        table.add_column(f"{one.name}\n{words.unit(one)}", justify="right")
    table.add_column("falls\nbehind in")
    for ranked in report.ranked[:MOST_ROWS]:
        judged = [model_words.of_setting(report, ranked.setting)] if report.modelled else []
        values = [words.value(one, ranked.means[one.name]) for one in criteria]
        behind = ranked.shortfall.criterion.name if ranked.shortfall else ""
        named = words.cells(ranked.setting, paths)
        table.add_row(*named, *judged, str(len(ranked.runs)), *values, behind)
    if len(report.ranked) > MOST_ROWS:
        table.caption = f"{len(report.ranked) - MOST_ROWS} more on the page"
    return table


def versus(report: Report) -> Table:
    """Table of the chosen setting, the runner-up, and their difference seed by seed."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("mean, 95 % interval", "chosen", "runner-up", "difference, seed by seed"):
        table.add_column(title, justify="left" if not table.columns else "right")
    second = report.runner_up
    for criterion in words.columns(report) if second else ():
        if second is not None:
            table.add_row(
                f"{criterion.name} {words.unit(criterion)}".strip(),
                words.measured(report.chosen, criterion),
                words.measured(second, criterion),
                words.difference(report.chosen, second, criterion),
            )
    return table


def _objective(report: Report) -> str:
    """The criteria and their tolerances."""
    parts = [
        f"{one.name} ({_slack(one.tolerance, relative=one.relative)})"
        for one in report.objective.criteria
    ]
    return ", then ".join(parts)


def _slack(tolerance: float, *, relative: bool) -> str:
    return f"within {tolerance:.3g}" if not relative else f"within {100 * tolerance:g} %"
