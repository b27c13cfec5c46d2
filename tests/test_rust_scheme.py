"""The example of components in Rust outside the workspace: they run, and equal their twins."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import cellrate
import pytest
from cellrate.schemes import allowing
from conftest import HERE

# A build of the engine of its own.
pytestmark = pytest.mark.long
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
OTHERS = """
from dataclasses import dataclass

from cellrate.schemes import CellsPerSecond

@dataclass
class ShareOfBuffer:
    share: float = 0.25

    def on_pdu(self, queue):
        return queue.cells <= self.share * queue.buffer

@dataclass
class Halving:
    part: float = 0.5

    def on_new_ack(self, tcp):
        tcp.grow()

    def on_third_duplicate(self, tcp):
        tcp.ssthresh = tcp.cwnd = max(int(self.part * tcp.cwnd), 2 * tcp.mss)
        return "oldest"

    def on_timeout(self, tcp):
        tcp.ssthresh, tcp.cwnd = max(int(self.part * tcp.cwnd), 2 * tcp.mss), tcp.mss

@dataclass
class Additive:
    step: CellsPerSecond = 1000.0

    def on_backward_rm(self, source, rm):
        source.acr = source.acr / 2 if rm.ci else source.acr + self.step
"""
CARGO = shutil.which("cargo") or str(Path.home() / ".cargo" / "bin" / "cargo")


@pytest.fixture(scope="module")
def program() -> Path:
    # The versions are the workspace's.
    shutil.copy(ROOT / "Cargo.lock", EXAMPLE)
    build = [CARGO, "build", "--quiet", "--target-dir", str(ROOT / "target")]
    quick = {"CARGO_PROFILE_DEV_DEBUG": "none"}
    subprocess.run(build, cwd=EXAMPLE, env=os.environ | quick, check=True, timeout=600)
    return ROOT / "target" / "debug" / "rust-scheme"


def scenario(path: Path, control: str) -> Path:
    text = cellrate.template("n-source")
    head, table, rest = text.partition("[switch.control]")
    _, following, after = rest.partition("\n\n")
    path.write_text(f"{head}{table}\n{control}{following}{after}", encoding="utf-8")
    return path


def ran(program: Path, path: Path, *settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, path, *settings], capture_output=True, text=True, check=False)


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


@pytest.mark.parametrize(
    ("own", "twin", "template", "settings"),
    [
        (
            'switch.discard={policy="share-of-buffer"%s}',
            'switch.discard={policy="twin.py:ShareOfBuffer"%s}',
            "single-switch",
            ("", ", share=0.1"),
        ),
        (
            'tcp.recovery={policy="halving"%s}',
            'tcp.recovery={policy="twin.py:Halving"%s}',
            "single-switch",
            ("", ", part=0.25"),
        ),
        (
            'abr.law={law="additive"%s}',
            'abr.law={law="twin.py:Additive"%s}',
            "n-source",
            ("", ', step="2 Mbit/s"'),
        ),
    ],
)
def test_other_components_are_their_twins(
    program: Path, tmp_path: Path, own: str, twin: str, template: str, settings: tuple[str, ...]
) -> None:
    (tmp_path / "twin.py").write_text(OTHERS, encoding="utf-8")
    path = tmp_path / "net.toml"
    path.write_text(cellrate.template(template), encoding="utf-8")
    common = ["switch.buffer=2000 cells"]
    if template == "n-source":
        common.append('switch.control={scheme="efci", threshold="50 cells"}')
    plain = cellrate.run(path, overrides=common).summary["digest"]
    digests = {plain}
    for setting in settings:
        done = ran(program, path, *common, own % setting)
        with allowing(*("twin.py:" + name for name in ("ShareOfBuffer", "Halving", "Additive"))):
            found = cellrate.run(path, overrides=[*common, twin % setting])
        assert json.loads(done.stdout)["digest"] == found.summary["digest"], done.stderr
        digests.add(found.summary["digest"])
    assert len(digests) == 1 + len(settings)


def test_the_parameters_of_others_are_checked(program: Path, tmp_path: Path) -> None:
    path = tmp_path / "net.toml"
    path.write_text(cellrate.template("single-switch"), encoding="utf-8")
    for setting, told in (
        (
            'switch.discard={policy="share-of-buffer", share=3}',
            "`share`: must be above 0 and at most 1, but is 3",
        ),
        ('tcp.recovery={policy="halving", part=1}', "its parameters: 1 is not between 0 and 1"),
        ('abr.law={law="additive", step=1}', "`step` is a number without a unit"),
        ('tcp.recovery={policy="share-of-buffer"}', "`policy` cannot be"),
    ):
        done = ran(program, path, setting)
        assert told in done.stderr
        assert done.returncode == 2


def test_its_parameters_do_not_change_during_a_run(program: Path, tmp_path: Path) -> None:
    path = scenario(tmp_path / "own.toml", 'scheme = "equal-share"')
    change = '[[changes]]\nat = "1 s"\nset = { "switch.control.target_utilisation" = 0.5 }\n'
    path.write_text(path.read_text("utf-8") + change, encoding="utf-8")
    done = ran(program, path)
    assert "`switch.control.target_utilisation` cannot change during a run" in done.stderr
    assert "it takes its parameters once, when it is made" in done.stderr


def test_its_parameters_are_checked(program: Path, tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    done = ran(program, scenario(path, 'scheme = "equal-share"\ntarget_utilisation = 3'))
    assert "`target_utilisation`: must be above 0 and at most 1, but is 3" in done.stderr
    done = ran(program, scenario(path, 'scheme = "equal-share"\ntarget = 0.5'))
    assert "keys of `control`: `target_utilisation`" in done.stderr
    done = ran(program, scenario(path, 'scheme = "equal-shares"'))
    assert "`scheme` cannot be" in done.stderr
    assert done.returncode == 2
