"""An extension that is older than the package's sources is named, instead of a puzzling error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from cellrate import _core
from cellrate.cli import app
from cellrate.common import compiled

# Imports the package beside an extension that carries another interface.
OTHER = f"""
import sys
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("cellrate._core", {_core.__file__!r})
core = module_from_spec(spec)
spec.loader.exec_module(core)
core.__interface__ = "def run() -> None: ..."
sys.modules["cellrate._core"] = core
"""


def failing(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", OTHER + code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    return done.stderr


def test_another_interface_is_refused_on_import() -> None:
    said = f"{_core.__file__} was built from other sources than this package: build it again with"
    assert f"ImportError: {said} `make install`" in failing("import cellrate")
    # The command says so without a traceback.
    told = failing("import cellrate_command; cellrate_command.main()")
    assert told == f"error: {said} `make install` (for tests: `make tested`)\n"


def test_this_extension_is_of_this_package() -> None:
    stub = Path(compiled.__file__).parents[1] / "_core.pyi"
    assert _core.__interface__ == stub.read_text(encoding="utf-8")


def test_a_defect_beside_newer_sources_has_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sources are looked at only then, so that no start pays for it."""
    built, source = tmp_path / "_core.so", tmp_path / "crates" / "engine" / "src" / "lib.rs"
    source.parent.mkdir(parents=True)
    for path, time in ((built, 2_000), (source, 1_000)):
        path.touch()
        os.utime(path, (time, time))
    core = ModuleType("cellrate._core")
    core.__file__ = str(built)
    monkeypatch.setattr(compiled, "SOURCES", tmp_path / "crates")
    monkeypatch.setattr(app, "_core", core)

    def broken(_arguments: object) -> None:
        raise KeyError("new_key")

    monkeypatch.setattr(app, "_answered", broken)

    def notes() -> list[str]:
        with pytest.raises(KeyError) as found:
            app.run_command(["list"])
        return getattr(found.value, "__notes__", [])

    assert notes() == []
    os.utime(source, (3_000, 3_000))
    [note] = notes()
    assert note.startswith(f"{built} is older than its sources in {tmp_path / 'crates'}: build it")
