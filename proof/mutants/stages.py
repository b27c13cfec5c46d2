"""Runs a Rust test binary in stages, cheapest tests first, within bounds of time and memory.

Cargo calls it as the runner of test binaries, so that a mutant that the quick tests catch never
costs the slow ones, and one that loops or allocates for ever ends by itself. Time is
processor time: a loaded machine makes no mutant look caught. Needs nothing but Python.
"""

import resource
import signal
import subprocess
import sys
from functools import partial

SLOW = ("combinations::", "generic_fairness::", "max_min::", "queueing_theory::")
"""Suite modules of a second and more each: whole networks until they are steady."""

RANDOM = ("fast_equals_plain::", "operations::")
"""Random networks on both engines, and random operations on every part."""

PROCESSOR_SECONDS = {"quick": 20, "random": 60, "slow": 150}
"""Some ten times what each stage takes without a mutant."""

MEMORY = 4 << 30

LATE = "out of time"
ENDED = rf"^stage (\w+): (failed|{LATE})$"
"""Line in the log of a stage that failed."""


def limited(seconds: int) -> None:
    """Bounds what the process about to run may take."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def why(code: int) -> str:
    """Reason of a failure, by the exit code of the tests."""
    return LATE if code in (-signal.SIGXCPU, -signal.SIGKILL) else "failed"


def stages(binary: str) -> dict[str, list[str]]:
    """The arguments of each stage, by its name."""
    if "/suite-" not in binary:
        return {"quick": []}
    skipped = [part for module in SLOW + RANDOM for part in ("--skip", module)]
    return {"quick": skipped, "random": list(RANDOM), "slow": list(SLOW)}


def main() -> int:
    """0 if all stages pass; the first that does not is printed."""
    binary, *arguments = sys.argv[1:]
    for name, chosen in stages(binary).items():
        seconds = PROCESSOR_SECONDS[name]
        ended = subprocess.run(  # noqa: S603
            [binary, *arguments, *chosen], check=False, preexec_fn=partial(limited, seconds)
        )
        if ended.returncode:
            print(f"stage {name}: {why(ended.returncode)}", flush=True)  # noqa: T201
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
