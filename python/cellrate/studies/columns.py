"""Columns of a study's data set: their units and short names, and selection of rows."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import polars as pl

from cellrate import _core
from cellrate.common.numbers import number
from cellrate.common.problems import BadInput, choose
from cellrate.language.measures import tables
from cellrate.studies.dataset import DataSet

VALUE = "the value"
MEAN = "the mean"
SPREAD = "the standard deviation"
LOW = "the lower end"
HIGH = "the upper end"
COUNT = "the count"
RUNS = "the runs"


def units_of(data: DataSet, table: str = "runs") -> dict[str, str]:
    """Unit of each column of a table; a measure of the study without a known unit is left out."""
    dictionary = tables(data.description.link_layer)
    units = {one.column: one.unit for one in dictionary["run" if table == "runs" else table]}
    known = {one.name: one.unit for one in dictionary["expressions"]}
    known |= {one.key: one.unit for one in dictionary["run"]}
    units |= {one.name: known.get(one.expression, "") for one in data.description.measures}
    return units | {one.name: one.unit for one in data.description.varied}


def column(name: str, columns: Sequence[str], what: str = "column") -> str:
    """Finds a column by its name or by the end of its path, such as `scheme`.

    Raises:
        BadInput: No column or several columns match.
    """
    if name in columns:
        return name
    found = [one for one in columns if one.endswith(f".{name}")]
    if len(found) > 1:
        raise BadInput(f"{name} fits several names; name one of {', '.join(found)}")
    return found[0] if found else choose(name, columns, what)


QUANTITIES = ("time", "delay", "rate", "bytes", "cells")
"""Kinds of quantities that the value of a condition may have."""
MOST_LISTED = 5
"""Greatest number of values of a column that a message lists."""


def chosen(frame: pl.DataFrame, where: Sequence[str]) -> pl.DataFrame:
    """Selects the rows that meet conditions such as `scheme=erica`.

    Raises:
        BadInput: A column or value is unknown, or no row is left.
    """
    for text in where:
        name, equals, value = (piece.strip() for piece in text.partition("="))
        if not (name and equals and value):
            raise BadInput(f"--where takes NAME=VALUE, not {text!r}")
        frame = frame.filter(_equals(frame, column(name, frame.columns), value, text))
    if frame.is_empty():
        raise BadInput(f"no run has {' and '.join(where)}")
    return frame


def _equals(frame: pl.DataFrame, name: str, value: str, text: str) -> pl.Expr:
    kind = frame[name].dtype
    if not kind.is_numeric():
        values = [str(one) for one in frame[name].unique(maintain_order=True)]
        return pl.col(name).cast(pl.String) == choose(value, values, f"value of {name}")
    wanted = _numbers(value)
    if not wanted:
        held = [float(one) for one in frame[name].drop_nulls().unique().sort()]
        listed = ", ".join(number(one) for one in held[:MOST_LISTED])
        more = ", ..." if len(held) > MOST_LISTED else ""
        raise BadInput(
            f"--where {text}: `{value}` is neither a number nor a quantity with its unit; values "
            f"of {name}, in SI units, bytes or cells: {listed}{more}"
        )
    entry = pl.col(name).cast(pl.Float64)
    return pl.any_horizontal((entry - one).abs() <= 1e-9 * abs(one) for one in wanted)


def _numbers(text: str) -> list[float]:
    """The value of a text in the units of a data set: a number, or a quantity such as `1000 km`."""
    try:
        return [float(text)]
    except ValueError:
        pass
    found = set()
    for kind in QUANTITIES:
        with suppress(ValueError):
            found.add(float(_core.quantity(text, kind)))
    return sorted(found)


# Measures that are shown for a study that names no measures.
DEFAULTS = (
    "totals_tcp_throughput_bits_per_second",
    "totals_cell_loss_ratio",
    "totals_packet_loss_ratio",
    "totals_queued_max_cells",
    "totals_jain_index",
)


def measures_of(data: DataSet) -> list[str]:
    """The named measures of a study, or else `DEFAULTS`.

    Measures without a value in any run are left out.
    """
    named = [one.name for one in data.description.measures]
    runs = data.runs
    return [
        name
        for name in named or DEFAULTS
        if name in runs.columns and runs[name].cast(pl.Float64).is_finite().any()
    ]


def factors_of(data: DataSet) -> list[str]:
    """Factors that take more than one value."""
    runs = data.runs
    return [one.name for one in data.description.factors if runs[one.name].n_unique() > 1]
