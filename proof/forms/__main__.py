"""`python -m proof.forms`: repeats the tests of the closed forms, with and without faults.

Then it holds the control schemes against max-min fair rates on more random graphs.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from cellrate import _core
from cellrate.simulation import figures
from rich.progress import Progress

from proof.forms import fairness, fluid, noise, periodic, poisson
from proof.forms.arrays import Floats
from proof.forms.calibration import LEVELS, Seen, repeat
from proof.forms.case import Case
from proof.forms.pictures import picture
from proof.forms.verdict import complaints

HERE = Path(__file__).parents[2]
RESULTS = HERE / "proof" / "results" / "closed-forms.json"
PICTURES = HERE / "docs" / "evidence"
FORMS: dict[str, tuple[list[Case], int]] = {
    "md1": (poisson.CASES, 100),
    "nddd1": (periodic.CASES, 40),
    "noise": (noise.CASES, 25),
    "fluid": (fluid.CASES, 10),
}
"""The cases of each form, and how often each is repeated."""
FAIRNESS = "fairness"


def main() -> int:
    """Runs the campaign; 1 if a test alarms too often or misses a fault (`proof.forms.verdict`).

    It is 1 as well if a scheme is less fair than when its bounds were set (`proof.forms.fairness`).
    """
    parser = argparse.ArgumentParser(prog="python -m proof.forms", description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of the repetitions; default: 1")
    parser.add_argument(
        "--only", choices=[*FORMS, FAIRNESS], help="this form; the others' results stay"
    )
    parser.add_argument(
        "--graphs", choices=fairness.SETS, help=f"this set, of {FAIRNESS}; the other's results stay"
    )
    parser.add_argument("--workers", type=int, help="runs at a time; default: all cores")
    asked = parser.parse_args()
    if asked.share <= 0:
        parser.error(f"--share {asked.share:g}: must be above 0")
    if asked.workers is not None and asked.workers < 1:
        parser.error(f"--workers {asked.workers}: must be at least 1")
    if asked.graphs and asked.only != FAIRNESS:
        parser.error(f"--graphs {asked.graphs}: only with --only {FAIRNESS}")
    sets = [asked.graphs] if asked.graphs else list(fairness.SETS)
    try:
        return _campaign(asked.share, asked.only, sets, asked.workers)
    except KeyboardInterrupt:
        print("stopped; the results of forms that were finished are kept", file=sys.stderr)  # noqa: T201
        return 130


def _campaign(share: float, only: str | None, sets: list[str], workers: int | None) -> int:
    results = json.loads(RESULTS.read_text("utf-8")) if only else {"forms": {}}
    results["cellrate"] = _core.__version__
    totals = results.setdefault("totals", {})
    everything: list[Seen] = []
    for name in FORMS if only is None else [only] if only in FORMS else []:
        cases, tests = FORMS[name]
        seen = repetitions(cases, max(2, round(share * tests)), workers)
        everything += seen
        results["forms"][seen[0].case.form] = [_told(one) for one in seen]
        totals[seen[0].case.form] = _totals(seen)
        image = figures.svg(picture(seen))
        (PICTURES / f"closed-forms-{name}.svg").write_text(image, encoding="utf-8", newline="\n")
        RESULTS.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8", newline="\n")
    wrong = complaints(everything) if everything else []
    if only in (None, FAIRNESS):
        graphs = {of: max(2, round(share * fairness.SETS[of])) for of in sets}
        told = _fairness(graphs, workers)
        results[FAIRNESS], unfair = fairness.judged(told, results.get(FAIRNESS, []))
        broken = sum(bool(row["broken_by_fresh"]) for row in results[FAIRNESS])
        totals[FAIRNESS] = {"bounds": len(results[FAIRNESS]), "broken_by_fresh": broken}
        RESULTS.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8", newline="\n")
        wrong += unfair
    print(table(results))  # noqa: T201
    for complaint in wrong:
        print(complaint, file=sys.stderr)  # noqa: T201
    return 1 if wrong else 0


def repetitions(cases: list[Case], tests: int, workers: int | None) -> list[Seen]:
    """Repeats the tests of one form, a fifth as often, and ten times at least, with each fault.

    Args:
        cases: The tests.
        tests: How often each.
        workers: Runs at a time.
    """
    faulty = max(min(tests, 10), tests // 5)
    total = sum(tests + faulty * len(case.powers) for case in cases)
    with Progress(transient=True) as progress:
        task = progress.add_task(cases[0].form, total=total)
        return [
            repeat(case, tests, faulty, lambda: progress.advance(task), workers) for case in cases
        ]


def _fairness(graphs: dict[str, int], workers: int | None) -> list[dict[str, Any]]:
    with Progress(transient=True) as progress:
        total = sum(graphs.values()) * len(fairness.PROMISES) * len(fairness.FAMILIES)
        task = progress.add_task(FAIRNESS, total=total)
        return fairness.campaign(graphs, workers, lambda: progress.advance(task))


def _told(seen: Seen) -> dict[str, Any]:
    """Results of the repetitions of one test, as they are kept."""
    case = seen.case
    tested = len(case.quantities)
    deviation = seen.mean[:tested] / case.expected - 1
    worst = int(abs(deviation).argmax())
    return {
        "case": case.name,
        "judged_by": case.judge.name,
        "quantities": tested,
        "replications": case.replications,
        "stated_false_alarm": float(f"{case.false_alarm:.2g}"),
        "tests": len(seen.p_values),
        **_alarms(seen, seen.p_values),
        "drawn_from_the_model": {"tests": len(seen.drawn), **_alarms(seen, seen.drawn)},
        "runs": len(seen.pooled),
        "p_of_all_runs": float(f"{seen.p_of_all:.2g}"),
        "largest_deviation": f"{100 * deviation[worst]:+.2f} % of {case.quantities[worst]}",
        "its_standard_error": f"{100 * seen.error[worst] / case.expected[worst]:.2f} %",
        "caught": {f"{fault:+g}": f"{n} of {of}" for fault, (n, of) in seen.caught.items()},
        "stated_power": {f"{fault:+g}": power for fault, power in case.powers.items()},
    }


def _totals(seen: list[Seen]) -> dict[str, Any]:
    """Of the tests of one form."""
    alarms = [int((one.p_values < one.case.alarm).sum()) for one in seen]
    drawn = [int((one.drawn < one.case.alarm).sum()) for one in seen]
    caught = [sum(n for n, _ in one.caught.values()) for one in seen]
    faulty = [sum(of for _, of in one.caught.values()) for one in seen]
    return {
        "cases": len(seen),
        "tests": sum(len(one.p_values) for one in seen),
        "false_alarms": sum(alarms),
        "stated_false_alarm": float(f"{max(one.case.false_alarm for one in seen):.2g}"),
        "drawn": sum(len(one.drawn) for one in seen),
        "drawn_alarms": sum(drawn),
        "largest_drawn_rate": float(
            f"{max(n / len(one.drawn) for n, one in zip(drawn, seen, strict=True)):.2g}"
        ),
        "faults": f"{min(seen[0].case.powers):+g} and {max(seen[0].case.powers):+g}",
        "caught": f"{sum(caught)} of {sum(faulty)}",
        "stated_power": min(min(one.case.powers.values()) for one in seen),
    }


def _alarms(seen: Seen, outcomes: Floats) -> dict[str, int]:
    """Numbers of these tests that alarm, at the test's own level and at those seen sooner."""
    names = ["false_alarms", *(f"false_alarms_at_{level:g}" for level in LEVELS)]
    counts = [int((outcomes < level).sum()) for level in seen.levels]
    return dict(zip(names, counts, strict=True))


