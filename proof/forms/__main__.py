"""`python -m proof.forms`: repeats the tests of the closed forms, with and without faults.

Then it compares the control schemes with max-min fair rates on more random graphs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from cellrate import _core
from cellrate.simulation import figures
from cellrate.simulation.runner import available_cores
from rich.progress import Progress

from proof.campaign import end_with, keep, kept, write_evidence
from proof.forms import fairness, fluid, noise, periodic, poisson
from proof.forms.case import Case
from proof.forms.pictures import picture
from proof.forms.repetitions import Repetitions, complaints, repeat

FORMS: dict[str, tuple[list[Case], int]] = {
    "md1": (poisson.CASES, 100),
    "nddd1": (periodic.CASES, 40),
    "noise": (noise.CASES, 25),
    "fluid": (fluid.CASES, 10),
}
"""The cases of each form, and the number of repetitions of each case."""
FAIRNESS = "fairness"


def main() -> int:
    """Runs the campaign; 1 if a test misses its stated rates, or a scheme breaks its bounds."""
    parser = argparse.ArgumentParser(prog="python -m proof.forms", description=__doc__)
    parser.add_argument(
        "--share", type=float, default=1.0, help="of the repetitions; less is not kept"
    )
    parser.add_argument(
        "--only", choices=[*FORMS, FAIRNESS], help="this form; the others' results stay"
    )
    parser.add_argument("--workers", type=int, default=available_cores(), help="runs at a time")
    options = parser.parse_args()
    is_whole = options.share >= 1
    chosen = [options.only] if options.only else [*FORMS, FAIRNESS]
    results = kept("closed-forms") if options.only else {"forms": {}}
    results["cellrate"] = _core.__version__
    everything: list[Repetitions] = []
    wrong: list[str] = []

    def times(most: int) -> int:
        return max(2, int(options.share * most))

    with ThreadPoolExecutor(options.workers) as pool:
        try:
            for name in chosen:
                if name == FAIRNESS:
                    graphs = {of: times(count) for of, count in fairness.SETS.items()}
                    runs = sum(graphs.values()) * len(fairness.CASES)
                    with _progress(name, runs) as advance:
                        results[name], wrong = fairness.campaign(graphs, pool, advance)
                else:
                    cases, tests = FORMS[name]
                    repeated = _repetitions(cases, times(tests), pool)
                    everything += repeated
                    results["forms"][cases[0].form] = [found.as_json() for found in repeated]
                    if is_whole:
                        image = figures.svg(picture(repeated))
                        write_evidence(f"closed-forms-{name}.svg", image)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    if is_whole:  # an interrupted run leaves the results as they were
        keep("closed-forms", results)
    wrong += complaints(everything)
    print(table(results))
    for complaint in wrong:
        print(complaint, file=sys.stderr)
    return int(bool(wrong))


def _repetitions(cases: list[Case], tests: int, pool: ThreadPoolExecutor) -> list[Repetitions]:
    """Repeats the tests of one form; with each fault a fifth as often, but at least ten times."""
    faulty = max(min(tests, 10), tests // 5)
    total = sum(tests + faulty * len(case.powers) for case in cases)
    with _progress(cases[0].form, total) as advance:
        return [repeat(case, tests, faulty, pool, advance) for case in cases]


@contextmanager
def _progress(name: str, total: int) -> Iterator[Callable[[], None]]:
    with Progress(transient=True) as progress:
        task = progress.add_task(name, total=total)
        yield lambda: progress.advance(task)


def table(results: dict[str, Any]) -> str:
    """The stored results as lines of a short table."""
    lines = [f"{'form and case':<52} {'tests':>5} {'alarms':>6} {'at 5 %':>6}  caught of faults of"]
    for form, cases in results["forms"].items():
        for case in cases:
            name = f"{form}, {case['case']}"
            caught = ", ".join(f"{fault}: {n}" for fault, n in case["caught"].items())
            counts = f"{case['tests']:>5} {case['alarms']:>6} {case['alarms_at_0.05']:>6}"
            lines.append(f"{name:<52} {counts}  {caught}")
    return "\n".join([*lines, *fairness.table(results.get(FAIRNESS, []))])


if __name__ == "__main__":
    end_with(main)
