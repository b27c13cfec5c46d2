"""Prints results on the screen."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cellrate.common.numbers import estimate_text, number, percent
from cellrate.reproduce.numbers import printed
from cellrate.reproduce.results import ClaimResult, ExperimentResult, ValueResult
from cellrate.reproduce.seeds import seeds_text
from cellrate.reproduce.sensitivity import Sensitivity
from cellrate.reproduce.tally import Tally

GOOD, BAD = "green", "bold red"


def show_experiment(console: Console, result: ExperimentResult) -> None:
    """Prints an experiment: measured values beside printed ones, then the claims."""
    experiment = result.experiment
    console.print()
    console.print(Text(f"{experiment.id}  {experiment.title}", style="bold"))
    if values := [v for v in result.values if v.published.kind != "arithmetic"]:
        console.print(_values(values))
    _show_claims(console, [c for c in result.claims if c.claim.about_runs])
    arithmetic = [v for v in result.values if v.published.kind == "arithmetic"]
    checks = [c for c in result.claims if not c.claim.about_runs]
    if arithmetic or checks:
        console.print(Text("  the paper's arithmetic", style="dim"))
    if arithmetic:
        console.print(_values(arithmetic, found="computed"))
    _show_claims(console, checks)


def _show_claims(console: Console, claims: Sequence[ClaimResult]) -> None:
    for claim in claims:
        total = len(claim.holds)
        mark = ("yes" if claim.always else "no") if total == 1 else f"{claim.count}/{total}"
        text = Text(f"  {mark:>4}  ", style=GOOD if claim.always else BAD)
        console.print(text.append(claim.claim.text, style="default"))


def _values(values: Sequence[ValueResult], found: str = "measured") -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    table.add_column("  quantity", overflow="fold")
    for name in ("printed", found, "difference"):
        table.add_column(name, justify="right")
    table.add_column("")
    for value in values:
        published = value.published
        verdict = {None: published.kind, True: "met", False: "not met"}[value.met]
        if published.kind == "arithmetic":
            verdict = ""
        style = {None: "dim", True: GOOD, False: BAD}[value.met]
        table.add_row(
            f"  {published.quantity}",
            printed(published),
            estimate_text(value.measured) if value.measured else "",
            percent(value.relative_difference),
            Text(verdict, style=style),
        )
    return table


def show_sensitivity(console: Console, sensitivity: Sensitivity) -> None:
    """Prints the effects of an experiment's open assumptions."""
    if not sensitivity.moved:
        return
    console.print()
    console.print(Text(f"{sensitivity.experiment}  what each open assumption moves", style="bold"))
    for moved in sensitivity.moved:
        console.print(Text(f"  {moved.assumption.parameter}: {moved.alternative.label}"))
        for quantity, (base, other) in moved.values.items():
            if base.mean != other.mean:
                console.print(
                    Text(f"      {quantity}: {number(base.mean)} -> {number(other.mean)}")
                )
        for claim, (before, after) in moved.claims.items():
            if before != after:
                console.print(Text(f"      claim {claim}: held in {before}, now in {after} seeds"))


def show_tally(console: Console, counts: Tally) -> None:
    """Prints the disagreements, then the counts."""
    console.print()
    if counts.misses:
        console.print(Text("What disagrees, and what is known of why", style="bold"))
    for miss in counts.misses:
        console.print(Text(f"  {miss.experiment}: {miss.what}"))
        console.print(Text(f"    {miss.found}. {miss.standing.value}. {miss.why}", style="dim"))
    console.print()
    console.print(Text(f"{counts.sentence()}.", style="bold"))
    if counts.misses:
        console.print(Text(f"What disagrees: {counts.ends()}."))
    if counts.apart():
        console.print(Text(f"Counted apart: {counts.apart()}."))


def show_seeds(
    console: Console,
    seeds: Sequence[int],
    counts: Tally,
    stored: Sequence[str],
    hanging: Sequence[str],
) -> None:
    """Prints the claims that depend on the seed, today's counts, and those of kept results.

    Args:
        console: Screen to print on.
        seeds: Seeds of today's results.
        counts: Counts of today's results.
        stored: Sentences on the kept results over several seeds.
        hanging: Claims that hold with some seeds and not with others.
    """
    if hanging:
        console.print(Text(f"{len(hanging)} claims depend on the seed: {', '.join(hanging)}."))
    console.print(Text(f"Today, {seeds_text(seeds)}: {counts.sentence()}.", style="bold"))
    for line in stored:
        console.print(Text(line, style="bold"))


def show_papers(console: Console, papers: Sequence[tuple[str, Tally]]) -> None:
    """Prints the counts of each paper."""
    for name, counts in papers:
        console.print(Text(f"  {name}: {counts.sentence()}"))


def show_pages(console: Console, pages: Sequence[str]) -> None:
    """Prints the paths of the reports."""
    for path in pages:
        console.print(Text(f"  {path}"))
