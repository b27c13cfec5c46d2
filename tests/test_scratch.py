"""Scratch directories of killed writers are cleared, those of living ones are not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from cellrate.common import scratch


def of_another_process(directory: Path) -> Path:
    """A scratch directory of a process that is gone."""
    code = (
        "import sys; from pathlib import Path; from cellrate.common import scratch; "
        "print(scratch.beside(Path(sys.argv[1])))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, directory], capture_output=True, text=True, check=True
    )
    return Path(done.stdout.strip())


def test_what_the_dead_left_goes_and_what_the_living_have_stays(tmp_path: Path) -> None:
    directory = tmp_path / "study"
    dead, mine, other = (
        of_another_process(directory),
        scratch.beside(directory),
        of_another_process(tmp_path / "study.two"),
    )
    scratch.clear(directory)
    assert [path.exists() for path in (dead, mine, other)] == [False, True, True]
    assert str(os.getpid()) in mine.name


def test_what_was_moved_aside_comes_back(tmp_path: Path) -> None:
    directory = tmp_path / "study"
    dead = of_another_process(directory)
    (dead / scratch.OLD).mkdir()
    (dead / scratch.OLD / "runs.parquet").write_text("kept")
    scratch.clear(directory)
    assert (directory / "runs.parquet").read_text() == "kept"
    assert list(tmp_path.iterdir()) == [directory]
