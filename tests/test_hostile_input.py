"""Checks of the fuzz targets in Python, over their seeds and inputs that once broke something."""

from __future__ import annotations

from pathlib import Path

import pytest

from proof.fuzzing.checks import CHECKS, inputs
from proof.fuzzing.targets import TARGETS

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
