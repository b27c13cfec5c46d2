"""Checks that RM cells carry the rates of their source."""

import math
from collections.abc import Iterator
from pathlib import Path

from cellrate import Result

from proof.oracles.tshark.cases import MCR, PCR
from proof.oracles.tshark.findings import Findings
from proof.oracles.tshark.reading import OUR_DISSECTOR, TRUE, Row, rows

CELL_SECONDS = 1 / PCR
FORWARD, BACKWARD = ("0", "0"), ("1", "1")
"""Direction and channel of FRM cells that leave, and of BRM cells that return."""
FIELDS = (
    "frame.time_epoch",
    "atm.channel",
    *(f"rm.{name}" for name in ("dir", "crc_good", "ci", "ni", "er", "ccr", "mcr")),
)


def carried(rate: float) -> float:
    """A rate in cells/s as an RM cell carries it: cut off to nine bits after the leading one.

    Traffic Management 4.0, section 5.10.3.
    """
    mantissa, exponent = math.frexp(rate)
    return math.ldexp(math.floor(mantissa * 1024), exponent - 10)


def rm_cells(found: Findings, path: Path, result: Result, flow: str) -> None:
    """Checks RM cells at a source, read by cellrate's dissector: their number and their rates.

    In every cell MCR is the contract's, and ER is at most PCR, which FRM cells request. CCR is the
    ACR of the trace when the cell is sent.
    """
    seen = rows(path, FIELDS, "rm", OUR_DISSECTOR)
    vcs = {vc["name"]: vc for vc in result.summary["vcs"]}
    ours = vcs[f"{flow}/forward"]["frm_cells_sent"]
    asked = [row for row in seen if _kind(row) == FORWARD]
    found.expect(ours - len(asked) in (0, 1), f"{path.name}: {len(asked)} FRM cells, report {ours}")
    wrong = [row for row in seen if row["rm.crc_good"] not in TRUE]
    found.expect(not wrong, f"{path.name}: {len(wrong)} CRC-10 wrong")
    least = {float(row["rm.mcr"]) for row in seen}
    found.expect(least == {carried(MCR)}, f"{path.name}: MCR {least}, contract {carried(MCR)}")
    high = [row["rm.er"] for row in seen if not 0 < float(row["rm.er"]) <= carried(PCR)]
    found.expect(not high, f"{path.name}: ER {high[:3]} above PCR {carried(PCR)}")
    less = [row["rm.er"] for row in asked if float(row["rm.er"]) != carried(PCR)]
    found.expect(not less, f"{path.name}: FRM cells ask for {less[:3]}, PCR {carried(PCR)}")
    _ccr(found, path, asked, result, flow)
    _marks(found, path, seen)
    found.count("RM cells by our dissector", len(seen))


def _ccr(found: Findings, path: Path, asked: list[Row], result: Result, flow: str) -> None:
    """Checks that CCR of an FRM cell is one of the values of ACR while the cell is sent."""
    acr = result.series("acr", f"{flow}/forward")
    for row in asked:
        left, ccr = float(row["frame.time_epoch"]), float(row["rm.ccr"])
        first, behind = acr.time.searchsorted([left - 2 * CELL_SECONDS, left], side="right")
        had = {carried(rate) for rate in acr.maximum[max(first - 1, 0) : behind]}
        found.expect(ccr in had, f"{path.name}: CCR {ccr} at {left} s, ACR {sorted(had)}")
    various = {row["rm.ccr"] for row in asked}
    found.expect(len(various) > 10, f"{path.name}: CCR has only the values {various}")
    found.count("CCR equal to ACR", len(asked))


def _marks(found: Findings, path: Path, seen: list[Row]) -> None:
    """Checks that CCR rises only after BRM without CI and NI; falls or is MCR if all BRM had CI."""
    for before, after, answers in _pairs(seen):
        allowed = [answer for answer in answers if not _is_set(answer, "ci", "ni")]
        told = f"{path.name}: CCR from {before} to {after} cells/s"
        if after > before:
            found.expect(bool(allowed), f"{told}, which no BRM cell allows")
        elif after == before > carried(MCR):
            all_marked = bool(answers) and all(_is_set(answer, "ci") for answer in answers)
            found.expect(not all_marked, f"{told}, though all BRM cells have CI")
        if answers:
            found.count("changes of CCR as CI and NI say", 1)
    marked = sum(_is_set(row, "ci") for row in seen)
    found.expect(0 < marked < len(seen), f"{path.name}: CI in {marked} of {len(seen)} RM cells")


def _pairs(seen: list[Row]) -> Iterator[tuple[float, float, list[Row]]]:
    """CCR of each two consecutive FRM cells, and the BRM cells that arrived between them.

    A BRM cell that arrives while an FRM cell is being transmitted counts as after the FRM cell.
    """

    def made(row: Row) -> float:
        time = float(row["frame.time_epoch"])
        return time - CELL_SECONDS if _kind(row) == FORWARD else time

    before, answers = None, []
    for row in sorted(seen, key=made):
        if _kind(row) == BACKWARD:
            answers.append(row)
        elif _kind(row) == FORWARD:
            ccr = float(row["rm.ccr"])
            if before is not None:
                yield before, ccr, answers
            before, answers = ccr, []


def _kind(row: Row) -> tuple[str, str]:
    return row["rm.dir"], row["atm.channel"]


def _is_set(row: Row, *flags: str) -> bool:
    return any(row[f"rm.{flag}"] in TRUE for flag in flags)
