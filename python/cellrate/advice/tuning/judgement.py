"""Judgement of the fluid model of EFCI on every (RIF, RDF) that the standard can signal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from cellrate.advice.tuning.model import Model
from cellrate.theory.efci import STANDARD_FACTORS, Feasibility, feasibility

Truths: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Judgement:
    """The model's results for every pair of RIF and RDF that can be signalled.

    Attributes:
        rif: RIF of each pair.
        rdf: RDF of each pair; 1 is left out, since the model does not cover a factor that stops
            all sending.
        found: The two conditions for the loop as it is simulated.
        continuous: The two conditions with the paper's continuous decrease, and with propagation
            as the only delay.
        utilisation: Used share of the bottleneck during the measuring window: steady state, less
            the capacity that a slow start leaves unused.
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
        """The bound of Q_max less the buffer; positive if the buffer may overflow."""
        return np.asarray(self.found.maximum_queue_bound_cells - self.buffer_cells)

    @property
    def idle_cells(self) -> Floats:
        """Q_min with its sign reversed; positive if the queue empties."""
        return -np.asarray(self.found.minimum_queue_cells)

    @property
    def feasible(self) -> Truths:
        """True where both conditions hold."""
        return np.asarray(self.found.feasible)


def judged(model: Model) -> Judgement:
    """Applies the model to every pair of factors 2^-k with k from 0 to 15."""
    factors = np.meshgrid(STANDARD_FACTORS, STANDARD_FACTORS[1:], indexing="ij")
    rif, rdf = (factor.ravel() for factor in factors)
    simulated = model.simulated(rif, rdf)
    found = feasibility(simulated, model.buffer_cells)
    continuous = feasibility(model.loop.with_(rif=rif, rdf=rdf), model.buffer_cells)
    used = model.start_up.utilisation(simulated, found.utilisation)
    return Judgement(rif, rdf, found, continuous, used, model.buffer_cells)
