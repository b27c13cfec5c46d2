"""`cellrate table`: writes a study as a table for a paper."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from cellrate.cli.places import Study, place_of
from cellrate.cli.quantities import number, quantity
from cellrate.common import terminal, whole_file
from cellrate.common.problems import BadInput, choose

if TYPE_CHECKING:
    from cellrate.studies.dataset import DataSet


def table(
    study: Study,
    /,
    *,
    rows: Annotated[
        list[str],
        Parameter(negative="", show_default=False, help="Factors of the rows, as in rtt,scheme."),
    ] = [],  # noqa: B006  cyclopts never changes it
    columns: Annotated[
        list[str],
        Parameter(negative="", show_default=False, help="Factors of the columns, as --rows."),
    ] = [],  # noqa: B006
    measure: Annotated[
        list[str],
        Parameter(negative="", show_default=False, help="Measures; those of the study by default."),
    ] = [],  # noqa: B006
    of: Annotated[
        str, Parameter(help="Table of the measures: runs, flows, classes, vcs, ports or queues.")
    ] = "runs",
    where: Annotated[
        list[str],
        Parameter(negative="", show_default=False, help="Only runs with FACTOR=VALUE; repeatable."),
    ] = [],  # noqa: B006
    level: Annotated[
        float | None, Parameter(help="Confidence level; that of the study by default.")
    ] = None,
    form: Annotated[str, Parameter(name="--format", help="text, md, csv, latex or html.")] = "text",
    out: Annotated[Path | None, Parameter(name=["--out", "-o"], help="File to write.")] = None,
) -> None:
    """Tabulate a study: means over replications with confidence intervals.

    Rows and columns are values of factors, or of columns that identify entities, such as name or
    group of flows. The end of a factor's path is enough. The table says which factors are in
    neither; it shows means over them.
    """
    from cellrate.studies.dataset import DataSet
    from cellrate.studies.dataset.table import FORMATS, Question, as_text, tabulate, written

    chosen = choose(form, list(FORMATS), "format")
    data = DataSet(place_of(study))
    question = Question(
        rows=_names(rows),
        columns=_names(columns),
        measures=_names(measure),
        table=choose(of, data.tables, "table"),
        where=dict(_value(condition, data) for condition in where),
        level=level,
    )
    tabulated = tabulate(data, question)
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
