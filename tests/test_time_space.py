"""Cells on links over a short span, and their diagram: against what the run itself reports."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from cellrate import _core, run, template
from cellrate.cli.app import BAD_INPUT, run_command
from cellrate.simulation.network import Network
from cellrate.simulation.passages import passages, usual_end
from cellrate.studies.plots.time_space import lost_cells

OVERRIDES = (
    "run.duration=12 ms",
    "measure.from=0 s",
    'measure.events=["loss"]',
    "flow.tcp.count=4",
    "topology.bottleneck=5 km",
    "switch.buffer=20 cells",
    "abr.icr=100 Mbit/s",
)
SCENARIO = _core.Scenario(template("n-source"), "n-source", list(OVERRIDES)).resolved()
END = 0.012


@pytest.fixture(scope="module")
def cells() -> pl.DataFrame:
    return passages(_core.Scenario(SCENARIO, "scenario"), (0.0, END), most=10**6).frame


def test_every_delivered_cell_is_seen_on_its_last_link(cells: pl.DataFrame) -> None:
    for vc in run(SCENARIO).summary["vcs"]:
        flow, _, direction = vc["name"].rpartition("/")
        end = f"B->dst.{flow}" if direction == "forward" else f"A->src.{flow}"
        own = cells.filter(pl.col("vc") == vc["name"], pl.col("link") == end)
        assert own.filter(pl.col("arrived_seconds") < END).height == vc["cells_delivered"]


def test_cells_take_the_delay_of_their_link(cells: pl.DataFrame) -> None:
    for link in Network.of(SCENARIO, "scenario", ()).flows[0].forward:
        own = cells.filter(pl.col("link") == link.name)
        delays = (own["arrived_seconds"] - own["left_seconds"]).to_numpy()
        assert delays == pytest.approx(link.delay_seconds, abs=1e-11)
        gaps = own["left_seconds"].diff().drop_nulls().to_numpy()
        assert gaps.min() > 1 / link.cells_per_second - 1e-11


def test_lost_cells_are_those_that_the_log_tells(cells: pl.DataFrame) -> None:
    log = run(SCENARIO).events.filter(pl.col("kind") == "loss", pl.col("vc") == "tcp.1/forward")
    told = log.filter(pl.col("cell").is_not_null())["cell"].to_list()
    own = cells.filter(pl.col("vc") == "tcp.1/forward", pl.col("kind") == "data")
    into = own.filter(pl.col("link") == "src.tcp.1->A").select("cell", "arrived_seconds")
    out = own.filter(pl.col("link") == "A->B").select("cell", "left_seconds")
    found = lost_cells(into.join(out, on="cell", how="left", maintain_order="left"))
    assert len(found) > 0
    assert found["cell"].to_list() == told[: len(found)]


def test_a_limit_tells_the_time_of_the_first_cell_beyond_it(cells: pl.DataFrame) -> None:
    few = passages(_core.Scenario(SCENARIO, "scenario"), (0.0, END), most=100)
    assert few.frame.equals(cells[:100])
    assert few.beyond_seconds == cells["left_seconds"][100]


def test_a_span_that_nobody_names_holds_two_round_trips_or_500_cells() -> None:
    far = ["topology.access=1 ms", "topology.bottleneck=5 ms", "topology.egress=2 ms"]
    network = Network.of(template("n-source"), "n-source", tuple(far))
    assert usual_end(network, network.flows[0], 0.25) == pytest.approx(0.25 + 2.1 * 0.016)
    # The run ends at 2 s.
    assert usual_end(network, network.flows[0], 1.99) == 2.0
    near = ["topology.access=0 ms", "topology.bottleneck=0 ms", "topology.egress=0 ms"]
    slow = ["topology.bottleneck_rate=42.4 Mbit/s"]
    network = Network.of(template("n-source"), "n-source", (*near, *slow))
    # 500 cells at 10^5 cells/s.
    assert usual_end(network, network.flows[0], 0.0) == pytest.approx(0.005)


def test_the_diagram_is_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario, figure = tmp_path / "my.toml", tmp_path / "cells.svg"
    scenario.write_text(SCENARIO, encoding="utf-8")
    span = ["--from", "10.1 ms", "--to", "10.3 ms"]
    assert run_command(["time-space", str(scenario), *span, "-o", str(figure)]) == 0
    drawn = figure.read_text(encoding="utf-8")
    assert drawn.count("<path") > 100
    # Without a span, the first cells of the flow.
    assert run_command(["time-space", str(scenario), "-o", str(figure)]) == 0
    assert figure.read_text(encoding="utf-8") != drawn
    for options, said in (
        (["--from", "1 ms", "--to", "1 ms"], "is not after --from"),
        (["--from", "1 cell", "--to", "1 ms"], "--from"),
        (["--from", "12 ms"], "--from 0.012 s: the run ends at 0.012 s"),
        (["--to", "13 ms"], "--to 0.013 s: the run ends at 0.012 s"),
        ([*span, "--flow", "tcp.9"], "there is no flow 'tcp.9'"),
        ([*span, "-o", "x.gif"], "png, svg, pdf"),
    ):
        assert run_command(["time-space", str(scenario), *options]) == BAD_INPUT
        assert said in capsys.readouterr().err
