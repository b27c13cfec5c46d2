"""Tries mutants: `python -m proof.mutants rust|theory TOOL`. Goes on where it was killed."""

import argparse
import sys
from pathlib import Path

from proof.mutants import report
from proof.mutants.campaign import Tool, tried
from proof.mutants.drawing import SEED
from proof.mutants.rust import CargoMutants
from proof.mutants.theory import CosmicRay
from proof.mutants.tree import OUTPUT

MOST_PERCENT = 10


def main() -> int:
    """1 if too many survive, or one of which nobody knows why."""
    parser = argparse.ArgumentParser(prog="python -m proof.mutants", description=__doc__)
    parser.add_argument("part", choices=["rust", "theory"])
    parser.add_argument("tool", type=Path, help="the binary: cargo-mutants, cosmic-ray")
    parser.add_argument("--known", action="store_true", help="try no more, report what is known")
    parser.add_argument("--seed", type=int, default=SEED, help="of the draw")
    arguments = parser.parse_args()
    tool: Tool = (CargoMutants if arguments.part == "rust" else CosmicRay)(arguments.tool.resolve())
    try:
        state = OUTPUT / f"{arguments.part}-{arguments.seed}.json"
        campaign = tried(tool, state, arguments.seed, more=not arguments.known)
    except KeyboardInterrupt:
        print("interrupted; the same command goes on", file=sys.stderr)  # noqa: T201
        return 130
    found = report.summary(campaign, arguments.part)
    report.written(arguments.part, found)
    print(report.table(arguments.part, found))  # noqa: T201
    unexplained = any(not one["reason"] for one in found["survivors"])
    return int(unexplained or found["survivors_percent"] >= MOST_PERCENT)


if __name__ == "__main__":
    sys.exit(main())
