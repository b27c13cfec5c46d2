"""Runs the battery of experiments with every built-in scheme, for the package's shipped results.

`python -m proof.measured.battery` writes these results anew (ten minutes on two cores), with the
picture of README; `--picture` only draws the picture from the existing results.
"""

import argparse
import functools

from cellrate.battery import running, shipped
from cellrate.battery.answer import judged
from cellrate.battery.contenders import built_in, contender
from cellrate.battery.experiments import SEEDS, experiments
from cellrate.battery.figure import standings_figure
from cellrate.cli.progress import ProgressBar
from cellrate.simulation.figures import save
from cellrate.simulation.runner import default_store, run_each
from PIL import Image

from proof.campaign import ROOT, end_with


def main() -> int:
    """Runs every built-in scheme, and writes results and picture."""
    parser = argparse.ArgumentParser(prog="python -m proof.measured.battery", description=__doc__)
    parser.add_argument("--picture", action="store_true", help="no runs: picture only")
    if not parser.parse_args().picture:
        renew()
    found = judged((), (), experiments())
    [picture] = save(standings_figure(found), ROOT / "docs" / "images" / "battery", ("png",))
    Image.open(picture).quantize(128).save(picture, optimize=True)
    return 0


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
    for scheme in built_in():
        ratio = running.work(scheme, yardstick)
        if ratio is None:
            raise RuntimeError(f"{scheme.name} cannot be run")
        ratios.append((scheme.name, ratio))
    shipped.write_work(ratios)


if __name__ == "__main__":
    end_with(main)
