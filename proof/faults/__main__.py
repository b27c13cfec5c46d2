"""`python -m proof.faults`: all faults, from a seed; results in proof/results/faults.json."""

import argparse
import os
import platform
import random
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import cellrate
import polars as pl

from proof.campaign import end_with, keep
from proof.faults import clocks, crowd, damage, kills, space, surroundings
from proof.faults.ground import Ground


class Campaign(NamedTuple):
    """One kind of faults: causes them, so many for each kill; says which it cannot cause here."""

    run: Callable[[Ground, int], None]
    share: float
    lacks: Callable[[], dict[str, str]] = dict


CAMPAIGNS = {
    "kills": Campaign(kills.campaign, 1.0),
    "space": Campaign(space.campaign, 0.12, space.lacks),
    "damage": Campaign(damage.campaign, 0.6),
    "crowd": Campaign(crowd.campaign, 0.08),
    "clocks": Campaign(clocks.campaign, 0.08, clocks.lacks),
    "surroundings": Campaign(surroundings.campaign, 0.0, surroundings.lacks),
}


def main() -> int:
    """Runs the named campaigns, or all; 1 if a check failed, or a fault could not be caused."""
    parser = argparse.ArgumentParser(prog="python -m proof.faults", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="default: 1")
    parser.add_argument("--allow-skips", action="store_true", help="leave out what cannot be done")
    parser.add_argument("campaigns", nargs="*", choices=[*CAMPAIGNS, "all"], default="all")
    options = parser.parse_args()
    names = list(CAMPAIGNS) if "all" in options.campaigns else options.campaigns
    kills_asked = int(os.environ.get("FAULTS", "100"))
    # SIGTERM ends children and removes mounts, as Ctrl-C does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    lacks = {what: why for name in names for what, why in CAMPAIGNS[name].lacks().items()}
    for what, why in lacks.items():
        print(f"cannot do {what}: {why}", file=sys.stderr)
    if lacks and not options.allow_skips:
        print("--allow-skips does the rest", file=sys.stderr)
        return 2
    grounds = {name: _run(name, kills_asked, options.seed) for name in names}
    findings = [f"{name}: {what}" for name in names for what in grounds[name].findings]
    skipped = any(ground.skipped for ground in grounds.values())
    print(f"{len(findings)} findings")
    if names == list(CAMPAIGNS):
        python = platform.python_version()
        tools = {"cellrate": cellrate.__version__, "python": python, "polars": pl.__version__}
        found = {
            name: {"counts": dict(sorted(ground.counts.items())), "skipped": ground.skipped}
            for name, ground in grounds.items()
        }
        asked = {"seed": options.seed, "kills": kills_asked}
        keep("faults", {"tools": tools, **asked, "campaigns": found, "findings": findings})
    return int(bool(findings) or (skipped and not options.allow_skips))


def _run(name: str, asked: int, seed: int) -> Ground:
    """Runs a campaign, prints its findings, and returns its `Ground`."""
    campaign = CAMPAIGNS[name]
    place = Path(tempfile.mkdtemp(prefix=f"faults-{name}-"))
    source = random.Random(f"{seed} {name}")  # noqa: S311
    with Ground(place, source, skipped=campaign.lacks()) as ground:
        campaign.run(ground, max(round(asked * campaign.share), 1))
    print(name)
    for what, count in sorted(ground.counts.items()):
        print(f"  {count:6,}  {what}")
    for what, why in ground.skipped.items():
        print(f"  skipped {what}: {why}")
    for finding in ground.findings:
        print(f"  FINDING {finding}")
    sys.stdout.flush()
    return ground


if __name__ == "__main__":
    end_with(main)
