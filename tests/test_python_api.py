"""The same from Python: frames, arrays, figures."""

from __future__ import annotations

from pathlib import Path

import cellrate
import numpy as np
import polars as pl
import pytest
from cellrate.simulation import figures


@pytest.fixture(scope="module")
def result() -> cellrate.Result:
    return cellrate.run(Path(__file__).parent / "scenarios" / "traced.toml")


def test_frames_have_one_row_per_thing(result: cellrate.Result) -> None:
    assert result.flows["name"].to_list() == ["tcp.1", "tcp.2"]
    assert result.flows["balance_delivered_bytes"].to_list() == (
        result.flows["delivered_bytes"].to_list()
    )
    assert len(result.vcs) == 4
    bottleneck = result.ports.row(by_predicate=pl.col("name") == "A->B", named=True)
    assert bottleneck["control_scheme"] == "efci"
    assert set(result.queues["port"]) == set(result.ports["name"])


def test_a_series_is_arrays_that_agree_with_the_report(result: cellrate.Result) -> None:
    sequence = result.series("sequence", "tcp.1")
    assert sequence.time.dtype == np.float64
    assert len(sequence) == len(sequence.minimum) == len(sequence.maximum) > 100
    assert np.all(np.diff(sequence.time) > 0)
    assert np.all(np.diff(sequence.maximum) >= 0)
    acked = result.flows.row(0, named=True)["acked_bytes"]
    assert 0 < sequence.maximum[-1] <= acked


def test_a_series_that_was_not_traced_is_named(result: cellrate.Result) -> None:
    with pytest.raises(KeyError, match=r"no trace `queue` of `C->D`; traced: .*cwnd of tcp\.1"):
        result.series("queue", "C->D")


def test_events_say_why(result: cellrate.Result) -> None:
    losses = result.events.filter(result.events["kind"] == "loss")
    assert len(losses) > 0
    assert losses["cause"].null_count() == 0
    assert losses["port"].unique().to_list() == ["A->B"]


def test_overrides_are_values_by_path(result: cellrate.Result) -> None:
    changed = cellrate.run(
        result.resolved, overrides={"flow.tcp.count": 1, "switch.buffer": "infinite"}
    )
    assert len(changed.flows) == 1
    assert changed.flows["packets_lost"].to_list() == [0]
    efci = {"scheme": "efci", "threshold": "100 cells"}
    as_table = cellrate.run(result.resolved, overrides={"switch.control": efci})
    written = 'switch.control={scheme="efci", threshold="100 cells"}'
    assert as_table.digest == cellrate.run(result.resolved, overrides=[written]).digest
    assert as_table.digest != result.digest
    with pytest.raises(TypeError, match=r"flow\.tcp\.count of the scenario = None: must be text"):
        cellrate.run(result.resolved, overrides={"flow.tcp.count": None})


def test_a_figure_has_a_panel_per_kind(result: cellrate.Result) -> None:
    panels = result.plot("queue", "cwnd").axes
    assert [panel.get_ylabel() for panel in panels] == ["queue (cells)", "cwnd (kB)"]
    assert panels[-1].get_xlabel() == "time (ms)"
    drawn = panels[1].get_lines()[0].get_ydata()
    assert np.allclose(drawn, result.series("cwnd", "tcp.1").middle / 1e3)


def test_equal_figures_are_equal_bytes(result: cellrate.Result, tmp_path: Path) -> None:
    first = figures.save(result.plot(), tmp_path / "first")
    again = figures.save(result.plot(), tmp_path / "again")
    for one, other in zip(first, again, strict=True):
        assert one.read_bytes() == other.read_bytes()


def test_what_was_not_traced_cannot_be_plotted(result: cellrate.Result) -> None:
    untraced = cellrate.run(result.resolved, overrides={"measure.traces": []})
    with pytest.raises(ValueError, match=r"set measure\.traces"):
        untraced.plot()
    with pytest.raises(ValueError, match="did not trace speed"):
        result.plot("speed")
    with pytest.raises(ValueError, match=r"did not trace queu; did you mean queue\?"):
        result.plot("queu")


def test_an_error_is_an_exception_with_its_place(result: cellrate.Result) -> None:
    with pytest.raises(cellrate.ScenarioError) as caught:
        cellrate.run(result.resolved.replace("duration", "durasion"))
    [problem] = caught.value.diagnostics
    assert problem["line"] > 0
    assert "durasion" in caught.value.rendered


def test_delays_of_a_class_are_those_of_its_flows_together() -> None:
    result = cellrate.run(
        Path(__file__).parent / "scenarios" / "traced.toml", overrides={"measure.cell_delay": True}
    )
    classes, flows = result.classes, result.flows
    assert classes["service"].to_list() == ["abr"]
    assert classes["cells_delivered"][0] > 0
    shortest, longest = classes["cell_delay_min_seconds"][0], classes["cell_delay_max_seconds"][0]
    assert shortest == flows["cell_delay_min_seconds"].min()
    assert longest == flows["cell_delay_max_seconds"].max()
    means = flows["cell_delay_mean_seconds"]
    assert means.min() <= classes["cell_delay_mean_seconds"][0] <= means.max()
    assert 0 < classes["cell_delay_std_seconds"][0] < longest - shortest


def test_settings_take_numbers_and_arrays_of_numpy() -> None:
    short = {"run.duration": "50 ms", "measure.from": "5 ms"}

    def digest(path: str, value: object) -> str:
        text = cellrate.template("n-source")
        return cellrate.run(text, overrides={**short, path: value}).digest

    for path, value, same in (
        ("abr.rif", np.float32(0.0625), 0.0625),
        ("abr.rif", np.float16(0.0625), 0.0625),
        ("tcp.delayed_ack", np.bool_(1), True),
        ("flow.tcp.count", np.array(3), 3),
        ("measure.traces", np.array(["queue"]), ["queue"]),
    ):
        assert digest(path, value) == digest(path, same), path
    with pytest.raises(TypeError, match="must be text, a number"):
        digest("abr.rif", object())
