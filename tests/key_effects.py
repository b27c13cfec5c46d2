"""For every key of a scenario: two values, and which measure must rise, fall or differ between them.

A setting that is silently not applied is the field's most common bug, so each key has a row here,
and `test_every_key_matters.py` fails when the schema has a key without one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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
    return lambda result: result.summary["totals"][name]  # type: ignore[no-any-return]


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
    return lambda result: result.summary[name]  # type: ignore[no-any-return]


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


THROUGHPUT = total("tcp_throughput_bits_per_second")
LOST = total("packets_lost")
TIMEOUTS = total("timeouts")
DELAY = per_flow("packet_delay_mean_seconds")
ACR = per_vc("acr_mean_cells_per_second")
CELLS = per_vc("cells_sent")
FRMS = per_vc("frm_cells_sent")

# One small window in a network without queues: every delay is visible.
IDLE = ('flow.tcp.service="ubr"', "flow.tcp.count=1", 'tcp.window="512 bytes"')
UBR = ('flow.tcp.service="ubr"',)
# Heavy loss: timeouts, one after the other.
LOSSY = (*UBR, 'switch.buffer="12 cells"', 'tcp.recovery="timeout-only"', "flow.tcp.count=8")
# A source in the path of whose acknowledgements and data every RM cell counts.
ERICA = (
    'switch.control={ scheme = "erica", interval = "2 ms" }',
    'switch.buffer="infinite"',
    "abr.rif=1.0",
    'tcp.window="64 KiB"',
)

def row(  # noqa: D103
    path: str, first: str, second: str, relation: str, measure: Measure, *context: str, scenario: str = PAIR
) -> Effect:
    return Effect(path, first, second, relation, measure, context, scenario)


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
    row("aal5.encapsulation", '"llc-snap"', '"vc-mux"', "falls", CELLS, *IDLE, 'tcp.mss="480 bytes"'),
]

TOPOLOGY = [
    row("topology.link_rate", '"20 Mbit/s"', '"10 Mbit/s"', "rises", DELAY, *IDLE),
    row("topology.bottleneck_rate", '"5 Mbit/s"', '"4 Mbit/s"', "rises", DELAY, *IDLE),
    row("topology.access", '"0.1 ms"', '"0.2 ms"', "rises", DELAY, *IDLE),
    row("topology.bottleneck", '"1 ms"', '"2 ms"', "rises", DELAY, *IDLE),
    row("topology.egress", '"0.1 ms"', '"20 km"', "differs", DELAY, *IDLE),
    row("topology.link_rate", '"20 Mbit/s"', '"10 Mbit/s"', "rises", DELAY, scenario=SWITCH),
    row("topology.bottleneck_rate", '"5 Mbit/s"', '"9 Mbit/s"', "rises", THROUGHPUT, scenario=SWITCH),
    row("topology.access", '"0.5 ms"', '"5 ms"', "rises", DELAY, scenario=SWITCH),
    row("topology.bottleneck", '"0.5 ms"', '"5 ms"', "rises", DELAY, scenario=SWITCH),
    row("topology.link.2.rate", '"5 Mbit/s"', '"10 Mbit/s"', "rises", THROUGHPUT, scenario=GRAPH),
    row("topology.link.2.delay", '"1 ms"', '"9 ms"', "rises", DELAY, scenario=GRAPH),
    row("topology.link.2.to", '"Y"', '"Z"', "rises", DELAY, scenario=GRAPH),
    row("topology.node.X.buffer", '"200 cells"', '"50 cells"', "rises", LOST, scenario=GRAPH),
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
    row("switch.buffer", '"200 cells"', '"50 cells"', "rises", LOST),
    row(
        "switch.priority",
        '[["cbr", "vbr"], ["abr", "ubr", "random"]]',
        '[["cbr", "vbr", "abr", "ubr", "random"]]',
        "rises",
        of_flow("cbr.1", "cell_delay_mean_seconds"),
        "measure.cell_delay=true",
        scenario=GRAPH,
    ),
    row("switch.control.scheme", '"efci"', '"erica"', "differs", digest, "switch.control={scheme=\"efci\"}"),
    row("switch.control.threshold", '"20 cells"', '"80 cells"', "rises", queue("queue_mean_cells")),
    row(
        "switch.control.high",
        '"60 cells"',
        '"120 cells"',
        "rises",
        queue("queue_mean_cells"),
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
        queue("queue_max_cells"),
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
    erica("target_utilisation", "0.9", "0.7", "falls", ACR),
    erica("capacity_form", '"of-link"', '"of-remainder"', "differs", digest, scenario=GRAPH),
    erica("interval", '"2 ms"', '"5 ms"', "differs", digest),
    erica("interval_cells", '"100 cells"', '"10 cells"', "differs", digest),
    erica("delta", "0.0", "0.3", "differs", digest),
    erica("max_alloc", "true", "false", "differs", digest),
    erica("clip_to_fair_share", "true", "false", "differs", digest),
    erica("clip_to_capacity", "true", "false", "differs", digest),
    erica("load_averaging", '"none"', '"load-factor"', "differs", digest),
    erica(
        "load_weight", "0.2", "0.8", "differs", digest, 'switch.control.load_averaging="components"'
    ),
    erica(
        "reset_on_zero",
        "false",
        "true",
        "differs",
        digest,
        'switch.control.load_averaging="load-factor"',
    ),
    erica("average_sources", "false", "true", "differs", digest),
    erica("source_decay", "0.9", "0.5", "differs", digest, "switch.control.average_sources=true"),
    erica("immediate_fair_share", "false", "true", "differs", digest),
    erica("per_vc_ccr", "false", "true", "differs", digest),
    erica("bidirectional_counting", "false", "true", "differs", digest),
    erica("zero_input_policy", '"fair-share"', '"zero-load"', "differs", digest),
    erica("queue_control.target_delay", '"1 ms"', '"5 ms"', "rises", queue("queue_mean_cells")),
    erica("queue_control.a", "1.15", "2.0", "differs", digest),
    erica("queue_control.b", "1.05", "1.3", "differs", digest),
    erica("queue_control.drain_limit", "0.5", "0.9", "differs", digest),
]

TCP_KEYS = [
    row("tcp.recovery", '"tahoe"', '"timeout-only"', "rises", TIMEOUTS, *UBR),
    row("tcp.recovery", '"reno"', '"jacobson88"', "differs", digest, *UBR),
    row("tcp.mss", '"512 bytes"', '"1024 bytes"', "falls", per_flow("segments_sent"), *IDLE),
    row("tcp.window", '"1 KiB"', '"4 KiB"', "rises", THROUGHPUT, *UBR),
    row("tcp.initial_window", "1", "8", "rises", THROUGHPUT, *UBR, 'run.duration="8 ms"'),
    row("tcp.initial_ssthresh", '"1 KiB"', '"64 KiB"', "rises", THROUGHPUT, *ROOMY),
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
    row("tcp.header_bytes", "40", "100", "rises", CELLS_PER_BYTE, *UBR),
    row("tcp.net3_increment", "false", "true", "rises", THROUGHPUT, *ROOMY, SMALL_SSTHRESH),
    row("tcp.rtt_excludes_transmission", "false", "true", "differs", digest, *LOSSY),
]

ABR_KEYS = [
    row("abr.pcr", '"20 Mbit/s"', '"2 Mbit/s"', "falls", THROUGHPUT),
    row("abr.mcr", '"1 bit/s"', '"2 Mbit/s"', "rises", ACR),
    row("abr.icr", '"2 Mbit/s"', '"0.1 Mbit/s"', "falls", THROUGHPUT),
    row("abr.rif", "0.0625", "0.001953125", "falls", ACR),
    row("abr.rdf", "0.0625", "0.5", "falls", ACR),
    row("abr.nrm", "32", "8", "rises", FRMS),
    row("abr.mrm", "2", "30", "falls", FRMS, SLOW_SOURCE, "run.strict=false"),
    row("abr.trm", '"100 ms"', '"12.5 ms"', "rises", FRMS, SLOW_SOURCE),
    row("abr.crm", "32", "1", "rises", CUTS),
    row("abr.crm_rounding", '"up"', '"down"', "rises", CUTS, 'abr.tbe="63 cells"'),
    row("abr.tbe", '"1000000 cells"', '"32 cells"', "rises", CUTS),
    row("abr.cdf", "0.0625", "0.5", "falls", ACR, "abr.crm=1"),
    row("abr.adtf", '"0.5 s"', '"0.01 s"', "rises", IDLE_RESETS, SLOW_SOURCE, SMALL_ICR),
    row("abr.tcr", '"4240 bit/s"', '"42400 bit/s"', "rises", OUT_OF_RATE, *STARVED),
    row("abr.apply_tbe_icr_cap", "false", "true", "falls", ACR, 'abr.tbe="10 cells"'),
    row("abr.out_of_rate", '"below-tcr"', '"never"', "falls", OUT_OF_RATE, *STARVED),
    row("abr.frm_needs_data", "false", "true", "falls", FRMS),
    row("abr.quantise_rates", "false", "true", "differs", digest),
    row("abr.use_it_or_lose_it", '"19 Mbit/s"', '"0.1 Mbit/s"', "falls", ACR),
    row("abr.er_below_mcr", '"clamp"', '"ignore"', "differs", digest, *ERICA, BIG_MCR),
    row("abr.reset_saved_efci", "true", "false", "differs", digest),
]

FLOW_KEYS = [
    row("flow.tcp.count", "2", "3", "rises", flow_count),
    row("flow.tcp.name", '"tcp"', '"other"', "differs", first_name),
    row("flow.tcp.service", '"abr"', '"ubr"', "falls", FRMS),
    row("flow.tcp.ack_service", '"ubr"', '"abr"', "falls", digest, *UBR),
    row("flow.tcp.start", '"0 s"', '"10 ms"', "rises", per_flow("start_seconds")),
    row("flow.tcp.stagger", '"1 ms"', '"5 ms"', "rises", per_flow("start_seconds")),
    row("flow.tcp.source_queue", '"infinite"', '"30 cells"', "rises", REFUSED),
    row("flow.tcp.access", '"0.1 ms"', '"5 ms"', "rises", DELAY, *IDLE),
    row("flow.tcp.egress", '"0.1 ms"', '"5 ms"', "rises", DELAY, *IDLE),
    row("flow.tcp.tcp", "{}", '{ window = "1 KiB" }', "falls", THROUGHPUT),
    row("flow.tcp.abr", "{}", '{ pcr = "1 Mbit/s" }', "falls", ACR),
    row("flow.cbr.from", '"c"', '"a"', "differs", digest, scenario=GRAPH),
    row("flow.cbr.to", '"b"', '"c"', "rises", THROUGHPUT, *CROSS, scenario=GRAPH),
    row("flow.cbr.route", SHORT, LONG, "rises", CBR_DELAY, CELL_DELAY, scenario=GRAPH),
    row("flow.tcp.return_route", BACK, AROUND, "differs", digest, *UBR, scenario=GRAPH),
    row("flow.tcp.source", GREEDY, '{ kind = "transfer", size = "10 kB" }', "falls", CELLS),
    row("flow.tcp.source.size", '"10 kB"', '"20 kB"', "rises", COMPLETION, TRANSFER),
    row("flow.cbr.source.rate", '"1 Mbit/s"', '"2 Mbit/s"', "rises", CELLS, scenario=GRAPH),
    row("flow.noise.source.rate", '"1 Mbit/s"', '"2 Mbit/s"', "rises", NOISE, scenario=SWITCH),
    row("flow.cbr.source.peak", '"1 Mbit/s"', '"2 Mbit/s"', "rises", CBR_CELLS, *VIDEO),
    row("flow.cbr.source.period", '"20 ms"', '"150 ms"', "differs", digest, *VIDEO),
    row("flow.cbr.source.duty_cycle", "0.2", "0.8", "rises", CBR_CELLS, *VIDEO),
]
