"""`cellrate compare`: compares alternatives and tests their differences against chance."""

from __future__ import annotations

import dataclasses
import functools
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from cyclopts import Parameter
from cyclopts.validators import Number

from cellrate.cli.answering import hand_over
from cellrate.cli.options import FirstSeed, Json, Settings, Workers, whole
from cellrate.cli.places import kept_results, place_of
from cellrate.cli.progress import ProgressBar
from cellrate.common.problems import BadInput, reading
from cellrate.simulation import source
from cellrate.simulation.runner import Job, run_each

if TYPE_CHECKING:
    from cellrate._core import Store
    from cellrate.studies.compare import Comparison, Rules
    from cellrate.studies.compare.running import Table

Vary: TypeAlias = Annotated[
    list[str],
    Parameter(
        name="--vary",
        show_default=False,
        negative="",
        help="Alternatives, as in control.scheme=efci,erica. A repeated --vary adds circumstances "
        "under which they are compared. The end of a path is enough if only one key has it.",
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

BetterEnds: TypeAlias = Annotated[
    list[str],
    Parameter(
        name="--better",
        show_default=False,
        negative="",
        help="The better end of a measure, as in timeouts=less; allowed is more or less. "
        "Measures with a usual name, such as throughput and loss, need none.",
    ),
]


def compare(
    first: Annotated[
        str,
        Parameter(
            name="FILE",
            allow_leading_hyphen=True,
            help="Scenario (- is standard input) or directory of a study's data set; with STUDY "
            "or --factor also the file of a study that ran.",
        ),
    ],
    second: Annotated[
        Path | None, Parameter(name="STUDY", help="Another study, to compare with the first.")
    ] = None,
    /,
    *,
    vary: Vary = [],  # noqa: B006  cyclopts never changes it
    measure: Measures = [],  # noqa: B006
    settings: Settings = [],  # noqa: B006
    seeds: Annotated[int, whole(1, "Seeds of each run.")] = 10,
    first_seed: FirstSeed = 1,
    factor: Annotated[
        str | None, Parameter(help="Factor of a single study whose values are compared.")
    ] = None,
    where: Annotated[
        list[str],
        Parameter(negative="", show_default=False, help="Only runs of a study with FACTOR=VALUE."),
    ] = [],  # noqa: B006
    baseline: Annotated[
        str | None,
        Parameter(help="Alternative to compare all others with; there is no ranking then."),
    ] = None,
    level: Annotated[
        float,
        Parameter(validator=Number(gt=0, lt=1), help="Joint confidence level of all differences."),
    ] = 0.95,
    better: BetterEnds = [],  # noqa: B006
    all_pairs: Annotated[
        bool, Parameter(negative="", help="Show all pairs, not only those with the best.")
    ] = False,
    average: Annotated[
        bool, Parameter(negative="", help="Compare means over the other circumstances.")
    ] = False,
    json: Json = False,
    out: Annotated[Path, Parameter(help="Directory for figure and kept results.")] = Path("out"),
    workers: Workers = None,
    fresh: Annotated[bool, Parameter(negative="", help="Simulate all runs again.")] = False,
) -> int:
    """Compare alternatives: which is best, by how much, and whether that may be chance.

    Every alternative of a scenario runs with the same seeds, hence the same random numbers, and is
    compared seed by seed. Two studies are matched on the factors that both have; a single study is
    compared along --factor. Each measure ranks the alternatives; those that share a letter cannot
    be told apart. A difference is called real if its interval leaves out zero, where the intervals
    of all pairs, measures and circumstances hold together (Bonferroni).

    OUT receives NAME-compared.png, .svg and .pdf: the differences with these intervals. Finished
    runs are kept in OUT/results. A run that fails is reported with its command and left out.
    """
    from cellrate.studies.compare.comparing import Rules
    from cellrate.studies.compare.of_studies import StudyOptions, compare_studies

    failed = False
    if Path(first).is_dir() or second is not None or factor is not None:
        if vary or settings:
            raise BadInput(f"{first} is a study, whose runs are done: no --vary and no --set")
        options = StudyOptions(
            tuple(measure), factor, tuple(where), baseline, level, average, tuple(better)
        )
        given = [Path(first)] if second is None else [Path(first), second]
        places = [place_of(study) for study in given]
        comparison, units = compare_studies(places, options)
        name = "-".join(place.resolve().name for place in places)
        kept_results(out, fresh=True)
    elif where:
        raise BadInput(f"{first} is not the directory of a study: --where selects runs of a study")
    else:
        comparison, units, name, failed = _of_scenario(
            first,
            vary,
            measure,
            better,
            settings,
            range(first_seed, first_seed + seeds),
            Rules("", (), (), baseline, level, averaged=average),
            kept_results(out, fresh=fresh),
            workers,
        )
    stem = out / f"{name}-compared"
    _write_and_show(comparison, units, stem, all_pairs=all_pairs, json=json)
    return 1 if failed else 0


def _of_scenario(
    file: str,
    vary: list[str],
    measure: list[str],
    better: list[str],
    settings: list[str],
    seeds: range,
    rules: Rules,
    store: Store | None,
    workers: int | None,
) -> tuple[Comparison, dict[str, str], str, bool]:
    """Runs the alternatives of a scenario and compares them.

    Returns:
        The comparison, units of the measures, name of the scenario, and True if a run failed.
    """
    from cellrate.studies.compare import compare as compare_runs
    from cellrate.studies.compare.alternatives import combinations_of, left_out, varied
    from cellrate.studies.compare.directions import directions, is_share
    from cellrate.studies.compare.measures import asked_for
    from cellrate.studies.compare.running import run_all

    with reading(file):
        text, name = source.read(file)
    base = Job(text, name, tuple(settings))
    varies, measures = varied(base, vary), asked_for(measure)
    names = tuple(wanted.name for wanted in measures)
    known = {wanted.name: wanted.better for wanted in measures if wanted.better is not None}
    ends = directions(known, better, names)
    shares = frozenset(wanted.name for wanted in measures if is_share(wanted.expression))
    chosen, *others = (factor.path for factor in varies)
    if rules.baseline is not None:
        values = [level.value for level in varies[0].levels]
        rules = dataclasses.replace(rules, baseline=_one_of(str(rules.baseline), values))
    for note in left_out(varies):
        sys.stderr.write(f"note: {note}\n")
    with ProgressBar("comparing") as progress:
        total = len(combinations_of(varies)) * len(seeds)
        runner = functools.partial(
            run_each, workers=workers, store=store, watch=lambda done: progress(done, total)
        )
        runs = run_all(base, varies, measures, seeds, runner, progress.failed)
    for problem in store.problems() if store is not None else ():
        sys.stderr.write(f"warning: kept result: {problem}\n")
    if measure:
        _require_measured(names, runs)
    rules = dataclasses.replace(
        rules, factor=chosen, measures=names, where=tuple(others), better=ends, shares=shares
    )
    units = {wanted.name: wanted.unit for wanted in measures}
    comparison = compare_runs(runs.runs, rules)
    return comparison, units, Path(name.strip("<>")).stem, runs.has_failed


def _one_of(text: str, values: list[str]) -> str:
    """The alternative named as the baseline; spaces do not matter.

    Raises:
        BadInput: There is no such alternative.
    """
    for value in values:
        if value.replace(" ", "") == text.replace(" ", ""):
            return value
    raise BadInput(f"--baseline {text}: it is none of {', '.join(values)}")


def _require_measured(names: tuple[str, ...], table: Table) -> None:
    """Checks that every requested measure has a value in some run.

    Raises:
        BadInput: A measure has no value in any run.
    """
    for name in names:
        if table.runs[name].null_count() == len(table.runs):
            raise BadInput(f"--measure {name}: {table.reasons[name]}")


def _write_and_show(
    comparison: Comparison, units: dict[str, str], stem: Path, *, all_pairs: bool, json: bool
) -> None:
    from cellrate.simulation.figures import FORMATS, save
    from cellrate.studies.compare.as_json import as_json
    from cellrate.studies.compare.figure import differences
    from cellrate.studies.compare.report import report

    hand_over(
        json=json,
        as_json=lambda: as_json(comparison, units),
        report=lambda: report(comparison, units, all_pairs=all_pairs),
        written=save(differences(comparison, units, all_pairs=all_pairs), stem, tuple(FORMATS)),
    )
