"""Every command line that README, tutorial and recipes show does run, on shorter simulations."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from command_server import ShellServer
from conftest import COMMAND, HANG_SECONDS, HERE

ROOT = HERE.parent
README = ROOT / "README.md"
# The output of the first run's commands is held by `test_tutorial_output.py`.
TUTORIAL = {one for one in (ROOT / "docs").glob("tutorial/*.md") if one.name != "first-run.md"}
PAGES = [README, *sorted(TUTORIAL)]
PAGES += sorted((ROOT / "docs").glob("how-to/*.md"))
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
# `make` is what runs this test, cargo and the Python of tests are what it runs in; a reproduction
# takes minutes, and an inference that is stored,
# which changes the papers' data, takes hours: their own tests run parts of them.
ELSEWHERE = re.compile(
    r"^(make|cargo|target/tested/bin/python|cellrate reproduce|cellrate infer --store)\b"
)
# Other people's tools run where they are.
ABSENT = tuple(tool for tool in ("tshark",) if shutil.which(tool) is None)
# A template that has just been written, and the study among the examples: what the commands say of
# them is not looked at here, only that they run.
NEW = re.compile(r"^cellrate new \S+ > (\S+)")
SHORTER = (
    "-e 's/^duration = .*/duration = \"100 ms\"/' "
    "-e '/^.measure.$/,/^from/s/^from = .*/from = \"25 ms\"/'"
)
LONG_STUDY = {
    "run.duration=2 s": "run.duration=200 ms",
    "measure.from=500 ms": "measure.from=0 s",
    "count = 20": "count = 4",
}


@dataclass(frozen=True, slots=True)
class Part:
    """Commands that go on with what those before them made."""

    page: Path
    number: int
    lines: tuple[str, ...]

    def __str__(self) -> str:
        """Name of the test."""
        return f"{self.page.name}-{self.number}"


def typed(block: str) -> list[str]:
    """Commands typed in a block, each together with a file that the shell reads from the block."""
    found: list[str] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append(line[2:])
        elif found and "<<'EOF'" in found[-1] and not found[-1].endswith("\nEOF"):
            found[-1] += f"\n{line}"
    return found


def parts(page: Path) -> list[Part]:
    """The commands of a page; README's blocks stand alone, so that each is a test."""
    blocks = CONSOLE.findall(page.read_text(encoding="utf-8"))
    if page != README:
        blocks = ["".join(blocks)]
    found = []
    for number, block in enumerate(blocks, 1):
        run = [
            line
            for line in typed(block)
            if not (ELSEWHERE.match(line) or (ABSENT and line.startswith(ABSENT)))
        ]
        found += [Part(page, number, tuple(run))] if run else []
    return found


# Their commands search, learn, judge or start a cluster: each takes some ten seconds or more.
LONG = {
    "infer-what-is-open.md",
    "judge-a-scheme.md",
    "run-on-a-cluster.md",
    "train-a-controller.md",
}
PARTS = [part for page in PAGES for part in parts(page)]


def shortened(line: str) -> str:
    """A command; a scenario that it writes is cut short."""
    new = NEW.match(line)
    return f"{line}\nsed -i.long {SHORTER} {new[1]}" if new else line


@pytest.fixture(scope="module")
def shells() -> Iterator[ShellServer]:
    """Runs what shells type without the time that imports take."""
    # Sockets want short paths.
    with tempfile.TemporaryDirectory() as place:
        server = ShellServer(Path(place), COMMAND)
        yield server
        server.stop()


@pytest.mark.parametrize(
    "part",
    [
        pytest.param(part, marks=pytest.mark.long if part.page.name in LONG else ())
        for part in PARTS
    ],
    ids=str,
)
def test_the_commands_of_a_page_run(part: Part, tmp_path: Path, shells: ShellServer) -> None:
    # `make install` has been done, here; a page may go on with what it installed.
    environment = shells.environment
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "bin").symlink_to(environment["PATH"].partition(":")[0])
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    study = tmp_path / "examples" / "studies" / "buffer-study.toml"
    text = study.read_text(encoding="utf-8")
    for long, short in LONG_STUDY.items():
        assert long in text
        text = text.replace(long, short)
    study.write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["/bin/sh", "-eu"],  # the commands come from this project's own pages
        input="\n".join(map(shortened, part.lines)),
        text=True,
        capture_output=True,
        cwd=tmp_path,
        env=environment,
        timeout=HANG_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


def test_pages_show_commands() -> None:
    assert sum(len(part.lines) for part in PARTS) >= 70
    assert [part.number for part in PARTS if part.page == README] == [2]
