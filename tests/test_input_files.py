"""Files that are too long, endless, or no files: each is refused, at once and with the reason."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
import small_study
from cellrate import _core
from cellrate.common import input_file, parquet_table
from conftest import Command, Finished, shell
from test_traffic_files import TABLE, scenario

pytestmark = pytest.mark.usefixtures("undrawn")

MEMORY = 6 << 30
"""Bytes of address space that a command may have in these tests, which it must not need."""


def bounded() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


FLOOD = "--set 'abr.tcr=\"622 Mbit/s\"' --set 'run.duration=\"20 s\"' --set flow.tcp.count=1"


@pytest.mark.parametrize("doing", ["run", "validate"])
def test_a_run_that_would_fill_the_memory_is_refused(doing: str, tmp_path: Path) -> None:
    """RM cells out of rate at four times the rate of the line: some 6 GB at the end of the run."""
    line = f"cellrate new n-source > n.toml; cellrate {doing} n.toml {FLOOD}"
    done = shell(line, tmp_path, bounded)
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert "error: the run may need 4" in done.stderr
    assert "RM cells out of rate in queues" in done.stderr


@pytest.mark.parametrize(
    ("line", "most"),
    [
        ("cellrate validate /dev/zero", input_file.MOST_TEXT_BYTES),
        ("cellrate run - < /dev/zero", input_file.MOST_TEXT_BYTES),
        ("cellrate study /dev/zero", input_file.MOST_TEXT_BYTES),
        ("cellrate import-graph /dev/zero", input_file.MOST_BYTES),
        ("cellrate import-goal /dev/zero --steps steps.csv", input_file.MOST_BYTES),
        ("yes | cellrate validate -", input_file.MOST_TEXT_BYTES),
        ("yes | cellrate import-graph -", input_file.MOST_BYTES),
        ("cellrate explain /dev/zero", input_file.MOST_TEXT_BYTES),
    ],
)
def test_what_has_no_end_is_read_up_to_a_size(line: str, most: int, tmp_path: Path) -> None:
    done = shell(line, tmp_path, bounded)
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("error: "), (line, done.stderr[:300])
    assert f"it has more than {most:,} bytes, the most that are read" in done.stderr


def test_a_scenario_may_come_from_a_pipe(command: Command, traced: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    with subprocess.Popen(["/bin/sh", "-c", f"cat '{traced}' > '{pipe}'"]):
        done = command("validate", pipe)
    assert done.returncode == 0, done.stderr


def test_what_is_read_may_have_the_greatest_size_and_no_more(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"x" * 1_000)
    assert input_file.read_bytes(path, 1_000) == b"x" * 1_000
    with pytest.raises(OSError, match="more than 999 bytes"):
        input_file.read_bytes(path, 999)
    path.write_bytes(b"\xef\xbb\xbfa\r\nb\rc\n")
    assert input_file.read_text(path) == "a\nb\nc\n"


@pytest.fixture(scope="module")
def data_set(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_study.write(tmp_path_factory.mktemp("study") / "small")


@pytest.fixture
def copy(data_set: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(data_set, tmp_path / "small"))


OURS: dict[str, Callable[[Command, Path], Finished]] = {
    "small/study.json": lambda command, _: command("table", "small"),
    "small/runs.parquet": lambda command, _: command("table", "small"),
    "small/flows.parquet": lambda command, _: command(
        "table", "small", "--of", "flows", "--measure", "x"
    ),
    "out/questions.json": lambda command, traced: command("run", traced, "--plot"),
}


@pytest.mark.parametrize("file", OURS)
def test_a_pipe_in_place_of_a_file_of_ours_is_refused(
    file: str, command: Command, copy: Path, traced: Path
) -> None:
    place = copy.parent / file
    place.parent.mkdir(exist_ok=True)
    place.unlink(missing_ok=True)
    os.mkfifo(place)
    done = OURS[file](command, traced)
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert done.stderr.startswith("error: ")
    assert Path(file).name in done.stderr


def test_pipes_in_a_store_are_passed_over(tmp_path: Path) -> None:
    store = _core.Store(str(tmp_path / "store"))
    store.put("0" * 64, b"kept")
    del store
    [segment] = (tmp_path / "store" / "segments").glob("*.seg")
    os.mkfifo(segment.with_name("00000000000000000009.seg"))
    again = _core.Store(str(tmp_path / "store"))
    assert again.get("0" * 64) == b"kept"


def many_rows(path: Path, rows: int) -> None:
    """A small file of equal rows, each of which is a row of a rate trace."""
    query = pl.LazyFrame({"duration (ms)": [1]}).select(pl.col("duration (ms)").repeat_by(rows))
    query.explode("duration (ms)").with_columns(pl.lit(1.0).alias("rate (Mbit/s)")).sink_parquet(
        path, compression="zstd"
    )


def test_rows_are_counted_before_they_are_read(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = 20_000_000
    many_rows(tmp_path / "much.parquet", rows)
    assert (tmp_path / "much.parquet").stat().st_size < 10_000_000
    told = f"it has {rows:,} rows of 2 columns; allowed are at most 16,777,216 rows"
    done = command("validate", scenario(tmp_path, "much.parquet"))
    assert done.returncode == 2
    assert told in done.stderr
    # The only way in which rows are read.
    monkeypatch.delattr(pl.LazyFrame, "head")
    with pytest.raises(OSError, match=told):
        parquet_table.as_csv(tmp_path / "much.parquet")


def test_a_table_that_is_long_as_text_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.parquet"
    TABLE.write_parquet(path)
    assert parquet_table.as_csv(path).count("\n") == 1 + TABLE.height
    monkeypatch.setattr(parquet_table, "MOST_BYTES", 30)
    with pytest.raises(parquet_table.UNREADABLE, match="more than 30 bytes"):
        parquet_table.as_csv(path)


def test_a_trace_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    plain, marked = tmp_path / "plain.csv", tmp_path / "marked.csv"
    plain.write_text(TABLE.write_csv())
    marked.write_bytes(b"\xef\xbb\xbf" + plain.read_bytes())
    found = [
        _core.Scenario(scenario(tmp_path, path.name).read_text(), str(tmp_path / "s.toml"))
        .run()
        .summary()
        for path in (plain, marked)
    ]
    assert digest(found[0]) == digest(found[1])


def digest(summary: str) -> str:
    return str(json.loads(summary)["digest"])


TWO_FLOWS = """[run]
duration = "60 ms"
[measure]
from = "10 ms"
[topology]
template = "n-source"
link_rate = "155.52 Mbit/s"
access = "1 km"
bottleneck = "100 km"
egress = "1 km"
[switch]
buffer = "1000 cells"
control = { scheme = "efci", threshold = "300 cells" }
[[flow]]
name = "tcp"
count = 2
service = "abr"
"""


@pytest.mark.parametrize(
    "text",
    [
        f"\ufeff{TWO_FLOWS}",
        TWO_FLOWS.replace('{ scheme = "efci", ', '{\n  scheme = "efci",  # a comment\n  '),
        TWO_FLOWS.replace('"1000 cells"', '"\\x31000 cells"'),
    ],
    ids=["byte order mark", "inline table over lines", "escape of TOML 1.1"],
)
def test_all_commands_read_what_validate_reads(command: Command, tmp_path: Path, text: str) -> None:
    assert text != TWO_FLOWS
    (tmp_path / "two.toml").write_text(text, encoding="utf-8")
    study = '\ufeffscenario = "two.toml"\n[factors]\n"switch.control.scheme" = ["efci", "erica"]\n'
    (tmp_path / "s.toml").write_text(study, encoding="utf-8")
    settings = ("--set", 'switch.control={scheme="efci",}')
    for line in [
        ("validate", "two.toml"),
        ("run", "two.toml", "--capture", "src.tcp.1:ip", "--out", "cap", *settings),
        ("compare", "two.toml", "--vary", "switch.control.scheme=efci,erica", "--seeds", "2"),
        ("study", "s.toml"),
        ("table", "s.toml", "--rows", "switch.control.scheme", "--measure", "totals_jain_index"),
    ]:
        done = command(*line, cwd=tmp_path)
        assert done.returncode == 0, (line, done.stderr)
