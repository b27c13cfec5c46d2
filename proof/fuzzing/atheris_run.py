"""Runs a check in Python under Atheris, in a separate process, since libFuzzer ends the process."""

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
"""Modules whose branches guide the fuzzer; the core and polars are not instrumented machine code.

If an input chooses the parts of a file, coverage of this choice replaces that of polars.
"""


def main(name: str) -> None:
    """Fuzzes a target until a limit in libFuzzer's options."""
    import atheris

    with atheris.instrument_imports(include=INSTRUMENTED):
        from proof.fuzzing.checks import CHECKS
    atheris.Setup([name, *sys.argv[1:]], CHECKS[name])
    atheris.Fuzz()
