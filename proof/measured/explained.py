"""Compares `cellrate explain` with random scenarios: `python -m proof.measured.explained`.

No run may break a bound. The errors of predictions go into `track_record.json`, from which
`explain` then states them beside its predictions.
"""

import argparse
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path

import numpy as np
from cellrate import Outcome
from cellrate.advice.explain import Explanation, explain
from cellrate.advice.explain.claims import PLACE
from cellrate.common.to_json import json_text
from cellrate.simulation.network import Network
from cellrate.simulation.runner import Job, run_many

from proof.campaign import end_with
from proof.measured.random_scenarios import far_jobs, random_jobs, unequal_jobs

COUNT, SEED = 8000, 1
# Number of random scenarios for each round of scenarios, one per scheme, with unequal round trips,
# and for each with long access links.
UNEQUAL_EVERY = 100
# Number of jobs that are explained and run together.
TOGETHER = 200


@dataclass
class Found:
    """Statements beside runs: bounds compared and broken, and the record of predictions.

    `errors` are relative errors of expected values by kind of prediction. For each kind of limit or
    loss, `right` is true for each scenario whose prediction was right.
    """

    scenarios: int = 0
    bounds: int = 0
    broken: list[str] = field(default_factory=list)
    errors: dict[str, list[float]] = field(default_factory=dict)
    right: dict[str, list[bool]] = field(default_factory=dict)

    def add(self, job: Job, explanation: Explanation, outcome: Outcome) -> None:
        """Compares the statements on a scenario with its run."""
        summary = json.loads(outcome.summary())
        self.scenarios += 1
        errors: dict[str, float] = {}
        right: dict[str, bool] = {}
        for statement in explanation.statements:
            if not statement.applies:
                continue
            for claim in statement.claims:
                measured = claim.measured(summary)
                if statement.kind == "bound":
                    self.bounds += 1
                    if not claim.holds(measured):
                        self.broken.append(f"{statement.text} Measured: {measured:,.6g}. {job!r}")
                # A scenario counts once for each kind, by the worst of its groups and ports.
                elif claim.sense == "about":
                    error = claim.error(measured)
                    errors[claim.topic] = max(error, errors.get(claim.topic, 0.0))
                else:
                    right[claim.topic] = claim.holds(measured) and right.get(claim.topic, True)
        for topic, error in errors.items():
            self.errors.setdefault(topic, []).append(error)
        for topic, was in right.items():
            self.right.setdefault(topic, []).append(was)

    def predictions(self) -> dict[str, dict[str, float | int]]:
        """The record of each kind of prediction, as `track_record.json` has it."""
        found: dict[str, dict[str, float | int]] = {}
        for name, errors in self.errors.items():
            within = float(np.quantile(errors, 0.9, method="higher"))
            found[name] = {"cases": len(errors), "within": round(within, 4)}
        for name, right in self.right.items():
            found[name] = {"cases": len(right), "held": round(float(np.mean(right)), 4)}
        return dict(sorted(found.items()))


def held_against_runs(jobs: Iterable[Job]) -> Found:
    """Explains and runs scenarios, and compares the statements with the runs."""
    found, rest = Found(), iter(jobs)
    while batch := list(islice(rest, TOGETHER)):
        for job, outcome in zip(batch, run_many(batch), strict=True):
            found.add(job, explain(Network.of_scenario(job.scenario())), outcome)
    return found


def main() -> int:
    """Runs the campaign and writes the record; 1 if a bound is broken."""
    parser = argparse.ArgumentParser(prog="python -m proof.measured.explained", description=__doc__)
    parser.add_argument("scenarios", type=int, nargs="?", default=COUNT, help="how many")
    parser.add_argument("seed", type=int, nargs="?", default=SEED)
    options = parser.parse_args()
    count, seed = options.scenarios, options.seed
    rounds = count // UNEQUAL_EVERY
    jobs = chain(random_jobs(count, seed), unequal_jobs(rounds, seed), far_jobs(rounds, seed))
    found = held_against_runs(jobs)
    for text in found.broken:
        print(f"broken: {text}")
    print(f"{found.scenarios} scenarios, {found.bounds} bounds, {len(found.broken)} broken")
    if not found.broken and (count, seed) == (COUNT, SEED):
        record = {
            "scenarios": found.scenarios,
            "bounds": found.bounds,
            "predictions": found.predictions(),
        }
        Path(PLACE).write_text(json_text(record), encoding="utf-8", newline="\n")
    return int(bool(found.broken))


if __name__ == "__main__":
    end_with(main)
