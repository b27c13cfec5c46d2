"""The example of a scheme in Rust outside the workspace: it runs, and is that of its twin."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import cellrate
import pytest
from cellrate.schemes import allowing
from conftest import HERE

ROOT = HERE.parent
EXAMPLE = ROOT / "examples" / "rust-scheme"
TWIN = """
from dataclasses import dataclass

@dataclass
class EqualShare:
    target_utilisation: float = 0.9

    def on_start(self, port):
        self.share = self.target_utilisation * port.rate / max(port.channels, 1)

    def on_backward_rm(self, port, rm):
        rm.er = self.share
"""
CARGO = shutil.which("cargo") or str(Path.home() / ".cargo" / "bin" / "cargo")


@pytest.fixture(scope="module")
def program() -> Path:
    # The versions are the workspace's, and so is what is built already.
    shutil.copy(ROOT / "Cargo.lock", EXAMPLE)
    build = [CARGO, "build", "--quiet", "--target-dir", str(ROOT / "target")]
    subprocess.run(build, cwd=EXAMPLE, check=True, timeout=600)
    return ROOT / "target" / "debug" / "rust-scheme"


def scenario(path: Path, control: str) -> Path:
    text = cellrate.template("n-source")
    head, table, rest = text.partition("[switch.control]")
    _, following, after = rest.partition("\n\n")
    path.write_text(f"{head}{table}\n{control}{following}{after}", encoding="utf-8")
    return path


def ran(program: Path, path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, path], capture_output=True, text=True, check=False)


def test_the_example_gives_the_digest_of_its_twin_in_python(program: Path, tmp_path: Path) -> None:
    (tmp_path / "twin.py").write_text(TWIN, encoding="utf-8")
    digests = set()
    for setting in ("", "target_utilisation = 0.5"):
        own = ran(program, scenario(tmp_path / "own.toml", f'scheme = "equal-share"\n{setting}'))
        twin = scenario(tmp_path / "twin.toml", f'scheme = "twin.py:EqualShare"\n{setting}')
        with allowing("twin.py:EqualShare"):
            expected = cellrate.run(twin).summary["digest"]
        assert json.loads(own.stdout)["digest"] == expected
        digests.add(expected)
    assert len(digests) == 2


def test_its_parameters_are_checked(program: Path, tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    done = ran(program, scenario(path, 'scheme = "equal-share"\ntarget_utilisation = 3'))
    assert "`target_utilisation`: 3 is not above 0 and at most 1" in done.stderr
    done = ran(program, scenario(path, 'scheme = "equal-share"\ntarget = 0.5'))
    assert "keys of `control`: `target_utilisation`" in done.stderr
    done = ran(program, scenario(path, 'scheme = "equal-shares"'))
    assert "`scheme` cannot be" in done.stderr
    assert done.returncode == 2
