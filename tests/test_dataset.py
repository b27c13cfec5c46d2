"""The data set of a study: written run by run, read back, the same bytes whatever the order."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import polars as pl
import pytest
from cellrate import Result
from cellrate.common.problems import BadInput
from cellrate.studies.dataset import (
    DataSet,
    Description,
    FactorColumn,
    RunRow,
    Writer,
    table_writer,
)
from studied import DESCRIPTION, Results, results, write

FAILED = RunRow(4, 0, 1, "f" * 64, "cellrate run my.toml", {"buffer": 7.0}, error="no memory")


@pytest.fixture(scope="module")
def runs() -> Results:
    return results()


@pytest.fixture(scope="module")
def written(runs: Results, tmp_path_factory: pytest.TempPathFactory) -> DataSet:
    return DataSet(write(tmp_path_factory.mktemp("studies") / "losses", runs))


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def test_every_table_holds_what_the_frames_of_each_run_hold(
    written: DataSet, runs: Results
) -> None:
    assert written.runs["run"].to_list() == list(range(len(runs)))
    for number, (row, outcome) in enumerate(runs):
        result = Result(outcome)
        own = written.runs.row(number, named=True)
        assert (own["point"], own["replication"]) == (row.point, row.replication)
        assert (own["seed"], own["key"]) == (row.seed, row.key)
        assert (own["digest"], own["status"]) == (result.digest, "done")
        assert own["buffer"] == row.values["buffer"]
        assert own["throughput"] == row.measures["throughput"]
        assert own["totals_timeouts"] == result.summary["totals"]["timeouts"]
        for table in ("flows", "classes", "vcs", "ports", "queues"):
            found = getattr(written, table).filter(pl.col("run") == number)
            frame = getattr(result, table)
            assert found.select(frame.columns).rows() == frame.rows(), table


def test_traces_that_are_kept_come_back_as_series(written: DataSet, runs: Results) -> None:
    assert set(written.traces["kind"]) == {"queue"}
    for number in (0, len(runs) - 1):
        for series in Result(runs[number][1]).traces:
            if series.kind == "queue":
                found = written.series(number, "queue", series.entity)
                assert found.time.tolist() == series.time.tolist()
                assert found.maximum.tolist() == series.maximum.tolist()
    with pytest.raises(KeyError, match=r"run 0 has no trace `cwnd` of `tcp\.1`; traced: queue of"):
        written.series(0, "cwnd", "tcp.1")


def test_the_same_study_gives_the_same_bytes_in_any_order_and_in_small_parts(
    written: DataSet, runs: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ordered = contents(written.directory)
    shuffled = [runs[(5 * at + 3) % len(runs)] for at in range(len(runs))]
    assert contents(write(tmp_path / "one-part" / "losses", shuffled)) == ordered
    # Parts of a few runs each, so that each part of the table is gathered from several.
    monkeypatch.setattr(table_writer, "PART_ROWS", 5)
    in_parts = contents(write(tmp_path / "in-order" / "losses", runs))
    assert contents(write(tmp_path / "out-of-order" / "losses", shuffled)) == in_parts
    again = DataSet(tmp_path / "out-of-order" / "losses")
    for table in written.tables:
        assert again.scan(table).collect().equals(written.scan(table).collect()), table


def test_rows_come_with_the_factors_of_their_run(written: DataSet) -> None:
    flows = written.frame("flows")
    assert flows.columns[:6] == ["run", "point", "replication", "tcp.recovery", "buffer", "name"]
    assert len(flows) == len(written.flows)
    by_buffer = flows.group_by("buffer").agg(pl.col("packets_lost").sum())
    lost = dict(by_buffer.iter_rows())
    assert lost[50.0] != lost[100.0]
    assert written.frame().equals(written.runs)


def test_the_dictionary_explains_every_column_that_there_is(written: DataSet) -> None:
    known = json.loads((written.directory / "dictionary.json").read_text(encoding="utf-8"))
    for table in written.tables:
        explained = {one["name"]: one for one in known if one["table"] == table}
        assert set(explained) == set(written.columns(table)), table
        assert all(one["definition"] and one["source"] for one in explained.values())
    units = {(one["table"], one["name"]): one["unit"] for one in known}
    assert units["runs", "buffer"] == "cells"
    assert units["runs", "throughput"] == "Mbit/s"
    assert units["flows", "balance_in_path_bytes"] == "bytes"
    page = (written.directory / "dictionary.md").read_text(encoding="utf-8")
    assert "| `throughput` | Mbit/s |" in page
    # Only statistics of schemes that ran are columns.
    ports = written.columns("ports")
    assert "control_load_factor" in ports
    assert "control_macr_cells_per_second" not in ports


def test_a_failed_run_is_a_row_and_nothing_else(runs: Results, tmp_path: Path) -> None:
    with Writer(tmp_path / "one", DESCRIPTION) as writer:
        writer.add(FAILED, None)
        writer.add(*runs[0])
    data = DataSet(tmp_path / "one")
    failed = data.runs.row(1, named=True)
    assert (failed["status"], failed["error"], failed["digest"]) == ("failed", "no memory", None)
    assert failed["totals_timeouts"] is None
    assert data.flows["run"].unique().to_list() == [0]
    assert json.loads((tmp_path / "one" / "study.json").read_text())["failed"] == 1


def test_a_study_of_failures_alone_has_empty_tables(tmp_path: Path) -> None:
    with Writer(tmp_path / "none", DESCRIPTION) as writer:
        writer.add(FAILED, None)
    data = DataSet(tmp_path / "none")
    assert len(data.runs) == 1
    assert data.flows.is_empty()
    assert "tcp_throughput_bits_per_second" in data.flows.columns


def test_an_exception_leaves_what_was_there(written: DataSet, runs: Results) -> None:
    before = contents(written.directory)
    beside = set(written.directory.parent.iterdir())
    writer = Writer(written.directory, DESCRIPTION)
    writer.add(*runs[0])
    with pytest.raises(KeyboardInterrupt), writer:
        raise KeyboardInterrupt
    assert contents(written.directory) == before
    assert set(written.directory.parent.iterdir()) == beside


def test_a_data_set_is_replaced_and_files_of_others_stay(runs: Results, tmp_path: Path) -> None:
    place = write(tmp_path / "losses", runs[:2])
    (place / "report.html").write_text("ours no more")
    (place / "figures").mkdir()
    (place / "figures" / "one.svg").write_text("<svg/>")
    untraced = dataclasses.replace(DESCRIPTION, traces=())
    write(place, runs[:1], untraced)
    assert len(DataSet(place).runs) == 1
    assert not (place / "traces.parquet").exists()
    assert (place / "figures" / "one.svg").read_text() == "<svg/>"
    foreign = tmp_path / "home"
    foreign.mkdir()
    (foreign / "thesis.tex").write_text("years of work")
    with pytest.raises(FileExistsError, match="holds no data set"):
        Writer(foreign, DESCRIPTION)


def test_what_is_no_data_set_is_said_to_be_none(runs: Results, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="it does not exist"):
        DataSet(tmp_path / "nowhere")
    with pytest.raises(BadInput, match=r"holds no study\.json"):
        DataSet(tmp_path)
    place = write(tmp_path / "losses", runs[:1])
    study = place / "study.json"
    text = study.read_text()
    study.write_text(text.replace('"format": 1', '"format": 2'))
    with pytest.raises(BadInput, match=r"is of format 2, written by cellrate .* reads format 1"):
        DataSet(place)
    study.write_text("{")
    with pytest.raises(BadInput, match="is not a description of a data set"):
        DataSet(place)
    study.write_text(text)
    (place / "flows.parquet").write_bytes(b"PAR1")
    with pytest.raises(BadInput, match=r"cannot read .*flows\.parquet"):
        DataSet(place).scan("flows")
    with pytest.raises(BadInput, match="there is no table 'flow', did you mean 'flows'"):
        DataSet(place).scan("flow")


def test_a_description_of_other_types_is_damaged(runs: Results, tmp_path: Path) -> None:
    study = write(tmp_path / "losses", runs[:1]) / "study.json"
    text = study.read_text()
    for found, instead in [('"name": "losses"', '"name": 3'), ('"level": 0.95', '"level": "x"')]:
        assert found in text
        study.write_text(text.replace(found, instead, 1))
        with pytest.raises(BadInput, match=r"is damaged: .* where .* is expected"):
            DataSet(study.parent)
    study.write_text("[" * 100_000)
    with pytest.raises(BadInput, match="is not a description of a data set"):
        DataSet(study.parent)


def test_a_table_that_is_damaged_behind_its_head_is_refused(runs: Results, tmp_path: Path) -> None:
    place = write(tmp_path / "losses", runs[:1])
    path = place / "runs.parquet"
    whole = path.read_bytes()
    noticed = 0
    for at in range(4, len(whole) // 2, 97):
        path.write_bytes(whole[:at] + bytes(40) + whole[at + 40 :])
        try:
            assert DataSet(place).runs.height == 1
        except BadInput as error:
            noticed += "cannot read" in str(error)
    assert noticed > 0


@pytest.mark.parametrize("name", ["seed", "run", "totals_timeouts", "throughput"])
def test_a_name_that_is_taken_is_refused(name: str, tmp_path: Path) -> None:
    taken = dataclasses.replace(DESCRIPTION, derived=(FactorColumn(name),))
    with pytest.raises(BadInput, match=f"'{name}' cannot be the name"):
        Writer(tmp_path / "taken", taken)
    assert list(tmp_path.iterdir()) == []


def test_a_run_cannot_come_twice_nor_be_nothing(runs: Results, tmp_path: Path) -> None:
    writer = Writer(tmp_path / "twice", Description("twice", "n-source"))
    row, outcome = runs[0]
    bare = dataclasses.replace(row, values={}, measures={})
    writer.add(bare, outcome)
    with pytest.raises(ValueError, match="replication 0 of point 0 was added before"):
        writer.add(bare, outcome)
    with pytest.raises(ValueError, match="either an outcome or an error"):
        writer.add(dataclasses.replace(bare, replication=1), None)
    writer.abandon()
    assert list(tmp_path.iterdir()) == []


def test_the_working_directory_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileExistsError, match="the working directory"):
        Writer(".", Description("x", "my.toml"))
    assert list(tmp_path.iterdir()) == []
