"""The buffer that a port needs: the measured answer, targets, the command."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest
from cellrate import _core
from cellrate.advice.sizing import Answer, Question, SizingError
from cellrate.advice.sizing.question import measure
from cellrate.advice.sizing.report import verdict
from cellrate.simulation.runner import Job
from conftest import Command
from sizing_questions import LOCKING, UBR, ask, runner

pytestmark = pytest.mark.usefixtures("undrawn")

# Nothing but the clocks of the hosts is random.
GREEDY = """
run = { duration = "3 s" }
tcp = { recovery = "timeout-only", granularity = "100 ms", min_rto = "500 ms", initial_rto = "1 s" }
flow = [{ name = "tcp", count = 4, stagger = "1 ms", service = "ubr" }]
[topology]
template = "single-switch"
link_rate = "50 Mbit/s"
bottleneck_rate = "10 Mbit/s"
access = "0.1 ms"
bottleneck = "1 ms"
"""


def dropped(answer: Answer, buffer_cells: int) -> list[int]:
    """Cells dropped at the port with a buffer, seed by seed."""
    seeds = [run.seed for run in answer.unlimited]
    jobs = [answer.question.job(seed, buffer_cells) for seed in seeds]
    return [run.at(answer.port.name).cells_dropped for run in measure(jobs, runner)]


def test_seeds_count_where_losses_wait_for_clocks() -> None:
    # Sources that start at fixed times: without losses nothing shows the seed.
    lossless = ask(GREEDY)
    assert (lossless.random, len(lossless.unlimited)) == (False, 1)
    lossy = ask(GREEDY, delay_seconds=0.02)
    assert (lossy.random, len(lossy.runs)) == (True, 2)
    assert lossy.runs[0].loss_ratio != lossy.runs[1].loss_ratio


@pytest.mark.parametrize(
    "settings",
    [
        [],
        ['switch.discard={policy="ppd"}'],
        # These two look at the buffer, so their answer is searched for.
        ['switch.discard={policy="epd"}'],
        ['switch.discard={policy="intelligent-tail-drop"}'],
    ],
    ids=["tail-drop", "ppd", "epd", "intelligent-tail-drop"],
)
def test_the_buffer_loses_nothing_and_one_cell_less_does(settings: list[str]) -> None:
    answer = ask(UBR, 'run.duration="60 ms"', *settings, seeds=1)
    assert answer.question.is_exact == (len(settings) == 0 or "ppd" in settings[0])
    [cells] = answer.each_cells
    assert answer.buffer_cells == cells
    assert dropped(answer, cells) == [0]
    assert dropped(answer, cells - 1) > [0]


def test_early_packet_discard_at_half_the_buffer_needs_twice_the_queue() -> None:
    short = 'run.duration="60 ms"'
    longest = ask(UBR, short, seeds=1).each_cells[0]
    needs = ask(UBR, short, 'switch.discard={policy="epd"}', seeds=1).each_cells[0]
    # Half the buffer is not exceeded where a packet of 91 cells begins, and one began at the top.
    assert 2 * (longest - 91) <= needs <= 2 * longest
    fixed = 'switch.discard={policy="epd", threshold="200 cells"}'
    assert ask(UBR, short, fixed, seeds=1).buffer_cells is None
    refused = ask(UBR, short, fixed, seeds=1, loss_ratio=1e-3)
    assert "no buffer meets the target: `epd` discards" in " ".join(refused.remarks)
    assert ask(UBR, short, fixed, seeds=1, loss_ratio=0.9).buffer_cells is not None


def test_targets_change_the_answer() -> None:
    short = 'run.duration="300 ms"'
    lossless = ask(UBR, short)
    lossy = ask(UBR, short, loss_ratio=0.01)
    assert lossless.buffer_cells is not None
    assert lossy.buffer_cells is not None
    assert lossy.buffer_cells < lossless.buffer_cells
    assert lossy.upper_loss_ratio is not None
    assert 0 < (lossy.mean_loss_ratio or 0) <= lossy.upper_loss_ratio <= 0.01
    # Under TCP some small buffers lose less than larger ones, at a lower throughput.
    lax = ask(UBR, short, 'switch.buffer="84 cells"', loss_ratio=0.085)
    [enough] = [one for one in lax.smaller if one.holds]
    assert enough.cells < 84 < (lax.searched or pytest.fail("not searched")).too_small_cells
    assert lax.buffer_cells is not None
    assert lax.buffer_cells < lossy.buffer_cells
    assert 0 < enough.mean_loss_ratio < (enough.upper_loss_ratio or 0) <= 0.085
    assert 0 < enough.tcp_bits_per_second < lax.tcp_bits_per_second / 2
    said = " ".join(verdict(lax))
    assert f"sends less when cells are lost. With {enough.cells} cells the mean" in said
    assert "The buffer in the scenario has 84 cells and misses the target: the mean" in said
    assert "too few" not in said
    late = ask(UBR, short, delay_seconds=0.005)
    # 149.76 Mbit/s for 5 ms; the random cells are in the same queue.
    assert late.buffer_cells == math.floor(0.005 * 149.76e6 / 424)
    assert (late.mean_loss_ratio or 0) > 0.01


@pytest.mark.drawn
def test_the_command_writes_a_page_and_goes_on_where_it_was(
    command: Command, tmp_path: Path
) -> None:
    (tmp_path / "my.toml").write_text(UBR, encoding="utf-8")
    arguments = ["size-buffer", "my.toml", "--set", "run.duration=60 ms", "--seeds", "3"]
    shown = command(*arguments)
    assert shown.returncode == 0, shown.stderr
    assert "cells none of 3 runs loses a cell" in shown.stdout
    assert "With 95% confidence" in shown.stdout
    page = (tmp_path / "out/my-buffer.html").read_text(encoding="utf-8")
    assert "<svg" in page
    assert "window-sum" in page
    assert re.search(r'(src|href)="http', page) is None
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "out/results").rglob("*")}
    again = command(*arguments, "--json")
    found = json.loads(again.stdout)
    assert found["buffer_cells"] == max(found["least_buffer_cells_by_seed"])
    assert {p: p.stat().st_mtime_ns for p in (tmp_path / "out/results").rglob("*")} == kept
    assert (tmp_path / "out/my-buffer.html").read_text(encoding="utf-8") == page


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--port", "A->b"], "there is no output port 'A->b'; there are A->sink"),
        (["--loss", "1.5"], "allowed is 0 to below 1"),
        (["--loss", "0.1", "--delay", "1 ms"], "allowed is only one of them"),
        (["--delay", "1 us"], "shorter than that of a single cell"),
        (["--delay", "1 mile"], "--delay: `1 mile` is not a time"),
        (["--seeds", "0"], "seeds"),
        (["--out", "/dev/null"], "--out /dev/null: nothing can be written there"),
        (["--fresh", "--out", "/dev/null/x"], "--out /dev/null/x: nothing can be written there"),
    ],
)
def test_a_wrong_question_is_refused(command: Command, arguments: list[str], says: str) -> None:
    done = command("size-buffer", "-", "--set", "run.duration=5 ms", *arguments, stdin=UBR)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr


def test_a_network_without_a_switch_has_no_buffer(command: Command) -> None:
    text = """
