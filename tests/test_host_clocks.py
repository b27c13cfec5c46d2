"""Clocks of hosts, as they show in what hosts do: nothing here knows how phases are drawn."""

from __future__ import annotations

from itertools import pairwise

import pytest
from cellrate import Job, Result, run_many
from cellrate.papers.collection import papers_root

# Hosts a and b send to c and d through a switch whose buffer holds no packet: nothing arrives.
DEAF = """
run = { duration = "10 s" }
measure = { events = ["timeout"] }
switch = { buffer = "5 cells" }
tcp = { granularity = "500 ms" }
flow = [
    { name = "ac", count = 2, service = "ubr", from = "a", to = "c" },
    { name = "bc", count = 2, service = "ubr", from = "b", to = "c" },
    { name = "bd", service = "ubr", from = "b", to = "d", tcp = { granularity = "100 ms" } },
]
[topology]
template = "graph"
node = [
    { name = "a", kind = "host" }, { name = "b", kind = "host" },
    { name = "c", kind = "host" }, { name = "d", kind = "host" },
    { name = "X", kind = "switch" },
]
link = [
    { from = "a", to = "X", rate = "50 Mbit/s", delay = "1 ms" },
    { from = "b", to = "X", rate = "50 Mbit/s", delay = "1 ms" },
    { from = "X", to = "c", rate = "20 Mbit/s", delay = "1 ms" },
    { from = "X", to = "d", rate = "20 Mbit/s", delay = "1 ms" },
]
"""
# The same without loss: one segment outstanding, which waits for the clock of its receiver's host.
DELAYED = (
    "measure.traces=['sequence']",
    "measure.sample='1 ms'",
    "measure.trace_points=10000",
    "switch.buffer='infinite'",
    "tcp.delayed_ack=true",
    "tcp.window='512 bytes'",
    "run.duration='1 s'",
)
HALF_A_SECOND = 500_000_000_000
PER_HOST, SHARED = "tcp.clock='per-host'", "tcp.clock='shared'"


def run(text: str, *settings: str) -> Result:
    [outcome] = run_many([Job(text, "clocks.toml", settings)], workers=1)
    return Result(outcome)


def timeouts(result: Result) -> dict[str, list[int]]:
    """Times at which timers ran out, in picoseconds, by channel."""
    found: dict[str, list[int]] = {}
    for seconds, vc in result.events.select("time_seconds", "vc").iter_rows():
        found.setdefault(vc.removesuffix("/forward"), []).append(round(seconds * 1e12))
    return found


def phases(seed: int, clock: str) -> dict[str, int]:
    """Place within a tick of 500 ms of the timeouts of each flow, all of which share it."""
    found = timeouts(run(DEAF, clock, f"run.seed={seed}"))
    assert sorted(found) == ["ac.1", "ac.2", "bc.1", "bc.2", "bd.1"]
    places = {name: {at % HALF_A_SECOND for at in times} for name, times in found.items()}
    # 3 s, then 6 s later; the clock of 100 ms ticks with that of 500 ms, and in between.
    assert all(len(times) > 1 for times in found.values())
    assert all(len(place) == 1 for name, place in places.items() if name != "bd.1")
    finest = {at % (HALF_A_SECOND // 5) for at in found["bd.1"]}
    assert len(finest) == 1
    return {name: place.pop() for name, place in places.items() if name != "bd.1"} | {
        "bd.1": finest.pop()
    }


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_timers_of_a_host_run_out_on_its_ticks_and_those_of_others_elsewhere(seed: int) -> None:
    own = phases(seed, PER_HOST)
    assert own["ac.1"] == own["ac.2"]
    assert own["bc.1"] == own["bc.2"]
    assert own["ac.1"] != own["bc.1"]
    # One host, two intervals: every fifth tick of the finer clock is one of the coarser.
    assert own["bc.1"] % (HALF_A_SECOND // 5) == own["bd.1"]
    shared = phases(seed, SHARED)
    assert len({shared[name] for name in ("ac.1", "ac.2", "bc.1", "bc.2")}) == 1


def test_seeds_draw_other_clocks() -> None:
    assert phases(1, PER_HOST) != phases(2, PER_HOST)


def advances(result: Result, flow: str) -> list[float]:
    """Times at which acknowledgements came back, modulo the clock of delayed acknowledgements."""
    series = result.series("sequence", flow)
    points = zip(series.time, series.middle, strict=True)
    return [float(at) % 0.2 for (_, before), (at, after) in pairwise(points) if after > before]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_host_delays_the_acknowledgements_of_all_its_connections_by_one_clock(seed: int) -> None:
    own, shared = (
        run(
            DEAF,
            *DELAYED,
            clock,
            f"run.seed={seed}",
        )
        for clock in (PER_HOST, SHARED)
    )
    to_c = ("ac.1", "ac.2", "bc.1", "bc.2")

    def spread(result: Result, flows: tuple[str, ...]) -> float:
        """Widest gap between places on the circle of 200 ms, for flows to be compared."""
        places = [at for flow in flows for at in advances(result, flow)]
        assert len(places) >= 3 * len(flows)
        apart = [abs(one - other) for one in places for other in places]
        return max(min(gap, 0.2 - gap) for gap in apart)

    # Acknowledgements of one tick leave one behind the other and are seen every millisecond.
    assert spread(own, to_c) < 0.003
    assert spread(own, (*to_c, "bd.1")) > 0.003
    assert spread(shared, to_c) > 0.003


# Kalyanaraman 97's UBR with 15 sources and large segments: BSD's clock, windows without scaling.
LARGE_SEGMENTS = (
    'switch.buffer="1000 cells"',
    'tcp.mss="9140 bytes"',
    'tcp.window="64 KiB"',
    'tcp.granularity="500 ms"',
    'run.duration="30 s"',
    'measure.from="10 s"',
    "measure.traces=[]",
    "measure.events=[]",
)


@pytest.mark.parametrize(
    ("policy", "dead", "least_bits_per_second", "fairness"),
    [("tail-drop", 13, 100e6, 0.8), ("epd", 10, 90e6, 0.85)],
)
def test_losers_of_one_clock_lose_for_ever(
    policy: str, dead: int, least_bits_per_second: float, fairness: float
) -> None:
    path = papers_root() / "kalyan97" / "scenarios" / "uncontrolled.toml"
    for seed in (1, 2):
        settings = (*LARGE_SEGMENTS, f'switch.discard.policy="{policy}"', f"run.seed={seed}")
        own, shared = (
            run(path.read_text(encoding="utf-8"), *settings, clock) for clock in (PER_HOST, SHARED)
        )
        rates = [flow["tcp_throughput_bits_per_second"] for flow in shared.summary["flows"]]
        # They time out at one picosecond, fill the buffer with parts of all their packets, and wait
        # twice as long together. In 20 s nothing of theirs is delivered.
        assert rates.count(0.0) >= dead
        # 15 windows of 64 KiB in 31 ms ask for 250 Mbit/s: nobody is held back by the window.
        rates = [flow["tcp_throughput_bits_per_second"] for flow in own.summary["flows"]]
        assert min(rates) > 0.0
        assert sum(rates) > least_bits_per_second
        assert sum(rates) ** 2 / (15 * sum(rate**2 for rate in rates)) > fairness
