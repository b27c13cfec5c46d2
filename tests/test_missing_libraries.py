"""A library that is not installed is answered with the extra that installs it."""

from __future__ import annotations

import subprocess
import sys

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
