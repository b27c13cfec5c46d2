"""Files of one question are replaced by its next answer, and those of another one are not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cellrate import BadInput, _core
from cellrate.cli.places import RECORD, own_paths
from conftest import Command

pytestmark = pytest.mark.usefixtures("undrawn")

SHORT = ("--set", "run.duration=20 ms", "--set", "measure.from=0 s")
ENDINGS = ["-a.html", "-a.toml"]


def names(paths: list[Path]) -> list[str]:
    return [path.name for path in paths]


def test_a_question_has_its_own_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    first = own_paths(out, "x", ENDINGS, ["tune", 1])
    assert names(first) == ["x-a.html", "x-a.toml"]
    # Refused before it was answered, it leaves nothing to keep.
    assert own_paths(out, "x", ENDINGS, ["tune", 0]) == first
    assert own_paths(out, "x", ENDINGS, ["tune", 1]) == first
    first[0].touch()
    assert own_paths(out, "x", ENDINGS, ["tune", 1]) == first
    assert capsys.readouterr().err == ""
    second = own_paths(out, "x", ENDINGS, ["tune", 2])
    assert names(second) == ["x-2-a.html", "x-2-a.toml"]
    second[1].touch()
    told = capsys.readouterr().err
    assert "x-a.html holds the answer to another command" in told
    assert "this answer is in x-2" in told
    assert names(own_paths(out, "x", ENDINGS, ["tune", 3]))[0] == "x-3-a.html"
    assert names(own_paths(out, "x", ENDINGS, ["tune", 2]))[0] == "x-2-a.html"
    # Other endings are other files.
    assert names(own_paths(out, "x", ["-b.html"], ["choose", 1])) == ["x-b.html"]


def test_files_of_others_are_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "x-a.toml").write_text("mine", encoding="utf-8")
    assert names(own_paths(tmp_path, "x", ENDINGS, ["tune", 1]))[0] == "x-2-a.html"
    (tmp_path / RECORD).write_text("[]", encoding="utf-8")
    with pytest.raises(BadInput, match="should list the commands whose answers stand beside it"):
        own_paths(tmp_path, "x", ENDINGS, ["tune", 1])


def test_two_scenarios_of_one_name_have_a_directory_each(command: Command, tmp_path: Path) -> None:
    said = []
    for part, count in (("p1", 1), ("p2", 2)):
        (tmp_path / part).mkdir()
        text = _core.template("n-source").replace("count = 5", f"count = {count}")
        (tmp_path / part / "x.toml").write_text(text, encoding="utf-8")
        done = command("run", f"{part}/x.toml", "--plot", *SHORT)
        assert done.returncode == 0, done.stderr
        said.append(done.stderr)
    flows = {
        place: len(json.loads((tmp_path / "out" / place / "summary.json").read_text())["flows"])
        for place in ("x", "x-2")
    }
    assert flows == {"x": 1, "x-2": 2}
    assert "holds the answer to another command and was kept; this answer is in x-2" in said[1]
    again = command("run", "p1/x.toml", "--plot", *SHORT)
    assert "written to out/x\n" in again.stdout
    assert not (tmp_path / "out" / "x-3").exists()


def test_two_questions_about_a_buffer_have_a_page_each(command: Command, tmp_path: Path) -> None:
    (tmp_path / "link.toml").write_text(_core.template("n-source"), encoding="utf-8")
    for more in ((), ("--loss", "0.01")):
        done = command("size-buffer", "link.toml", "--seeds", "1", *SHORT, *more)
        assert done.returncode == 0, done.stderr
    pages = sorted(path.name for path in (tmp_path / "out").glob("*.html"))
    assert pages == ["link-2-buffer.html", "link-buffer.html"]
