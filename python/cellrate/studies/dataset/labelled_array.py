"""A measure of a data set as a labelled array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from cellrate.common.problems import BadInput, choose
from cellrate.studies.dataset.columns import RUNS, columns, distinct
from cellrate.studies.dataset.description import FactorColumn

if TYPE_CHECKING:
    import xarray as xr

    from cellrate.studies.dataset.reader import DataSet

# Columns that identify the rows of a run, by table; `name` in all others.
ENTITY = {"classes": ("service",), "queues": ("port", "priority")}


def as_array(data: DataSet, measure: str, table: str) -> xr.DataArray:
    """Converts a measure to a labelled array; see `DataSet.to_xarray`."""
    import xarray as xr

    types = data.columns(table)
    numeric = [name for name, kind in types.items() if kind.is_numeric()]
    choose(measure, numeric, f"measure of {table}")
    rows = data.frame(table)
    varied = data.description.factors
    points = rows.select("point", *(one.name for one in varied)).unique().sort("point")
    grid = _is_grid(points, varied)
    across = [one.name for one in varied] if grid else ["point"]
    own = () if table == RUNS else ENTITY.get(table, ("name",))
    dimensions = [*across, "replication", *own]
    if measure in dimensions:
        raise BadInput(f"{measure!r} is a dimension of the array, not a measure")
    labels = {name: distinct(rows[name]) for name in dimensions}
    values = np.full([len(one) for one in labels.values()], np.nan)
    values[tuple(_places(rows[name], labels[name]) for name in dimensions)] = rows[measure].cast(
        pl.Float64
    )
    coordinates: dict[str, Any] = {name: (name, one.to_numpy()) for name, one in labels.items()}
    if not grid:
        coordinates |= {one.name: ("point", points[one.name].to_numpy()) for one in varied}
    array = xr.DataArray(values, coordinates, dimensions, measure)
    about = {one.name: one for one in columns(data.description) if one.table == table}
    array.attrs = {"units": about[measure].unit, "long_name": about[measure].definition}
    for one in varied:
        array[one.name].attrs["units"] = one.unit
    return array


def _is_grid(points: pl.DataFrame, varied: tuple[FactorColumn, ...]) -> bool:
    """True if the study has exactly one point for every combination of the factors' values."""
    combinations = int(np.prod([points[one.name].n_unique() for one in varied]))
    names = [one.name for one in varied]
    return bool(names) and combinations == len(points) == points.select(names).n_unique()


def _places(column: pl.Series, labels: pl.Series) -> np.ndarray[Any, Any]:
    """Index of each value among the labels."""
    place = {label: index for index, label in enumerate(labels.to_list())}
    return np.array([place[value] for value in column.to_list()], dtype=np.intp)
