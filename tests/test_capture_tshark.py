"""tshark reads our captures: a part of `python -m proof.oracles tshark`, where tshark is."""

from __future__ import annotations

from pathlib import Path

import pytest
from cellrate.simulation.captures import capture

from proof.oracles.tshark import campaign, octets, rates
from proof.oracles.tshark.cases import CELLS, WAITING, StopAndWait, cells, lossy
from proof.oracles.tshark.findings import Findings
from proof.oracles.tshark.reading import command

pytestmark = pytest.mark.skipif(command() is None, reason="tshark is not installed")


def test_tshark_concludes_what_the_senders_did(tmp_path: Path) -> None:
    found = campaign.connections(lossy(seconds=10.0, size="120 kB"), tmp_path / "taken")
    assert found.disagreements == []
    assert found.counts["retransmissions"] > 100, "a run without losses shows nothing"
    assert found.counts["round trips under loss"] > 100


@pytest.mark.parametrize("form", ["llc-snap", "vc-mux"])
def test_tshark_finds_every_octet_right(form: str, tmp_path: Path) -> None:
    found = campaign.cells(cells(form), tmp_path / "taken")
    assert found.disagreements == []
    assert found.counts["RM cells by our dissector"] > 20


@pytest.mark.parametrize("asked", WAITING, ids=lambda asked: f"{asked.mss} bytes")
def test_tshark_measures_our_round_trips(asked: StopAndWait, tmp_path: Path) -> None:
    assert campaign.waiting(asked, tmp_path / "taken").disagreements == []


def test_rm_cells_that_are_spoiled_are_found(tmp_path: Path) -> None:
    """One bit of the CRC-10 of a single RM cell: not all that are there are right then."""
    taken = capture(CELLS, ["A<->B:line"], tmp_path / "taken", overrides=["run.duration=10 ms"])
    [path] = taken.files
    whole = Findings()
    octets.line_cells(whole, path, taken)
    assert whole.disagreements == []
    assert whole.counts["CRC-10 of RM cells right"] > 2
    data = bytearray(path.read_bytes())
    # Behind the file's header and a record's own.
    begins = range(24 + 16, len(data), 16 + 53)
    first = next(cell for cell in begins if data[cell + 3] >> 1 & 7 == 6)
    data[first + 52] ^= 1
    path.write_bytes(data)
    spoiled = Findings()
    octets.line_cells(spoiled, path, taken)
    [told] = spoiled.disagreements
    assert "CRC-10 right" in told


def test_rates_that_rm_cells_should_not_carry_are_found(tmp_path: Path) -> None:
    """ER, CCR or MCR of the first FRM cell, four times as large or small."""
    taken = capture(CELLS, ["src.tcp.1:cells"], tmp_path / "taken")
    [path] = taken.files
    whole = path.read_bytes()
    # A record of ERF: 16 octets of header, 4 of the cell's, 48 of payload.
    first = next(at for at in range(0, len(whole), 16 + 4 + 48) if whole[at + 19] >> 1 & 7 == 6)
    payload = first + 20
    assert whole[payload + 1] < 0x80, "the source's own"
    for place, told in ((2, "FRM cells ask for"), (4, ": CCR "), (6, ": MCR ")):
        spoiled = bytearray(whole)
        spoiled[payload + place] ^= 4
        path.write_bytes(spoiled)
        found = Findings()
        rates.rm_cells(found, path, taken.result, "tcp.1")
        assert any(told in line for line in found.disagreements), (told, found.disagreements)
