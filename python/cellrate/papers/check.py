"""The check of a reproduction: golden tables, stored results, proofs, and claims that cannot fail.

A claim that no change of the simulation results makes false says nothing. So the check changes
results at random and reports claims that still hold.
"""

# ruff: noqa: ANN401 - values of JSON are of any type
from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from cellrate.language.expressions import ExpressionError, evaluate
from cellrate.language.runs import Outcome, Run, run_in_expressions
from cellrate.papers.paper import Claim
from cellrate.papers.reproduction import Judged
from cellrate.papers.results import ExperimentResult
from cellrate.papers.runs import Outcomes, scope_of, scope_of_used
from cellrate.papers.stored import (
    ASSUMED,
    SEED,
    differences,
    golden_lines,
    golden_path,
    read_stored,
    stored_path,
)
from cellrate.simulation.runner import Job

CHANGES = 200
"""Number of random changes of results; a claim that survives all of them is reported."""
OF_NOTHING = 0.2
"""Share of the zeros in results that become 1 before scaling, since a factor leaves 0 unchanged."""
WAYS = ("alone", "in proportion", "together", "alike")
FACTORS = (0.0, 0.25, 0.5, 1.0, 1.0, 1.0, 2.0, 4.0, 1000.0)


def complaints_of(part: Judged, outcomes: Outcomes) -> list[str]:
    """Messages on results that differ from stored ones, failed proofs, claims that cannot fail."""
    complaints = [
        f"the proof of an erratum does not hold: {result.paper.id}, {result.erratum.id}"
        for result in part.errata
        if not result.holds
    ]
    complaints += [
        f"no change of the results makes this claim fail: {result.experiment.id}, {claim.id}"
        for result in part.results
        for claim in unfailing(result, outcomes, SEED)
    ]
    lines = golden_lines(part.results, outcomes)
    if changed := differences(part.paper, part.ids, lines):
        complaints.append(f"{golden_path(part.paper)} differs:\n" + "\n".join(changed))
    stored = read_stored(part.paper, ASSUMED)
    if stored is not None and (other := stored.differences(part.results)):
        path = stored_path(part.paper, ASSUMED)
        complaints.append(f"{path} is of other results:\n" + "\n".join(other))
    return complaints


class ChangedOutcome:
    """An outcome with changed numbers in its summary, its traces and its events.

    One of four kinds of change is drawn. Each number has its own factor ("alone"). All numbers of a
    run have one factor ("in proportion"). All runs have one factor ("together"). All flows,
    channels and ports of a run get the numbers of the first flow, channel or port ("alike").
    """

    def __init__(self, outcome: Outcome, number: int, run: str) -> None:
        of_all = np.random.default_rng(number)
        self._outcome = outcome
        self._draw = np.random.default_rng(zlib.crc32(f"{number} {run}".encode()))
        self._way = str(of_all.choice(WAYS))
        together = self._way == "together"
        self._whole = float((of_all if together else self._draw).choice(FACTORS))

    def _factor(self) -> float:
        """Factor for the next number: random if the kind is "alone", else that of the run."""
        return float(self._draw.choice(FACTORS)) if self._way == "alone" else self._whole

    def summary(self) -> dict[str, Any]:
        """Summary with changed numbers; whole numbers stay whole."""
        changed: dict[str, Any] = self._change(json.loads(self._outcome.summary()))
        return changed

    def _change(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._change(each) for key, each in value.items()}
        if isinstance(value, list):
            alike = self._way == "alike" and value and isinstance(value[0], dict)
            items = [_as(value[0], each) for each in value] if alike else value
            return [self._change(each) for each in items]
        if isinstance(value, bool) or not isinstance(value, int | float):
            return value
        if value == 0 and self._draw.random() < OF_NOTHING:
            value = type(value)(1)
        changed = value * self._factor()
        return round(changed) if isinstance(value, int) else changed

    def resolved(self) -> str:
        """Scenario, unchanged, because it is input and not a result."""
        return self._outcome.resolved()

    def series(self) -> Any:
        """List of the traces, unchanged."""
        return self._outcome.series()

    def series_data(self, index: int) -> tuple[bytes, bytes, bytes]:
        """Changed trace: each part is scaled by its own factor, and the trace may be reversed."""
        times, low, high = self._outcome.series_data(index)
        if self._way == "alike":
            straight = (np.frombuffer(times, "<f8") * self._whole).tobytes()
            return times, straight, straight
        minima, maxima = np.frombuffer(low, "<f8"), np.frombuffer(high, "<f8")
        stretches = int(self._draw.integers(1, 20))
        factors = np.repeat(
            [self._factor() for _ in range(stretches)], len(minima) // stretches + 1
        )[: len(minima)]
        if self._draw.integers(2):
            minima, maxima = minima[::-1], maxima[::-1]
        return times, (minima * factors).tobytes(), (maxima * factors).tobytes()

    def events(self) -> Any:
        """Event log with some events left out and the times of the rest scaled."""
        columns = self._outcome.events()
        kept = np.flatnonzero(
            self._draw.random(len(columns["time_seconds"])) < self._draw.choice((0.0, 0.3, 1.0))
        )
        part = {name: [column[i] for i in kept] for name, column in columns.items()}
        scale = self._draw.choice((0.1, 1.0, 3.0))
        part["time_seconds"] = [time * scale for time in part["time_seconds"]]
        return part


def _as(first: dict[str, Any], other: Any) -> Any:
    """Copies the numbers of the first item of a list into another item."""
    if not isinstance(other, dict):
        return other
    numbers = {
        key: value
        for key, value in first.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    return other | {key: value for key, value in numbers.items() if key in other}


class ChangedOutcomes(Outcomes):
    """Finished runs with changed numbers; each run draws its own changes."""

    def __init__(self, outcomes: Outcomes, number: int) -> None:
        super().__init__()
        self._true = outcomes
        self._number = number
        self._changed: dict[Job, Run] = {}

    def __getitem__(self, job: Job) -> Run:
        if job not in self._changed:
            command = job.command()
            changed = ChangedOutcome(self._true.outcome(job), self._number, command)
            self._changed[job] = run_in_expressions(changed.summary(), changed, command)
        return self._changed[job]


def unfailing(result: ExperimentResult, outcomes: Outcomes, seed: int) -> Iterator[Claim]:
    """Yields the claims about runs that hold with a seed and still hold after every change.

    A change after which a claim cannot be evaluated counts neither for nor against it.
    """
    index = result.seeds.index(seed)
    changed = [ChangedOutcomes(outcomes, number) for number in range(CHANGES)]
    for claim_result in result.claims:
        claim = claim_result.claim
        if not claim.about_runs or not claim_result.holds[index]:
            continue
        tried = (_evaluated(result, claim, others, seed) for others in changed)
        if not any(holds is False for holds in tried):
            yield claim


def _evaluated(result: ExperimentResult, claim: Claim, outcomes: Outcomes, seed: int) -> Any:
    scope = scope_of(result.paper, result.experiment, outcomes, seed)
    scope |= scope_of_used(result.paper, claim.uses, outcomes, seed)
    try:
        return evaluate(claim.holds_if, scope)
    except ExpressionError:
        return None
