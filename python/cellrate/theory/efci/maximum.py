"""Maximum of the queue: phase 4 and phase 1 of the fluid model."""

from __future__ import annotations

import numpy as np

from cellrate.theory.arrays import Numbers, plain
from cellrate.theory.efci.loop import EfciLoop, Floats

# The two misprinted terms of equation (5), as printed.
ROOT_TERM = "RDF sqrt(2 AIR N Q_H / BW)"
LOGARITHM = "- RDF N log(1 + 2 AIR Q_H / BW)"


def rise_seconds(loop: EfciLoop, minimum_cells: Floats) -> Floats:
    """Time s_H in which the queue grows from its minimum to Q_H.

    The aggregate rate is BW at the minimum and grows by AIR BW per second (phases 2 and 4).
    """
    return np.sqrt(2 * np.maximum(loop.high - minimum_cells, 0.0) / (loop.air * loop.bw))


def overload(loop: EfciLoop, minimum_cells: Floats) -> Floats:
    """Excess u of the aggregate rate over BW, as a share of BW, when the decrease arrives."""
    return loop.air * (rise_seconds(loop, minimum_cells) + loop.tau)


def growing_cells(loop: EfciLoop, minimum_cells: Floats) -> Floats:
    """Growth of the queue from its minimum until the decrease arrives: AIR BW (s_H + tau)^2 / 2."""
    return loop.air * loop.bw / 2 * (rise_seconds(loop, minimum_cells) + loop.tau) ** 2


def braking_cells(loop: EfciLoop, minimum_cells: Floats) -> Floats:
    """Growth of the queue while ACR falls to BW / N in phase 1: N RDF (u - ln(1 + u))."""
    u = overload(loop, minimum_cells)
    return loop.bw / loop.kappa * (u - np.log1p(u))


def maximum_from(loop: EfciLoop, minimum_cells: Floats) -> Floats:
    """Maximum of the queue after a minimum of `minimum_cells`, which may be negative."""
    grown = growing_cells(loop, minimum_cells) + braking_cells(loop, minimum_cells)
    return minimum_cells + grown


def maximum_queue_bound_cells(loop: EfciLoop) -> Numbers:
    """Greatest queue that grows from an empty one: equation (5) of Ohsaki et al. 1995, corrected.

    Q_max = Q_H + N RDF sqrt(2 AIR Q_H / BW) - N RDF ln(1 + AIR tau + sqrt(2 AIR Q_H / BW))
    + tau^2 AIR BW / 2 + tau (sqrt(2 AIR BW Q_H) + AIR RDF N)

    It bounds the queue of every limit cycle with `growth` = "delayed", and of limit cycles that do
    not empty the queue. With "immediate", a cycle that empties the queue may exceed it, because the
    rate still grows exponentially for a round trip after it has reached BW.
    """
    return plain(maximum_from(loop, np.zeros(loop.shape)))


def printed_maximum_queue_cells(loop: EfciLoop) -> Numbers:
    """Equation (5) of Ohsaki et al. 1995 exactly as printed, which is wrong in two terms."""
    return plain(sum(printed_terms(loop).values(), np.zeros(loop.shape)))


def corrected_terms(loop: EfciLoop) -> dict[str, Floats]:
    """The six terms of the corrected equation (5) in cells; the keys are the printed terms."""
    root = np.sqrt(2 * loop.air * loop.high / loop.bw)
    terms = _right_terms(loop)
    terms[ROOT_TERM] = loop.n * loop.rdf_cells * root
    logarithm = np.log1p(loop.air * loop.tau + root)
    terms[LOGARITHM] = -loop.n * loop.rdf_cells * logarithm
    return terms


def printed_terms(loop: EfciLoop) -> dict[str, Floats]:
    """The six terms of equation (5) as printed, in cells."""
    air, rdf, bw = loop.air, loop.rdf_cells, loop.bw
    terms = _right_terms(loop)
    terms[ROOT_TERM] = rdf * np.sqrt(2 * air * loop.n * loop.high / bw)
    logarithm = np.log1p(2 * air * loop.high / bw)
    terms[LOGARITHM] = -rdf * loop.n * logarithm
    return terms


def _right_terms(loop: EfciLoop) -> dict[str, Floats]:
    """The four terms of equation (5) that are printed correctly, in cells."""
    air, bw, tau = loop.air, loop.bw, loop.tau
    return {
        "Q_H": loop.high,
        "tau^2 AIR BW / 2": tau**2 * air * bw / 2,
        "tau sqrt(2 AIR BW Q_H)": tau * np.sqrt(2 * air * bw * loop.high),
        "tau AIR RDF N": tau * air * loop.rdf_cells * loop.n,
    }
