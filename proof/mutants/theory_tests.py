"""Runs the tests of the theory on a copy of it, those of the changed part first.

Cosmic Ray calls it in the copy. The first failing test ends it, and so does a bound on processor
time and memory: a loaded machine makes no mutant look caught.
"""

import os
import subprocess
import sys
from pathlib import Path

from proof.mutants import stages

HERE = Path(__file__).parents[2]
PROCESSOR_SECONDS = 240
"""Some ten times what a stage takes without a mutant."""

PYTEST = [
    *(sys.executable, "-m", "pytest", "-x", "-q", "--tb=line", "--assert=plain"),
    *("-p", "no:cacheprovider", "-p", "no:xdist"),
]

OWN = {
    "efci": ("efci_extremes", "efci_trajectories", "feasible_region"),
    "queueing": ("theory_queueing", "theory_fractional", "theory_fluid"),
    "max_min": ("theory_max_min",),
    "message": ("theory_messages",),
    "": ("theory_bounds",),
}
"""Tests of a part of the theory that has its own, by the beginning of its path."""

SLOW = (
    "through_the_command or the_command_writes or buffer_is_written_as_null or unequal"
    " or any_cycle_is_whole or groups_with or breaks_the_bound"
)
"""Tests of a second and more, which come last."""

OTHERS = (
    "theory_messages",
    "theory_bounds",
    "theory_max_min",
    "reproduce_formulas",
    "theory_edges",
    "efci_extremes",
    "theory_fractional",
    "theory_queueing",
    "theory_fluid",
    "efci_trajectories",
    "feasible_region",
)


def changed() -> str:
    """The path within the theory of the file that Cosmic Ray changed last."""
    theory = HERE / "python" / "cellrate" / "theory"
    latest = max(theory.rglob("*.py"), key=lambda file: file.stat().st_mtime_ns)
    return str(latest.relative_to(theory))


def run(tests: tuple[str, ...], chosen: str) -> int:
    """Pytest's exit code."""
    python = str(HERE / "python")
    # Compiled files are checked by their hashes, so that they may be written.
    environment = dict(os.environ)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    ended = subprocess.run(  # noqa: S603
        [*PYTEST, "-k", chosen, *(f"tests/test_{name}.py" for name in tests)],
        cwd=HERE,
        env=environment | {"PYTHONPATH": f"{python}:{HERE}:{HERE / 'tests'}"},
        preexec_fn=lambda: stages.limited(PROCESSOR_SECONDS),
        check=False,
    )
    return ended.returncode


def main() -> int:
    """0 if all tests pass; otherwise 1, and the stage that failed is printed."""
    path = changed()
    own = next(tests for part, tests in OWN.items() if path.startswith(part))
    others = tuple(name for name in OTHERS if name not in own)
    planned = {
        "quick": (own + others, f"not ({SLOW})"),
        "slow": (("efci_trajectories", "feasible_region", "efci_extremes"), SLOW),
        "commands": (("theory_command", "theory_max_min_command"), ""),
    }
    for stage, (tests, chosen) in planned.items():
        code = run(tests, chosen)
        if code:
            print(f"stage {stage}: {stages.why(code)}", flush=True)  # noqa: T201
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
