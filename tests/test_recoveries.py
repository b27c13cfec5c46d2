"""CUBIC, Vegas and BBR in whole networks: each does that for which it was made."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import pytest
from cellrate import Job, Result, run_many, template
from cellrate.common.problems import BadInput
from cellrate.studies.parameters.keys import Keys

# One connection over UBR; segments of 1,460 bytes are 32 cells.
CELLS = 32
ALONE = (
    "flow.tcp.count=1",
    'flow.tcp.service="ubr"',
    'switch.control={ scheme = "none" }',
    'tcp.mss="1460 bytes"',
    'tcp.window="64 MiB"',
    'tcp.granularity="10 ms"',
    'tcp.min_rto="200 ms"',
)
# 100 Mbit/s over 100 ms, with a sixth of the data on their way as buffer.
FAT = (
    *ALONE,
    'topology.link_rate="155.52 Mbit/s"',
    'topology.bottleneck_rate="100 Mbit/s"',
    'topology.bottleneck="50 ms"',
    'switch.buffer="4000 cells"',
    'run.duration="60 s"',
    'measure.from="20 s"',
)
CUBIC = ('measure.traces=["cwnd"]', 'measure.sample="100 ms"')
# 20 Mbit/s over 20 ms: 50,000 bytes, or 1,100 cells, are on their way.
ENDLESS = (
    *ALONE,
    'topology.link_rate="155.52 Mbit/s"',
    'topology.bottleneck_rate="20 Mbit/s"',
    'topology.bottleneck="10 ms"',
    'switch.buffer="infinite"',
    'run.duration="20 s"',
    'measure.from="10 s"',
    'measure.traces=["queue", "cwnd"]',
)


@cache
def simulate(settings: tuple[str, ...], recovery: str, *more: str) -> Result:
    """One run of the built-in template."""
    overrides = (*settings, f'tcp.recovery="{recovery}"', *more)
    [outcome] = run_many([Job(template("n-source"), "n-source.toml", overrides)], workers=1)
    return Result(outcome)


def throughput(result: Result) -> float:
    """Of TCP, in Mbit/s."""
    return float(result.summary["totals"]["tcp_throughput_bits_per_second"]) / 1e6


def queue(result: Result, measure: str) -> float:
    """A measure of the fullest queue, in segments."""
    queues = [queue for port in result.summary["ports"] for queue in port["queues"]]
    return max(float(queue[measure] or 0) for queue in queues) / CELLS


def test_cubic_outgrows_reno_on_a_long_fat_link() -> None:
    reno, cubic = simulate(FAT, "reno"), simulate(FAT, "cubic", *CUBIC)
    # Payload is at most 100 * 1460 / (32 * 53) = 86.1 Mbit/s. From half of 850 segments Reno needs
    # 425 round trips of 100 ms, which is all of the window.
    assert throughput(reno) < 0.7 * 86.1
    assert throughput(cubic) > 0.93 * 86.1
    assert cubic.summary["totals"]["timeouts"] == 0


def test_the_window_of_cubic_is_concave_then_flat_then_convex() -> None:
    result = simulate(FAT, "cubic", *CUBIC)
    windows = result.series("cwnd", "tcp.1").middle
    steps = [after - before for before, after in pairwise(windows)]
    lost = [place for place, step in enumerate(steps) if step < -100_000 and place > 150]
    # After a loss below W_max (fast convergence) the window passes the plateau.
    begin, end = max(pairwise(lost), key=lambda stage: stage[1] - stage[0])
    stage = steps[begin + 2 : end]
    third = len(stage) // 3
    first, middle, last = sum(stage[:third]), sum(stage[third:-third]), sum(stage[-third:])
    assert first > 5 * middle
    assert last > 5 * middle
    assert middle > 0


def test_vegas_keeps_between_alpha_and_beta_segments_in_the_queue() -> None:
    for alpha, beta in ((2, 4), (8, 10)):
        table = f'tcp.recovery={{ policy = "vegas", alpha = {alpha}, beta = {beta} }}'
        result = simulate(ENDLESS, "vegas", table)
        # The segment that is being sent is not part of a round trip's queue.
        assert alpha <= queue(result, "queue_mean_cells") <= beta + 1
        assert throughput(result) > 0.99 * 20 * 1460 / (CELLS * 53)
        assert result.summary["totals"]["timeouts"] == 0


def test_bbr_delivers_the_rate_of_the_bottleneck_over_a_short_queue() -> None:
    bbr, reno = simulate(ENDLESS, "bbr"), simulate(ENDLESS, "reno", 'tcp.window="512 KiB"')
    # In 98 % of the time at the rate, and 2 % with four segments (ProbeRTT).
    assert throughput(bbr) > 0.96 * 20 * 1460 / (CELLS * 53)
    # A quarter of the 35 segments on their way in one phase of eight, three quanta of two
    # segments besides; never twice what is on its way.
    assert queue(bbr, "queue_mean_cells") < 35 / 4
    assert queue(bbr, "queue_max_cells") < 35 + 3 * 2
    assert queue(reno, "queue_mean_cells") > 10 * queue(bbr, "queue_mean_cells")


def test_bbr_depends_on_the_seed_and_on_nothing_else() -> None:
    three = ("flow.tcp.count=3",)
    first, same, other = (
        simulate.__wrapped__(ENDLESS, "bbr", *three, f"run.seed={seed}").digest
        for seed in (1, 1, 2)
    )
    assert first == same != other


@pytest.mark.parametrize("name", ["cubic", "vegas", "bbr"])
def test_a_name_is_the_table_of_the_defaults(name: str) -> None:
    def resolved(*settings: str) -> str:
        return Job(template("n-source"), "n-source.toml", settings).resolved()

    by_name = resolved(f'tcp.recovery="{name}"')
    table = Keys(by_name).document["tcp"]["recovery"]
    assert table.pop("policy") == name
    assert Keys(by_name).find("tcp.recovery").value == name
    for key, value in table.items():
        written = str(value).lower() if isinstance(value, bool | float | int) else f'"{value}"'
        assert resolved(f'tcp.recovery="{name}"', f"tcp.recovery.{key}={written}") == by_name
        assert Keys(by_name).find(f"tcp.recovery.{key}").value == value


def test_a_parameter_of_a_recovery_without_any_is_refused() -> None:
    keys = Keys(Job(template("n-source"), "n-source.toml").resolved())
    with pytest.raises(BadInput, match="recovery has no keys of its own"):
        keys.find("tcp.recovery.c")


def test_the_timeout_of_a_segment_that_is_lost_again_and_again_doubles() -> None:
    """RFC 6298 (2.4) and (5.5): the timeout that `min_rto` has raised is doubled, up to 64 s."""
    lossy = (
        *ALONE,
        'topology.bottleneck="1 km"',
        "link_errors.cell_loss_ratio=0.5",
        'tcp.mss="8 bytes"',
        'tcp.window="80 bytes"',
        'tcp.granularity="1 ms"',
        'tcp.min_rto="1 s"',
        'tcp.initial_rto="1 s"',
        'run.duration="2000 s"',
        'measure.events=["timeout"]',
    )
    events = simulate(lossy, "newreno").events.filter(kind="timeout")
    found = [
        group["time_seconds"].to_list()
        for _, group in events.group_by("sequence_bytes", maintain_order=True)
    ]
    times = max(found, key=len)
    waits = [later - earlier for earlier, later in pairwise(times)]
    assert waits[-1] == pytest.approx(64.0, abs=1e-3)
    doubled = [min(2 * wait, 64.0) for wait in waits[:-1]]
    assert waits[1:] == pytest.approx(doubled, abs=2e-3)
