"""How much buffer a port needs: the measured answer, its confidence, queues without an end."""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from cellrate import _core
from cellrate.runner import Job, run_many
from cellrate.series import Series
from cellrate.sizing import Answer, Question, SizingError, size_buffer
from cellrate.sizing.confidence import (
    covered_share,
    normal_tolerance,
    seeds_to_cover,
    upper_mean,
)
from cellrate.sizing.formulas import formulas_of
from cellrate.sizing.growth import growth_of
from cellrate.sizing.measuring import measure
from cellrate.sizing.search import least, least_each
from conftest import Command
from hypothesis import given
from hypothesis import strategies as st

PAPERS = Path(__file__).parents[1] / "papers"
UBR = (PAPERS / "ohsaki95/scenarios/ubr.toml").read_text(encoding="utf-8")
TRANSFERS = (PAPERS / "kalyan97/scenarios/file-transfer.toml").read_text(encoding="utf-8")
BACKGROUND = (PAPERS / "kalyan97/scenarios/on-off-vbr.toml").read_text(encoding="utf-8")

runner = functools.partial(run_many, workers=2)


def ask(text: str, *settings: str, seeds: int = 2, **asked: object) -> Answer:
    question = Question(text, "asked.toml", settings, seeds=tuple(range(1, seeds + 1)), **asked)  # type: ignore[arg-type]
    return size_buffer(question, runner)


def links(kilometres: int) -> list[str]:
    names = ("access", "bottleneck", "egress")
    return ["flow.tcp.count=15", *(f'topology.{name}="{kilometres} km"' for name in names)]


def dropped(answer: Answer, buffer_cells: int) -> list[int]:
    """Cells dropped at the port with a buffer, seed by seed."""
    seeds = [run.seed for run in answer.unlimited]
    jobs = [answer.question.job(seed, buffer_cells) for seed in seeds]
    return [run.at(answer.port.name).cells_dropped for run in measure(jobs, runner)]


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
    answer = ask(UBR, 'run.duration="60 ms"', *settings)
    assert answer.buffer_cells == max(answer.each_cells)
    assert answer.question.is_exact == (len(settings) == 0 or "ppd" in settings[0])
    for index, cells in enumerate(answer.each_cells):
        assert dropped(answer, cells)[index] == 0
        assert dropped(answer, cells - 1)[index] > 0


def test_early_packet_discard_at_half_the_buffer_needs_twice_the_queue() -> None:
    short = 'run.duration="60 ms"'
    longest = ask(UBR, short, seeds=1).each_cells[0]
    needs = ask(UBR, short, 'switch.discard={policy="epd"}', seeds=1).each_cells[0]
    # Half the buffer is not exceeded where a packet of 91 cells begins, and one began at the top.
    assert 2 * (longest - 91) <= needs <= 2 * longest
    fixed = 'switch.discard={policy="epd", threshold="200 cells"}'
    assert ask(UBR, short, fixed, seeds=1).buffer_cells is None


def test_the_largest_of_some_seeds_covers_a_share_of_all_runs() -> None:
    assert covered_share(59) == pytest.approx(0.95, abs=5e-4)
    assert (seeds_to_cover(0.95), seeds_to_cover(0.99)) == (59, 299)
    assert covered_share(58) < 0.95 <= covered_share(59)


def test_bounds_of_normal_values() -> None:
    values = [float(value) for value in range(10)]
    mean, deviation = 4.5, math.sqrt(sum((v - 4.5) ** 2 for v in range(10)) / 9)
    # k of 10 values for 99 % and 95 % with 95 % confidence, from the tables of ISO 16269-6.
    assert normal_tolerance(values) == pytest.approx(mean + 3.981 * deviation, rel=1e-3)
    assert normal_tolerance(values, 0.95) == pytest.approx(mean + 2.911 * deviation, rel=1e-3)
    # t of 9 degrees of freedom at 95 %.
    assert upper_mean(values) == pytest.approx(mean + 1.833 * deviation / math.sqrt(10), rel=1e-3)
    assert upper_mean([1.0]) is None


@given(st.lists(st.integers(1, 5000), min_size=1, max_size=8))
def test_bisection_finds_every_threshold(thresholds: list[int]) -> None:
    def holds(buffers: object) -> list[bool]:
        return [b >= t for b, t in zip(buffers, thresholds, strict=True)]  # type: ignore[call-overload]

    assert least_each(holds, [5000] * len(thresholds)) == thresholds


def test_a_buffer_above_which_the_target_is_missed_again_is_not_the_answer() -> None:
    assert least(lambda cells: cells >= 1000, 1, 5000).cells == pytest.approx(1000, rel=0.02)
    again = least(lambda cells: cells >= 1000 and not 1100 <= cells <= 1300, 1, 5000)
    assert 1300 < again.cells < 1300 * 1.03
    assert again.verified_cells[0] > again.cells > again.too_small_cells


