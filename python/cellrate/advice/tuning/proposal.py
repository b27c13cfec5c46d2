"""Judges every pair (RIF, RDF) by the fluid model of EFCI, and proposes pairs for simulation."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from math import ceil, isfinite, log
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from cellrate.advice.tuning.fluid_model import FluidModel
from cellrate.advice.tuning.laboratory import Setting
from cellrate.common.numbers import number
from cellrate.studies.parameters.ranges import written
from cellrate.theory.efci import STANDARD_FACTORS, Feasibility, feasibility

Truths: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float64]


SLOW = 0.01
"""A slow start is mentioned if it leaves more than this share of the bottleneck unused."""
NEIGHBOURS = 3
"""Of this many simulated pairs, one is taken from just outside the feasible region."""


@dataclass(frozen=True)
class Judgement:
    """The model's results for every pair of RIF and RDF that can be signalled.

    Attributes:
        rif: RIF of each pair.
        rdf: RDF of each pair; 1 is left out, since the model does not cover a factor that stops
            all sending.
        found: The two conditions (no overflow, no idle link) for the loop as it is simulated.
        continuous: The two conditions with the paper's continuous decrease, and with propagation
            as the only delay.
        utilisation: Used share of the bottleneck during the measuring window: the share in steady
            state, minus the share that a slow start leaves unused.
        buffer_cells: Buffer of the bottleneck, the limit of the queue.
    """

    rif: Floats
    rdf: Floats
    found: Feasibility
    continuous: Feasibility
    utilisation: Floats
    buffer_cells: float

    @property
    def overflow_cells(self) -> Floats:
        """The bound of Q_max minus the buffer; positive if the buffer may overflow."""
        return np.asarray(self.found.maximum_queue_bound_cells - self.buffer_cells)

    @property
    def idle_cells(self) -> Floats:
        """Q_min with its sign reversed; positive if the queue empties."""
        return -np.asarray(self.found.minimum_queue_cells)

    @property
    def feasible(self) -> Truths:
        """True where both conditions hold."""
        return np.asarray(self.found.feasible)

    def verdict(self, at: int) -> str:
        """Names the conditions that a pair misses and by how much, and mentions a slow start."""
        parts = []
        if self.overflow_cells[at] > 0:
            parts.append(f"overflows by {number(round(float(self.overflow_cells[at])))} cells")
        share = float(np.asarray(self.found.utilisation)[at])
        if self.idle_cells[at] >= 0:
            parts.append(f"queue empties, utilisation {share:.3f}")
        if self.utilisation[at] < share - SLOW:
            parts.append(f"slow to start, utilisation {self.utilisation[at]:.3f} of this run")
        if self.feasible[at]:
            parts.insert(0, "feasible")
        return ", ".join(parts)

    def infeasible_pairs(self) -> str:
        """Counts the pairs that are not feasible, by the condition that they miss."""
        overflows, idles = self.overflow_cells > 0, self.idle_cells >= 0
        counts = {
            "may overflow": overflows & ~idles,
            "let the queue empty": idles & ~overflows,
            "do both": overflows & idles,
        }
        parts = [f"{int(where.sum())} {fault}" for fault, where in counts.items() if where.any()]
        return "of the other pairs, " + ", ".join(parts) if parts else "there are no other pairs"


def judged(model: FluidModel) -> Judgement:
    """Applies the model to every pair of factors 2^-k with k from 0 to 15."""
    factors = np.meshgrid(STANDARD_FACTORS, STANDARD_FACTORS[1:], indexing="ij")
    rif, rdf = (factor.ravel() for factor in factors)
    simulated = model.simulated(rif, rdf)
    found = feasibility(simulated, model.buffer_cells)
    continuous = feasibility(model.loop.with_(rif=rif, rdf=rdf), model.buffer_cells)
    used = model.start_up.utilisation(simulated, found.utilisation)
    return Judgement(rif, rdf, found, continuous, used, model.buffer_cells)


@dataclass(frozen=True)
class Proposal:
    """Settings that the model proposes for simulation.

    Attributes:
        feasible: Feasible pairs, the best first.
        boundary: Pairs just outside the feasible region, so that a small error of the model does
            not hide the best pair; they alternate between overflow and an idle link.
        lossless: Pairs without overflow, the highest utilisation first; only if no pair is
            feasible.
        full: Pairs with overflow, the highest utilisation first; only if no pair is feasible.
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


