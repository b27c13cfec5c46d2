"""`python -m proof.faults`: all faults, from a seed; results in proof/results/faults.json."""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cellrate
import polars as pl

from proof.faults import clocks, crowd, damage, kills, space, surroundings
from proof.faults.ground import Ground

RESULTS = Path(__file__).parents[1] / "results" / "faults.json"
KILLS = 100
SEED = 1


@dataclass(frozen=True)
class Campaign:
    """One kind of faults.

    Attributes:
        run: Does so many of them.
        share: How many there are for each kill.
        lacks: What this machine does not let it do, and why.
    """

    run: Callable[[Ground, int], None]
    share: float
    lacks: Callable[[], dict[str, str]] = dict


CAMPAIGNS = {
    "kills": Campaign(kills.campaign, 1.0),
    "space": Campaign(space.campaign, 0.12, space.lacks),
    "damage": Campaign(damage.campaign, 3.0),
    "crowd": Campaign(crowd.campaign, 0.08),
    "clocks": Campaign(clocks.campaign, 0.08, clocks.lacks),
    "surroundings": Campaign(surroundings.campaign, 0.0, surroundings.lacks),
}


def main(arguments: Sequence[str]) -> int:
    """Does the campaigns named, or all of them; 1 if something did not hold, or was not done."""
    asked = _asked(arguments)
    # Children and mounts are cleared away when somebody ends this, too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    names = asked.campaigns or list(CAMPAIGNS)
    lacks = {what: why for name in names for what, why in CAMPAIGNS[name].lacks().items()}
    for what, why in lacks.items():
        sys.stderr.write(f"cannot do {what}: {why}\n")
    if lacks and not asked.allow_skips:
        sys.stderr.write("--allow-skips does the rest\n")
        return 2
    try:
        return _campaigns(names, asked.kills, asked.seed, skips=asked.allow_skips)
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")
        return 130


def _asked(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m proof.faults", description=__doc__)
    known = ", ".join(CAMPAIGNS)
    parser.add_argument("campaigns", nargs="*", help=f"of {known}; default: all")
    number = os.environ.get("FAULTS", str(KILLS))
    parser.add_argument("--kills", type=int, default=number, help=f"default: FAULTS or {KILLS}")
    number = os.environ.get("FAULTS_SEED", str(SEED))
    parser.add_argument("--seed", type=int, default=number, help=f"default: FAULTS_SEED or {SEED}")
    parser.add_argument("--allow-skips", action="store_true", help="what cannot be done here")
    asked = parser.parse_args(arguments)
    for name in asked.campaigns:
        if name not in CAMPAIGNS:
            parser.error(f"no campaign {name!r}: there are {known}")
    if asked.kills < 1:
        parser.error(f"--kills {asked.kills}: must be at least 1")
    return asked


def _campaigns(names: Sequence[str], asked: int, seed: int, *, skips: bool) -> int:
    found: dict[str, Any] = {}
    findings: list[str] = []
    skipped: dict[str, str] = {}
    for name in names:
        campaign = CAMPAIGNS[name]
        place = Path(tempfile.mkdtemp(prefix=f"faults-{name}-"))
        source = random.Random(f"{seed} {name}")  # noqa: S311
        began = time.monotonic()
        with Ground(place, source, skipped=campaign.lacks()) as ground:
            campaign.run(ground, max(round(asked * campaign.share), 1))
        found[name] = {"counts": dict(sorted(ground.counts.items())), "skipped": ground.skipped}
        findings += [f"{name}: {one}" for one in ground.findings]
        skipped |= ground.skipped
        _show(name, ground, time.monotonic() - began)
    sys.stdout.write(f"{len(findings)} findings, {len(skipped)} skipped\n")
    if names == list(CAMPAIGNS):
        _write({"seed": seed, "kills": asked, "campaigns": found, "findings": findings})
    return 1 if findings or (skipped and not skips) else 0


def _write(found: dict[str, Any]) -> None:
    tools = {
        "cellrate": cellrate.__version__,
        "python": platform.python_version(),
        "polars": pl.__version__,
    }
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps({"tools": tools} | found, indent=1) + "\n", "utf-8")


def _show(name: str, ground: Ground, seconds: float) -> None:
    sys.stdout.write(f"{name}, {seconds:.0f} s\n")
    for what, count in sorted(ground.counts.items()):
        sys.stdout.write(f"  {count:6,}  {what}\n")
    for what, why in ground.skipped.items():
        sys.stdout.write(f"  skipped {what}: {why}\n")
    for one in ground.findings:
        sys.stdout.write(f"  FINDING {one}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
