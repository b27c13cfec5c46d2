"""A path is a path: `*`, `?`, brackets and `~` in it stand for themselves."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import cellrate
import polars as pl
import pytest
from cellrate.common import parquet, parquet_table
from cellrate.studies.dataset import DataSet
from conftest import Command
from test_traffic_files import TABLE, digest_of, scenario

pytestmark = pytest.mark.usefixtures("undrawn")

PACKAGE = Path(cellrate.__file__).parent
POLARS = Path("common") / "parquet_table.py"
"""The one module that hands paths to polars."""
OF_FILES = {name for name in dir(pl) if name.startswith(("read_", "scan_"))} | {
    name
    for kind in (pl.DataFrame, pl.LazyFrame)
    for name in dir(kind)
    if name.startswith(("write_", "sink_"))
}
"""Every function of polars that takes a file."""
STUDY = """
template = "n-source"
set = ["run.duration=20 ms", "measure.from=10 ms"]
[factors]
"flow.tcp.count" = {counts}
[measures]
throughput = "throughput_mbit"
"""
NAMES = ("a?", "ds[1]", "**", "~", "{a,b}")


def runs_of(directory: Path) -> pl.DataFrame:
    return pl.read_parquet((directory / "runs.parquet").read_bytes())


def test_studies_whose_names_match_each_other_are_apart(command: Command, tmp_path: Path) -> None:
    for name, counts in (("sa", [1, 2]), ("sb", [3]), ("s*", [4, 5, 6])):
        (tmp_path / f"{name}.toml").write_text(STUDY.format(counts=counts))
        done = command("study", f"{name}.toml", "--quiet")
        assert done.returncode == 0, done.stderr
    assert runs_of(tmp_path / "out" / "studies" / "s*")["flow.tcp.count"].to_list() == [4, 5, 6]
    shown = command("table", "s*.toml", "--format", "csv")
    assert shown.returncode == 0, shown.stderr
    assert len(shown.stdout.splitlines()) == 1 + 3


@pytest.mark.parametrize("name", NAMES)
def test_a_data_set_may_have_any_name(name: str, command: Command, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(STUDY.format(counts=[1, 2]))
    other = tmp_path / "other"
    for place in (other, Path(name)):
        done = command("study", "s.toml", "--quiet", "-o", str(place))
        assert done.returncode == 0, done.stderr
    own = tmp_path / name
    assert {path.name for path in own.iterdir()} == {path.name for path in other.iterdir()}
    assert DataSet(own).runs.equals(DataSet(other).runs)
    assert command("table", name).stdout == command("table", "other").stdout


def test_everything_works_in_a_folder_with_brackets(command: Command, tmp_path: Path) -> None:
    inside = tmp_path / "a[b]*"
    inside.mkdir()
    (inside / "s[1].toml").write_text(STUDY.format(counts=[1, 2]))
    done = command("study", "s[1].toml", cwd=inside)
    assert done.returncode == 0, done.stderr
    shown = command("table", "s[1].toml", cwd=inside)
    assert shown.returncode == 0, shown.stderr
    assert (inside / "out" / "studies" / "s[1]" / "runs.parquet").is_file()


@pytest.mark.parametrize("name", ["<xy>", "<xy", "<stdin>"])
def test_a_study_is_read_where_it_was_written(name: str, command: Command, tmp_path: Path) -> None:
    (tmp_path / f"{name}.toml").write_text(STUDY.format(counts=[1]))
    done = command("study", f"{name}.toml")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "studies" / name / "runs.parquet").is_file()
    shown = command("table", f"{name}.toml")
    assert shown.returncode == 0, shown.stderr


def test_a_trace_is_the_file_of_its_name(tmp_path: Path) -> None:
    TABLE.write_parquet(tmp_path / "z.parquet")
    slower = TABLE.with_columns(pl.col("rate (Mbit/s)") / 2)
    slower.write_parquet(tmp_path / "other.parquet")
    (tmp_path / "[z].parquet").write_bytes((tmp_path / "other.parquet").read_bytes())
    wanted = digest_of(scenario(tmp_path, "other.parquet"))
    assert digest_of(scenario(tmp_path, "z.parquet")) != wanted
    assert digest_of(scenario(tmp_path, "[z].parquet")) == wanted


def test_a_directory_is_no_table(tmp_path: Path) -> None:
    place = tmp_path / "t.parquet"
    place.mkdir()
    TABLE.write_parquet(place / "inner.parquet")
    with pytest.raises(OSError, match="not a regular file"):
        parquet_table.scan(place)
    with pytest.raises(OSError, match="not a regular file"):
        parquet.as_csv(place)


def test_a_tilde_is_no_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "home").mkdir()
    (tmp_path / "~").mkdir()
    TABLE.write_parquet(tmp_path / "home" / "t.parquet")
    parquet_table.write(TABLE.head(1), Path("~") / "t.parquet")
    assert pl.read_parquet((tmp_path / "~" / "t.parquet").read_bytes()).height == 1
    assert parquet_table.scan(Path("~") / "t.parquet").collect().height == 1


@pytest.mark.parametrize("name", ["~", "[z]*"])
def test_a_result_may_have_any_name(
    name: str, command: Command, traced: Path, tmp_path: Path
) -> None:
    done = command("run", traced, "--out", name)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / name / "summary.json").read_text())["digest"]
    traces = pl.read_parquet((tmp_path / name / "traces.parquet").read_bytes())
    assert traces.height > 0


def calls(path: Path) -> list[ast.Call]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [one for one in ast.walk(tree) if isinstance(one, ast.Call)]


def hands_over_a_path(call: ast.Call) -> bool:
    """True of a function of polars for files whose first argument is not bytes."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in OF_FILES or not call.args:
        return False
    made = call.args[0].func if isinstance(call.args[0], ast.Call) else None
    return not (isinstance(made, ast.Attribute) and made.attr in {"encode", "read_bytes"})


