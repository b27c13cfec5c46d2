"""The page of all pictures shows each kind of picture, and its files are what its commands draw."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import sheet_of_pictures as sheet
from cellrate.cli.app import run_command
from cellrate.simulation.picture_options import NEEDED
from cellrate.studies.plots.from_study import ALL_KINDS

TEXT = sheet.PAGE.read_text(encoding="utf-8")
# Commands that draw a picture or write a page with one, besides `run` and `plot`.
DRAWING = (
    "time-space",
    "theory efci-cycle",
    "theory feasible-region",
    "battery",
    "choose",
    "size-buffer",
    "tune",
    "compare",
    "reproduce",
)


def test_every_kind_of_picture_is_on_the_page() -> None:
    commands = sheet.commands(TEXT)
    shown = set(re.findall(r"--kind (\S+)", commands)) | {"lines"}
    assert shown == set(ALL_KINDS)
    # A kind that needs one trace is a part of the picture of all traces.
    whole = {kind for kind, traces in NEEDED.items() if len(traces) != 1}
    assert set(re.findall(r"--plot (?!-)(\S+)", commands)) | {"traces"} == whole
    assert all(f"\ncellrate {command} " in commands for command in DRAWING)


def test_the_pictures_of_the_page_are_there_and_no_others() -> None:
    named = sorted(Path(one.image).name for one in sheet.pictures(TEXT))
    assert named == sorted(path.name for path in (sheet.DOCS / "images" / "sheet").iterdir())
    # A picture whose source is not named would never be drawn again.
    assert len(named) == len(re.findall(r"\(images/sheet/", TEXT))


def test_the_pictures_of_the_theory_are_what_its_commands_draw_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    section = TEXT[TEXT.index("## Theory") : TEXT.index("## A decision")]
    monkeypatch.chdir(tmp_path)
    for line in sheet.commands(section).splitlines():
        words = [a or b for a, b in re.findall(r'"([^"]*)"|(\S+)', line)]
        assert run_command(words[1:]) == 0
    for picture in sheet.pictures(section):
        kept = (sheet.DOCS / picture.image).read_bytes()
        sheet.keep(picture, tmp_path, tmp_path / "drawn.png")
        assert (tmp_path / "drawn.png").read_bytes() == kept, (
            "python docs/extensions/sheet_of_pictures.py draws them anew"
        )
