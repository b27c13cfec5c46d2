"""Complaints of `cellrate reproduce --check`."""

from __future__ import annotations

from cellrate.reproduce.falsifiable import unfailing
from cellrate.reproduce.golden import SEED, differences, golden_lines, golden_path
from cellrate.reproduce.reproduction import Reproduction
from cellrate.reproduce.runs import Outcomes
from cellrate.reproduce.stored import ASSUMED, read_stored, stored_path


def complaints_of(part: Reproduction, outcomes: Outcomes) -> list[str]:
    """Changed results, proofs that do not hold, and claims that no result could make fail."""
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
