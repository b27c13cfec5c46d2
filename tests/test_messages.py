"""Everything that can be said of bad input, word for word, in `messages/*.txt`."""

from __future__ import annotations

import re
from pathlib import Path

import message_inputs
import pytest
from conftest import HERE, same_as_golden
from transcripts import QUIET, play

pytestmark = pytest.mark.usefixtures("undrawn")

MESSAGES = HERE / "messages"
TRANSCRIPTS = sorted(MESSAGES.glob("*.txt"))
# These differ between machines and builds.
MEASURED = re.compile(r"\d+(\.\d+)? ([kKMGTP]i?B|bytes)(?= are available)")


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_what_is_said(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def shown(text: str) -> str:
        text = text.replace(str(tmp_path), "DIRECTORY").replace(str(HERE.parent), "ROOT")
        return MEASURED.sub("SIZE", text)

    found = play(path.read_text(encoding="utf-8"), message_inputs.names(), shown)
    same_as_golden(path, found)
    assert QUIET not in found


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_no_time_is_told_in_a_unit_too_small_for_it(path: Path) -> None:
    """Lines that quote a command or the scenario are the user's own."""
    lines = path.read_text(encoding="utf-8").splitlines()
    told = [line for line in lines if not re.match(r"\$ |>>> |\| |\s*\d+ \| ", line)]
    assert [line for line in told if re.search(r"\d{5,} [pnum]s\b", line)] == []
