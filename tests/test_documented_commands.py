"""Every command line that README, tutorial and recipes show does run, on shorter simulations."""

from __future__ import annotations

import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import COMMAND, HERE, Finished, finished, shell

pytestmark = pytest.mark.usefixtures("undrawn")

ROOT = HERE.parent
README = ROOT / "README.md"
# The output of the first run's commands is held by `test_tutorial_output.py`.
TUTORIAL = {one for one in (ROOT / "docs").glob("tutorial/*.md") if one.name != "first-run.md"}
PAGES = [README, *sorted(TUTORIAL)]
PAGES += sorted((ROOT / "docs").glob("how-to/*.md"))
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
# `make` is what runs this test, cargo and the Python of tests are what it runs in; a reproduction
# takes minutes, and an inference that is stored,
# which changes the papers' data, takes hours: their own tests run parts of them, as those of the
# battery do, which the page on judging a scheme runs as well.
ELSEWHERE = re.compile(
    r"^(make|cargo|target/tested/bin/python|cellrate reproduce|cellrate infer --store"
    r"|cellrate battery my_scheme.py:LoadShare)\b"
)
# Other people's tools run where they are.
ABSENT = tuple(tool for tool in ("tshark",) if shutil.which(tool) is None)
# A template that has just been written, and the study among the examples: what the commands say of
# them is not looked at here, only that they run.
NEW = re.compile(r"^cellrate new \S+ > (\S+)")
SHORTER = {
    r'^duration = ".*( s|\d{3} ms)".*': 'duration = "50 ms"',
    r'(^\[measure\]\n(?:.*\n)*?)from = ".*( s|\d{3} ms)".*': r'\1from = "25 ms"',
}
# What a search, a picture or a run may leave out, and the command stays the one that is shown.
FEWER = {
    r"^cellrate choose my.toml(?: --seeds \d+ --tries \d+)?": (
        "cellrate choose my.toml --seeds 1 --tries 1 --switches efci"
    ),
    r"^cellrate battery$": r"\g<0> --experiment greedy-2",
    r"--experiment gfc-2 --experiment greedy-10": "--experiment greedy-2",
    r'--length "5 s"': '--length "500 ms"',
    r'run.duration="1 s"': 'run.duration="100 ms"',
    r"--seeds [345]\b": "--seeds 2",
    r"^cellrate (compare|size-buffer) (?!.*--seeds).*": r"\g<0> --seeds 2",
    r"--budget 24": "--budget 12",
    r"^cellrate choose incast.toml": r"\g<0> --seeds 1 --tries 1",
    r"^cellrate tune incast.toml": r"\g<0> --seeds 1 --budget 8",
    r"^cellrate animate incast.toml": r'\g<0> --length "500 ms"',
}
# A command without anything that only a shell knows, apart from its end.
SIMPLE = re.compile(r"cellrate (?P<arguments>[^|;`$>\n]*?)( > (?P<file>\S+))?( \|\| true)?")
LONG_STUDY = {
    "run.duration=2 s": "run.duration=200 ms",
    "measure.from=500 ms": "measure.from=0 s",
    "count = 20": "count = 2",
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


def shorten(scenario: Path) -> None:
    """Cuts a scenario of a template short."""
    text = scenario.read_text(encoding="utf-8")
    for long, short in SHORTER.items():
        text = re.sub(long, short, text, flags=re.MULTILINE)
    scenario.write_text(text, encoding="utf-8")


def done_by(line: str, place: Path) -> Finished:
    """Runs a line; in this process if it is one command whose output may go to a file."""
    simple = SIMPLE.fullmatch(line)
    if simple is None:
        return shell(f"set -eu\n{line}", place)
    done = finished(shlex.split(simple["arguments"]), "", place)
    if simple["file"]:
        (place / simple["file"]).write_text(done.stdout, encoding="utf-8")
        done.stdout = ""
    return done


def run(line: str, place: Path) -> None:
    """Runs a typed line, with less to do."""
    line = re.sub(r" +#.*", "", line)
    for long, short in FEWER.items():
        line = re.sub(long, short, line)
    done = done_by(line, place)
    assert done.returncode == 0 or line.endswith(" || true"), done.stderr
    assert "Traceback" not in done.stderr


def marks(page: str) -> list[pytest.MarkDecorator]:
    """A film consists of pictures."""
    return [pytest.mark.long] * (page in LONG) + [pytest.mark.drawn] * (page == "animate-a-run.md")


@pytest.mark.parametrize(
    "part", [pytest.param(part, marks=marks(part.page.name)) for part in PARTS], ids=str
)
def test_the_commands_of_a_page_run(part: Part, tmp_path: Path) -> None:
    # `make install` has been done, here; a page may go on with what it installed.
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "bin").symlink_to(COMMAND.parent)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    study = tmp_path / "examples" / "studies" / "buffer-study.toml"
    text = study.read_text(encoding="utf-8")
    for long, short in LONG_STUDY.items():
        assert long in text
        text = text.replace(long, short)
    study.write_text(text, encoding="utf-8")
    for line in part.lines:
        run(line, tmp_path)
        new = NEW.match(line)
        if new:
            shorten(tmp_path / new[1])


def test_pages_show_commands() -> None:
    assert sum(len(part.lines) for part in PARTS) >= 70
    assert [part.number for part in PARTS if part.page == README] == [2]
