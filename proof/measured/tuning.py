"""The committed page of tuned scenarios: `python -m proof.measured.tuning DIRECTORY`."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from pathlib import Path

from cellrate.advice.tuning import fluid_sentences, sentences
from cellrate.advice.tuning.answer import Answer
from cellrate.advice.tuning.figure import region
from cellrate.advice.tuning.tune import tune
from cellrate.reproduce.papers import papers_root
from cellrate.simulation.figures import svg
from cellrate.simulation.run_types import Runner
from cellrate.simulation.runner import Job, default_store, run_many

from proof.measured.tuning_cases import CASES, Case

INTRODUCTION = """# Tuned parameters

Written by `python -m proof.measured.tuning docs/evidence`. [Tune
parameters](../how-to/tune-parameters.md) explains how settings are proposed and compared. All
settings are run with the same seeds. The tables show means over the seeds, with 95 % intervals
where a setting has several seeds. A proposed setting is run with one seed, then with three, then
with all, as long as it is among the best.
"""
MOST_ROWS = 16


def write(cases: Sequence[Case], runner: Runner, directory: Path) -> None:
    """Writes the page as Markdown, and its pictures."""
    parts = [INTRODUCTION]
    for number, case in enumerate(cases, 1):
        base = Job.from_file(papers_root() / case.scenario, case.settings)
        answer = tune(base, case.options, runner)
        figure = region(answer)
        picture = "" if figure is None else f"tuning-{number}.svg"
        if figure is not None:
            (directory / picture).write_text(svg(figure), encoding="utf-8", newline="\n")
        parts.append(_section(case, answer, picture))
    (directory / "tuning.md").write_text("\n".join(parts), encoding="utf-8", newline="\n")


def _section(case: Case, answer: Answer, picture: str) -> str:
    criteria = sentences.columns(answer)
    paths = sentences.paths(answer)
    titles = [f"{one.name} {sentences.unit(one)}".strip() for one in criteria]
    model = ["fluid model"] if answer.modelled else []
    columns = [*paths.values(), *model, "seeds", *titles, "falls behind by"]
    lines = [f"## {case.title}", "", case.about, "", f"`{case.command}`", ""]
    lines += [f"- {sentence}" for sentence in sentences.headline(answer)]
    lines += [f"- Varied: {one.path}, {one.words()}." for one in answer.space]
    lines += [f"- Not in the model: {one}." for one in cautions(answer)]
    if picture:
        lines += ["", f"![The feasible region of the model, and what was simulated]({picture})"]
    lines += ["", _row(columns), _row(["--:"] * len(columns))]
    for one in answer.ranked[:MOST_ROWS]:
        judged = [fluid_sentences.of_setting(answer, one.setting)] if answer.modelled else []
        measured = [sentences.measured(one, criterion) for criterion in criteria]
        named = sentences.cells(one.setting, paths)
        why = " ".join(sentences.shortfall(answer, one)).strip()
        lines.append(_row([*named, *judged, str(len(one.runs)), *measured, why]))
    rest = len(answer.ranked) - MOST_ROWS
    lines += ["", *([f"{rest} more fell behind early.", ""] if rest > 0 else []), case.finding, ""]
    second = answer.runner_up
    if second is not None:
        differences = [
            f"{title} {sentences.difference(answer.chosen, second, criterion)}"
            for title, criterion in zip(titles, criteria, strict=True)
        ]
        lines += [f"Chosen less runner-up, seed by seed: {'; '.join(differences)}.", ""]
    return "\n".join(lines)


def cautions(answer: Answer) -> tuple[str, ...]:
    """Features of the scenario that the model ignores."""
    return answer.modelled.model.cautions if answer.modelled else ()


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main(arguments: Sequence[str]) -> None:
    """Writes `tuning.md` and its pictures into a directory; runs are kept in `out/results`."""
    [directory] = arguments
    runner = functools.partial(run_many, store=default_store(Path("out") / "results"))
    write(CASES, runner, Path(directory))


if __name__ == "__main__":
    main(sys.argv[1:])
