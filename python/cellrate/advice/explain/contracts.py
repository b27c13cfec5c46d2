"""Statements on traffic contracts: the bursts that policers and shapers let pass."""

from __future__ import annotations

import math
from collections.abc import Iterator

from cellrate.advice.explain.answer import Statement, Value
from cellrate.advice.explain.subject import Subject, mbit
from cellrate.simulation.network import Flow, Link, Network, booked_cells_per_second
from cellrate.simulation.network.ends import Parameters
from cellrate.theory.cell_conversions import CELL_BITS
from cellrate.theory.gcra import burst_at_peak_cells, burst_tolerance_seconds

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
            yield _guaranteed(name, flow.gfr, pdu, _overbooked(subject.network, flow))
        if flow.shaper is not None:
            yield _shaped(name, flow.shaper, flow.access)
        if flow.port_shaper is not None:
            yield _burst(name, "shaper at ports", "releases", flow.port_shaper, "")


def _overbooked(network: Network, flow: Flow) -> tuple[Link, float] | None:
    """The first port of a flow that promises more than its link carries, with what it promises."""
    for port in filter(lambda link: link.is_port, flow.forward):
        booked = booked_cells_per_second(network, port)
        if booked > port.cells_per_second * (1 + 1e-9):
            return port, booked
    return None


def _shaped(name: str, contract: Parameters, access: Link) -> Statement:
    """Statement on a shaper; cells leave no faster than the access link carries them."""
    line, peak = access.cells_per_second, float(contract["pcr_cells_per_second"])
    sustained = contract.get("scr_cells_per_second")
    if min(peak, sustained or peak) >= line:
        return Statement(
            TOPIC,
            f"{name}: the shaper delays no cell, since its rates are not below that of "
            f"{access.name}, {mbit(line)}.",
            {"group": name, "place": "shaper", "pcr_cells_per_second": peak, "burst_cells": None},
        )
    if peak <= line or sustained is None:
        return _burst(name, "shaper", "sends", contract, "")
    tolerance = float(burst_tolerance_seconds(peak, sustained, contract["mbs_cells"]))
    burst = burst_at_peak_cells(line, sustained, 1, tolerance)
    return Statement(
        TOPIC,
        f"{name}: the shaper sends {burst:,.0f} cells one after another at the rate of "
        f"{access.name}, {mbit(line)}, which is below PCR, and {mbit(sustained)} (SCR) in the long "
        "run.",
        {
            "group": name,
            "place": "shaper",
            "pcr_cells_per_second": peak,
            "scr_cells_per_second": sustained,
            "burst_cells": int(burst),
        },
        "gcra-burst",
    )


def _guaranteed(
    name: str, contract: Parameters, pdu_cells: int, overbooked: tuple[Link, float] | None
) -> Statement:
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
    promised = f"GFR promises {least * CELL_BITS / 1e6:.4g} Mbit/s (MCR) to"
    gets = "Whether TCP gets MCR depends on the switches."
    if overbooked is not None:
        port, booked = overbooked
        promised = f"the contract has an MCR of {least * CELL_BITS / 1e6:.4g} Mbit/s for"
        gets = (
            f"Not all flows can have their MCRs: {port.name} carries "
            f"{mbit(port.cells_per_second)}, but MCRs and sources that do not yield come to "
            f"{mbit(booked)} there."
        )
    return Statement(
        TOPIC,
        f"{name}: {promised} frames with CLP = 0 "
        f"of at most {contract['mfs_cells']:,.0f} cells. After a pause MCR covers frames that "
        f"begin within {burst:,.0f} cells at {peak * CELL_BITS / 1e6:.4g} Mbit/s (PCR), which no "
        f"cell may exceed; {beyond}. {gets}{cut}",
        {
            "group": name,
            "place": "gfr",
            "pcr_cells_per_second": peak,
            "mcr_cells_per_second": least,
            "burst_cells": None if math.isinf(burst) else int(burst),
            "overbooked": overbooked is not None,
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
