"""Effects of the keys of sources."""

from __future__ import annotations

from conftest import HERE, SCENARIOS
from key_effects import (
    DELAY,
    GRAPH,
    MESSAGES,
    ROOMY,
    SWITCH,
    THROUGHPUT,
    digest,
    of_flow,
    per_flow,
    row,
)

COMPLETION = per_flow("completion_seconds")
CBR_BYTES = of_flow("cbr.1", "delivered_bytes")
NOISE_BYTES = of_flow("noise.1", "delivered_bytes")
EXPONENTIAL = (
    (
        'flow.cbr.source={ kind = "exponential-on-off", peak = "2 Mbit/s",'
        ' mean_on = "2 ms", mean_off = "2 ms" }'
    ),
)
MANY = (
    (
        'flow.cbr.source={ kind = "mmdp", sources = 4, peak = "1 Mbit/s",'
        ' mean_on = "2 ms", burstiness = 3.0 }'
    ),
)
STREAMS = (
    (
        'flow.cbr.source={ kind = "mpeg2", mean = "2 Mbit/s", standard_deviation = "2 Mbit/s",'
        ' peak = "4 Mbit/s", interval_low = "1 ms", interval_high = "3 ms" }'
    ),
)
DATA = SCENARIOS / "played"
EXAMPLES = HERE.parent / "examples"
TRACE = (f'flow.cbr.source={{ kind = "rate-trace", file = "{DATA / "rates.csv"}" }}',)
PROGRAM = (
    (
        f'flow.cbr.source={{ kind = "transport-stream", file = "{DATA / "two-programs.ts"}",'
        " program = 1 }"
    ),
)
CLOCK = (
    (
        f'flow.cbr.source={{ kind = "transport-stream", file = "{DATA / "two-programs.ts"}",'
        " pcr_pid = 256 }"
    ),
)
PACKETS = (*STREAMS, 'flow.cbr.source.rates="transport-packets"')
# A client that thinks for longer than a retransmission timeout.
BROWSER = ('flow.tcp.source={ kind = "www", think_time = "5 ms" }', *ROOMY)
HEAVY_TAILED = (*BROWSER, "flow.tcp.source.pareto_shape=1.2")
VIDEO = (
    'flow.cbr.source={ kind = "on-off", peak = "2 Mbit/s", period = "20 ms", duty_cycle = 0.5 }',
)
TRANSFER = 'flow.tcp.source={ kind = "transfer", size = "10 kB" }'

