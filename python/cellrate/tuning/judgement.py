"""What the fluid model of EFCI says of every (RIF, RDF) that the standard can signal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from cellrate.theory.efci import STANDARD_FACTORS, Feasibility, feasibility
from cellrate.tuning.model import Model

Truths: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Judgement:
    """Every standard set of factors, judged by the model.

    Attributes:
        rif: RIF of each set.
        rdf: RDF of each set; 1 is left out, for a factor that ends all sending has no model.
        found: The conditions for the loop as it is simulated.
        continuous: The conditions with the paper's continuous decrease and propagation alone.
        utilisation: Share of the bottleneck that is used while the scenario measures: in steady
            state, less what a slow start leaves unused.
        buffer_cells: What the queue is held against.
    """

    rif: Floats
    rdf: Floats
    found: Feasibility
    continuous: Feasibility
    utilisation: Floats
    buffer_cells: float

    @property
    def overflow_cells(self) -> Floats:
        """By how much Q_max exceeds the buffer; negative if it does not."""
        return np.asarray(self.found.maximum_queue_bound_cells - self.buffer_cells)

    @property
    def idle_cells(self) -> Floats:
        """How far below zero Q_min falls; negative if it does not."""
        return -np.asarray(self.found.minimum_queue_cells)

    @property
    def feasible(self) -> Truths:
        """Both conditions."""
        return np.asarray(self.found.feasible)


def judged(model: Model) -> Judgement:
    """The model's word on every set of factors 2^-k with k of 0..15."""
    factors = np.meshgrid(STANDARD_FACTORS, STANDARD_FACTORS[1:], indexing="ij")
    rif, rdf = (one.ravel() for one in factors)
    simulated = model.simulated(rif, rdf)
    found = feasibility(simulated, model.buffer_cells)
    continuous = feasibility(model.loop.with_(rif=rif, rdf=rdf), model.buffer_cells)
    used = model.start_up.utilisation(simulated, found.utilisation)
    return Judgement(rif, rdf, found, continuous, used, model.buffer_cells)
