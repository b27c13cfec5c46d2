"""The operation model of control schemes, end systems and discard policies, at length."""

from __future__ import annotations

import os
import re
import subprocess
from typing import Any

from proof.fuzzing.targets import ROOT

CASES_PER_SECOND = 200
"""Asked for, for each second that a fuzz target has."""


def run(seconds: int) -> dict[str, Any]:
    """Runs the model's tests.

    Args:
        seconds: What a fuzz target has.
    """
    cases = CASES_PER_SECOND * seconds
    print(f"operations, {cases} cases", flush=True)  # noqa: T201
    command = ["cargo", "test", "--release", "--locked", "-p", "cellrate-engine"]
    done = subprocess.run(  # noqa: S603
        [*command, "--test", "suite", "operations"],
        cwd=ROOT,
        env=os.environ | {"PROPTEST_CASES": str(cases)},
        capture_output=True,
        text=True,
        check=False,
    )
    tests = re.search(r"(\d+) passed; (\d+) failed", done.stdout)
    passed = done.returncode == 0 and tests is not None and int(tests[1]) > 0
    if not passed:
        print(done.stdout[-4000:] + done.stderr[-4000:])  # noqa: T201
    return {"cases": cases, "tests": int(tests[1]) if tests else 0, "passed": passed}
