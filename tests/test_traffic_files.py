"""Sources that play files, through the package and the command."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest
from cellrate import ScenarioError, _core
from conftest import Command

from proof.fuzzing.checks import inputs, parquet

SCENARIO = """
run = { duration = "1 s" }
[topology]
template = "single-switch"
link_rate = "20 Mbit/s"
access = "1 km"
bottleneck = "1 km"
[[flow]]
name = "trace"
service = "vbr"
source = { kind = "rate-trace", file = "FILE" }
"""
TABLE = pl.DataFrame({"duration (ms)": [100, 250, 650], "rate (Mbit/s)": [4.24, 0.1, 2.0]})


def scenario(directory: Path, file: str) -> Path:
    path = directory / "scenario.toml"
    path.write_text(SCENARIO.replace("FILE", file), encoding="utf-8")
    return path


def digest_of(path: Path) -> str:
    outcome = _core.Scenario(path.read_text(encoding="utf-8"), str(path)).run()
    found: str = json.loads(outcome.summary())["digest"]
    return found


def test_a_table_is_the_same_in_csv_and_parquet(tmp_path: Path) -> None:
    TABLE.write_csv(tmp_path / "rates.csv")
    TABLE.write_parquet(tmp_path / "rates.parquet")
    times = [timedelta(milliseconds=ms) for ms in TABLE["duration (ms)"]]
    rates = TABLE["rate (Mbit/s)"]
    pl.DataFrame({"duration": times, "rate (Mbit/s)": rates}).write_parquet(tmp_path / "d.parquet")
    files = ["rates.csv", "rates.parquet", "d.parquet"]
    digests = {digest_of(scenario(tmp_path, file)) for file in files}
    assert len(digests) == 1
    TABLE.with_columns(pl.col("rate (Mbit/s)") * 2).write_parquet(tmp_path / "rates.parquet")
    assert digest_of(scenario(tmp_path, "rates.parquet")) not in digests


# Over the second one polars asks for more memory than there is anywhere, and ends its process.
@pytest.mark.parametrize("data", [b"PAR1", inputs("regressions", "parquet_parts")[0].read_bytes()])
def test_what_is_wrong_with_a_parquet_file_is_told(tmp_path: Path, data: bytes) -> None:
    bad = data if data.startswith(b"PAR1") else parquet.document(data)[1]
    (tmp_path / "bad.parquet").write_bytes(bad)
    path = scenario(tmp_path, "bad.parquet")
    with pytest.raises(ScenarioError) as caught:
        _core.Scenario(path.read_text(encoding="utf-8"), str(path))
    (found,) = caught.value.diagnostics
    assert "bad.parquet: the file cannot be read as Parquet" in found["message"]
    assert (found["line"], found["path"]) == (11, str(path))


def test_files_are_looked_for_beside_the_scenario(tmp_path: Path, command: Command) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    TABLE.write_csv(inner / "rates.csv")
    done = command("run", scenario(inner, "rates.csv"), "--json")
    assert done.returncode == 0, done.stderr
    sent = {vc["cells_sent"] for vc in json.loads(done.stdout)["vcs"]}
    # 1.749 Mbit of cells of 424 bits, 4125 exactly; the last one is whole when the run ends.
    assert sent & {4124, 4125}
    found = command("explain", inner / "scenario.toml")
    assert found.returncode == 0, found.stderr


def test_a_changed_file_is_another_run(tmp_path: Path) -> None:
    """The key of a kept result knows what is in the file."""
    path = scenario(tmp_path, "rates.csv")
    keys = set()
    for rate in (2.0, 2.5, 2.0):
        TABLE.with_columns(pl.lit(rate).alias("rate (Mbit/s)")).write_csv(tmp_path / "rates.csv")
        keys.add(_core.Scenario(path.read_text(encoding="utf-8"), str(path)).key())
    assert len(keys) == 2
