"""Pictures of one run: what they say, what they draw in, and that nothing covers anything."""

from __future__ import annotations

import tomllib
from pathlib import Path

import cellrate
import numpy as np
import pytest
from cellrate.common import picture_style
from cellrate.simulation.figures import new_panels
from cellrate.simulation.picture_options import PictureOptions
from cellrate.simulation.run_pictures import asked, throughput
from cellrate.simulation.series import Series
from conftest import HERE, Command
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text
from picture_texts import overlapping_texts

EXAMPLE = HERE.parent / "examples" / "efci-oscillation.toml"
TRACES = {"measure.traces": ["queue", "acr", "cwnd", "sequence", "utilisation"]}


@pytest.fixture(scope="module")
def result() -> cellrate.Result:
    return cellrate.run(EXAMPLE, overrides=TRACES)


@pytest.fixture(scope="module")
def alike() -> cellrate.Result:
    """Five TCP flows that ERICA gives the same rate."""
    return cellrate.run(
        '[run]\nduration = "400 ms"\n[measure]\nfrom = "200 ms"\n'
        'traces = ["queue", "acr"]\n[topology]\ntemplate = "n-source"\n'
        'link_rate = "155.52 Mbit/s"\naccess = "1 km"\nbottleneck = "1000 km"\negress = "1 km"\n'
        '[switch]\nbuffer = "900 cells"\n[switch.control]\nscheme = "erica"\n'
        'interval = "1 ms"\ninterval_cells = "100 cells"\n[abr]\nicr = "10 Mbit/s"\nrif = 1\n'
        '[[flow]]\nname = "tcp"\ncount = 5\nservice = "abr"\nsource = { kind = "greedy" }\n'
    )


def texts(figure: Figure) -> list[str]:
    return [one.get_text() for one in figure.findobj(Text) if one.get_text()]


def test_a_title_says_scenario_control_seed_and_what_is_seen(result: cellrate.Result) -> None:
    assert "efci-oscillation, EFCI, seed 1: queue and ACR over time" in texts(
        result.plot("queue", "acr")
    )
    assert "efci-oscillation, EFCI, seed 1: queue against ACR" in texts(result.plot_phase())


def test_a_queue_between_two_samples_stands_above_the_picture() -> None:
    # The satellite's queue has its peak within less than a thousandth of the run.
    run = cellrate.run(cellrate.template("satellite"), overrides={"measure.traces": ["queue"]})
    sampled = max(float(series.maximum.max()) for series in run.traces)
    assert sampled < 5312
    assert "longest queue of the run: 5,312 cells at A->B, more than any sample drawn" in " ".join(
        texts(run.plot())
    )
    classes = {"measure.traces": ["queue"]}
    several = cellrate.run(cellrate.template("n-source-vbr"), overrides=classes)
    assert "cells at A->B/2" in " ".join(texts(several.plot()))
    frames = cellrate.run(cellrate.template("incast"), overrides=classes)
    assert " bytes at A->sink/1" in " ".join(texts(frames.plot()))


def test_levels_of_the_scenario_are_drawn_in(result: cellrate.Result) -> None:
    # Three flows share 155.52 Mbit/s; the switch marks above 500 cells.
    queue, acr = result.plot("queue", "acr").axes
    for panel, level, name in (
        (queue, 500.0, "threshold 500"),
        (acr, 51.84, "max-min share 51.84"),
    ):
        assert any(np.allclose(line.get_ydata(), level) for line in panel.get_lines())
        assert name in [text.get_text() for text in panel.texts]
    assert acr.get_ylabel() == "ACR (Mbit/s)"
    # The greatest ACR is the line rate.
    assert max(np.nanmax(line.get_ydata()) for line in acr.get_lines()) == pytest.approx(155.52)


def test_a_share_says_that_it_is_not_of_what_the_switch_hands_out() -> None:
    """ERICA hands out 0.9 of the link, of which `explain` computes the shares."""
    erica = TRACES | {"switch.control": {"scheme": "erica"}}
    said = texts(cellrate.run(EXAMPLE, overrides=erica).plot("acr"))
    assert "max-min share of whole links 51.84" in said


def test_a_window_has_the_unit_of_scenarios() -> None:
    windowed = cellrate.run(EXAMPLE, overrides=TRACES | {"tcp.window": "64 KiB"})
    assert "window limit 64 KiB" in texts(windowed.plot("cwnd"))


def test_axes_separate_thousands() -> None:
    _, [panel] = new_panels(1, 1)
    panel.plot([0, 40_000], [-2000, 0.5])
    panel.figure.canvas.draw()
    across, up = (
        [tick.get_text() for tick in ticks]
        for ticks in (panel.get_xticklabels(), panel.get_yticklabels())
    )
    assert {"10,000", "40,000"} <= set(across)
    assert "\N{MINUS SIGN}1,500" in up
    panel.set_xlim(0, 0.0015)
    panel.figure.canvas.draw()
    assert "0.0010" in [tick.get_text() for tick in panel.get_xticklabels()]


def test_a_level_far_above_the_queue_is_named_instead(alike: cellrate.Result) -> None:
    [panel] = alike.plot("queue").axes
    assert "above the picture: buffer 900 cells" in panel.get_title(loc="left")
    assert panel.get_ylim()[1] < 900


