"""For every key of a scenario: two values, and what must rise, fall or differ between them.

A setting that is silently not applied is the field's most common bug, so each key has a row here,
and `test_every_key_matters.py` fails when the schema has a key without one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from cellrate import Result

Measure: TypeAlias = Callable[[Result], float | str]

PAIR, SWITCH, GRAPH = "traced.toml", "single-switch.toml", "graph.toml"


@dataclass(frozen=True, slots=True)
class Effect:
    """What changing one key does.

    Attributes:
        path: Path of the key, as `--set` takes it.
        first: Its value in the first run, as TOML.
        second: Its value in the second one.
        relation: Whether the measure rises, falls or differs from the first to the second run.
        measure: What is compared.
        context: Settings of both runs.
        scenario: File that both runs start from.
    """

    path: str
    first: str
    second: str
    relation: str
    measure: Measure
    context: tuple[str, ...] = ()
    scenario: str = PAIR


def digest(result: Result) -> str:
    """Everything that happened."""
    return result.digest


def total(name: str) -> Measure:
    """An entry of the totals."""
    return lambda result: result.summary["totals"][name]


def per_flow(name: str) -> Measure:
    """Sum of a measure over the flows; null counts as zero."""
    return lambda result: sum(flow[name] or 0.0 for flow in result.summary["flows"])


def per_vc(name: str) -> Measure:
    """Sum of a measure over the forward channels; null counts as zero."""
    return lambda result: sum(
        vc[name] or 0.0 for vc in result.summary["vcs"] if vc["name"].endswith("/forward")
    )


def queue(name: str) -> Measure:
    """A measure of the ABR and UBR queue of the port that is fullest."""
    return lambda result: max(
        queue[name] or 0
        for port in result.summary["ports"]
        for queue in port["queues"]
        if "abr" in queue["classes"]
    )


def of_summary(name: str) -> Measure:
    """An entry of the summary itself."""
    return lambda result: result.summary[name]


def traced_points(result: Result) -> float:
    """Points of all series."""
    return sum(len(series) for series in result.traces)


def logged(result: Result) -> float:
    """Number of events."""
    return len(result.events)


def flow_count(result: Result) -> float:
    """Number of flows."""
    return len(result.summary["flows"])


def of_flow(flow: str, name: str) -> Measure:
    """A measure of one flow; null counts as zero."""
    return lambda result: next(f[name] or 0 for f in result.summary["flows"] if f["name"] == flow)


def first_name(result: Result) -> str:
    """Name of the first flow."""
    return str(result.summary["flows"][0]["name"])


def ack_class(result: Result) -> str:
    """Service class of the first flow's backward channel."""
    classes = {vc["name"]: vc["service"] for vc in result.summary["vcs"]}
    return str(classes["tcp.1/backward"])


def cells_per_byte(result: Result) -> float:
    """Cells sent by the sources per byte that TCP sent."""
    sent = sum(
        flow["balance"]["sent_once_bytes"] + flow["balance"]["retransmitted_bytes"]
        for flow in result.summary["flows"]
        if flow["balance"]
    )
    return CELLS(result) / sent  # type: ignore[no-any-return]


def backward(name: str) -> Measure:
    """Sum of a measure over the backward channels; null counts as zero."""
    return lambda result: sum(
        vc[name] or 0.0 for vc in result.summary["vcs"] if vc["name"].endswith("/backward")
    )


def load_factor(result: Result) -> float:
    """ERICA's load factor at the bottleneck, at the end."""
    controls = {port["name"]: port["control"] for port in result.summary["ports"]}
    return float(controls["A->B"]["load_factor"])


def mean_window(result: Result) -> float:
    """Mean congestion window of the first flow."""
    return float(result.series("cwnd", "tcp.1").middle.mean())


