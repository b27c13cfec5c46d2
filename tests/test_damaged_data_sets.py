"""Data sets whose tables are not what their description says: refused with file and column."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
import small_study
from cellrate.common.problems import BadInput
from cellrate.studies.dataset import DataSet
from conftest import Command

pytestmark = pytest.mark.usefixtures("undrawn")

Damage = Callable[[pl.DataFrame], pl.DataFrame]
FACTOR = "switch.buffer"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_study.write(tmp_path_factory.mktemp("study") / "small")


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "small"))


def damage(directory: Path, how: Damage, table: str = "runs") -> None:
    path = directory / f"{table}.parquet"
    how(pl.read_parquet(path)).write_parquet(path)


DAMAGES: dict[str, tuple[Damage, str]] = {
    "no factor": (lambda runs: runs.drop(FACTOR), f"has no column `{FACTOR}`"),
    "no status": (lambda runs: runs.drop("status"), "has no column `status`"),
    "no point": (lambda runs: runs.drop("point"), "has no column `point`"),
    "no measure": (lambda runs: runs.drop("queue"), "has no column `queue`"),
    "factor is NaN": (
        lambda runs: runs.with_columns(pl.lit(math.nan).alias(FACTOR)),
        f"row 0: `{FACTOR}` is nan",
    ),
    "factor is null": (
        lambda runs: runs.with_columns(
            pl.when(pl.col("run") == 3).then(None).otherwise(pl.col(FACTOR)).alias(FACTOR)
        ),
        f"row 3: `{FACTOR}` has no value",
    ),
    "run twice": (
        lambda runs: runs.with_columns(pl.col("run").replace(3, 2)),
        "row 2: run 2 is there twice",
    ),
    "list of measures": (
        lambda runs: runs.with_columns(pl.concat_list("throughput")),
        "the column `throughput` is of type List(Float64), must be Float64",
    ),
    "number as text": (
        lambda runs: runs.with_columns(pl.col(FACTOR).cast(pl.String)),
        f"the column `{FACTOR}` is of type String, must be Float64",
    ),
    "point as text": (
        lambda runs: runs.with_columns(pl.col("point").cast(pl.String)),
        "the column `point` is of type String, must be Int64",
    ),
}
QUESTIONS = {
    "table": ("table", "small"),
    "plot": ("plot", "small", "--x", FACTOR, "--y", "throughput"),
    "report": ("report", "small"),
    "compare": ("compare", "small", "--factor", "switch.control.scheme"),
}


@pytest.mark.parametrize("what", DAMAGES)
def test_another_table_of_runs_is_refused(what: str, copy: Path) -> None:
    how, told = DAMAGES[what]
    damage(copy, how)
    with pytest.raises(BadInput) as caught:
        assert DataSet(copy).runs.height == 0
    assert "runs.parquet" in str(caught.value)
    assert told in " ".join(str(caught.value).split())


@pytest.mark.parametrize("question", QUESTIONS)
def test_each_command_refuses_it(question: str, copy: Path, command: Command) -> None:
    how, told = DAMAGES["factor is NaN"]
    damage(copy, how)
    done = command(*QUESTIONS[question])
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert done.stderr.startswith("error: ")
    assert "runs.parquet" in done.stderr
    assert told in " ".join(done.stderr.split())


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_whole_one_is_read(question: str, copy: Path, command: Command) -> None:
    assert copy.is_dir()
    done = command(*QUESTIONS[question])
    assert done.returncode == 0, done.stderr


def test_tables_of_entities_and_traces_are_checked_too(copy: Path) -> None:
    damage(copy, lambda flows: flows.drop("run"), "flows")
    with pytest.raises(BadInput, match=r"flows\.parquet has no column `run`"):
        DataSet(copy).scan("flows")
    damage(copy, lambda traces: traces.with_columns(pl.concat_list("minimum")), "traces")
    with pytest.raises(BadInput, match=r"traces\.parquet: the column `minimum`"):
        DataSet(copy).series(0, "queue", "x")


def test_columns_of_other_versions_may_be_missing_or_more(copy: Path) -> None:
    damage(copy, lambda runs: runs.drop("totals_timeouts").with_columns(pl.lit(1).alias("new")))
    assert DataSet(copy).runs.height == 24


def test_an_unknown_factor_of_the_description_is_refused(copy: Path, command: Command) -> None:
    place = copy / "study.json"
    described = json.loads(place.read_text())
    described["factors"][0]["name"] = "nowhere"
    place.write_text(json.dumps(described))
    done = command("table", "small")
    assert done.returncode == 2
    assert "has no column `nowhere`" in done.stderr


def test_a_place_of_two_thousand_parts_is_made(command: Command, tmp_path: Path) -> None:
    deep = "/".join(["a"] * 1_500)
    done = command("theory", "efci-cycle", "--out", deep, *CYCLE)
    assert done.returncode == 0, done.stderr[-500:]
    remove(tmp_path / "a")


def remove(deep: Path) -> None:
    """Removes directories that are too deep for `shutil.rmtree` in this version of Python."""
    subprocess.run(["/bin/rm", "-rf", str(deep)], check=True)


CYCLE = (
    *("--sources", "10", "--bandwidth", "149.76 Mbit/s", "--round-trip", "2 ms"),
    *("--rif", "1/64", "--rdf", "1/4", "--high", "500 cells", "--low", "300 cells"),
)


@pytest.mark.parametrize("line", [("study", "s.toml"), ("size-buffer", "s.toml")])
def test_a_place_that_is_too_deep_is_told(
    line: tuple[str, ...], command: Command, tmp_path: Path
) -> None:
    (tmp_path / "s.toml").write_text('template = "n-source"')
    done = command(*line, "--out", "/".join(["a"] * 2_000))
    assert done.returncode in {1, 2}
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr
    remove(tmp_path / "a")
