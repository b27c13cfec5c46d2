"""Effects of the parameters of TCP's recoveries."""

from __future__ import annotations

from key_effects import ROOMY, THROUGHPUT, UBR, Effect, digest, queue, row

# One connection over 100 ms of fibre, whose queue holds a fifth of what is on its way.
FAT = (
    *UBR,
    "flow.tcp.count=1",
    'topology.bottleneck="50 ms"',
    'run.duration="12 s"',
    'tcp.window="1 MiB"',
    'tcp.initial_ssthresh="32 KiB"',
    'switch.buffer="250 cells"',
)
CUBIC = ('tcp.recovery="cubic"', *FAT)
# One connection that is alone with an endless queue.
ALONE = (*ROOMY, "flow.tcp.count=1", 'topology.bottleneck="5 ms"', 'run.duration="2 s"')
VEGAS = ('tcp.recovery="vegas"', *ALONE)
BBR = ('tcp.recovery="bbr"', *ALONE)
# After Startup, whose queue is longer than those of ProbeBW.
STEADY = (*BBR, 'measure.from="1 s"')
MEAN, LONGEST = queue("queue_mean_cells"), queue("queue_max_cells")


def parameter(name: str, *rest: object) -> Effect:
    """The effect of a parameter of a recovery."""
    return row(f"tcp.recovery.{name}", *rest)  # type: ignore[arg-type]


RECOVERY_KEYS = [
    parameter("sack", "true", "false", "falls", THROUGHPUT, *CUBIC),
    parameter("c", "0.04", "4.0", "rises", THROUGHPUT, *CUBIC),
    parameter("beta", "0.3", "0.8", "rises", THROUGHPUT, *CUBIC),
    parameter("fast_convergence", "true", "false", "rises", MEAN, *CUBIC),
    parameter("reno_friendly", "false", "true", "rises", THROUGHPUT, *CUBIC),
    parameter("alpha", "2.0", "3.9", "rises", MEAN, *VEGAS),
    parameter("beta", "2.5", "12.0", "rises", MEAN, *VEGAS),
    parameter("gamma", "1.0", "8.0", "rises", LONGEST, *VEGAS),
    parameter(
        "early_retransmit",
        "false",
        "true",
        "differs",
        digest,
        *VEGAS,
        "link_errors.lose_every=5001",
    ),
    parameter("high_gain", "1.5", "4.0", "rises", LONGEST, *BBR),
    parameter("cwnd_gain", "1.0", "3.0", "rises", MEAN, *STEADY, "flow.tcp.count=2"),
    parameter("probe", "0.05", "0.5", "rises", LONGEST, *STEADY),
    parameter("btlbw_rounds", "4", "20", "rises", MEAN, *STEADY, "flow.tcp.count=4"),
    parameter("rtprop_time", '"0.2 s"', '"10 s"', "rises", THROUGHPUT, *BBR),
    parameter(
        "probe_rtt_time",
        '"20 ms"',
        '"400 ms"',
        "falls",
        THROUGHPUT,
        *BBR,
        'tcp.recovery.rtprop_time="0.2 s"',
    ),
]
