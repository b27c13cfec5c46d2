"""A measure of a study as a labelled array."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from cellrate.common.problems import BadInput
from cellrate.studies.dataset import DataSet
from studied import BUFFERS, RECOVERIES, REPLICATIONS, Results, results, write


@pytest.fixture(scope="module")
def runs() -> Results:
    return results()


@pytest.fixture(scope="module")
def data(runs: Results, tmp_path_factory: pytest.TempPathFactory) -> DataSet:
    return DataSet(write(tmp_path_factory.mktemp("studies") / "losses", runs))


def test_a_grid_has_a_dimension_for_each_factor(data: DataSet) -> None:
    array = data.to_xarray("throughput")
    assert array.dims == ("tcp.recovery", "buffer", "replication")
    assert array.shape == (len(RECOVERIES), len(BUFFERS), REPLICATIONS)
    assert array.attrs["units"] == "Mbit/s"
    assert array["buffer"].attrs["units"] == "cells"
    for row in data.runs.iter_rows(named=True):
        place = {name: row[name] for name in array.dims}
        assert float(array.sel(place)) == row["throughput"]
    means = data.runs.group_by("tcp.recovery").agg(pl.col("throughput").mean())
    for recovery, mean in means.iter_rows():
        one = array.sel({"tcp.recovery": recovery}).mean()
        assert float(one) == pytest.approx(mean)


def test_entities_are_a_dimension_and_what_is_missing_is_nan(runs: Results, tmp_path: Path) -> None:
    some = DataSet(write(tmp_path / "some", runs[:-1]))
    array = some.to_xarray("goodput_bits_per_second", "flows")
    assert array.dims[-1] == "name"
    assert set(some.flows["name"]) == set(array["name"].to_numpy())
    missing = np.isnan(array.to_numpy()).sum(axis=-1)
    assert missing.max() == array.sizes["name"]
    assert (missing > 0).sum() == 1
    queues = some.to_xarray("queue_max_cells", "queues")
    assert queues.dims[-2:] == ("port", "priority")


def test_points_that_are_no_grid_are_a_dimension_themselves(runs: Results, tmp_path: Path) -> None:
    # Without its last point the design is no grid.
    points = len(RECOVERIES) * len(BUFFERS)
    rows = [one for one in runs if one[0].point < points - 1]
    array = DataSet(write(tmp_path / "paired", rows)).to_xarray("throughput")
    assert array.dims == ("point", "replication")
    assert array["buffer"].dims == ("point",)
    assert array["tcp.recovery"].to_numpy().tolist() == ["reno", "reno", "sack"]


def test_a_measure_must_be_a_number_and_no_dimension(
    data: DataSet, runs: Results, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match="there is no measure of runs 'throughputs', did you mean"):
        data.to_xarray("throughputs")
    with pytest.raises(BadInput, match="there is no measure of flows 'group'"):
        data.to_xarray("group", "flows")
    with pytest.raises(BadInput, match="'buffer' is a dimension"):
        data.to_xarray("buffer")
    none = dataclasses.replace(data.description, factors=(), measures=())
    bare = [(dataclasses.replace(row, values={}, measures={}), one) for row, one in runs[:2]]
    alone = DataSet(write(tmp_path / "alone", bare, none))
    assert alone.to_xarray("totals_timeouts").dims == ("point", "replication")
