"""Checks of the readers in Python with any input: a reader accepts it, or refuses it as documented.

`tests/test_hostile_input.py` runs the checks with their seeds and every input that once broke one.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from proof.fuzzing.checks import (
    data_set,
    expression,
    graphml,
    parquet,
    path_pattern,
    study_file,
)
from proof.fuzzing.targets import INPUTS

Check = Callable[[bytes], None]

CHECKS: Mapping[str, Check] = {
    "graphml": graphml.check,
    "graph_parts": graphml.check_parts,
    "parquet_trace": parquet.check,
    "parquet_parts": parquet.check_parts,
    "data_set": data_set.check,
    "data_set_metadata": data_set.check_parts,
    "path_pattern": path_pattern.check,
    "study_file": study_file.check,
    "expression": expression.check,
}
"""Every check by the name of its target and of its directory of seeds."""


def inputs(of: str, target: str) -> list[Path]:
    """Committed `seeds` or `regressions` of a target, in order."""
    return sorted((INPUTS / of / target).glob("*"))