def proposal(model: FluidModel, judgement: Judgement, settings: int) -> Proposal:
    """Selects the most promising pairs of RIF and RDF.

    A feasible pair loses nothing and keeps the link full once the link is full. If feasible pairs
    exist, most proposals are feasible pairs, by utilisation of the run (which a slow start lowers)
    and then by maximum queue. One of `NEIGHBOURS` proposals is then a pair just outside the
    feasible region: the pairs that miss a condition by the fewest cells come first. If no feasible
    pair exists, half of the proposals are pairs without overflow and half are pairs with overflow.
    Each half is ordered by utilisation of the run, then by maximum queue.

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
    """The greater of the cells that each pair of RIF and RDF loses and those that it leaves unsent.

    0 if the pair neither overflows the buffer nor lets the link idle.
    """
    worst = np.maximum(judgement.overflow_cells, judgement.idle_cells)
    return np.asarray(np.maximum(worst, 0.0))


@dataclass(frozen=True)
class _Picker:
    """Picks pairs by a mask and a rank."""

    model: FluidModel
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


@dataclass(frozen=True)
class ModelResults:
    """The fluid model of a scenario, with its judgement and its proposal."""

    model: FluidModel
    judgement: Judgement
    proposal: Proposal

    def place_of(self, setting: Setting) -> int | None:
        """Index of a setting in the judgement; None if it is no standard pair of RIF and RDF."""
        values, paths = dict(setting.values), self.model.paths
        if set(values) - {path for own in paths for path in own}:
            return None
        own = (float(np.asarray(factor)) for factor in (self.model.loop.rif, self.model.loop.rdf))
        rif, rdf = (
            float(next((values[path] for path in set_by if path in values), fallback))
            for set_by, fallback in zip(paths, own, strict=True)
        )
        found = np.flatnonzero((self.judgement.rif == rif) & (self.judgement.rdf == rdf))
        return int(found[0]) if found.size else None

    def verdict(self, setting: Setting) -> str:
        """The model's verdict on a setting; empty if there is none."""
        at = self.place_of(setting)
        return "" if at is None else self.judgement.verdict(at)

    def region(self) -> str:
        """The sentence with the number of pairs that the model finds feasible."""
        judgement, loop, buffer_cells = self.judgement, self.model.loop, self.model.buffer_cells
        count, total = int(judgement.feasible.sum()), judgement.rif.size
        continuous = int(np.asarray(judgement.continuous.feasible).sum())
        buffer = (
            f"buffer {number(buffer_cells)} cells" if isfinite(buffer_cells) else "unlimited buffer"
        )
        network = (
            f"{int(loop.n)} sources, {number(float(loop.bw))} cells/s, round trip "
            f"{number(1e3 * float(loop.tau))} ms, {buffer}"
        )
        if count:
            return (
                f"The fluid model finds {count} of {total} pairs of RIF and RDF feasible "
                f"({network}); {judgement.infeasible_pairs()}. With the paper's continuous "
                f"decrease and propagation delay alone {continuous} pairs are feasible."
            )
        return (
            f"No pair of RIF and RDF avoids overflow and keeps the link full ({network}): of "
            f"{total} pairs {int(np.asarray(judgement.found.avoids_overflow).sum())} avoid "
            f"overflow, {int(np.asarray(judgement.found.keeps_link_full).sum())} keep the link "
            "full."
        )

    def pace(self, setting: Setting) -> list[str]:
        """The sentence with the time in which rates double while the queue is empty.

        Slow settings are only good where the available bandwidth changes little.
        """
        at = self.place_of(setting)
        if at is None:
            return []
        loop = self.model.simulated(self.judgement.rif[at], self.judgement.rdf[at])
        seconds = float(f"{log(2) / float(loop.with_(growth='delayed').lam):.2g}")
        return [
            (
                f"With {setting.label} the rates double every {written(seconds, 'Time')} while the "
                "queue is empty."
            )
        ]
