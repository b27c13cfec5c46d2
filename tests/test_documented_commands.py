"""Every command line that README, tutorial and recipes show does run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import COMMAND, HANG_SECONDS, HERE

ROOT = HERE.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("tutorial/*.md"))]
PAGES += sorted((ROOT / "docs").glob("how-to/*.md"))
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
# `make` is what runs this test; a reproduction takes minutes, and an inference that is stored,
# which changes the papers' data, takes hours: their own tests run parts of them.
ELSEWHERE = re.compile(r"^(make|cellrate reproduce|cellrate infer --store)\b")
# Other people's tools run where they are.
ABSENT = tuple(tool for tool in ("tshark",) if shutil.which(tool) is None)


def commands(page: Path) -> list[str]:
    blocks = CONSOLE.findall(page.read_text(encoding="utf-8"))
    lines = [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]
    return [line for line in lines if not (ELSEWHERE.match(line) or line.startswith(ABSENT))]


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=lambda p: p.name)
def test_the_commands_of_a_page_run(page: Path, tmp_path: Path) -> None:
    # `make install` has been done, here; a page may go on with what it installed.
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "bin").symlink_to(COMMAND.parent)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    done = subprocess.run(
        ["/bin/sh", "-eu"],  # the commands come from this project's own pages
        input="\n".join(commands(page)),
        text=True,
        capture_output=True,
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{COMMAND.parent}:{os.environ['PATH']}"},
        timeout=HANG_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


def test_pages_show_commands() -> None:
    assert sum(len(commands(page)) for page in PAGES) >= 10
