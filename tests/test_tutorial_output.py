"""The tutorial shows what its commands print, apart from how long they took."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
from conftest import HERE
from test_documented_commands import done_by

DOCS = HERE.parent / "docs"
PAGE = DOCS / "tutorial" / "first-run.md"
CONSOLE = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
# They install the command, which has been done here.
SILENT = re.compile(r"make|export")
TIMES = re.compile(r"in [\d.]+ s, ([\d,]+ cell-hops), \d+ ns each")
# Pictures of the page, and the commands' files that they are; renewed together with the output.
PICTURES = {
    "first-run.svg": "first/figures/all.svg",
    "first-run-small-buffer.svg": "small/figures/all.svg",
}


def printed(command: str, directory: Path) -> str:
    """Standard error and output of a command, without spaces at the ends of lines."""
    whole = command.removesuffix(" | tail -n 1")
    done = done_by(whole, directory)
    output = done.stderr + (done.stdout if whole == command else done.stdout.splitlines()[-1])
    return "\n".join(line.rstrip() for line in output.splitlines()).strip("\n")


def played(block: str, directory: Path) -> str:
    """A block of commands with what each prints now."""
    lines = []
    for line in block.splitlines():
        if line.startswith("$ "):
            command = line.removeprefix("$ ")
            output = "" if SILENT.match(command) else printed(command, directory)
            lines += [line, *output.splitlines()]
    return "".join(f"{line}\n" for line in lines)


def without_times(text: str) -> str:
    """A text in which all runs took equally long."""
    return TIMES.sub(r"in ... s, \1, ... ns each", text)


# Pictures are drawn only to be renewed.
@pytest.mark.usefixtures(*[] if os.environ.get("UPDATE_GOLDENS") else ["undrawn"])
def test_the_tutorial_shows_what_its_commands_print(tmp_path: Path) -> None:
    shown = PAGE.read_text(encoding="utf-8")
    fresh = CONSOLE.sub(lambda block: played(block.group(), tmp_path), shown)
    if os.environ.get("UPDATE_GOLDENS"):
        PAGE.write_text(fresh, encoding="utf-8")
        for picture, made in PICTURES.items():
            shutil.copy(tmp_path / made, DOCS / "images" / picture)
        shown = fresh
    assert "digest" in shown
    assert without_times(shown) == without_times(fresh), "see UPDATE_GOLDENS"
    assert all((tmp_path / made).is_file() for made in PICTURES.values())
    assert all(f"../images/{picture}" in shown for picture in PICTURES)


def test_the_error_of_a_scheme_is_that_of_its_command(tmp_path: Path) -> None:
    shown = (DOCS / "tutorial" / "your-scheme.md").read_text(encoding="utf-8")
    [block] = [one for one in CONSOLE.findall(shown) if "wrong.py" in one]
    commands, _, error = block.partition("|| true\n")
    script = re.sub(r"^\$ ", "", commands, flags=re.MULTILINE)
    first, *place = printed(f"cellrate new n-source > net.toml\n{script}", tmp_path).splitlines()
    assert first == error.strip()
    assert "wrong.py" in place[0]