def table(results: dict[str, Any]) -> str:
    """The results as a short table.

    Args:
        results: As they are kept.
    """
    head = f"{'form and case':<52} {'tests':>5} {'alarms':>6} {'at 5 %':>6} {'drawn':>6}"
    lines = [f"{head} {'alarms':>6}  caught of faults of"]
    for form, cases in results["forms"].items():
        for case in cases:
            drawn = case["drawn_from_the_model"]
            caught = ", ".join(f"{fault}: {n}" for fault, n in case["caught"].items())
            lines.append(
                f"{form + ', ' + case['case']:<52} {case['tests']:>5} {case['false_alarms']:>6} "
                f"{case['false_alarms_at_0.05']:>6} {drawn['tests']:>6} "
                f"{drawn['false_alarms']:>6}  {caught}"
            )
    lines += [
        f"{row['scheme']}, {row['family']}, {of} set: {row[of]['beyond_1_percent']} of "
        f"{row[of]['graphs']} graphs off by more than 1 %, {row[of]['beyond_5_percent']} by more "
        f"than 5 %, the worst by {row[of]['worst_percent']:g} %; stated: {row['in_words']}"
        for row in results.get(FAIRNESS, [])
        for of in fairness.SETS
        if of in row
    ]
    lines += [
        f"broken: {row['scheme']}, {row['family']}, fresh set: {what}"
        for row in results.get(FAIRNESS, [])
        for what in row["broken_by_fresh"]
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
