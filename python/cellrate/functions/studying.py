"""Functions that run studies, and tabulate, draw and report their data sets."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from cellrate import _core
from cellrate.common.arguments import names_wrong_types
from cellrate.common.extras import saying_what_is_missing
from cellrate.functions.runs_of import note, stream_of, texts
from cellrate.simulation import source

# Imported late, because data sets and figures load slowly.
if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from cellrate.simulation.progress_line import Watcher
    from cellrate.simulation.scenarios import Overrides
    from cellrate.studies.dataset import DataSet
    from cellrate.studies.dataset.table import Tabulation
    from cellrate.studies.study import Study

DataLike: TypeAlias = "DataSet | str | PathLike[str]"
"""A data set, or its directory."""


@saying_what_is_missing
@names_wrong_types
def read_study(
    study: str | PathLike[str] | Mapping[str, object] | Study, *, overrides: Overrides = ()
) -> Study:
    """Reads a study; a notebook displays the plan of its runs.

    Args:
        study: A path, the TOML itself, a mapping of its sections, or a `Study`.
        overrides: Settings of every run besides those of the study.

    Raises:
        ScenarioError: The study is not valid; its text shows the place.
        BadInput: A setting is the seed.
        OSError: The file cannot be read.
    """
    from cellrate.studies import study as studies

    if isinstance(study, studies.Study):
        return study
    text, name = source.given(study)
    return studies.parse_study(text, name, source.settings(overrides))


@saying_what_is_missing
@names_wrong_types
def study(
    study: str | PathLike[str] | Mapping[str, object] | Study,
    directory: str | PathLike[str],
    *,
    overrides: Overrides = (),
    workers: int | None = None,
    store: _core.Store | None = None,
    progress: Watcher | bool | None = None,
) -> DataSet:
    """Runs every point of a study with its replications, as ``cellrate study``.

    A run that fails does not stop the study; it is in the data set with its status, and gives a
    Python warning.

    Args:
        study: A path, the TOML itself, a mapping of its sections, or a `Study`.
        directory: Directory of the data set; an earlier data set in it is replaced.
        overrides: Settings of every run besides those of the study.
        workers: Runs at a time; one per core by default.
        store: Store of results, with which an interrupted study continues.
        progress: True to show the progress, or a function to call with the runs done and all runs.

    Raises:
        ScenarioError: The study, or one of its points, is not valid.
        BadInput: A setting is the seed.
        OSError: A file cannot be read or written.
        KeyboardInterrupt: Ctrl-C was pressed; the store has the finished runs.
    """
    import tempfile
    from contextlib import ExitStack

    from cellrate.studies import study as studies
    from cellrate.studies.dataset import DataSet

    asked = read_study(study, overrides=overrides)
    studies.refuse_bad_points(asked, lambda _: None)
    least = len(asked.points) * asked.replications.least
    with ExitStack() as stack:
        if store is None:
            # The data set is written from stored results, so a store is needed.
            place = stack.enter_context(tempfile.TemporaryDirectory())
            store = stack.enter_context(_core.Store(Path(place) / "results"))
        runner = stack.enter_context(stream_of(f"study {asked.name}", workers, store, progress))
        ran = studies.run_study(asked, runner(least), Path(directory), note)
    for told in ran.notes:
        note(told)
    return DataSet(ran.directory)


@saying_what_is_missing
@names_wrong_types
def table(
    data: DataLike,
    *,
    rows: str | tuple[str, ...] | list[str] = (),
    columns: str | tuple[str, ...] | list[str] = (),
    measures: str | tuple[str, ...] | list[str] = (),
    of: str = "runs",
    where: Mapping[str, float | str] | None = None,
    level: float | None = None,
) -> Tabulation:
    """Tabulates means over replications with confidence intervals, as ``cellrate table``.

    Args:
        data: A data set, or its directory.
        rows: Factors of the rows, as in rtt,scheme.
        columns: Factors of the columns, as in rtt,scheme.
        measures: Measures; the measures of the study by default.
        of: Table of the measures: runs, flows, classes, vcs, ports or queues.
        where: Only runs with these values of factors, in the units of the data set.
        level: Confidence level; the level of the study by default.

    Returns:
        The table; `cellrate.studies.dataset.table.written` writes it as LaTeX, CSV and so on.

    Raises:
        BadInput: There is no such data, factor or measure.
    """
    from cellrate.studies.dataset.table import Question, tabulate

    question = Question(
        rows=texts(rows),
        columns=texts(columns),
        measures=texts(measures),
        table=of,
        where=dict(where or {}),
        level=level,
    )
    return tabulate(_data(data), question)


@saying_what_is_missing
@names_wrong_types
def plot(
    data: DataLike,
    y: str,
    x: str | None = None,
    *,
    kind: str = "lines",
    by: str | None = None,
    columns: str | None = None,
    where: str | tuple[str, ...] | list[str] = (),
    of: str = "runs",
    replication: int | None = None,
) -> Figure:
    """Draws a figure of a study, as ``cellrate plot``; a notebook shows it.

    Args:
        data: A data set, or its directory.
        y: Measure; for the kinds traces and phase a trace, as KIND or KIND:ENTITY.
        x: Factor of the horizontal axis; for the kind phase a trace.
        kind: lines, heat-map, ecdf, box, traces (over one another) or phase.
        by: Factor of the colours, or of a map's rows.
        columns: Factor of the panels.
        where: Only runs with FACTOR=VALUE; repeatable.
        of: Table of the measure: runs, flows, classes, vcs, ports or queues.
        replication: Replication whose traces are drawn, 0 by default.

    Raises:
        BadInput: The request does not fit the data set.
    """
    from cellrate.studies.plots.from_study import PlotOptions, draw

    options = PlotOptions(kind, y, x, by, columns, texts(where), of, replication)
    return draw(_data(data), options).figure


@saying_what_is_missing
@names_wrong_types
def report(data: DataLike, file: str | PathLike[str] | None = None) -> Path:
    """Writes the report of a study as one web page, as ``cellrate report``.

    Args:
        data: A data set, or its directory.
        file: File of the page; ``report.html`` in the directory of the data set by default.

    Returns:
        The file.

    Raises:
        BadInput: There is no such data set.
        OSError: The file cannot be written.
    """
    from cellrate.common import whole_file
    from cellrate.common.document.web_page import web_page
    from cellrate.common.whole_file import make_directory
    from cellrate.studies.report import report as report_of

    found = _data(data)
    place = found.directory / "report.html" if file is None else Path(file)
    make_directory(place.parent)
    whole_file.write_text(place, web_page(report_of(found)))
    return place


def _data(data: DataLike) -> DataSet:
    from cellrate.studies.dataset import DataSet

    return data if isinstance(data, DataSet) else DataSet(Path(data))