def queue(shape: Callable[[np.ndarray], np.ndarray]) -> Series:
    time = np.linspace(0.0, 8.0, 801)
    noise = 40.0 * np.abs(np.sin(97.0 * time))
    values = shape(time) + noise
    return Series("queue", "A->B", "cells", time, values, values)


def test_only_what_grows_in_proportion_to_time_is_endless() -> None:
    ramp = growth_of(queue(lambda t: 1000.0 * t))
    assert ramp.endless
    assert ramp.cells_per_second == pytest.approx(1000.0, rel=0.01)
    walk = growth_of(queue(lambda t: 1000.0 * np.sqrt(t)))
    assert (walk.suspect, walk.endless) == (True, False)
    steady = growth_of(queue(lambda t: 1000.0 + 0.0 * t))
    assert (steady.suspect, steady.endless) == (False, False)
    # It empties once a second: bursts that grow are no queue without end.
    emptied = growth_of(queue(lambda t: 1000.0 * t * (np.mod(t, 1.0) > 0.5)))
    assert not emptied.endless
    # Slow start, which has to end.
    assert not growth_of(queue(lambda t: 10.0 * 2.0**t)).endless
    # A queue that fills up and stays, as when windows bound it.
    filled = growth_of(queue(lambda t: np.minimum(1000.0 * t, 3000.0)))
    assert not filled.endless


@pytest.mark.parametrize(
    ("period", "duty", "kilometres", "endless"),
    [
        (100, 0.95, 1000, False),
        (100, 0.8, 1000, False),
        (100, 0.7, 1000, False),
        (10, 0.95, 1000, False),
        (10, 0.8, 1000, True),
        (10, 0.7, 1000, True),
        (1, 0.95, 1000, False),
        (1, 0.8, 1000, False),
        (1, 0.7, 1000, False),
        # Table 8.8: a feedback delay of 1 and 5 ms instead of 10 ms.
        (10, 0.8, 100, False),
        (10, 0.8, 500, True),
    ],
)
def test_the_divergent_rows_of_tables_8_7_and_8_8(
    period: int, duty: float, kilometres: int, *, endless: bool
) -> None:
    answer = ask(
        BACKGROUND,
        *links(kilometres),
        "switch.control.target_utilisation=1.0",
        "switch.control.queue_control={}",
        f'flow.vbr.source.period="{period} ms"',
        f"flow.vbr.source.duty_cycle={duty}",
        'run.duration="1 s"',
        seeds=1,
    )
    assert (answer.endless is not None) == endless
    assert (answer.buffer_cells is None) == endless
    if answer.endless is not None:
        # 15 windows of 2048 segments of 12 cells are all that can ever be outstanding.
        assert answer.endless.bound_cells == 15 * 2048 * 12
        assert answer.endless.cells_per_second > 5000


OPEN_LOOP = """
run = {{ duration = "200 ms", start_jitter = "1 ms" }}
[topology]
template = "single-switch"
link_rate = "155.52 Mbit/s"
access = "1 km"
bottleneck = "1 km"
[[flow]]
name = "x"
count = 10
service = "cbr"
source = {{ kind = "{kind}", rate = "14 Mbit/s" }}
"""


def test_sources_of_their_own_rate_have_queueing_formulas() -> None:
    def cells(answer: Answer) -> dict[str, float | None]:
        return {one.formula: one.cells for one in answer.formulas if one.cells is not None}

    periodic = ask(OPEN_LOOP.format(kind="cbr"), seeds=8)
    # Ten sources, of each a cell at once at worst.
    assert cells(periodic) == {"n-d-d-1": 10}
    assert 1 < (periodic.buffer_cells or 0) <= 10
    poisson = ask(OPEN_LOOP.format(kind="poisson"), seeds=8, loss_ratio=1e-3)
    law = cells(poisson)["m-d-1"]
    assert law is not None
    # The formula is on the safe side: it counts time above the buffer in a queue without one.
    assert 0.5 * law < (poisson.buffer_cells or 0) < law
    never = ask(OPEN_LOOP.format(kind="poisson"))
    assert "m-d-1" not in cells(never)


