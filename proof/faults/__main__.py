"""`python -m proof.faults`: all faults, from a seed; results in proof/results/faults.json."""

from __future__ import annotations

import json
import os
import platform
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cellrate
import polars as pl

from proof.faults import clocks, crowd, damage, kills, space, surroundings
from proof.faults.ground import Ground

RESULTS = Path(__file__).parents[1] / "results" / "faults.json"
KILLS = 100
SEED = 1
CAMPAIGNS: dict[str, tuple[Callable[[Ground, int], None], float]] = {
    "kills": (kills.campaign, 1.0),
    "space": (space.campaign, 0.12),
    "damage": (damage.campaign, 3.0),
    "crowd": (crowd.campaign, 0.08),
    "clocks": (clocks.campaign, 0.08),
    "surroundings": (surroundings.campaign, 0.0),
}
"""What each does, and how many faults there are for each kill."""


def main(arguments: list[str]) -> int:
    """Does the campaigns named, or all of them; 1 if something did not hold."""
    asked = int(os.environ.get("FAULTS", KILLS))
    seed = int(os.environ.get("FAULTS_SEED", SEED))
    names = arguments or list(CAMPAIGNS)
    found: dict[str, Any] = {}
    findings: list[str] = []
    for name in names:
        campaign, share = CAMPAIGNS[name]
        place = Path(tempfile.mkdtemp(prefix=f"faults-{name}-"))
        ground = Ground(place, random.Random(f"{seed} {name}"))  # noqa: S311
        began = time.monotonic()
        campaign(ground, max(round(asked * share), 1))
        shutil.rmtree(place, ignore_errors=True)
        found[name] = {"counts": dict(sorted(ground.counts.items())), "skipped": ground.skipped}
        findings += [f"{name}: {one}" for one in ground.findings]
        _show(name, ground, time.monotonic() - began)
    for one in findings:
        sys.stdout.write(f"FINDING {one}\n")
    sys.stdout.write(f"{len(findings)} findings\n")
    if names == list(CAMPAIGNS):
        tools = {
            "cellrate": cellrate.__version__,
            "python": platform.python_version(),
            "polars": pl.__version__,
        }
        text = {"seed": seed, "kills": asked, "tools": tools, "campaigns": found}
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(text | {"findings": findings}, indent=1) + "\n", "utf-8")
    return 1 if findings else 0


def _show(name: str, ground: Ground, seconds: float) -> None:
    sys.stdout.write(f"{name}, {seconds:.0f} s\n")
    for what, count in sorted(ground.counts.items()):
        sys.stdout.write(f"  {count:6,}  {what}\n")
    for what, why in ground.skipped.items():
        sys.stdout.write(f"  skipped {what}: {why}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
