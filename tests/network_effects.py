"""Effects of the keys of the run, of the topology and of its switches."""

from __future__ import annotations

from cellrate import Result
from key_effects import (
    ACR,
    CELLS,
    DELAY,
    ERICA,
    GRAPH,
    IDLE,
    LOT_BY_ACCESS,
    SWITCH,
    THROUGHPUT,
    UBR,
    Measure,
    digest,
    of_flow,
    per_flow,
    queue,
    row,
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


# All but a few cells are tagged.
TAGGED = 'flow.tcp.policer={ pcr = "0.1 Mbit/s", action = "tag" }'
LONGEST = queue("queue_max_cells")
LOT = (
    (
        'topology={ template = "parking-lot", link_rate = "20 Mbit/s", switches = 3,'
        ' hop = "20 km", span = "200 km", egress = "10 km" }'
    ),
)

LINES = 'link_rate = "20 Mbit/s", bottleneck_rate = "5 Mbit/s", access = "0.1 ms"'
# Each template, and what else the scenario needs.
TOPOLOGIES = {
    "n-source": (
        f'topology={{ template = "n-source", {LINES}, bottleneck = "1 ms", egress = "0.1 ms" }}',
    ),
    "single-switch": (f'topology={{ template = "single-switch", {LINES}, bottleneck = "1 ms" }}',),
    "parking-lot": (
        (
            f'topology={{ template = "parking-lot", {LINES}, switches = 3, hop = "0.5 ms",'
            ' egress = "0.1 ms" }'
        ),
    ),
    "graph": (
        (
            'topology={ template = "graph", node = [{ name = "a", kind = "host" },'
            ' { name = "b", kind = "host" }, { name = "X", kind = "switch" }],'
            ' link = [{ from = "a", to = "X", rate = "20 Mbit/s", delay = "0.1 ms" },'
            ' { from = "X", to = "b", rate = "5 Mbit/s", delay = "1 ms" }] }'
        ),
        'flow.tcp.from="a"',
        'flow.tcp.to="b"',
    ),
}

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
    row("topology.link_rate", '"20 Mbit/s"', '"10 Mbit/s"', "rises", DELAY, *LOT, *IDLE),
    row("topology.bottleneck_rate", '"20 Mbit/s"', '"5 Mbit/s"', "rises", DELAY, *LOT, *IDLE),
    row("topology.egress", '"10 km"', '"40 km"', "rises", DELAY, *LOT_BY_ACCESS, *IDLE),
    row("topology.access", '"20 km"', '"40 km"', "rises", DELAY, *LOT_BY_ACCESS, *IDLE),
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
        "topology.node.X.clp_threshold",
        '"150 cells"',
        '"20 cells"',
        "falls",
        LONGEST,
        TAGGED,
        scenario=GRAPH,
    ),
    row(
        "topology.node.X.schedule",
        "",
        '{ discipline = "scfq" }',
        "differs",
        digest,
        'flow.tcp.service="ubr"',
        "flow.tcp.count=3",
        scenario=GRAPH,
    ),
    row("topology.node.X.rm_first", "false", "true", "differs", digest, scenario=GRAPH),
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
    row("switch.clp_threshold", '"150 cells"', '"20 cells"', "falls", LONGEST, TAGGED),
    row(
        "switch.priority",
        '[["cbr", "vbr"], ["abr", "ubr", "random"]]',
        '[["cbr", "vbr", "abr", "ubr", "random"]]',
        "rises",
        of_flow("cbr.1", "cell_delay_mean_seconds"),
        "measure.cell_delay=true",
        scenario=GRAPH,
    ),
    # Of three connections the first gets as much as the others, or a ninth of the line.
    row(
        "flow.tcp.weight",
        "1",
        "9",
        "rises",
        of_flow("tcp.1", "arrived_throughput_bits_per_second"),
        'switch.schedule={ discipline = "wf2q-plus" }',
        'flow=[{ name = "tcp", service = "ubr" }, { name = "more", service = "ubr", count = 2 }]',
    ),
    *(
        row(
            "switch.schedule.classes.weights",
            "[1, 1]",
            "[1, 9]",
            "rises",
            of_flow("tcp.1", "arrived_throughput_bits_per_second"),
            f'switch.schedule={{ discipline = "{discipline}", classes = {{ weights = [1, 1] }} }}',
            'flow.cbr.source.rate="18 Mbit/s"',
            'flow.tcp.service="ubr"',
            scenario=GRAPH,
        )
        for discipline in ("weighted-round-robin", "scfq", "wf2q-plus")
    ),
    # An explicit rate that does not wait behind data stops the growth of the queue earlier.
    row("switch.rm_first", "false", "true", "falls", LONGEST, *ERICA),
    row("switch.control.threshold", '"20 cells"', '"80 cells"', "rises", queue("queue_mean_cells")),
    # Without a threshold half of the buffer.
    row(
        "switch.control.threshold",
        "",
        '"20 cells"',
        "falls",
        queue("queue_mean_cells"),
        'switch.control={ scheme = "efci" }',
    ),
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
    # Without the low threshold there is no hysteresis.
    row(
        "switch.control.low",
        "",
        '"1 cells"',
        "falls",
        queue("queue_mean_cells"),
        'switch.control={ scheme = "efci", high = "60 cells" }',
    ),
]