def test_what_must_grow_without_end_is_named_without_a_run(command: Command) -> None:
    text = """
run = { duration = "100000 s" }
[topology]
template = "single-switch"
link_rate = "100 Mbit/s"
access = "1 km"
bottleneck = "1 km"
[[flow]]
name = "cbr"
count = 3
service = "cbr"
source = { kind = "cbr", rate = "40 Mbit/s" }
"""
    done = command("size-buffer", "-", "--json", stdin=text)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    # 120 Mbit/s into 100 Mbit/s; of two sources nothing would be left over.
    assert found["grows_without_end"]["cells_per_second"] == pytest.approx(20e6 / 424)
    assert (found["grows_without_end"]["simulated"], found["buffer_cells"]) == (False, None)
    two = size_buffer(
        Question(text, "cbr.toml", ("flow.cbr.count=2", "run.duration=10 ms"), seeds=(1, 2, 3)),
        runner,
    )
    # Two periodic sources on links as fast as the bottleneck: a cell each at most, no randomness.
    assert (two.endless, two.buffer_cells, two.random) == (None, 2, False)
    assert two.covered_share is None
    assert len(two.unlimited) == 1


def test_targets_change_the_answer() -> None:
    short = 'run.duration="300 ms"'
    lossless = ask(UBR, short)
    lossy = ask(UBR, short, loss_ratio=0.01)
    lossier = ask(UBR, short, loss_ratio=0.05)
    assert lossless.buffer_cells is not None
    assert lossy.buffer_cells is not None
    assert lossier.buffer_cells is not None
    assert lossier.buffer_cells < lossy.buffer_cells < lossless.buffer_cells
    assert lossy.upper_loss_ratio is not None
    assert 0 < (lossy.mean_loss_ratio or 0) <= lossy.upper_loss_ratio <= 0.01
    late = ask(UBR, short, delay_seconds=0.005)
    # 149.76 Mbit/s less 1 % for the random cells, for 5 ms.
    assert late.buffer_cells == math.floor(0.005 * (149.76e6 - 1.4976e6) / 424)
    assert (late.mean_loss_ratio or 0) > 0.01


def test_formulas_of_table_8_3() -> None:
    # (3 RTT + feedback delay) at 155.52 Mbit/s, 3 * 30 + 10 ms for instance, and 100 cells.
    link = 155.52e6 / 424
    for kilometres, law in ((1000, 0.1), (500, 0.05), (200, 0.02), (50, 0.005)):
        question = Question(TRANSFERS, "x", tuple(links(kilometres)))
        answers = formulas_of(question.network, question.network.port("A->B"))
        found = {answer.formula: answer for answer in answers}
        assert found["buffer-law"].cells == pytest.approx(law * link + 100)
        assert found["buffer-law"].fails == ()
        assert found["window-sum"].cells == 15 * 24_576
        assert "EFCI" in found["q-max"].not_said


def test_the_law_holds_in_the_last_row_of_table_8_3() -> None:
    answer = ask(TRANSFERS, *links(50), 'run.duration="1 s"', seeds=4)
    law = next(one for one in answer.formulas if one.formula == "buffer-law")
    assert answer.buffer_cells is not None
    assert law.cells is not None
    # Published: 1596 cells.
    assert 0.75 * law.cells < answer.buffer_cells < law.cells
    assert len(set(answer.each_cells)) > 1


def test_formulas_say_which_assumption_fails() -> None:
    def failing(*settings: str) -> dict[str, str]:
        question = Question(BACKGROUND, "x", settings)
        answers = formulas_of(question.network, question.network.port("A->B"), 10)
        return {one.formula: " ".join(one.fails) + one.not_said for one in answers}

    erica = failing()
    assert "capacity for ABR is constant" in erica["buffer-law"]
    assert "credits" in erica["credit-buffer"]
    efci = failing('switch.control={scheme="efci"}')
    assert "coefficients are ERICA's" in efci["buffer-law"]
    assert "background comes and goes" in efci["q-max"]
    plain = failing('switch.control={scheme="none"}', "flow.tcp.service=ubr")
    assert "no elastic ABR" not in plain["buffer-law"]
    assert "marks no EFCI" in plain["q-max"]


def test_the_command_writes_a_page_and_goes_on_where_it_was(
    command: Command, tmp_path: Path
) -> None:
    (tmp_path / "my.toml").write_text(UBR, encoding="utf-8")
    arguments = ["size-buffer", "my.toml", "--set", "run.duration=60 ms", "--seeds", "3"]
    shown = command(*arguments)
    assert shown.returncode == 0, shown.stderr
    assert "cells lose nothing in 3 runs" in shown.stdout
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
        (["--loss", "0.1", "--delay", "1 ms"], "two questions"),
        (["--delay", "1 us"], "a cell alone takes"),
        (["--delay", "1 mile"], "--delay: `1 mile` is not a time"),
        (["--seeds", "0"], "seeds"),
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


def test_a_question_needs_a_seed() -> None:
    with pytest.raises(SizingError, match="no seed"):
        Question(UBR, "x", seeds=())
    assert Job(UBR, "x").key() != Question(UBR, "x").job(1).key()
    assert _core.quantity("1 s", "time") == 1