THROUGHPUT = total("tcp_throughput_bits_per_second")
FAST = per_flow("fast_retransmits")
LOST = total("packets_lost")
TIMEOUTS = total("timeouts")
DELAY = per_flow("packet_delay_mean_seconds")
LONGEST = queue("queue_max_cells")
COMPLETION = per_flow("completion_seconds")
REFUSED = per_flow("source_queue_dropped_packets")
ACR = per_vc("acr_mean_cells_per_second")
CELLS = per_vc("cells_sent")
FRMS = per_vc("frm_cells_sent")
CUTS = per_vc("missing_brm_cuts")
IDLE_RESETS = per_vc("idle_resets")
OUT_OF_RATE = per_vc("out_of_rate_cells_sent")
ACKNOWLEDGEMENTS = backward("data_cells_sent")
CBR_DELAY = of_flow("cbr.1", "cell_delay_mean_seconds")
CBR_BYTES = of_flow("cbr.1", "delivered_bytes")
NOISE_BYTES = of_flow("noise.1", "delivered_bytes")

# One small window in a network without queues: every delay is visible.
IDLE = ('flow.tcp.service="ubr"', "flow.tcp.count=1", 'tcp.window="512 bytes"')
UBR = ('flow.tcp.service="ubr"',)
ROOMY = (*UBR, 'switch.buffer="infinite"')
# Heavy loss: timeouts, one after the other.
LOSSY = (*UBR, 'switch.buffer="12 cells"', 'tcp.recovery="timeout-only"', "flow.tcp.count=8")
FAR = 'topology.bottleneck="20 ms"'
DELAYED = "tcp.delayed_ack=true"
CELL_DELAY = "measure.cell_delay=true"
# A source of bare cells over ABR that has little to send.
SLOW_SOURCE = 'flow.tcp.source={ kind = "cbr", rate = "200 kbit/s" }'
# ABR sources whose rates fall to almost nothing.
STARVED = ("abr.rdf=1.0", "abr.rif=0.000030517578125", 'switch.control.threshold="5 cells"')
ERICA = (
    'switch.control={ scheme = "erica", interval = "2 ms" }',
    'switch.buffer="infinite"',
    "abr.rif=1.0",
)
# Windows so small that intervals pass in which a source, or every source, is silent.
BURSTY = ('tcp.window="1 KiB"', FAR)
# Many RM cells, and rates that start low.
UNEASY = ("abr.nrm=4", 'abr.icr="0.1 Mbit/s"')
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
DATA = Path(__file__).parent.parent / "crates/cellrate/tests/data"
EXAMPLES = DATA.parents[3] / "examples"
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
# An application that pauses for longer than a retransmission timeout.
MESSAGES = (
    'flow.tcp.source={ kind = "messages", mean_length = "4 kB", mean_rate = "1 Mbit/s" }',
    *ROOMY,
)
# A client that thinks for longer than a retransmission timeout.
BROWSER = ('flow.tcp.source={ kind = "www", think_time = "5 ms" }', *ROOMY)
HEAVY_TAILED = (*BROWSER, "flow.tcp.source.pareto_shape=1.2")
LOT = (
    (
        'topology={ template = "parking-lot", link_rate = "20 Mbit/s", switches = 3,'
        ' hop = "20 km", span = "200 km", egress = "10 km" }'
    ),
)
LOT_BY_ACCESS = (
    (
        'topology={ template = "parking-lot", link_rate = "20 Mbit/s", switches = 3,'
        ' hop = "20 km", access = "20 km", egress = "10 km" }'
    ),
)
VIDEO = (
    'flow.cbr.source={ kind = "on-off", peak = "2 Mbit/s", period = "20 ms", duty_cycle = 0.5 }',
)
TRANSFER = 'flow.tcp.source={ kind = "transfer", size = "10 kB" }'


def row(
    path: str,
    first: str,
    second: str,
    relation: str,
    measure: Measure,
    *context: str,
    scenario: str = PAIR,
) -> Effect:
    """An effect, its context last."""
    return Effect(path, first, second, relation, measure, context, scenario)


def erica(
    key: str, first: str, second: str, relation: str, *context: str, scenario: str = PAIR
) -> Effect:
    """An effect of a parameter of ERICA."""
    path = f"switch.control.{key}"
    return Effect(
        path,
        first,
        second,
        relation,
        ACR if relation != "differs" else digest,
        (*ERICA, *context),
        scenario,
    )


