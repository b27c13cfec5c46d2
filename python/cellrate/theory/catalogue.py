"""Catalogue of all formulas, in the order in which they are listed."""

from __future__ import annotations

from cellrate.theory import (
    available_bandwidth,
    cell_conversions,
    credit,
    dcqcn,
    dcqcn_convergence,
    dctcp,
    fair_queueing,
    gcra,
    goodput_bound,
    hpcc,
    peak_throughput,
    queueing,
    tcp_over_abr,
    timely,
)
from cellrate.theory.efci import feasible
from cellrate.theory.efci import formulae as efci
from cellrate.theory.formula import Formula
from cellrate.theory.max_min import FORMULA as MAX_MIN

CATALOGUE: tuple[Formula, ...] = (
    *cell_conversions.FORMULAE,
    peak_throughput.FORMULA,
    goodput_bound.FORMULA,
    available_bandwidth.FORMULA,
    *tcp_over_abr.FORMULAE,
    *credit.FORMULAE,
    *gcra.FORMULAE,
    dctcp.FORMULA,
    *dcqcn.FORMULAE,
    dcqcn_convergence.FORMULA,
    timely.FORMULA,
    hpcc.FORMULA,
    MAX_MIN,
    *fair_queueing.FORMULAE,
    *queueing.FORMULAE,
    *efci.FORMULAE,
    feasible.FORMULA,
)
