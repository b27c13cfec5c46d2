"""`python -m proof.forms`: repeats the tests of the closed forms, with and without faults."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from cellrate import _core, figures
from rich.progress import Progress

from proof.forms import fluid, noise, periodic, poisson
from proof.forms.calibration import LEVELS, Seen, repeat
from proof.forms.case import Case
from proof.forms.pictures import picture

HERE = Path(__file__).parents[2]
RESULTS = HERE / "proof" / "results" / "closed-forms.json"
PICTURES = HERE / "docs" / "evidence"
FORMS: dict[str, tuple[list[Case], int]] = {
    "md1": (poisson.CASES, 333),
    "nddd1": (periodic.CASES, 333),
    "noise": (noise.CASES, 250),
    "fluid": (fluid.CASES, 100),
}
"""The cases of each form, and how often each is repeated: 400 to 1,000 tests of a form."""
FAULT = 0.02
"""Of the service time, as a share, or of the Hurst parameter; both ways."""


def main() -> int:
    """Runs the campaign."""
    parser = argparse.ArgumentParser(prog="python -m proof.forms", description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of the repetitions; default: 1")
    parser.add_argument("--only", choices=FORMS, help="this form; the others' results stay")
    parser.add_argument("--workers", type=int, help="runs at a time; default: all cores")
    asked = parser.parse_args()
    if asked.share <= 0:
        parser.error(f"--share {asked.share:g}: must be above 0")
    if asked.workers is not None and asked.workers < 1:
        parser.error(f"--workers {asked.workers}: must be at least 1")
    results = json.loads(RESULTS.read_text("utf-8")) if asked.only else {"forms": {}}
    results["cellrate"] = _core.__version__
    for name in [asked.only] if asked.only else FORMS:
        cases, tests = FORMS[name]
        seen = _repeat(cases, max(2, round(asked.share * tests)), asked.workers)
        results["forms"][seen[0].case.form] = [_told(one) for one in seen]
        image = figures.svg(picture(seen))
        (PICTURES / f"closed-forms-{name}.svg").write_text(image, encoding="utf-8", newline="\n")
        RESULTS.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8", newline="\n")
    print(table(results))  # noqa: T201
    return 0


def _repeat(cases: list[Case], tests: int, workers: int | None) -> list[Seen]:
    faulty = max(1, tests // 5)
    with Progress(transient=True) as progress:
        task = progress.add_task(cases[0].form, total=len(cases) * (tests + 2 * faulty))
        faults = {FAULT: faulty, -FAULT: faulty}
        return [
            repeat(case, tests, faults, lambda: progress.advance(task), workers) for case in cases
        ]


def _told(seen: Seen) -> dict[str, Any]:
    """What is kept of the repetitions of one test."""
    case = seen.case
    tested = len(case.quantities)
    deviation = seen.mean[:tested] / case.expected - 1
    worst = int(abs(deviation).argmax())
    statistic = "normal, known error" if case.deviation is not None else "Student's t, Bonferroni"
    return {
        "case": case.name,
        "statistic": statistic,
        "quantities": tested,
        "replications": case.replications,
        "stated_false_alarm": float(f"{case.false_alarm:.2g}"),
        "tests": len(seen.p_values),
        "false_alarms": seen.alarms(case.false_alarm),
        **{f"false_alarms_at_{level:g}": seen.alarms(level) for level in LEVELS},
        "single_comparisons_below_0.05": round(float((seen.single < 0.05).mean()), 4),
        "runs": len(seen.pooled),
        "largest_deviation": f"{100 * deviation[worst]:+.2f} % of {case.quantities[worst]}",
        "its_standard_error": f"{100 * seen.error[worst] / case.expected[worst]:.2f} %",
        "caught": {f"{fault:+g}": f"{n} of {of}" for fault, (n, of) in seen.caught.items()},
    }


def table(results: dict[str, Any]) -> str:
    """The results as a short table.

    Args:
        results: As they are kept.
    """
    head = f"{'form and case':<52} {'tests':>5} {'alarms':>6} {'at 5 %':>6}"
    lines = [f"{head}  caught of {FAULT:+g}, {-FAULT:g}"]
    for form, cases in results["forms"].items():
        for case in cases:
            caught = ", ".join(case["caught"].values())
            lines.append(
                f"{form + ', ' + case['case']:<52} {case['tests']:>5} {case['false_alarms']:>6} "
                f"{case['false_alarms_at_0.05']:>6}  {caught}"
            )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