RUN = [
    row("run.duration", '"300 ms"', '"400 ms"', "rises", of_summary("simulated_seconds")),
    row("run.seed", "1", "2", "differs", digest, 'run.start_jitter="1 ms"'),
    row("run.start_jitter", '"0 s"', '"1 ms"', "rises", per_flow("start_seconds")),
    row("measure.from", '"0 s"', '"100 ms"', "falls", of_summary("window_seconds")),
    row("measure.to", '"300 ms"', '"200 ms"', "falls", of_summary("window_seconds")),
    row("measure.sample", '"1 ms"', '"3 ms"', "falls", traced_points),
    row("measure.traces", "[]", '["queue"]', "rises", traced_points),
    row("measure.trace_points", "4000", "50", "falls", traced_points),
    row("measure.events", "[]", '["loss"]', "rises", logged),
    row("measure.event_limit", "1000", "2", "falls", logged),
    row("measure.cell_delay", "false", "true", "rises", per_flow("cell_delay_mean_seconds")),
    row(
        "aal5.encapsulation", '"llc-snap"', '"vc-mux"', "falls", CELLS, *IDLE, 'tcp.mss="480 bytes"'
    ),
]

TOPOLOGY = [
    row("topology.link_rate", '"20 Mbit/s"', '"10 Mbit/s"', "rises", DELAY, *IDLE),
    row("topology.bottleneck_rate", '"5 Mbit/s"', '"4 Mbit/s"', "rises", DELAY, *IDLE),
    row("topology.access", '"0.1 ms"', '"0.2 ms"', "rises", DELAY, *IDLE),
    row("topology.bottleneck", '"1 ms"', '"2 ms"', "rises", DELAY, *IDLE),
    row("topology.egress", '"20 km"', '"40 km"', "rises", DELAY, *IDLE),
    row("topology.link_rate", '"20 Mbit/s"', '"10 Mbit/s"', "rises", DELAY, scenario=SWITCH),
    row(
        "topology.bottleneck_rate", '"5 Mbit/s"', '"9 Mbit/s"', "rises", THROUGHPUT, scenario=SWITCH
    ),
    row("topology.access", '"0.5 ms"', '"5 ms"', "rises", DELAY, scenario=SWITCH),
    row("topology.bottleneck", '"0.5 ms"', '"5 ms"', "rises", DELAY, scenario=SWITCH),
    row("topology.switches", "3", "5", "rises", DELAY, *LOT_BY_ACCESS, *IDLE),
    row("topology.hop", '"20 km"', '"40 km"', "rises", DELAY, *LOT_BY_ACCESS, *IDLE),
    row("topology.span", '"200 km"', '"400 km"', "rises", DELAY, *LOT, *IDLE),
    row("topology.link.2.rate", '"5 Mbit/s"', '"10 Mbit/s"', "rises", THROUGHPUT, scenario=GRAPH),
    row("topology.link.2.delay", '"1 ms"', '"9 ms"', "rises", DELAY, scenario=GRAPH),
    row("topology.link.1.to", '"X"', '"Y"', "rises", THROUGHPUT, scenario=GRAPH),
    row(
        "topology.link.1.from",
        '"X"',
        '"Y"',
        "rises",
        THROUGHPUT,
        'topology.link.1.to="c"',
        scenario=GRAPH,
    ),
    row("topology.link.2.duplex", "true", "false", "differs", digest, *UBR, scenario=GRAPH),
    row("topology.node.X.buffer", '"200 cells"', '"50 cells"', "falls", LONGEST, scenario=GRAPH),
    row(
        "topology.node.X.priority",
        '[["cbr", "vbr"], ["abr", "ubr", "random"]]',
        '[["cbr", "vbr", "abr", "ubr", "random"]]',
        "rises",
        of_flow("cbr.1", "cell_delay_mean_seconds"),
        "measure.cell_delay=true",
        scenario=GRAPH,
    ),
    row(
        "topology.node.X.control",
        '{ scheme = "efci", threshold = "50 cells" }',
        '{ scheme = "none" }',
        "rises",
        ACR,
        scenario=GRAPH,
    ),
    row(
        "topology.node.X.discard",
        '{ policy = "tail-drop" }',
        '{ policy = "epd" }',
        "differs",
        digest,
        'flow.tcp.service="ubr"',
        scenario=GRAPH,
    ),
]

