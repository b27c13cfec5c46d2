"""Runs a check in Python under Atheris; a process of its own, because libFuzzer ends it."""

from __future__ import annotations

import sys

INSTRUMENTED = [
    "cellrate.simulation.graph_file",
    "cellrate.simulation.graphml",
    "cellrate.studies.dataset",
    "cellrate.studies.study",
    "cellrate.language",
    "cellrate.common.parquet",
    "networkx.readwrite.graphml",
    "proof.fuzzing.checks.data_set",
    "proof.fuzzing.checks.parquet",
    "proof.fuzzing.checks.path_pattern",
]
"""Modules whose branches lead the fuzzer; the core and polars are machine code without sanitizers.

Where a file is made of parts, the choice of parts stands for what polars does with it.
"""


def main(name: str) -> None:
    """Fuzzes until libFuzzer's options say that it is enough.

    Args:
        name: Of the target.
    """
    import atheris

    with atheris.instrument_imports(include=INSTRUMENTED):
        from proof.fuzzing.checks import CHECKS
    atheris.Setup([name, *sys.argv[1:]], CHECKS[name])
    atheris.Fuzz()