SOURCE_KEYS = [
    row("flow.tcp.source.size", '"10 kB"', '"20 kB"', "rises", COMPLETION, TRANSFER),
    row("flow.cbr.source.rate", '"1 Mbit/s"', '"2 Mbit/s"', "rises", CBR_BYTES, scenario=GRAPH),
    row(
        "flow.noise.source.rate", '"1 Mbit/s"', '"2 Mbit/s"', "rises", NOISE_BYTES, scenario=SWITCH
    ),
    row(
        "flow.cbr.source.peak",
        '"1 Mbit/s"',
        '"2 Mbit/s"',
        "rises",
        CBR_BYTES,
        *VIDEO,
        scenario=GRAPH,
    ),
    row("flow.cbr.source.period", '"20 ms"', '"150 ms"', "differs", digest, *VIDEO, scenario=GRAPH),
    row(
        "flow.cbr.source.mean_on",
        '"1 ms"',
        '"4 ms"',
        "rises",
        CBR_BYTES,
        *EXPONENTIAL,
        scenario=GRAPH,
    ),
    row(
        "flow.cbr.source.mean_off",
        '"1 ms"',
        '"4 ms"',
        "falls",
        CBR_BYTES,
        *EXPONENTIAL,
        scenario=GRAPH,
    ),
    row("flow.cbr.source.sources", "2", "8", "rises", CBR_BYTES, *MANY, scenario=GRAPH),
    row("flow.cbr.source.burstiness", "1.5", "4.0", "falls", CBR_BYTES, *MANY, scenario=GRAPH),
    row(
        "flow.cbr.source.mean",
        '"1 Mbit/s"',
        '"3 Mbit/s"',
        "rises",
        CBR_BYTES,
        *STREAMS,
        scenario=GRAPH,
    ),
    row(
        "flow.cbr.source.standard_deviation",
        '"1 Mbit/s"',
        '"2 Mbit/s"',
        "differs",
        digest,
        *STREAMS,
        scenario=GRAPH,
    ),
    row("flow.cbr.source.hurst", "0.6", "0.9", "differs", digest, *STREAMS, scenario=GRAPH),
    row(
        "flow.cbr.source.interval_low",
        '"1 ms"',
        '"2 ms"',
        "differs",
        digest,
        *STREAMS,
        scenario=GRAPH,
    ),
    row(
        "flow.cbr.source.interval_high",
        '"3 ms"',
        '"4 ms"',
        "differs",
        digest,
        *STREAMS,
        scenario=GRAPH,
    ),
    row("flow.cbr.source.block", "256", "512", "differs", digest, *STREAMS, scenario=GRAPH),
    row(
        "flow.cbr.source.rates",
        '"cells"',
        '"transport-packets"',
        "rises",
        CBR_BYTES,
        *STREAMS,
        scenario=GRAPH,
    ),
    row(
        "flow.cbr.source.packets_per_pdu",
        "2",
        "1",
        "rises",
        CBR_BYTES,
        *PACKETS,
        scenario=GRAPH,
    ),
    row(
        "flow.cbr.source.file",
        f'"{DATA / "rates.csv"}"',
        f'"{EXAMPLES / "rates.csv"}"',
        "differs",
        digest,
        *TRACE,
        scenario=GRAPH,
    ),
    row("flow.cbr.source.repeat", "false", "true", "rises", CBR_BYTES, *TRACE, scenario=GRAPH),
    row(
        "flow.cbr.source.random_phase",
        "false",
        "true",
        "differs",
        digest,
        *TRACE,
        "flow.cbr.source.repeat=true",
        scenario=GRAPH,
    ),
    row("flow.cbr.source.program", "1", "2", "rises", CBR_BYTES, *PROGRAM, scenario=GRAPH),
    row("flow.cbr.source.pcr_pid", "256", "257", "differs", digest, *PROGRAM, scenario=GRAPH),
    row(
        "flow.cbr.source.null_packets",
        "false",
        "true",
        "rises",
        CBR_BYTES,
        *CLOCK,
        scenario=GRAPH,
    ),
    row("flow.tcp.source.mean_rate", '"0.5 Mbit/s"', '"2 Mbit/s"', "rises", THROUGHPUT, *MESSAGES),
    row("flow.tcp.source.mean_length", '"1 kB"', '"8 kB"', "rises", DELAY, *MESSAGES),
    row("flow.tcp.source.peak_rate", '"1.1 Mbit/s"', '"9 Mbit/s"', "differs", digest, *MESSAGES),
    row("flow.tcp.source.think_time", '"2 ms"', '"20 ms"', "falls", THROUGHPUT, *BROWSER),
    row("flow.tcp.source.objects", "1.0", "8.0", "rises", THROUGHPUT, *BROWSER),
    row("flow.tcp.source.pipelined", "false", "true", "differs", digest, *BROWSER),
    row("flow.tcp.source.server_time", '"0 s"', '"10 ms"', "falls", THROUGHPUT, *BROWSER),
    row("flow.tcp.source.pareto_shape", "1.1", "3.0", "differs", digest, *BROWSER),
    row("flow.tcp.source.smallest", '"1 kB"', '"8 kB"', "differs", digest, *HEAVY_TAILED),
    row("flow.tcp.source.largest", '"4 kB"', '"1 MB"', "differs", digest, *HEAVY_TAILED),
    row("flow.cbr.source.duty_cycle", "0.2", "0.8", "rises", CBR_BYTES, *VIDEO, scenario=GRAPH),
    row(
        "flow.cbr.source.peak",
        '"1 Mbit/s"',
        '"2 Mbit/s"',
        "rises",
        CBR_BYTES,
        *EXPONENTIAL,
        scenario=GRAPH,
    ),
    row(
        "flow.cbr.source.peak",
        '"1 Mbit/s"',
        '"2 Mbit/s"',
        "rises",
        CBR_BYTES,
        *MANY,
        scenario=GRAPH,
    ),
    row("flow.cbr.source.mean_on", '"2 ms"', '"4 ms"', "differs", digest, *MANY, scenario=GRAPH),
    row(
        "flow.cbr.source.peak",
        '"2 Mbit/s"',
        '"4 Mbit/s"',
        "rises",
        CBR_BYTES,
        *STREAMS,
        scenario=GRAPH,
    ),
    row("flow.cbr.source.sources", "1", "2", "rises", CBR_BYTES, *STREAMS, scenario=GRAPH),
    # A peak below some rate of the file holds cells back.
    row(
        "flow.cbr.source.peak",
        '"20 Mbit/s"',
        '"0.1 Mbit/s"',
        "falls",
        CBR_BYTES,
        *TRACE,
        scenario=GRAPH,
    ),
    row(
        "flow.cbr.source.file",
        f'"{DATA / "two-programs.ts"}"',
        f'"{EXAMPLES / "pictures.ts"}"',
        "differs",
        digest,
        *PROGRAM,
        scenario=GRAPH,
    ),
    row("flow.cbr.source.packets_per_pdu", "2", "1", "rises", CBR_BYTES, *PROGRAM, scenario=GRAPH),
    row(
        "flow.cbr.source.peak",
        '"20 Mbit/s"',
        '"0.1 Mbit/s"',
        "falls",
        CBR_BYTES,
        *PROGRAM,
        scenario=GRAPH,
    ),
    row(
        "flow.cbr.source.repeat",
        "false",
        "true",
        "rises",
        CBR_BYTES,
        *PROGRAM,
        'run.duration="1500 ms"',
        scenario=GRAPH,
    ),
    row(
        "flow.cbr.source.random_phase",
        "false",
        "true",
        "differs",
        digest,
        *PROGRAM,
        "flow.cbr.source.repeat=true",
        scenario=GRAPH,
    ),
]