SWITCH_KEYS = [
    row("switch.buffer", '"200 cells"', '"50 cells"', "falls", LONGEST),
    row(
        "switch.priority",
        '[["cbr", "vbr"], ["abr", "ubr", "random"]]',
        '[["cbr", "vbr", "abr", "ubr", "random"]]',
        "rises",
        of_flow("cbr.1", "cell_delay_mean_seconds"),
        "measure.cell_delay=true",
        scenario=GRAPH,
    ),
    row(
        "switch.control.scheme",
        '"efci"',
        '"erica"',
        "differs",
        digest,
        'switch.control={scheme="efci"}',
    ),
    row("switch.control.threshold", '"20 cells"', '"80 cells"', "rises", queue("queue_mean_cells")),
    row(
        "switch.control.high",
        '"60 cells"',
        '"120 cells"',
        "rises",
        LONGEST,
        'switch.buffer="infinite"',
        'switch.control={ scheme = "efci", high = "60 cells", low = "20 cells" }',
    ),
    row(
        "switch.control.low",
        '"59 cells"',
        '"1 cells"',
        "falls",
        queue("queue_mean_cells"),
        'switch.control={ scheme = "efci", high = "60 cells", low = "20 cells" }',
    ),
    row("switch.control.mark_at", '"dequeue"', '"enqueue"', "differs", digest),
    row("switch.discard.policy", '"tail-drop"', '"ppd"', "differs", digest, *UBR),
    row(
        "switch.discard.threshold",
        '"150 cells"',
        '"30 cells"',
        "falls",
        LONGEST,
        *UBR,
        'switch.discard={ policy = "epd" }',
    ),
    row(
        "switch.discard.forward_end",
        "true",
        "false",
        "differs",
        digest,
        *LOSSY,
        'switch.discard={ policy = "ppd" }',
    ),
    row(
        "switch.discard.margin",
        '"20 cells"',
        '"100 cells"',
        "falls",
        queue("queue_mean_cells"),
        *UBR,
        'switch.discard={ policy = "intelligent-tail-drop" }',
    ),
]

ERICA_KEYS = [
    erica("target_utilisation", "0.9", "0.7", "falls"),
    erica("capacity_form", '"of-link"', '"of-remainder"', "differs", scenario=GRAPH),
    erica("interval", '"2 ms"', '"5 ms"', "differs"),
    erica("interval_cells", '"100 cells"', '"10 cells"', "differs"),
    erica("delta", "0.0", "0.3", "differs"),
    erica("max_alloc", "true", "false", "differs"),
    erica("clip_to_fair_share", "true", "false", "differs", *BURSTY, *UNEASY),
    erica("clip_to_capacity", "true", "false", "differs"),
    erica("load_averaging", '"none"', '"load-factor"', "differs"),
    erica("load_weight", "0.2", "0.8", "differs", 'switch.control.load_averaging="components"'),
    row(
        "switch.control.reset_on_zero",
        "false",
        "true",
        "falls",
        load_factor,
        *ERICA,
        *BURSTY,
        *UNEASY,
        'switch.control.load_averaging="load-factor"',
    ),
    erica(
        "initial_sources",
        '"established"',
        '"one"',
        "rises",
        *UNEASY,
        # The whole run is the first interval.
        'switch.control.interval="1 s"',
        'switch.control.interval_cells="1000000 cells"',
    ),
    erica("average_sources", "false", "true", "differs", *BURSTY),
    erica("source_decay", "0.9", "0.5", "differs", "switch.control.average_sources=true", *BURSTY),
    erica("immediate_fair_share", "false", "true", "differs", *BURSTY),
    erica("per_vc_ccr", "false", "true", "differs"),
    erica("bidirectional_counting", "false", "true", "differs", *BURSTY, *UNEASY),
    erica(
        "zero_input_policy",
        '"fair-share"',
        '"zero-load"',
        "differs",
        *BURSTY,
        *UNEASY,
        "switch.control.average_sources=true",
        "switch.control.source_decay=1.0",
    ),
    erica("queue_control.target_delay", '"1 ms"', '"5 ms"', "rises"),
    erica("queue_control.a", "1.15", "2.0", "differs"),
    erica("queue_control.b", "1.05", "1.3", "differs"),
    erica("queue_control.drain_limit", "0.5", "0.9", "differs"),
    erica("queue_control.function", '"hyperbolic"', '"hysteresis"', "differs"),
    erica(
        "queue_control.drain_delay",
        '"1 ms"',
        '"5 ms"',
        "differs",
        "switch.control.queue_control.function=linear",
    ),
]

