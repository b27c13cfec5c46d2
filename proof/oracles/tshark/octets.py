"""Checks every octet of captures against the protocols; tshark computes all checksums again."""

from pathlib import Path

from cellrate.simulation.captures import Captures

from proof.oracles.tshark.findings import Findings
from proof.oracles.tshark.reading import (
    CELLS_OF_53,
    CHECKED,
    OUR_DISSECTOR,
    TRUE,
    VC_MULTIPLEXED,
    Row,
    counted,
    rows,
)

ERROR = 0x00800000
"""Severity of errors in tshark's expert information."""
GOOD = "1"
RESOURCE_MANAGEMENT = "6"
"""Payload type in the header of an RM cell."""
SANE = (
    "frame.number",
    "frame.time_epoch",
    "frame.protocols",
    "_ws.malformed",
    "_ws.expert.severity",
)
ATM_PROTOCOLS = {
    *(f"atm:{llc}ip:tcp{data}" for llc in ("", "llc:") for data in ("", ":data")),
}


def packets(found: Findings, path: Path) -> None:
    """Checks IP packets: both checksums, nothing malformed, no protocols but IP, TCP and data."""
    seen = rows(path, (*SANE, "tcp.checksum.status", "ip.checksum.status"))
    for protocol in ("TCP", "IP"):
        field = f"{protocol.lower()}.checksum.status"
        wrong = [row["frame.number"] for row in seen if row[field] != GOOD]
        found.expect(not wrong, f"{path.name}: {field} is not good in frames {wrong[:5]}")
        found.count(f"{protocol} checksums right", len(seen) - len(wrong))
    _sane(found, path, seen, {"raw:ip:tcp", "raw:ip:tcp:data"})


def pdus(found: Findings, path: Path, captures: Captures, *, llc: bool = True) -> None:
    """Checks every CRC-32 of AAL5, and that every PDU has a TCP packet."""
    options = CHECKED if llc else VC_MULTIPLEXED
    tally = counted(path, [r"AAL5 CRC: ", r"AAL5 CRC: .*\(correct\)"], "atm", options)
    records = _records(captures, path)
    found.expect(set(tally.values()) == {records}, f"{path.name}: {tally} of {records} CRC right")
    seen = rows(path, SANE, "", options)
    _sane(found, path, seen, {f"erf:{protocols}" for protocols in ATM_PROTOCOLS})
    found.count("AAL5 CRC-32 right", records)


def sun_atm(found: Findings, path: Path, captures: Captures) -> None:
    """Checks that every PDU has the VPI, VCI and direction of its flow, and a TCP packet."""
    fields = ("atm.vpi", "atm.vci", "atm.channel", "ip.src", "ip.dst")
    names: dict[tuple[str, ...], str] = {}
    for flow in captures.index["flows"]:
        if flow["addresses"] is not None:
            here, there = flow["addresses"]
            channel = (str(flow["vpi"]), str(flow["vci"]))
            names[*channel, "0", here, there] = names[*channel, "1", there, here] = flow["name"]
    seen = rows(path, (*SANE, *fields))
    # DTE to DCE, channel 0, is what leaves the node of the tap: data, of these flows.
    keys = [tuple(row[field] for field in fields) for row in seen]
    wrong = [key for key in keys if key not in names]
    found.expect(not wrong, f"{path.name}: no flow has {wrong[:3]}")
    found.expect(len(seen) == _records(captures, path), f"{path.name}: {len(seen)} PDUs")
    _sane(found, path, seen, ATM_PROTOCOLS)
    found.count("PDUs with VPI, VCI and direction right", len(seen))


def cells(found: Findings, path: Path, captures: Captures) -> None:
    """Checks that tshark reads as many cells as were written, none malformed."""
    seen = rows(path, SANE)
    found.expect(len(seen) == _records(captures, path), f"{path.name}: {len(seen)} cells")
    _sane(found, path, seen, {"erf:atm", "erf:atm:data"})
    found.count("cells read", len(seen))


def line_cells(found: Findings, path: Path, captures: Captures) -> None:
    """Checks every HEC, and every CRC-10 of RM cells by tshark's OAM dissector and cellrate's."""
    header = r"Header Error Check: "
    right = rf"{header}.*\(correct\)"
    tally = counted(path, [header, right], "atm", CELLS_OF_53)
    records = _records(captures, path)
    found.expect(set(tally.values()) == {records}, f"{path.name}: {tally} of {records} HEC right")
    found.count("HEC right", records)
    there = r"Payload Type: 6$"
    crc = rf"{there}(?:\n .*)*\nATM OAM AAL(?:\n .*)*CRC-10: .*\(correct\)"
    by_tshark = counted(path, [there, crc], "atm,oamaal", CELLS_OF_53)
    told = rows(path, ["cell.pt", "rm.crc_good", "cell.hec_good"], "cell", OUR_DISSECTOR)
    ours = sum(row["cell.pt"] == RESOURCE_MANAGEMENT for row in told)
    good = sum(row["rm.crc_good"] in TRUE for row in told)
    headers = sum(row["cell.hec_good"] in TRUE for row in told)
    found.expect(headers == records, f"{path.name}: our dissector has {headers} of {records} HEC")
    numbers = {by_tshark[there], by_tshark[crc], ours, good}
    found.expect(
        len(numbers) == 1 and ours > 0,
        f"{path.name}: CRC-10 right in {by_tshark[crc]} of {by_tshark[there]} RM cells by tshark, "
        f"in {good} of {ours} by our dissector",
    )
    found.count("CRC-10 of RM cells right", by_tshark[crc])


def _sane(found: Findings, path: Path, seen: list[Row], protocols: set[str]) -> None:
    """Checks frames: not malformed, no other protocols, no expert errors, times in order."""
    others = {row["frame.protocols"] for row in seen} - protocols
    found.expect(not others, f"{path.name}: protocols {others}")
    wrong = [row["frame.number"] for row in seen if row["_ws.malformed"] or _severity(row) >= ERROR]
    found.expect(not wrong, f"{path.name}: errors in frames {wrong[:5]}")
    times = [row["frame.time_epoch"] for row in seen]
    found.expect(times == sorted(times, key=float), f"{path.name}: time goes back")


def _severity(row: Row) -> int:
    """Greatest severity in tshark's expert information on a frame."""
    return max((int(word) for word in row["_ws.expert.severity"].split(",") if word), default=0)


def _records(captures: Captures, path: Path) -> int:
    files = [file for tap in captures.index["taps"] for file in tap["files"]]
    [records] = [int(file["records"]) for file in files if file["name"] == path.name]
    return records
