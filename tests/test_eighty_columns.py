"""Every command fits a terminal of 80 columns: no line is longer, and no number loses a digit."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from cellrate.cli.app import run_command
from cellrate.cli.parser import app
from conftest import finished

pytestmark = pytest.mark.usefixtures("undrawn")

SHORT = '--set run.duration="20 ms" --set measure.from="5 ms"'
WIDE = "--set flow.tcp.count=12"
EFCI = """--sources 10 --bandwidth "149.76 Mbit/s" --round-trip "2 ms" --rif 1/64 --rdf 1/4
 --high "500 cells" --low "300 cells" """
PARAMETERS = "--vary switch.control.target_utilisation=0.8..1:linear --vary switch.control.interval"
STUDY = """
scenario = "my.toml"
set = ["run.duration=20 ms", "measure.from=5 ms", "run.start_jitter=1 ms", "measure.traces=[]"]
[factors]
"control.scheme" = ["efci", "erica"]
"flow.tcp.count" = [2, 4, 8]
"topology.bottleneck" = ["100 km", "200 km"]
[replications]
count = 3
[measures]
throughput = "throughput_mbit"
queue = "longest_queue_cells"
fairness = "jain"
lost = "packets_lost"
"""
# What prints documents, tables or sentences, with much in it.
PLAYED = [
    f"run my.toml {SHORT} {WIDE}",
    f"validate my.toml {WIDE}",
    f"explain my.toml {WIDE}",
    f"explain my.toml --all {WIDE}",
    "theory",
    "theory max-min my.toml",
    f"theory q-max {EFCI}",
    "list",
    "list measures",
    "list experiments",
    f"choose my.toml {SHORT} --seeds 1 --tries 1 --switches efci,explicit-rate",
    f"size-buffer my.toml {SHORT} --seeds 2",
    f"tune my.toml {SHORT} {PARAMETERS} --seeds 1 --budget 8",
    f"compare my.toml {SHORT} --vary scheme=erica,efci,fmmra --vary flow.tcp.count=2,8 --seeds 2",
    "study study.toml --plan",
    "study study.toml",
    "table study.toml --rows count --columns scheme --measure throughput,queue,fairness,lost",
    "table study.toml --rows count,bottleneck --columns scheme --measure throughput,queue",
    "reproduce marsan97 table2",
]
# A command is one line, so that it can be copied.
COMMAND_LINE = re.compile(r"\s*cellrate \w+ ")
CUT = re.compile(r"\d\N{HORIZONTAL ELLIPSIS}")


# The output is taken for a terminal without colours.
TERMINAL = {"TTY_COMPATIBLE": "1", "TERM": "dumb", "NO_COLOR": "1", "COLUMNS": "80"}


def printed(command: str, directory: Path) -> str:
    with pytest.MonkeyPatch.context() as patched:
        for name, value in TERMINAL.items():
            patched.setenv(name, value)
        done = finished(shlex.split(command), "", directory)
    assert done.returncode in {0, 1}, done.stderr
    return done.stdout


def too_long(text: str) -> list[str]:
    """Lines of more than 80 columns, and lines in which a number is cut."""
    lines = text.splitlines()
    long = [one for one in lines if len(one) > 80 and not COMMAND_LINE.match(one)]
    return [*long, *(one for one in lines if CUT.search(one))]


def test_the_check_finds_long_lines_and_cut_numbers() -> None:
    assert too_long("a " * 41) == ["a " * 41]
    assert too_long("12\N{HORIZONTAL ELLIPSIS}") == ["12\N{HORIZONTAL ELLIPSIS}"]
    assert too_long("name \N{HORIZONTAL ELLIPSIS}\n" + "a" * 80) == []


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("columns")
    (directory / "my.toml").write_text(printed("new n-source", directory), encoding="utf-8")
    (directory / "study.toml").write_text(STUDY, encoding="utf-8")
    return directory


def test_what_commands_print_fits_80_columns(place: Path) -> None:
    found = {command: too_long(printed(command, place)) for command in PLAYED}
    assert {command: lines for command, lines in found.items() if lines} == {}


def test_help_fits_80_columns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    found = {}
    for name in ["", *(name for name in app if not name.startswith("-"))]:
        assert run_command([*name.split(), "--help"]) == 0
        shown = capsys.readouterr().out
        assert "Usage: cellrate" in shown
        found[name] = too_long(shown)
    assert {name: lines for name, lines in found.items() if lines} == {}