TCP_KEYS = [
    row("tcp.recovery", '"tahoe"', '"timeout-only"', "falls", FAST, *UBR),
    row("tcp.recovery", '"reno"', '"jacobson88"', "differs", digest, *UBR),
    row("tcp.recovery", '"newreno"', '"sack"', "differs", digest, *UBR),
    row(
        "tcp.mss",
        '"512 bytes"',
        '"1024 bytes"',
        "falls",
        per_flow("segments_sent"),
        *IDLE,
        'tcp.window="1 KiB"',
    ),
    row("tcp.window", '"512 bytes"', '"1 KiB"', "rises", THROUGHPUT, *IDLE),
    row("tcp.initial_window", "1", "8", "rises", THROUGHPUT, *UBR, 'run.duration="8 ms"'),
    row("tcp.initial_ssthresh", '"1 KiB"', '"64 KiB"', "rises", THROUGHPUT, *ROOMY, FAR),
    row("tcp.granularity", '"1 ms"', '"100 ms"', "falls", TIMEOUTS, *LOSSY),
    row("tcp.initial_rto", '"10 ms"', '"200 ms"', "falls", TIMEOUTS, *LOSSY),
    row("tcp.min_rto", '"10 ms"', '"150 ms"', "falls", TIMEOUTS, *LOSSY),
    row("tcp.max_rto", '"20 ms"', '"64 s"', "falls", TIMEOUTS, *LOSSY),
    row("tcp.max_backoff", "0", "6", "falls", TIMEOUTS, *LOSSY),
    row("tcp.delayed_ack", "false", "true", "falls", ACKNOWLEDGEMENTS, *UBR),
    row("tcp.delayed_ack_interval", '"20 ms"', '"100 ms"', "falls", THROUGHPUT, *IDLE, DELAYED),
    row("tcp.processing_time", '"0 s"', '"5 ms"', "falls", THROUGHPUT, *IDLE),
    row("tcp.processing_variation", '"0 s"', '"5 ms"', "falls", THROUGHPUT, *IDLE),
    row("tcp.restore_snd_nxt", "true", "false", "differs", digest, *UBR, 'tcp.recovery="tahoe"'),
    row("tcp.header_bytes", "40", "100", "rises", cells_per_byte, *UBR),
    row(
        "tcp.net3_increment",
        "false",
        "true",
        "rises",
        THROUGHPUT,
        *ROOMY,
        'tcp.initial_ssthresh="1 KiB"',
        FAR,
    ),
    row("tcp.rtt_excludes_transmission", "false", "true", "differs", digest, *LOSSY),
]

ABR_KEYS = [
    row("abr.pcr", '"20 Mbit/s"', '"1 Mbit/s"', "falls", THROUGHPUT),
    row("abr.mcr", '"1 bit/s"', '"2 Mbit/s"', "rises", ACR, *STARVED),
    row("abr.icr", '"2 Mbit/s"', '"0.1 Mbit/s"', "falls", THROUGHPUT),
    row("abr.rif", "0.0625", "0.001953125", "falls", ACR),
    row("abr.rdf", "0.0625", "0.5", "falls", ACR),
    row("abr.nrm", "32", "8", "rises", FRMS),
    row("abr.mrm", "2", "30", "falls", FRMS, SLOW_SOURCE, "run.strict=false", 'abr.trm="12.5 ms"'),
    row("abr.trm", '"100 ms"', '"12.5 ms"', "rises", FRMS, SLOW_SOURCE),
    row("abr.crm", "32", "1", "rises", CUTS),
    row("abr.crm_rounding", '"up"', '"down"', "rises", CUTS, 'abr.tbe="63 cells"'),
    row("abr.tbe", '"1000000 cells"', '"32 cells"', "rises", CUTS),
    row("abr.cdf", "0.0625", "0.5", "falls", ACR, "abr.crm=1"),
    row("abr.adtf", '"0.5 s"', '"0.01 s"', "rises", IDLE_RESETS, SLOW_SOURCE, 'abr.icr="1 Mbit/s"'),
    row("abr.tcr", '"4240 bit/s"', '"42400 bit/s"', "rises", OUT_OF_RATE, *STARVED),
    row("abr.apply_tbe_icr_cap", "false", "true", "falls", ACR, 'abr.tbe="10 cells"'),
    row("abr.out_of_rate", '"below-tcr"', '"never"', "falls", OUT_OF_RATE, *STARVED),
    row("abr.frm_needs_data", "false", "true", "falls", FRMS, *UNEASY),
    row("abr.quantise_rates", "false", "true", "differs", digest),
    row("abr.use_it_or_lose_it", '"19 Mbit/s"', '"0.1 Mbit/s"', "falls", ACR),
    row("abr.er_below_mcr", '"clamp"', '"ignore"', "differs", digest, *ERICA, 'abr.mcr="4 Mbit/s"'),
    row("abr.reset_saved_efci", "true", "false", "differs", digest, *STARVED),
]

