"""The committed page of tuned scenarios: `python -m cellrate.tuning.evidence DIRECTORY`."""

from __future__ import annotations

import functools
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cellrate.figures import svg
from cellrate.reproduce.papers import papers_root
from cellrate.runner import Job, default_store, run_many
from cellrate.tuning import words
from cellrate.tuning.drawing import region
from cellrate.tuning.laboratory import Runner
from cellrate.tuning.objective import DEFAULT
from cellrate.tuning.report import Report
from cellrate.tuning.tune import Wishes, tune

INTRODUCTION = """# Tuned parameters

Written by `python -m cellrate.tuning.evidence docs/evidence`. How settings are proposed and
compared is told in [tune parameters](../how-to/tune-parameters.md). Every setting sees the same
seeds; means over them, with 95 % intervals where there are several. A setting that competes gets
one seed, then three, then all, as long as it is among the best.
"""
MOST_ROWS = 16


@dataclass(frozen=True)
class Case:
    """A scenario to tune, and what is known of it.

    Attributes:
        title: Of the section.
        about: What the literature says.
        scenario: Path below the papers.
        settings: Settings that make it the case.
        wishes: What is asked for.
    """

    title: str
    about: str
    scenario: str
    settings: tuple[str, ...]
    wishes: Wishes

    @property
    def command(self) -> str:
        """What to type."""
        wishes = self.wishes
        arguments = ["cellrate", "tune", f"papers/{self.scenario}"]
        arguments += [part for one in self.settings for part in ("--set", one)]
        arguments += [part for one in wishes.vary for part in ("--vary", one)]
        arguments += [part for one in wishes.include for part in ("--include", one)]
        if wishes.objective != DEFAULT:
            arguments += ["--objective", wishes.objective]
        return shlex.join(arguments)


ABR = "ohsaki95/scenarios/abr.toml"
CASES = (
    Case(
        "Ten connections, 300 Kbyte",
        "Ohsaki et al. 1995, section III.C.1, tune to RIF 1/128 and RDF 1/2: no loss, and a "
        "throughput of 0.9588 of the link instead of 0.9178.",
        ABR,
        (),
        Wishes(include=("rif=1/128,rdf=1/2",)),
    ),
    Case(
        "Thirty connections, 300 Kbyte",
        "The same section tunes to RIF 1/128 and RDF 1/4: 59 packets lost instead of 34,862.",
        ABR,
        ("flow.tcp.count=30",),
        Wishes(include=("rif=1/128,rdf=1/4",)),
    ),
    Case(
        "Ten connections, 10 Kbyte",
        "The same section finds no parameters that meet both conditions. It offers RIF 1/256 and "
        "RDF 1/2 against loss (0.435 of the link, 1,163 packets lost), and RDF 1/4 for "
        "utilisation (0.542). Both are compared here.",
        ABR,
        ("switch.buffer=10 KiB", "switch.control.threshold=97 cells"),
        Wishes(include=("rif=1/256,rdf=1/2", "rif=1/256,rdf=1/4")),
    ),
    Case(
        "Threshold of early packet discard, 50 Kbyte",
        "Ohsaki et al. 1995 set the threshold to half the buffer, after Romanow and Floyd. There "
        "is no model of it here: the threshold is searched by simulation.",
        "ohsaki95/scenarios/epd.toml",
        ("switch.buffer=50 KiB", "run.duration=10 s"),
        Wishes(vary=("switch.discard.threshold",), objective="throughput,fairness"),
    ),
    Case(
        "ERICA in a wide area",
        "Kalyanaraman 1997, section 8.6, uses a target utilisation of 0.9 and intervals of 1 ms or "
        "100 cells. Here are 15 sources and a buffer of half a round trip, 5,500 cells; all "
        "parameters of the scheme that declare a range are searched.",
        "kalyan97/scenarios/file-transfer.toml",
        (
            "flow.tcp.count=15",
            "switch.buffer=5500 cells",
            "measure.traces=[]",
            "measure.events=[]",
        ),
        Wishes(),
    ),
)


def write(cases: Sequence[Case], runner: Runner, directory: Path) -> None:
    """Writes the page as Markdown, and the pictures that it shows."""
    parts = [INTRODUCTION]
    for number, case in enumerate(cases, 1):
        base = Job.from_file(papers_root() / case.scenario, case.settings)
        report = tune(base, case.wishes, runner)
        figure = region(report)
        picture = "" if figure is None else f"tuning-{number}.svg"
        if figure is not None:
            (directory / picture).write_text(svg(figure), encoding="utf-8", newline="\n")
        parts.append(_section(case, report, picture))
    (directory / "tuning.md").write_text("\n".join(parts), encoding="utf-8", newline="\n")


def _section(case: Case, report: Report, picture: str) -> str:
    criteria = words.columns(report)
    paths = words.paths(report)
    titles = [f"{one.name} {words.unit(one)}".strip() for one in criteria]
    model = ["fluid model"] if report.modelled else []
    columns = [*paths.values(), *model, "seeds", *titles, "falls behind by"]
    lines = [f"## {case.title}", "", case.about, "", f"`{case.command}`", ""]
    lines += [f"- {sentence}" for sentence in words.headline(report)]
    lines += [f"- Varied: {one.path}, {one.words()}." for one in report.space]
    lines += [f"- Beside: {one}." for one in cautions(report)]
    if picture:
        lines += ["", f"![The feasible region of the model, and what was simulated]({picture})"]
    lines += ["", _row(columns), _row(["--:"] * len(columns))]
    for one in report.ranked[:MOST_ROWS]:
        judged = [words.models_word(report, one.setting)] if report.modelled else []
        measured = [words.measured(one, criterion) for criterion in criteria]
        named = words.cells(one.setting, paths)
        lines.append(_row([*named, *judged, str(len(one.runs)), *measured, words.why(one)]))
    rest = len(report.ranked) - MOST_ROWS
    lines += ["", *([f"{rest} more fell behind early.", ""] if rest > 0 else [])]
    second = report.runner_up
    if second is not None:
        differences = [
            f"{title} {words.difference(report.chosen, second, criterion)}"
            for title, criterion in zip(titles, criteria, strict=True)
        ]
        lines += [f"Chosen less runner-up, seed by seed: {'; '.join(differences)}.", ""]
    return "\n".join(lines)


def cautions(report: Report) -> tuple[str, ...]:
    """What the model leaves out."""
    return report.modelled.model.cautions if report.modelled else ()


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main(arguments: Sequence[str]) -> None:
    """Writes `tuning.md` and its pictures into a directory; runs are kept in `out/results`."""
    [directory] = arguments
    runner = functools.partial(run_many, store=default_store(Path("out") / "results"))
    write(CASES, runner, Path(directory))


if __name__ == "__main__":
    main(sys.argv[1:])
