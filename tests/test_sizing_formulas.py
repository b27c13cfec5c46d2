"""Formulas for a buffer beside what is measured, and the assumptions that fail."""

from __future__ import annotations

import json

import pytest
from cellrate import _core
from cellrate.advice.formulas import formulas_of
from cellrate.advice.sizing import Answer, Question
from cellrate.simulation.runner import Job, run_many
from sizing_questions import BACKGROUND, TRANSFERS, ask, links

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
        assert "EFCI" in found["q-max"].inapplicable


def test_the_law_holds_in_the_last_row_of_table_8_3() -> None:
    answer = ask(TRANSFERS, *links(50), 'run.duration="1 s"', seeds=4)
    law = next(one for one in answer.formulas if one.formula == "buffer-law")
    assert answer.buffer_cells is not None
    assert law.cells is not None
    # Published: 1596 cells.
    assert 0.75 * law.cells < answer.buffer_cells < law.cells
    assert len(set(answer.each_cells)) > 1


def test_the_law_is_too_low_in_local_networks_and_says_so() -> None:
    """Table 8.4: 2253 and 3597 cells at 30 us, where the law says 537 and 1037."""
    for cells, law in ((500, 537), (1000, 1037)):
        interval = [
            'switch.control.interval="10 ms"',
            f'switch.control.interval_cells="{cells} cells"',
        ]
        answer = ask(TRANSFERS, *links(1), *interval, 'run.duration="1 s"')
        found = next(one for one in answer.formulas if one.formula == "buffer-law")
        assert found.cells == pytest.approx(law, abs=1)
        assert "Table 8.4" in " ".join(found.fails)
        assert (answer.buffer_cells or 0) > 2 * law


@pytest.mark.parametrize(
    ("count", "kilometres", "settings", "reason", "holds"),
    [
        # The paper's settings, with its largest number of sources.
        (15, 1000, (), "", True),
        (50, 1000, (), "hold for up to 15, but here are 50", False),
        (6, 100, ("switch.control.target_utilisation=0.99", 'abr.icr="155.52 Mbit/s"'), "", True),
        (15, 50, ("switch.control.max_alloc=true",), "up to 6 where the switch counts", False),
        (15, 50, ('abr.icr="155.52 Mbit/s"',), "up to 6 where their ICRs", False),
        # 15 windows of 10 segments of 12 cells.
        (15, 200, ("tcp.initial_window=10",), "first windows of all sources, 1,800 cells", False),
    ],
)
def test_the_law_is_for_few_sources(
    count: int, kilometres: int, settings: tuple[str, ...], reason: str, *, holds: bool
) -> None:
    asked = (*links(kilometres), f"flow.tcp.count={count}", 'run.duration="600 ms"', *settings)
    network = Question(TRANSFERS, "x", asked).network
    answers = formulas_of(network, network.port("A->B"))
    law = next(one for one in answers if one.formula == "buffer-law")
    assert reason in " ".join(law.fails)
    assert law.applies is (reason == "")
    [outcome] = run_many([Job(TRANSFERS, "x", asked, 1)])
    ports = {port["name"]: port for port in json.loads(outcome.summary())["ports"]}
    longest = max(queue["queue_max_cells"] for queue in ports["A->B"]["queues"])
    assert (longest <= (law.cells or 0)) is holds


def test_windows_bound_nothing_that_is_sent_twice() -> None:
    def fails(buffer: str, rto: str) -> str:
        settings = "flow.tcp.count=15", f'tcp.min_rto="{rto}"', f'switch.buffer="{buffer}"'
        question = Question(TRANSFERS, "x", settings)
        answers = formulas_of(question.network, question.network.port("A->B"))
        return " ".join({one.formula: one for one in answers}["window-sum"].fails)

    # 368,640 cells take 1.005 s of the link.
    assert "nothing is sent twice" in fails("infinite", "1 s")
    assert fails("infinite", "1.1 s") == ""


def test_a_second_bottleneck_is_named() -> None:
    def fails(port: str, *settings: str) -> tuple[str, ...]:
        network = Question(_core.template("graph"), "x", settings).network
        answers = formulas_of(network, network.port(port))
        return {one.formula: one for one in answers}["buffer-law"].fails

    assert "there is one bottleneck" in fails("S1->S2")
    assert "there is one bottleneck" in fails("S2->S3")
    # 50 and 40 Mbit/s fit into the 100 of the second.
    slow = 'flow.long.abr={pcr="50 Mbit/s"}', 'flow.right.abr={pcr="40 Mbit/s"}'
    assert "there is one bottleneck" not in fails("S1->S2", *slow)


def test_credits_for_the_links_into_the_switch() -> None:
    question = Question(TRANSFERS, "x", tuple(links(1000)))
    answers = formulas_of(question.network, question.network.port("A->B"), 10)
    cells = {answer.formula: answer.cells for answer in answers}["credit-buffer"]
    # 10 ms there and back at 155.52 Mbit/s are 3668 cells, and 10 more; 15 channels.
    assert cells == 15 * (3668 + 10)


def test_formulas_say_which_assumption_fails() -> None:
    def failing(*settings: str) -> dict[str, str]:
        question = Question(BACKGROUND, "x", settings)
        answers = formulas_of(question.network, question.network.port("A->B"), 10)
        return {one.formula: " ".join(one.fails) + one.inapplicable for one in answers}

    erica = failing()
    assert "capacity for ABR is constant" in erica["buffer-law"]
    assert "credit control" in erica["credit-buffer"]
    efci = failing('switch.control={scheme="efci"}')
    assert "coefficients are those of ERICA" in efci["buffer-law"]
    assert "the background varies" in efci["q-max"]
    plain = failing('switch.control={scheme="none"}', "flow.tcp.service=ubr")
    assert "no elastic ABR" not in plain["buffer-law"]
    assert "does not mark by EFCI" in plain["q-max"]