FLOW_KEYS = [
    row("flow.tcp.count", "2", "3", "rises", flow_count),
    row("flow.tcp.name", '"tcp"', '"other"', "differs", first_name),
    row("flow.tcp.service", '"abr"', '"ubr"', "falls", FRMS),
    row("flow.tcp.ack_service", '"ubr"', '"vbr"', "differs", ack_class, *UBR),
    row("flow.tcp.start", '"0 s"', '"10 ms"', "rises", per_flow("start_seconds")),
    row("flow.tcp.stagger", '"1 ms"', '"5 ms"', "rises", per_flow("start_seconds")),
    row("flow.tcp.source_queue", '"infinite"', '"30 cells"', "rises", REFUSED),
    row("flow.tcp.access", '"0.1 ms"', '"5 ms"', "rises", DELAY, *IDLE),
    row("flow.tcp.egress", '"0.1 ms"', '"5 ms"', "rises", DELAY, *IDLE),
    row("flow.tcp.tcp", "{}", '{ window = "1 KiB" }', "falls", LOST),
    row("flow.tcp.abr", "{}", '{ pcr = "1 Mbit/s" }', "falls", ACR),
    row("flow.cbr.from", '"c"', '"a"', "differs", digest, scenario=GRAPH),
    row("flow.tcp.to", '"b"', '"c"', "rises", THROUGHPUT, scenario=GRAPH),
    row(
        "flow.cbr.route",
        '["c", "X", "Y", "b"]',
        '["c", "X", "Z", "Y", "b"]',
        "rises",
        CBR_DELAY,
        CELL_DELAY,
        scenario=GRAPH,
    ),
    row(
        "flow.tcp.return_route",
        '["b", "Y", "X", "a"]',
        '["b", "Y", "Z", "X", "a"]',
        "differs",
        digest,
        *UBR,
        scenario=GRAPH,
    ),
    row(
        "flow.tcp.source",
        '{ kind = "greedy" }',
        '{ kind = "transfer", size = "10 kB" }',
        "falls",
        CELLS,
    ),
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
    row("flow.tcp.reverse", "false", "true", "differs", digest, *UBR),
    row("flow.tcp.enters", "1", "2", "falls", DELAY, *LOT_BY_ACCESS, *IDLE),
    row("flow.tcp.hops", "1", "2", "rises", DELAY, *LOT_BY_ACCESS, *IDLE),
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
        "flow.cbr.source.bound",
        '"discard"',
        '"truncate"',
        "differs",
        digest,
        *STREAMS,
        scenario=GRAPH,
    ),
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
    row("tcp.idle_restart", "false", "true", "falls", mean_window, *MESSAGES),
    row("flow.cbr.source.duty_cycle", "0.2", "0.8", "rises", CBR_BYTES, *VIDEO, scenario=GRAPH),
]

EFFECTS = [
    *RUN,
    *TOPOLOGY,
    *SWITCH_KEYS,
    *ERICA_KEYS,
    *TCP_KEYS,
    *ABR_KEYS,
    *FLOW_KEYS,
]
