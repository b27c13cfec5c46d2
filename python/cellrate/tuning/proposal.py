"""Which of the sets that the model judged are worth simulating."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from math import ceil

import numpy as np

from cellrate.tuning.judgement import Floats, Judgement, Truths
from cellrate.tuning.laboratory import Setting
from cellrate.tuning.model import Model

NEIGHBOURS = 3
"""One in so many of the sets that are simulated lies just outside the feasible region."""


@dataclass(frozen=True)
class Proposal:
    """What is simulated on the model's word.

    Attributes:
        feasible: Feasible sets, the best first.
        boundary: Sets just outside of the feasible region, so that a model that errs a little does
            not hide the best set; as many on the side of overflow as on that of the idle link.
        lossless: If no set is feasible: those without overflow, the highest utilisation first.
        full: If no set is feasible: those with overflow, the highest utilisation first.
    """

    feasible: tuple[Setting, ...] = ()
    boundary: tuple[Setting, ...] = ()
    lossless: tuple[Setting, ...] = ()
    full: tuple[Setting, ...] = ()

    @property
    def settings(self) -> tuple[Setting, ...]:
        """All, each once."""
        every = (*self.feasible, *self.boundary, *self.lossless, *self.full)
        return tuple(dict.fromkeys(every))


def proposal(model: Model, judgement: Judgement, settings: int) -> Proposal:
    """The most promising sets.

    Feasible ones lose nothing and keep the link full once it is full: the highest utilisation of
    the run is best, which a slow start spoils, and among equal ones the least maximum of the queue;
    the boundary is ordered by how much of the buffer the missed condition is missed by. Without a
    feasible set, half are those without overflow and half those with it, in the same order.

    Args:
        model: What was judged.
        judgement: All sets.
        settings: How many to propose.
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
    """By how many cells each set misses the condition that it misses most; 0 if it meets both."""
    worst = np.maximum(judgement.overflow_cells, judgement.idle_cells)
    return np.asarray(np.maximum(worst, 0.0))


@dataclass(frozen=True)
class _Picker:
    """Picks sets by a mask and a rank."""

    model: Model
    judgement: Judgement

    def first(self, count: int, mask: Truths, rank: Floats) -> tuple[Setting, ...]:
        """The first few of the sets in the mask; equal ranks by the maximum of the queue."""
        queue = np.asarray(self.judgement.found.maximum_queue_cells)
        order = np.lexsort((queue, rank))
        chosen = [at for at in order if mask[at]][:count]
        rif, rdf = self.judgement.rif, self.judgement.rdf
        return tuple(self.model.setting(float(rif[at]), float(rdf[at])) for at in chosen)


def _whole_percent(judgement: Judgement) -> Floats:
    """Utilisation to the percent: the model does not tell apart what is closer."""
    return np.round(judgement.utilisation, 2)


def _beside(judgement: Judgement) -> Truths:
    """Sets one step of RIF or RDF, or of both, away from a feasible one."""
    k = np.log2(np.stack([judgement.rif, judgement.rdf]))
    inside = k[:, judgement.feasible]
    steps = np.abs(k[:, :, None] - inside[:, None, :]).max(axis=0)
    return np.asarray((steps <= 1).any(axis=1))
