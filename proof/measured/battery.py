"""Runs the battery with every built-in scheme, for the results that the package ships.

`python -m proof.measured.battery` writes them anew (ten minutes on two cores), with the page
and picture of the documentation; `--page` only draws page and picture from the results that are
there.
"""

from __future__ import annotations

import argparse
import functools
import sys
from pathlib import Path

from cellrate.battery import running, shipped
from cellrate.battery.contenders import built_in, contender
from cellrate.battery.experiments import SEEDS, experiments
from cellrate.battery.judge import judged
from cellrate.battery.write import write_evidence
from cellrate.cli.progress import ProgressBar
from cellrate.simulation.runner import default_store, run_each

ROOT = Path(__file__).parents[2]


def main() -> None:
    """Runs what is not kept, and writes results, page and picture."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--page", action="store_true", help="no runs: page and picture only")
    if not options.parse_args().page:
        renew()
    write_evidence(judged((), (), experiments()), ROOT / "docs")


def renew() -> None:
    """Runs every built-in scheme and replaces the shipped results."""
    planned = running.plan(built_in(), experiments(), SEEDS)
    store = default_store(ROOT / "out" / "results")
    with ProgressBar("running") as progress:
        total = len(planned.runs)
        runner = functools.partial(run_each, store=store, watch=lambda done: progress(done, total))
        shipped.write(running.run(planned, runner))
    yardstick = contender(running.YARDSTICK)
    ratios = []
    for one in built_in():
        ratio = running.work(one, yardstick)
        if ratio is None:
            sys.exit(f"{one.name} cannot be run")
        ratios.append((one.name, ratio))
    shipped.write_work(ratios)


if __name__ == "__main__":
    main()
