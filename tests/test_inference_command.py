"""`cellrate infer` as a whole, on a parameter of a paper whose runs are short."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command

pytestmark = pytest.mark.usefixtures("undrawn")

ARGUMENTS = ("infer", "fmmra", "--parameters", "original-erica", "--seeds", "1")


def test_the_command_infers_and_goes_on_where_it_was(command: Command, tmp_path: Path) -> None:
    planned = command(*ARGUMENTS, "--plan", "--json")
    assert planned.returncode == 0, planned.stderr
    stage = json.loads(planned.stdout)[0]["stages"][-1]
    assert stage["known"] == 0 < stage["runs"]
    done = command(*ARGUMENTS, "--json")
    assert done.returncode == 0, done.stderr
    (answer,) = json.loads(done.stdout)
    (parameter,) = answer["parameters"]
    assert answer["counted"] == "concerned"
    assert parameter["assumption"] == "original-erica"
    assert parameter["values"][0]["label"] == "as assumed"
    assert (tmp_path / "out" / "infer-fmmra.html").is_file()
    again = json.loads(command(*ARGUMENTS, "--plan", "--json").stdout)[0]["stages"][-1]
    assert again["known"] == again["runs"] == stage["runs"]
    shown = command(*ARGUMENTS)
    assert "Rests on" in shown.stdout
    assert "fixed before seeing results" in shown.stdout
