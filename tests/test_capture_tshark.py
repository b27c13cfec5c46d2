"""tshark reads our captures: a part of `python -m proof.oracles tshark`, where tshark is."""

from __future__ import annotations

from pathlib import Path

import pytest

from proof.oracles.tshark import campaign
from proof.oracles.tshark.cases import WAITING, StopAndWait, cells, lossy
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