def searches_by_a_pattern(call: ast.Call) -> bool:
    """True of a search for files by a pattern that is more than a text of the source."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in {"glob", "rglob", "iglob"}:
        return False
    [pattern] = call.args
    taken = [part.value for part in ast.walk(pattern) if isinstance(part, ast.FormattedValue)]
    if isinstance(pattern, ast.Constant):
        return False
    return not isinstance(pattern, ast.JoinedStr) or not all(map(is_safe, taken))


def is_safe(value: ast.expr) -> bool:
    text = ast.unparse(value)
    return text.startswith("glob.escape(") or text in {
        "_core.__version__",
        "'[0-9a-f]' * BUILD_DIGITS",
    }


def test_one_module_alone_hands_paths_to_polars() -> None:
    found = {
        f"{path.relative_to(PACKAGE)}:{call.lineno}: {ast.unparse(call)}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for call in calls(path)
        if (hands_over_a_path(call) and path.relative_to(PACKAGE) != POLARS)
        or searches_by_a_pattern(call)
    }
    assert found == set()
    own = [ast.unparse(call) for call in calls(PACKAGE / POLARS) if hands_over_a_path(call)]
    assert len(own) == 4
    assert all("literal(path)" in call or call == "table.write_csv(text)" for call in own), own


@pytest.mark.parametrize(
    ("line", "bad"),
    [
        ("pl.read_parquet(path)", True),
        ("pl.scan_csv(str(path))", True),
        ("pl.read_csv(text.encode())", False),
        ("pl.read_csv(FILE)", True),
        ("frame.write_parquet(path)", True),
        ("path.read_text()", False),
        ("self.place.read_bytes()", False),
        ("place.glob(f'{name}*')", True),
        ("place.glob(pattern)", True),
        ("place.glob('*.toml')", False),
        ("place.glob(f'{glob.escape(name)}*')", False),
    ],
)
def test_the_search_finds_what_it_shall(line: str, bad: bool) -> None:
    [call] = [one for one in ast.walk(ast.parse(line)) if isinstance(one, ast.Call)][:1]
    assert (hands_over_a_path(call) or searches_by_a_pattern(call)) is bad
