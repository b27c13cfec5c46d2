"""The order among cells that arrive at one instant, where it decides who has the link."""

from __future__ import annotations

from cellrate import Job, Result, run_many

# Five greedy sources over lines as fast as the bottleneck; a cell takes 4.24 us on each, to the
# picosecond, so those in step meet for ever.
IN_STEP = """
run = { duration = "5 s" }
measure = { from = "1 s" }
switch = { buffer = "2000 cells" }
flow = [{ name = "tcp", count = 5, service = "ubr" }]
[topology]
template = "n-source"
link_rate = "100 Mbit/s"
access = "0.1 ms"
bottleneck = "1 ms"
egress = "0.1 ms"
[tcp]
recovery = "reno"
window = "256 KiB"
granularity = "100 ms"
min_rto = "200 ms"
"""
DRAWN = 'run.simultaneous_cells="drawn"'
FASTER = 'topology.bottleneck_rate="99.6 Mbit/s"'


def shares(*settings: str) -> list[float]:
    """Throughput of each source in bit/s."""
    [outcome] = run_many([Job(IN_STEP, "step.toml", settings)], workers=1)
    return [flow["tcp_throughput_bits_per_second"] for flow in Result(outcome).summary["flows"]]


def jain(rates: list[float]) -> float:
    return sum(rates) ** 2 / (len(rates) * sum(rate**2 for rate in rates))


def test_only_as_written_one_of_equal_sources_has_the_link() -> None:
    for seed in (1, 2, 3):
        rates = shares(f"run.seed={seed}")
        # 80.5 Mbit/s are all that segments of 512 bytes can have of 100.
        assert sum(rates) > 80e6
        assert jain(rates) < 0.25
        assert jain(shares(f"run.seed={seed}", DRAWN)) > 0.5
        # Lines that are 0.4 % faster than the bottleneck get out of step by themselves.
        assert jain(shares(f"run.seed={seed}", FASTER)) > 0.5


def test_the_order_is_drawn_by_the_seed() -> None:
    short = ("run.duration=200 ms", "measure.from=0 s")
    assert shares(*short, DRAWN) == shares(*short, DRAWN)
    assert shares(*short, DRAWN) != shares(*short, DRAWN, "run.seed=2")
    assert shares(*short, DRAWN) != shares(*short)
