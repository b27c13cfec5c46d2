"""A library that is not installed is answered with the extra that installs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from cellrate import template
from cellrate.common.extras import EXTRAS


@pytest.mark.parametrize(
    ("library", "arguments"),
    [
        ("networkx", ["import-graph", "-"]),
        ("polars", ["table", "nowhere"]),
        ("scipy", ["theory"]),
    ],
)
def test_a_missing_library_is_answered_with_what_installs_it(
    library: str, arguments: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    scenario = tmp_path_factory.mktemp("without") / "scenario.toml"
    scenario.write_text(template("n-source"), encoding="utf-8")
    code = (
        f"import sys; sys.modules[{library!r}] = None\n"
        "from cellrate.cli.app import run_command; sys.exit(run_command(sys.argv[1:]))"
    )
    words = [word.format(scenario=scenario) for word in arguments]
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        input="<graphml/>",
        capture_output=True,
        text=True,
        check=False,
        cwd=scenario.parent,
    )
    assert "Traceback" not in done.stderr
    assert f"pip install 'cellrate[{EXTRAS[library]}]'" in done.stderr
    assert done.returncode in {1, 2}


def test_tables_name_the_extra_that_reads_or_converts_them(tmp_path: Path) -> None:
    """A table of rates needs polars; a frame's options and plain frames of polars need pyarrow."""
    (tmp_path / "rates.parquet").write_bytes(b"PAR1")
    source = 'kind="rate-trace", file="rates.parquet"'
    group = f'[[flow]]\nname="video"\nservice="vbr"\nsource={{{source}}}\n'
    (tmp_path / "video.toml").write_text(template("n-source") + group, encoding="utf-8")
    said = told("polars", "cellrate.run('video.toml')", tmp_path)
    assert "a Parquet table needs polars" in said
    assert "pip install 'cellrate[cli]'" in said
    frame = "cellrate.run(cellrate.template('incast'), overrides=['run.duration=1 ms']).flows"
    assert told("pyarrow", f"{frame}.to_pandas()", tmp_path) == ""
    for library, call in (
        ("pyarrow", "to_pandas(use_pyarrow_extension_array=True)"),
        ("pandas", "to_pandas()"),
    ):
        said = told(library, f"{frame}.{call}", tmp_path)
        assert f"to_pandas needs {library}, which is not installed" in said
        assert "pip install 'cellrate[pandas]'" in said


def told(library: str, call: str, directory: Path) -> str:
    """The error of a call in Python where a library is not installed; empty without one."""
    code = f"""
import sys
class Without:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {library!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Without())
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if name == {library!r} else find(name)
import cellrate
try:
    {call}
except Exception as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=directory
    )
    return done.stdout.strip()
