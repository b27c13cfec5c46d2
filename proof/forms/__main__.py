"""`python -m proof.forms`: repeats the tests of the closed forms, with and without faults.

Then it compares the control schemes with max-min fair rates on more random graphs.
"""

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor

from cellrate import _core
from cellrate.simulation import figures
from cellrate.simulation.runner import available_cores

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
    options = parser.parse_args()
    is_whole = options.share >= 1
    results = kept("closed-forms") if options.only else {"forms": {}}
    results["cellrate"] = _core.__version__
    everything: list[Repetitions] = []
    wrong: list[str] = []

    def times(most: int) -> int:
        return max(2, int(options.share * most))

    with ThreadPoolExecutor(available_cores()) as pool:
        try:
            for name in [options.only] if options.only else [*FORMS, FAIRNESS]:
                if name == FAIRNESS:
                    graphs = {of: times(count) for of, count in fairness.SETS.items()}
                    results[name], wrong = fairness.campaign(graphs, pool)
                    continue
                cases, tests = FORMS[name]
                repeated = [repeat(case, times(tests), pool) for case in cases]
                everything += repeated
                results["forms"][cases[0].form] = [found.as_json() for found in repeated]
                if is_whole:
                    write_evidence(f"closed-forms-{name}.svg", figures.svg(picture(repeated)))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    if is_whole:  # an interrupted run leaves the results as they were
        keep("closed-forms", results)
    wrong += complaints(everything)
    for complaint in wrong:
        print(complaint, file=sys.stderr)
    return int(bool(wrong))


if __name__ == "__main__":
    end_with(main)