run = { duration = "1 ms" }
[topology]
template = "graph"
node = [{ name = "a", kind = "host" }, { name = "b", kind = "host" }]
link = [{ from = "a", to = "b", rate = "1 Mbit/s", delay = "1 ms" }]
[[flow]]
name = "x"
service = "cbr"
from = "a"
to = "b"
source = { kind = "cbr", rate = "100 kbit/s" }
"""
    done = command("size-buffer", "-", stdin=text)
    assert done.returncode == 2
    assert "no output port" in done.stderr


def test_a_buffer_of_locked_phases_is_doubted_before_it_is_told() -> None:
    locked, *_ = verdict(ask(LOCKING, seeds=1, loss_ratio=0.01))
    assert locked.startswith("In the run the TCP sources run in step")
    # Links that are a per cent faster than the bottleneck keep cells apart.
    faster = 'topology.link_rate="157.1 Mbit/s"', 'topology.bottleneck_rate="155.52 Mbit/s"'
    free, *_ = verdict(ask(LOCKING, *faster, seeds=1, loss_ratio=0.01))
    assert re.match(r"Buffer: [\d,]+ cells, ", free)


def test_a_question_needs_a_seed() -> None:
    with pytest.raises(SizingError, match="`seeds` is empty"):
        Question(UBR, "x", seeds=())
    assert Job(UBR, "x").key() != Question(UBR, "x").job(1).key()
    assert _core.quantity("1 s", "time") == 1
