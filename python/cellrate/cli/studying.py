"""`cellrate study`, `table`, `plot`, `report`: runs a study, and shows its data set."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Generator
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from cellrate import _core
from cellrate.cli.amounts import duration, size
from cellrate.cli.from_function import made_from
from cellrate.cli.options import Fresh, Json, Settings, Study, Workers
from cellrate.cli.places import figure_files, kept_results, own_paths, place_of, warn_of_damage
from cellrate.cli.progress import ProgressBar
from cellrate.common import scratch, terminal, whole_file
from cellrate.common.numbers import counted
from cellrate.common.problems import BadInput, choose, reading
from cellrate.common.to_json import json_text
from cellrate.common.whole_file import make_directory
from cellrate.functions import studying
from cellrate.simulation.runner import Done, run_each

# Imported late, because data sets and figures load slowly.
if TYPE_CHECKING:
    from cellrate.studies import study as studies
    from cellrate.studies.dataset import DataSet

LONG_SECONDS, LARGE_BYTES = 3600.0, 10e9
"""Time in seconds and disk space in bytes above which a study must be confirmed."""


def study(
    file: Annotated[
        str | None,
        Parameter(name="FILE", allow_leading_hyphen=True, help="Study file; - is standard input."),
    ] = None,
    /,
    *,
    experiment: Annotated[
        str | None,
        Parameter(
            name="--from",
            help="Print a study file with the runs of a paper's experiment instead, such as "
            "kalyan97-table8.2.",
        ),
    ] = None,
    plan: Annotated[
        bool, Parameter(negative="", help="Only print runs, time, memory and disk needed.")
    ] = False,
    settings: Settings = [],  # noqa: B006  cyclopts never changes it
    out: Annotated[Path, Parameter(help="Directory for data sets and kept results.")] = Path("out"),
    output: Annotated[
        Path | None,
        Parameter(
            name=["--output", "-o"],
            show_default=False,
            help="Directory of the data set, which may replace any earlier data set; "
            "OUT/studies/NAME by default.",
        ),
    ] = None,
    workers: Workers = None,
    scheduler: Annotated[
        str | None,
        Parameter(help="Run on a Dask cluster: ADDRESS of its scheduler, or local-cluster."),
    ] = None,
    yes: Annotated[
        bool,
        Parameter(
            name=["--yes", "-y"],
            negative="",
            help="Run without asking, even if the study takes more than an hour or 10 GB.",
        ),
    ] = False,
    fresh: Fresh = False,
    quiet: Annotated[
        bool, Parameter(negative="", help="Print only warnings and failures.")
    ] = False,
    json: Json = False,
) -> int:
    """Run every point of a study file with its replications, and write one data set.

    OUT/studies/NAME receives the data set: runs.parquet with a row per run, tables of flows, vcs,
    ports, queues and classes, traces if the study keeps them, and a dictionary of every column. A
    data set of another study file, or of other settings (--set), is replaced only by --output.
    Finished runs are kept in OUT/results, so that an interrupted or extended study only runs the
    missing points. A run that fails is reported with its command and does not stop the study.

    --from prints a study file, ready to edit, whose runs are those of a published experiment.
    """
    if (file is None) == (experiment is None):
        raise BadInput("cellrate study needs FILE, or --from and an experiment of a paper")
    if experiment is not None:
        given = {
            "--plan": plan,
            "--set": settings,
            "--out": out != Path("out"),
            "--output": output,
            "--workers": workers is not None,
            "--scheduler": scheduler,
            "--yes": yes,
            "--fresh": fresh,
            "--quiet": quiet,
            "--json": json,
        }
        if others := [name for name, is_given in given.items() if is_given]:
            raise BadInput(
                f"--from only prints a study file, so {', '.join(others)} would do nothing; "
                "the printed file has `set` for settings, and `cellrate study FILE` runs it"
            )
        return _printed(experiment)
    assert file is not None  # noqa: S101  of the two one is there
    from cellrate.studies import study as studies
    from cellrate.studies.dataset import DataSet

    with reading(file):
        asked = studies.read(file, settings)
    if plan:
        store = kept_results(out, fresh=fresh)
        _show_plan(studies.plan(asked, store, workers), asked, json=json)
        return 0
    directory = output or _default_place(asked, out)
    store = kept_results(out, fresh=fresh)
    with ProgressBar("looking at points") as progress:
        total = len(asked.points)
        studies.refuse_bad_points(asked, lambda done: progress(done, total))
    if not yes and not confirmed(asked, store, workers):
        terminal.say("nothing was run")
        return 1
    least = len(asked.points) * asked.replications.least
    with ExitStack() as stack:
        if store is None:
            store = _for_now(out, stack)
        runner = _runner(scheduler, workers, stack)
        progress = stack.enter_context(ProgressBar(f"study {asked.name}"))
        executor = functools.partial(
            runner, store=store, watch=lambda done: progress(min(done, least), least)
        )
        ran = studies.run_study(asked, executor, directory, progress.failed)
    warn_of_damage(store)
    for note in ran.notes:
        sys.stderr.write(f"warning: {note}\n")
    _warn_of_runs(DataSet(ran.directory))
    _show(ran, asked, quiet=quiet, json=json)
    return 1 if ran.failed else 0


def _default_place(asked: studies.Study, out: Path) -> Path:
    """OUT/studies/NAME, unless it has the data set of another file or of other settings.

    Raises:
        BadInput: The directory has such a data set.
    """
    from cellrate.studies.dataset import DataSet
    from cellrate.studies.study.running import description

    place = out / "studies" / asked.name
    try:
        had = DataSet(place).description
    except BadInput:  # No data set, or one that nothing reads.
        return place
    if had.is_of(asked.path) and had.settings == asked.settings:
        return place
    raise BadInput(
        f"{place} has the data set of {had.origin}, which {description(asked).origin} would "
        f"replace; name another directory by --output, or replace the data set by --output {place}"
    )


def _warn_of_runs(data: DataSet) -> None:
    """Writes to standard error how many runs of a data set have warnings."""
    if data.warned:
        codes = ", ".join(f"{code} in {runs:,}" for code, runs in data.warned.items())
        sys.stderr.write(
            f"warning: warnings of {counted(data.runs.height, 'run')}: {codes}; a command in the "
            "column `command` of the table `runs` prints their text\n"
        )


def _printed(experiment: str) -> int:
    """Prints an experiment of a paper as a study file."""
    from cellrate.papers.as_study import study_of
    from cellrate.papers.paper import ReproduceError

    try:
        sys.stdout.write(study_of(experiment))
    except ReproduceError as error:
        raise BadInput(f"--from: {error}") from error
    return 0


def _for_now(out: Path, stack: ExitStack) -> _core.Store:
    """Temporary store for a study that keeps no results: its data set is made from a store."""
    kept = out / "fresh"
    scratch.clear(kept)
    place = stack.enter_context(scratch.directory(kept))
    return stack.enter_context(_core.Store(place / "results"))


def _runner(
    scheduler: str | None, workers: int | None, stack: ExitStack
) -> Callable[..., Generator[Done]]:
    """Returns a function that runs jobs, on this machine or on a cluster."""
    if scheduler is None:
        return functools.partial(run_each, workers=workers)
    # Dask is an optional dependency, and loads slowly.
    from cellrate.simulation.cluster import Cluster

    return stack.enter_context(Cluster(scheduler, workers)).run_each


def _show(ran: studies.StudySummary, asked: studies.Study, *, quiet: bool, json: bool) -> None:
    if json:
        answer = asdict(ran) | {"directory": str(ran.directory), "points": len(asked.points)}
        sys.stdout.write(json_text(answer))
        return
    if quiet:
        return
    failed = f", {len(ran.failed)} failed" if ran.failed else ""
    terminal.say(
        f"{counted(ran.runs, 'run')} at {counted(len(asked.points), 'point')}{failed}: "
        f"{ran.simulated} simulated in {ran.seconds:.1f} s of core time, {ran.known} known"
    )
    terminal.say(f"data set in {ran.directory}")


def _show_plan(found: studies.Plan, asked: studies.Study, *, json: bool) -> None:
    if json:
        sys.stdout.write(json_text(asdict(found)))
        return
    points = counted(found.points, "point")
    runs = f"{found.least:,}" if found.most == found.least else f"{found.least:,} to {found.most:,}"
    rows = [f"{asked.name}: {points}, {runs} runs, {found.known:,} of them known"]
    if found.run_seconds is not None:
        rows.append(f"about {found.run_seconds:.3g} s of core time a run")
        times = duration(found.seconds)
        if found.most > found.least:
            times += f" to {duration(found.most_seconds)}"
        rows.append(f"about {times} with all workers")
    if found.memory_bytes is not None:
        rows.append(f"at most {size(found.memory_bytes)} of memory for the runs at a time")
    if found.disk_bytes is not None:
        rows.append(f"about {size(round(found.disk_bytes))} of results, not compressed")
    for row in rows:
        terminal.say(row)


def confirmed(study: studies.Study, store: _core.Store | None, workers: int | None) -> bool:
    """False if the user at the terminal refuses a study that is long or large.

    Raises:
        BadInput: The study is long or large, and there is no terminal.
    """
    from cellrate.studies import study as studies

    if not studies.may_exceed(study, LONG_SECONDS, LARGE_BYTES, workers):
        return True
    cost = studies.plan(study, store, workers)
    disk = cost.disk_bytes or 0.0
    if cost.seconds <= LONG_SECONDS and disk <= LARGE_BYTES:
        return True
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise BadInput(
            f"study {study.name}: it takes more than an hour, or more than 10 GB; --plan says how "
            "much, --yes runs it"
        )
    sys.stderr.write(
        f"study {study.name} takes about {duration(cost.seconds)} and "
        f"{size(round(disk))} of results. Run it? [y/N] "
    )
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


@made_from(studying.table)
def table(
    study: Study,
    /,
    *,
    where: Annotated[
        list[str],
        Parameter(negative="", show_default=False, help="Only runs with FACTOR=VALUE; repeatable."),
    ] = [],  # noqa: B006  cyclopts never changes it
    form: Annotated[str, Parameter(name="--format", help="text, md, csv, latex or html.")] = "text",
    out: Annotated[Path | None, Parameter(name=["--out", "-o"], help="File to write.")] = None,
    **options: Any,  # noqa: ANN401  of the function
) -> None:
    """Tabulate a study: means over replications with confidence intervals.

    Rows and columns are values of factors, or of columns that identify entities, such as name or
    group of flows. The end of a factor's path is enough. Factors that are in neither are named, and
    the table shows means over them.
    """
    from cellrate.studies.dataset import DataSet
    from cellrate.studies.dataset.table import FORMATS, as_text, written

    chosen = choose(form, list(FORMATS), "format")
    data = DataSet(place_of(study))
    choose(options["of"], data.tables, "table")
    for name in ("rows", "columns", "measures"):
        options[name] = _names(options[name])
    conditions: dict[str, float | str] = {}
    for name, value in (_value(condition, data) for condition in where):
        if conditions.setdefault(name, value) != value:
            raise BadInput(f"no run has {' and '.join(where)}")
    tabulated = studying.table(data, where=conditions, **options)
    _warn_of_runs(data)
    if out is not None:
        whole_file.write_text(out, written(tabulated, chosen))
    elif chosen == "text":
        sys.stdout.write(as_text(tabulated, terminal.width()))
    else:
        sys.stdout.write(written(tabulated, chosen))


def _names(given: list[str]) -> tuple[str, ...]:
    return tuple(name.strip() for names in given for name in names.split(",") if name.strip())


def _value(text: str, data: DataSet) -> tuple[str, float | str]:
    """Reads FACTOR=VALUE; the value is a number in the factor's unit, or a text.

    Raises:
        BadInput: The text is not of that form, or the value is not a number or quantity.
    """
    from cellrate.cli.amounts import number, quantity

    name, equals, value = text.partition("=")
    if not equals:
        raise BadInput(f"--where {text}: must be FACTOR=VALUE")
    name, value = name.strip(), value.strip().strip('"')
    known = [factor for factor in data.description.varied if _is(factor.name, name)]
    if len(known) != 1 or known[0].is_text:
        return name, value
    factor = known[0]
    if factor.kind in ("number", "integer") or value.replace(".", "", 1).isdigit():
        return name, number(value, f"--where {name}")
    return name, quantity(value, factor.unit, f"--where {name}")


def _is(name: str, end: str) -> bool:
    return name == end or name.endswith(f".{end}")


@made_from(studying.plot, order=("kind", "y", "x", "by", "columns", "where", "of", "replication"))
def plot(
    study: Study,
    /,
    *,
    dark: Annotated[bool, Parameter(negative="", help="Draw on a dark ground.")] = False,
    output: Annotated[
        Path | None,
        Parameter(name=["--output", "-o"], help="FILE.png, .svg or .pdf; in STUDY by default."),
    ] = None,
    **options: Any,  # noqa: ANN401  of the function
) -> None:
    """Draw a figure of a study: lines, maps, distributions, traces, phase portraits.

    Lines are means over replications with their confidence intervals. A factor may be named by the
    end of its path. The runs of a study and their commands are in the report (cellrate report).
    """
    from cellrate.simulation.figures import FORMATS, save
    from cellrate.studies.dataset import DataSet
    from cellrate.studies.plots.from_study import PlotOptions, draw

    table, where = options.pop("of"), tuple(options.pop("where"))
    asked = PlotOptions(**options, where=where, table=table)
    letters = f"{asked.kind}-{asked.y}"
    safe = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in letters)
    place = place_of(study)
    stem, formats = figure_files(place / "figures" / safe, output, tuple(FORMATS))
    drawing = draw(DataSet(place), asked)
    if output is None:
        endings = [f".{name}" for name in formats]
        paths = own_paths(place / "figures", safe, endings, ["plot", asdict(asked), dark])
        stem = paths[0].with_suffix("")
    make_directory(stem.parent)
    files = save(drawing.figure, stem, formats, dark=dark)
    terminal.say(f"written to {', '.join(map(str, files))}")


def report(
    study: Study,
    /,
    *,
    output: Annotated[
        Path | None,
        Parameter(name=["--output", "-o"], help="File of the page; STUDY/report.html by default."),
    ] = None,
) -> None:
    """Write a study's report: its plan, figures, differences, failures, the command of every run.

    The page is one file and loads nothing else. Points of its figures show the commands that
    reproduce their runs, and link to them.
    """
    file = studying.report(place_of(study), output)
    terminal.say(f"written to {file}")
