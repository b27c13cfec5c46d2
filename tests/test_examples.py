"""Every example runs without a warning and can be drawn."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import HERE, Command, without_lines
from matplotlib.figure import Figure

EXAMPLES = sorted((HERE.parent / "examples").glob("*.toml"))


@pytest.fixture
def drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draws each picture as SVG alone, since the other formats have the same lines."""
    draw = Figure.savefig

    def savefig(figure: Figure, *place: Path, **options: str) -> None:
        (draw if options["format"] == "svg" else without_lines)(figure, *place, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Figure, "savefig", savefig)


@pytest.mark.usefixtures("drawn_once")
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_is_drawn(command: Command, tmp_path: Path, example: Path) -> None:
    done = command("run", example, "--plot", "--out", "result")
    assert done.returncode == 0, done.stderr
    # The example of a deadlock delivers nothing in its measuring window, and is told so.
    stopped = [f"warning[window-empty]: f{number}.1 delivered nothing" for number in range(1, 6)]
    stopped.append(
        "warning[deadlock]: a deadlock: 5 ports wait for one another and have sent no packet of "
        "priority 0"
    )
    told = stopped if example.stem == "pfc-deadlock" else []
    assert [re.split(" in the| since", line)[0] for line in done.stderr.splitlines()] == told
    assert (tmp_path / "result" / "figures" / "all.svg").is_file()


def test_there_are_examples() -> None:
    assert EXAMPLES
