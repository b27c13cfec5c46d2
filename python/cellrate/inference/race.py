"""The race: which values get more seeds than the first."""

from __future__ import annotations

from cellrate.inference.exclusion import p_values
from cellrate.inference.hold_out import hold_out
from cellrate.inference.scores import ASSUMED, Scores

OUT_BELOW = 0.01


def out_of_the_race(scores: Scores) -> frozenset[int]:
    """Values that get no more seeds, since they could not be used whatever these said.

    All but the assumed one where none holds out with the first seed: a value has to do so with that
    one alone and with all of them. Elsewhere those that lose clearly with it. Never the assumed
    one: all others are compared with it.
    """
    others = range(ASSUMED + 1, len(scores.met))
    if hold_out(scores).verdict != "held-out":
        return frozenset(others)
    p = p_values(scores)
    return frozenset(v for v in others if (chance := p[v]) is not None and chance < OUT_BELOW)
