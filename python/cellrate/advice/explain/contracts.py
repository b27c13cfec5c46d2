"""Statements on traffic contracts: the bursts that policers and shapers let pass."""

from __future__ import annotations

import math
from collections.abc import Iterator

from cellrate.advice.explain.answer import Statement, Value
from cellrate.advice.explain.subject import Subject
from cellrate.simulation.network.ends import Parameters
from cellrate.theory.cell_conversions import CELL_BITS
from cellrate.theory.gcra import burst_at_peak_cells

TOPIC = "contract"
BECOMES = {"pass": "are counted alone", "tag": "get CLP = 1", "drop": "are dropped"}


def statements(subject: Subject) -> Iterator[Statement]:
    """Statements on the policer and on the shapers of each flow group that has one."""
    for name, (flow, *_) in subject.network.groups(subject.network.flows).items():
        if flow.policer is not None:
            cells = f"cells beyond it {BECOMES[flow.policer['action']]}"
            yield _burst(name, "policer", "admits", flow.policer, f"; {cells}")
        if flow.gfr is not None:
            pdu = 0 if flow.tcp is None else flow.tcp.segment_cells
            yield _guaranteed(name, flow.gfr, pdu)
        if flow.shaper is not None:
            yield _burst(name, "shaper", "sends", flow.shaper, "")
        if flow.port_shaper is not None:
            yield _burst(name, "shaper at ports", "releases", flow.port_shaper, "")


def _guaranteed(name: str, contract: Parameters, pdu_cells: int) -> Statement:
    peak, least = (float(contract[f"{key}_cells_per_second"]) for key in ("pcr", "mcr"))
    cells = contract["mbs_cells"]
    burst = burst_at_peak_cells(peak, least, cells, contract.get("cdvt_seconds") or 0.0)
    beyond = (
        "frames beyond it are tagged with CLP = 1"
        if contract["conformance"] == "gfr-2"
        else "frames beyond it keep their CLP"
    )
    cut = (
        f" But full segments have {pdu_cells} cells: the last cells of each are dropped, and TCP "
        "delivers none of them."
        if pdu_cells > contract["mfs_cells"]
        else ""
    )
    return Statement(
        TOPIC,
        f"{name}: GFR promises {least * CELL_BITS / 1e6:.4g} Mbit/s (MCR) to frames with CLP = 0 "
        f"of at most {contract['mfs_cells']:,.0f} cells. After a pause MCR covers frames that "
        f"begin within {burst:,.0f} cells at {peak * CELL_BITS / 1e6:.4g} Mbit/s (PCR), which no "
        f"cell may exceed; {beyond}. Whether TCP gets MCR depends on the switches.{cut}",
        {
            "group": name,
            "place": "gfr",
            "pcr_cells_per_second": peak,
            "mcr_cells_per_second": least,
            "burst_cells": None if math.isinf(burst) else int(burst),
        },
        "gcra-burst",
    )


def _burst(name: str, place: str, does: str, contract: Parameters, more: str) -> Statement:
    peak = float(contract["pcr_cells_per_second"])
    sustained = contract.get("scr_cells_per_second")
    values: dict[str, Value] = {"group": name, "place": place, "pcr_cells_per_second": peak}
    rate = f"PCR, {peak * CELL_BITS / 1e6:.4g} Mbit/s"
    if sustained is None or sustained >= peak:
        return Statement(
            TOPIC,
            f"{name}: the {place} {does} cells at {rate}, without end{more}.",
            values | {"burst_cells": None},
        )
    burst = burst_at_peak_cells(
        peak, sustained, contract["mbs_cells"], contract.get("cdvt_seconds") or 0.0
    )
    return Statement(
        TOPIC,
        f"{name}: the {place} {does} {burst:,.0f} cells one after another at {rate}, and "
        f"{sustained * CELL_BITS / 1e6:.4g} Mbit/s (SCR) in the long run{more}.",
        values | {"scr_cells_per_second": sustained, "burst_cells": int(burst)},
        "gcra-burst",
    )
