"""`cellrate theory efci-cycle` with its table and picture, through the command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import Command

NETWORK = ["--sources", "10", "--bandwidth", "353.2 cells/ms", "--round-trip", "2 ms"]
LOOP = [*NETWORK, "--rif", "1/64", "--rdf", "1/4", "--high", "700 cells", "--low", "400 cells"]


def test_the_table_is_one_period_of_what_is_printed(command: Command, tmp_path: Path) -> None:
    done = command("theory", "efci-cycle", *LOOP, "--out", tmp_path, "--json")
    found = json.loads(done.stdout)
    points = np.genfromtxt(tmp_path / "cycle.csv", delimiter=",", names=True)
    assert points["time_seconds"][-1] == pytest.approx(found["period_seconds"])
    assert points["queue_cells"].max() == pytest.approx(found["maximum_queue_cells"], rel=1e-3)
    assert points["queue_cells"].min() == found["minimum_queue_cells"] == 0
    acr = points["acr_cells_per_second"]
    assert acr.max() == pytest.approx(found["maximum_acr_cells_per_second"])
    assert acr.min() == pytest.approx(found["minimum_acr_cells_per_second"])
    phases = [float(np.ptp(points["time_seconds"][points["phase"] == n])) for n in (1, 2)]
    assert phases == pytest.approx([found["phase_1_seconds"], found["phase_2_seconds"]])
    assert "3: queue empty a round trip ago" in (tmp_path / "cycle.svg").read_text()


def test_a_start_at_icr_and_options_that_need_others(command: Command, tmp_path: Path) -> None:
    start = ["--out", tmp_path, "--cycles", "2", "--start-acr", "7.5 Mbit/s"]
    command("theory", "efci-cycle", *LOOP, *start)
    points = np.genfromtxt(tmp_path / "cycle.csv", delimiter=",", names=True)
    assert points["acr_cells_per_second"][0] == pytest.approx(7.5e6 / 424)
    assert points["phase"][0] == 3
    alone = command("theory", "efci-cycle", *LOOP, "--cycles", "2")
    assert alone.returncode == 2
    assert "--cycles needs --out" in alone.stderr


def test_a_default_outside_the_assumptions_says_what_it_stands_for(command: Command) -> None:
    """155.52 Mbit/s are 366,792.45 cells of 424 bits in a second."""
    network = ["--sources", "5", "--bandwidth", "155.52 Mbit/s", "--round-trip", "10 ms"]
    steep = ["--rif", "1/16", "--rdf", "1/16", "--high", "700 cells"]
    done = command("theory", "efci-cycle", *network, *steep)
    assert done.returncode == 2
    told = " ".join(done.stderr.split())
    assert "--pcr is not given and so 366792.4528 cells/s (PCR; BW if absent):" in told
    assert told.endswith("e+07 cells/s")
    given = command("theory", "efci-cycle", *network, *steep, "--pcr", "155.52 Mbit/s").stderr
    assert "--pcr 155.52 Mbit/s: " in given
