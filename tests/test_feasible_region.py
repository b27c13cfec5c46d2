"""The feasible region: its boundaries, the standard's sets in it, and its command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from cellrate.advice.efci_figures import Region, region_figure
from cellrate.cli.efci_commands import named_point, simulated_points
from cellrate.common.problems import BadInput
from cellrate.theory import efci_feasible_sets
from cellrate.theory.efci import EfciLoop, feasibility, limit_cycle
from cellrate.theory.efci.feasible import OHSAKI_POINTS, Point
from conftest import Command

NETWORK = EfciLoop(10, 353_200.0, 2e-3, 2898.0, rdf=1 / 2)
REGION = Region(NETWORK, 5796.0)


def test_conditions_are_just_met_on_the_boundaries() -> None:
    boundaries = REGION.boundaries()
    for name, attribute, level, scale in (
        ("bound", "maximum_queue_bound_cells", 5796.0, 5796.0),
        ("steady_maximum", "maximum_queue_cells", 5796.0, 5796.0),
        ("full_link", "minimum_queue_cells", 0.0, 2898.0),
    ):
        [line] = boundaries[name]
        rif, rdf = line[:-1].T  # the end may lie on the edge RDF = 1
        found = feasibility(NETWORK.with_(rif=rif, rdf=np.minimum(rdf, 1.0)), 5796.0)
        assert getattr(found, attribute) == pytest.approx(
            np.full(len(rif), level), abs=0.01 * scale
        )


def test_the_sets_of_the_paper_lie_where_it_says() -> None:
    found = {
        point.label: feasibility(NETWORK.with_(rif=point.rif, rdf=point.rdf), 5796.0)
        for point in OHSAKI_POINTS
    }
    assert found["tuned, N = 10"].feasible
    assert not found["default"].feasible_in_steady_state
    assert found["default"].keeps_link_full
    # Sections III.A and III.C: AIRF is RIF, RDFF is 1/RDF.
    assert [(1 / point.rif, 1 / point.rdf) for point in OHSAKI_POINTS] == [
        (64, 16),
        (128, 2),
        (128, 4),
        (256, 2),
        (256, 4),
    ]


def test_a_buffer_of_the_maximum_just_holds_it() -> None:
    loop = EfciLoop(10, 353_200.0, 2e-3, 2898.0, rif=1 / 128, rdf=1 / 2)
    bound = feasibility(loop, 9e9).maximum_queue_bound_cells
    steady = feasibility(loop, 9e9).maximum_queue_cells
    assert feasibility(loop, bound).avoids_overflow
    assert not feasibility(loop, bound * (1 - 1e-9)).avoids_overflow
    assert feasibility(loop, steady).avoids_steady_overflow
    assert not feasibility(loop, steady * (1 - 1e-9)).avoids_steady_overflow
    assert feasibility(loop, 2 * steady).avoids_steady_overflow


@pytest.mark.parametrize(("end", "extreme"), [("pcr", "maximum"), ("mcr", "minimum")])
def test_a_cycle_beyond_pcr_or_mcr_is_clipped(end: str, extreme: str) -> None:
    base = EfciLoop(10, 353_200.0, 2e-3, 2898.0, rif=1 / 128, rdf=1 / 2)
    rate = getattr(limit_cycle(base), f"{extreme}_acr_cells_per_second")
    # Other than PCR, RIF PCR is as it was.
    for change in (1 + 1e-9, 1 - 1e-9):
        name, bound = f"{end}_cells_per_second", rate * change
        rif = 353_200 / 128 / bound if end == "pcr" else 1 / 128
        clipped = feasibility(base.with_(**{name: bound}, rif=rif), 5796).clipped
        assert clipped == ((bound < rate) == (end == "pcr"))


def test_sets_of_the_standard() -> None:
    arguments = (353_200.0, 2e-3, 2898.0, 5796.0)
    few, many = efci_feasible_sets(10, *arguments), efci_feasible_sets(30, *arguments)
    assert {"1/128 1/2", "1/128 1/4", "1/64 1/4"} <= set(few)
    assert "1/128 1/4" in many
    assert "1/64 1/4" not in many
    assert "1/64 1/16" not in few + many
    assert set(few) < set(efci_feasible_sets(10, *arguments, maximum="steady"))
    assert not any(
        text.endswith(" 1/1") for text in efci_feasible_sets(10, *arguments, decrease="per-cell")
    )
    assert efci_feasible_sets(10, 353_200.0, 2e-3, 62.0, 193.0) == []


def test_the_picture_has_boundaries_sets_and_points() -> None:
    points = [
        *OHSAKI_POINTS,
        Point(1 / 64, 1 / 16, "", 0.001, 0.97),
        Point(1 / 128, 1 / 2, "", 0.0, 1.0),
    ]
    figure = region_figure(REGION, points)
    panel = figure.axes[0]
    legend = panel.get_legend()
    assert legend is not None
    texts = [text.get_text() for text in legend.get_texts()]
    assert texts == [
        "Q_max from an empty queue = BL",
        "maximum of the limit cycle = BL",
        "Q_min = 0",
        "feasible sets of the standard",
        "cells lost",
    ]
    assert [text.get_text() for text in panel.texts] == [point.label for point in OHSAKI_POINTS]
    assert figure.axes[1].get_ylabel() == "measured utilisation"


def test_the_command_writes_data_and_picture(command: Command, tmp_path: Path) -> None:
    network = ["--sources", "10", "--bandwidth", "353.2 cells/ms", "--round-trip", "2 ms"]
    buffers = ["--high", "2898 cells", "--buffer", "300 KiB"]
    simulated = tmp_path / "simulated.csv"
    simulated.write_text("rif,rdf,loss_ratio,utilisation\n1/128,1/2,0,0.999\n")
    shown = [
        "--ohsaki",
        "--point",
        "mine=1/64,1/4",
        "--simulated",
        simulated,
        "--out",
        tmp_path / "o",
    ]
    done = command("theory", "feasible-region", *network, *buffers, *shown, "--json")
    expected = efci_feasible_sets(10, 353_200, 2e-3, 2898, 5796)
    assert json.loads(done.stdout)["feasible_sets"] == expected
    data = json.loads((tmp_path / "o" / "region.json").read_text())
    assert {point["label"] for point in data["points"]} >= {"mine", "default"}
    assert sum(data["standard_sets"]["feasible"]) == len(expected)
    assert (tmp_path / "o" / "region.svg").stat().st_size > 10_000
    small = command("theory", "feasible-region", *network, *buffers[:2], "--buffer", "100 cells")
    assert small.returncode == 2
    assert "--buffer 100 cells" in small.stderr


def test_an_unlimited_buffer_is_written_as_null(command: Command, tmp_path: Path) -> None:
    network = ["--sources", "10", "--bandwidth", "353.2 cells/ms", "--round-trip", "2 ms"]
    done = command(
        *("theory", "feasible-region", *network, "--high", "2898 cells"),
        *("--buffer", "infinite", "--out", tmp_path),
    )
    assert done.returncode == 0, done.stderr
    data = json.loads((tmp_path / "region.json").read_text(), parse_constant=pytest.fail)
    assert data["buffer_cells"] is None
    assert set(data["boundaries"]) == {"full_link"}
    full = data["standard_sets"]["keeps_link_full"]
    assert data["standard_sets"]["feasible"] == full
    assert 0 < sum(full) < len(full)


@pytest.mark.parametrize("text", ["1/2,1/4", "a=1/2", "a=1/2,2", "a=x,1/2", "=1/2,1/2"])
def test_points_that_are_none(text: str) -> None:
    with pytest.raises(BadInput):
        named_point(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no rows after its heading"),
        ("rif,rdf\n1/2,1/2\n", "line 2: `loss_ratio` has no value"),
        ("rif,rdf,loss_ratio,utilisation\n1/2,1/2,0,7\n", "line 2, utilisation 7"),
        ("rif,rdf,loss_ratio,utilisation\n0,1/2,0,1\n", "line 2, rif 0"),
    ],
)
def test_files_of_simulated_sets_that_are_wrong(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "sets.csv"
    path.write_text(text)
    with pytest.raises(BadInput, match=message):
        simulated_points(path)
