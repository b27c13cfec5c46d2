"""`cellrate compare`: which alternatives differ, and whether that may be chance."""

from __future__ import annotations

import functools
import json as jsonlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from cyclopts import Parameter
from cyclopts.validators import Number

from cellrate import source, terminal
from cellrate.cli.kept import kept_results
from cellrate.cli.options import Json, Settings, Workers
from cellrate.cli.progress import ProgressBar
from cellrate.problems import BadInput, reading
from cellrate.runner import Job, run_many

if TYPE_CHECKING:
    from cellrate.compare import Comparison
    from cellrate.compare.running import Table

Vary: TypeAlias = Annotated[
    list[str],
    Parameter(
        name="--vary",
        show_default=False,
        negative="",
        help="Alternatives, as in control.scheme=efci,erica; repeated, other circumstances in "
        "which they are compared. The end of a path is enough if only one key has it.",
    ),
]
Measures: TypeAlias = Annotated[
    list[str],
    Parameter(
        name="--measure",
        show_default=False,
        negative="",
        help="throughput, loss, queue, delay, fairness, an expression over a run, or "
        "NAME=EXPRESSION; repeatable.",
    ),
]


def compare(
    file: Annotated[
        str,
        Parameter(name="FILE", allow_leading_hyphen=True, help="Scenario; - is standard input."),
    ],
    /,
    *,
    vary: Vary = [],  # noqa: B006  cyclopts never changes it
    measure: Measures = [],  # noqa: B006
    settings: Settings = [],  # noqa: B006
    seeds: Annotated[int, Parameter(validator=Number(gte=1), help="Seeds of each run.")] = 10,
    first_seed: Annotated[int, Parameter(validator=Number(gte=0), help="The first of them.")] = 1,
    baseline: Annotated[
        str | None,
        Parameter(help="Alternative that the others are held against; all pairs by default."),
    ] = None,
    level: Annotated[
        float,
        Parameter(validator=Number(gt=0, lt=1), help="Of decisions and intervals, all together."),
    ] = 0.95,
    average: Annotated[
        bool, Parameter(negative="", help="Compare means over the other circumstances.")
    ] = False,
    json: Json = False,
    out: Annotated[Path, Parameter(help="Directory for the figure and kept results.")] = Path(
        "out"
    ),
    workers: Workers = None,
    fresh: Annotated[bool, Parameter(negative="", help="Simulate what is known already.")] = False,
) -> None:
    """Compare alternatives: which differ, by how much, and whether that may be chance.

    Every alternative runs with the same seeds, hence the same random numbers, and is compared seed
    by seed. A difference is called real if it stands beside all others (Holm's correction).

    OUT receives NAME-compared.png, .svg and .pdf: every difference with an interval, all of which
    hold together. Finished runs are kept in OUT/results.
    """
    from cellrate.compare.alternatives import left_out, varied
    from cellrate.compare.comparing import Rules
    from cellrate.compare.comparing import compare as compare_runs
    from cellrate.compare.measures import asked_for
    from cellrate.compare.running import run_all

    with reading(file):
        text, name = source.read(file)
    base = Job(text, name, tuple(settings))
    varies, measures = varied(base, vary), asked_for(measure)
    chosen, *others = (one.path for one in varies)
    if baseline is not None:
        baseline = _one_of(baseline, [level.value for level in varies[0].levels])
    for note in left_out(varies):
        sys.stderr.write(f"note: {note}\n")
    store = kept_results(out, fresh=fresh)
    with ProgressBar("comparing") as progress:
        runner = functools.partial(run_many, workers=workers, store=store, progress=progress)
        found = run_all(base, varies, measures, range(first_seed, first_seed + seeds), runner)
    names = tuple(one.name for one in measures)
    if measure:
        _require_measured(names, found)
    rules = Rules(chosen, names, tuple(others), baseline, level, averaged=average)
    comparison = compare_runs(found.runs, rules)
    for problem in store.problems() if store is not None else ():
        sys.stderr.write(f"warning: kept result: {problem}\n")
    units = {one.name: one.unit for one in measures}
    _tell(comparison, units, out / f"{Path(name.strip('<>')).stem}-compared", json=json)


def _one_of(text: str, values: list[str]) -> str:
    """The alternative that is the baseline, however its spaces are set.

    Raises:
        BadInput: There is no such alternative.
    """
    for value in values:
        if value.replace(" ", "") == text.replace(" ", ""):
            return value
    raise BadInput(f"--baseline {text}: it is none of {', '.join(values)}")


def _require_measured(names: tuple[str, ...], found: Table) -> None:
    """A measure that was asked for has a value in some run.

    Raises:
        BadInput: It has none.
    """
    for name in names:
        if found.runs[name].null_count() == len(found.runs):
            raise BadInput(f"--measure {name}: {found.reasons[name]}")


def _tell(comparison: Comparison, units: dict[str, str], stem: Path, *, json: bool) -> None:
    from cellrate.compare.as_json import as_json
    from cellrate.compare.drawing import differences
    from cellrate.compare.screen import show
    from cellrate.figures import FORMATS, save

    files = save(differences(comparison, units), stem, tuple(FORMATS))
    if json:
        sys.stdout.write(jsonlib.dumps(as_json(comparison, units), allow_nan=False) + "\n")
    else:
        show(comparison, units, terminal.console())
        terminal.say(f"written to {', '.join(map(str, files))}")
