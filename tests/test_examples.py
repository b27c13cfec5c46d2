"""Every example runs without a warning and can be drawn."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import HERE, Command

EXAMPLES = sorted((HERE.parent / "examples").glob("*.toml"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_is_drawn(command: Command, tmp_path: Path, example: Path) -> None:
    done = command("run", example, "--plot", "--out", "result")
    assert done.returncode == 0, done.stderr
    # The example of a deadlock delivers nothing in its measuring window, and is told so.
    stopped = [f"warning[window-empty]: f{number}.1 delivered nothing" for number in range(1, 6)]
    told = stopped if example.stem == "pfc-deadlock" else []
    assert [line.partition(" in the")[0] for line in done.stderr.splitlines()] == told
    assert (tmp_path / "result" / "figures" / "all.svg").is_file()


def test_there_are_examples() -> None:
    assert EXAMPLES
