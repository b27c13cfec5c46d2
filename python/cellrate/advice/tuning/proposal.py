"""Selects the pairs of RIF and RDF to simulate from the model's judgement."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from math import ceil

import numpy as np

from cellrate.advice.tuning.judgement import Floats, Judgement, Truths
from cellrate.advice.tuning.laboratory import Setting
from cellrate.advice.tuning.model import Model

NEIGHBOURS = 3
"""One of this many simulated pairs lies just outside the feasible region."""


@dataclass(frozen=True)
class Proposal:
    """Settings that the model proposes for simulation.

    Attributes:
        feasible: Feasible pairs, the best first.
        boundary: Pairs just outside the feasible region, so that a small error of the model does
            not hide the best pair; they alternate between overflow and an idle link.
        lossless: If no pair is feasible: pairs without overflow, the highest utilisation first.
        full: If no pair is feasible: pairs with overflow, the highest utilisation first.
    """

    feasible: tuple[Setting, ...] = ()
    boundary: tuple[Setting, ...] = ()
    lossless: tuple[Setting, ...] = ()
    full: tuple[Setting, ...] = ()

    @property
    def settings(self) -> tuple[Setting, ...]:
        """All proposed settings, without duplicates."""
        every = (*self.feasible, *self.boundary, *self.lossless, *self.full)
        return tuple(dict.fromkeys(every))


def proposal(model: Model, judgement: Judgement, settings: int) -> Proposal:
    """Selects the most promising pairs.

    Feasible pairs lose nothing and keep the link full once it is full. They are ordered by the
    utilisation of the run, which a slow start lowers, and then by the maximum of the queue. Pairs
    on the boundary are ordered by the number of cells by which they miss a condition. Without a
    feasible pair, half of the proposals are pairs without overflow and half are pairs with it,
    ordered like feasible ones.

    Args:
        model: The model of the scenario.
        judgement: The model's judgement of all pairs.
        settings: Number of settings to propose.
    """
    pick = _Picker(model, judgement)
    if not judgement.feasible.any():
        half = ceil(settings / 2)
        dry = np.asarray(judgement.found.avoids_overflow)
        return Proposal(
            lossless=pick.first(half, dry, -_whole_percent(judgement)),
            full=pick.first(settings - half, ~dry, -_whole_percent(judgement)),
        )
    outside = _beside(judgement) & ~judgement.feasible
    boundary = min(settings // NEIGHBOURS, int(outside.sum()))
    inside = min(settings - boundary, int(judgement.feasible.sum()))
    overflowing = judgement.overflow_cells > 0
    sides = [
        pick.first(settings - inside, outside & side, missed_cells(judgement))
        for side in (overflowing, ~overflowing)
    ]
    mixed = [one for pair in zip_longest(*sides) for one in pair if one is not None]
    return Proposal(
        feasible=pick.first(inside, judgement.feasible, -_whole_percent(judgement)),
        boundary=tuple(mixed[: settings - inside]),
    )


def missed_cells(judgement: Judgement) -> Floats:
    """Cells by which each pair misses the condition that it misses most; 0 if it meets both."""
    worst = np.maximum(judgement.overflow_cells, judgement.idle_cells)
    return np.asarray(np.maximum(worst, 0.0))


@dataclass(frozen=True)
class _Picker:
    """Picks pairs by a mask and a rank."""

    model: Model
    judgement: Judgement

    def first(self, count: int, mask: Truths, rank: Floats) -> tuple[Setting, ...]:
        """The first `count` pairs in the mask; equal ranks are ordered by the maximum queue."""
        queue = np.asarray(self.judgement.found.maximum_queue_cells)
        order = np.lexsort((queue, rank))
        chosen = [at for at in order if mask[at]][:count]
        rif, rdf = self.judgement.rif, self.judgement.rdf
        return tuple(self.model.setting(float(rif[at]), float(rdf[at])) for at in chosen)


def _whole_percent(judgement: Judgement) -> Floats:
    """Utilisation rounded to whole per cent; the model is not accurate enough for more."""
    return np.round(judgement.utilisation, 2)


def _beside(judgement: Judgement) -> Truths:
    """True for pairs at most one step of RIF and one of RDF away from a feasible pair."""
    k = np.log2(np.stack([judgement.rif, judgement.rdf]))
    inside = k[:, judgement.feasible]
    steps = np.abs(k[:, :, None] - inside[:, None, :]).max(axis=0)
    return np.asarray((steps <= 1).any(axis=1))