def test_the_warm_up_is_shaded_up_to_its_end(result: cellrate.Result) -> None:
    begin = tomllib.loads(result.resolved)["measure"]["from"]
    assert begin == "600 ms"
    [panel] = result.plot("queue").axes
    [shade] = panel.patches
    assert shade.get_extents().transformed(panel.transData.inverted()).x1 == pytest.approx(0.6)
    [later] = result.plot("queue", from_seconds=0.7).axes
    assert not later.patches


def test_five_flows_that_cover_each_other_are_all_seen(alike: cellrate.Result) -> None:
    [panel] = alike.plot("acr").axes
    names = [text.get_text() for text in panel.texts]
    assert "(5 alike)" in names
    assert {f"tcp.{number}" for number in range(1, 6)} < set(names)
    dashed = [line for line in panel.get_lines()[5:] if line.is_dashed()]
    colours = {to_hex(line.get_color()) for line in dashed}
    assert colours >= set(picture_style.COLOURS[:5])
    assert np.isfinite(dashed[-1].get_ydata()).any()


def test_a_time_range_limits_the_axis_and_the_points(result: cellrate.Result) -> None:
    [panel] = result.plot("queue", from_seconds=0.4, to_seconds=0.5).axes
    assert panel.get_xlim() == pytest.approx((400, 500), rel=0.01)
    with pytest.raises(ValueError, match="no trace has a point"):
        result.plot("queue", from_seconds=7)


def test_a_phase_portrait_names_flow_start_and_phases(result: cellrate.Result) -> None:
    panel = result.plot_phase("tcp.2").axes[0]
    assert panel.get_xlabel() == "ACR of tcp.2 (Mbit/s)"
    assert panel.get_ylabel() == "queue of A->B (cells)"
    legend = panel.get_legend()
    assert legend is not None
    named = [text.get_text() for text in legend.get_texts()]
    assert {"ACR rises, queue grows", "ACR falls, queue shrinks", "start, at 0 s"} <= set(named)
    assert sum(text.get_text() == "" for text in panel.texts) > 5  # arrows
    with pytest.raises(ValueError, match=r"acr of tcp\.9"):
        result.plot_phase("tcp.9")


def test_throughput_is_the_slope_of_what_is_acknowledged() -> None:
    # 1000 bytes each millisecond are 8 Mbit/s.
    time = np.arange(0.0, 0.5, 0.001)
    sequence = Series("sequence", "tcp", "bytes", time, time * 1e6, time * 1e6)
    rates = throughput(sequence).maximum
    assert len(rates) == 100
    assert np.mean(rates) == pytest.approx(8e6)
    assert rates == pytest.approx(8e6, rel=0.3)


@pytest.mark.parametrize("kind", ["traces", "phase", "dashboard"])
def test_no_text_covers_another(result: cellrate.Result, alike: cellrate.Result, kind: str) -> None:
    for run in (result, alike):
        for stem, figure in asked(run, PictureOptions(kind)):  # type: ignore[arg-type]
            assert overlapping_texts(figure) == [], stem


def test_the_dark_form_has_light_texts_on_dark(result: cellrate.Result) -> None:
    figure = result.plot("queue")
    picture_style.darken(figure)
    assert to_hex(figure.get_facecolor()) == picture_style.DARK["#ffffff"]
    for text in figure.findobj(Text):
        if text.get_text():
            assert sum(int(to_hex(text.get_color())[at : at + 2], 16) for at in (1, 3, 5)) > 380


def test_the_command_draws_what_it_is_asked_for(command: Command, tmp_path: Path) -> None:
    files: set[str] = set()
    # Pictures of the same run stay beside new ones; the scenario traces no sequence numbers.
    for asked_for in (["--plot", "sequence"], ["--plot", "queue", "--dark"]):
        files |= {f"{asked_for[1]}.png", f"{asked_for[1]}.svg"}
        done = command(
            "run", EXAMPLE, *asked_for, "--from", "100 ms", "--to", "110 ms", "--out", "new"
        )
        assert done.returncode == 0, done.stderr
        assert {file.name for file in (tmp_path / "new" / "figures").iterdir()} == files
    assert picture_style.DARK["#ffffff"] in (tmp_path / "new/figures/queue.svg").read_text()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--from", "1 ms"], "--from has no effect without --plot"),
        (["--dark"], "--dark has no effect without --plot"),
        (
            ["--plot", "--from", "5 s"],
            "--from 5 s: the run ends at 1 s, and a span must begin before",
        ),
        (
            ["--plot", "--to", "1.5 s"],
            "--to 1.5 s: the run ends at 1 s, and a span must end by then",
        ),
        (["--plot", "--from", "5 ms", "--to", "1 ms"], "--to 1 ms is not after --from 5 ms"),
    ],
)
def test_impossible_times_are_refused(command: Command, options: list[str], said: str) -> None:
    done = command("run", EXAMPLE, *options, "--out", "new")
    assert (done.returncode, done.stderr) == (2, f"error: {said}\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_a_full_disk_is_told(tmp_path: Path, suffix: str) -> None:
    """Matplotlib hides the error of some formats behind another one."""
    (tmp_path / f"a.{suffix}").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left on device"):
        picture_style.save(Figure(), tmp_path / "a", (suffix,))
