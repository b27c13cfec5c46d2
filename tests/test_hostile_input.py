"""Checks of the fuzz targets in Python, over their seeds and inputs that once broke something."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from proof.fuzzing.checks import CHECKS, inputs
from proof.fuzzing.libfuzzer import fuzz, outcome
from proof.fuzzing.targets import TARGETS, Target

CASES = [
    pytest.param(target, path, id=f"{target}-{path.name}")
    for target in CHECKS
    for of in ("seeds", "regressions")
    for path in inputs(of, target)
]


@pytest.mark.filterwarnings("ignore:No key type:UserWarning", "ignore::SyntaxWarning")
@pytest.mark.parametrize(("target", "path"), CASES)
def test_a_hostile_input_is_read_or_refused(target: str, path: Path) -> None:
    CHECKS[target](path.read_bytes())


def test_every_target_has_seeds() -> None:
    assert all(inputs("seeds", target) for target in CHECKS)
    assert {target.name for target in TARGETS if target.language == "python"} == CHECKS.keys()


def test_a_target_that_does_not_end_is_ended(tmp_path: Path) -> None:
    def code(python: str, limit: float) -> int | None:
        return outcome([sys.executable, "-c", python], tmp_path / "log", limit)

    assert code("import sys; print('told'); sys.exit(3)", 600) == 3
    assert (tmp_path / "log").read_text() == "told\n"
    assert code("while True: pass", 0.1) is None


class BreaksAtOnce(Target):
    """Writes and prints what libFuzzer does when an input breaks its target."""

    def command(self, _: str) -> list[str]:
        """The target's command."""
        told = "#7 NEW cov: 40 ft: 50 corp: 3/9b"
        code = (
            "import sys; [place] = [a[17:] for a in sys.argv if a.startswith('-artifact_prefix=')];"
            f"open(place + 'crash-1', 'w').close(); print({told!r}); sys.exit(77)"
        )
        return [sys.executable, "-c", code]


def test_what_is_found_again_is_a_finding_again(tmp_path: Path) -> None:
    for _ in range(2):
        run = fuzz(BreaksAtOnce("breaks-at-once", "rust"), 1, tmp_path, tmp_path / "words")
        assert (run.executions, run.edges, run.corpus) == (7, 40, 3)
        assert run.findings == ("crash-1",)
        assert run.ended
