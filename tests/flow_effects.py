"""Effects of the keys of flows, but for their sources."""

from __future__ import annotations

from cellrate import Result
from discard_effects import TAGGED
from key_effects import (
    ACR,
    CELLS,
    DELAY,
    FRMS,
    GRAPH,
    IDLE,
    LOT_BY_ACCESS,
    THROUGHPUT,
    UBR,
    digest,
    of_flow,
    per_flow,
    per_vc,
    row,
    total,
)


def flow_count(result: Result) -> float:
    """Number of flows."""
    return len(result.summary["flows"])


def first_name(result: Result) -> str:
    """Name of the first flow."""
    return str(result.summary["flows"][0]["name"])


def ack_class(result: Result) -> str:
    """Service class of the first flow's backward channel."""
    classes = {vc["name"]: vc["service"] for vc in result.summary["vcs"]}
    return str(classes["tcp.1/backward"])


LOST = total("packets_lost")
REFUSED = per_flow("source_queue_dropped_packets")
NONCONFORMING = per_vc("cells_nonconforming")
POLICED = per_vc("cells_policed")
COUNTED = (
    'flow.tcp.policer={ pcr = "4 Mbit/s", scr = "1 Mbit/s", mbs = "50 cells", action = "pass" }',
)
# The source is 0.2 ms from its switch and back; ACR rises and falls.
FOLLOWED = (
    (
        'flow.tcp.policer={ pcr = "20 Mbit/s", action = "pass",'
        ' dynamic = { tau_2 = "1 ms", tau_3 = "0 s" } }'
    ),
    "flow.tcp.abr={ excess_factor = 2.0 }",
    'abr.icr="1 Mbit/s"',
)
SHAPED = (*UBR, 'flow.tcp.shaper={ pcr = "4 Mbit/s", scr = "0.5 Mbit/s", mbs = "50 cells" }')
AT_PORTS = (
    *UBR,
    'switch.schedule={ discipline = "scfq" }',
    'flow.tcp.port_shaper={ pcr = "4 Mbit/s", scr = "0.5 Mbit/s", mbs = "50 cells" }',
)
CBR_DELAY = of_flow("cbr.1", "cell_delay_mean_seconds")
CELL_DELAY = "measure.cell_delay=true"
# Only cells without TCP are copied.
COPIED = ('flow.tcp.source={ kind = "persistent" }',)

FLOW_KEYS = [
    row("flow.tcp.count", "2", "3", "rises", flow_count),
    row("flow.tcp.name", '"tcp"', '"other"', "differs", first_name),
    row("flow.tcp.service", '"abr"', '"ubr"', "falls", FRMS),
    row("flow.tcp.ack_service", '"ubr"', '"vbr"', "differs", ack_class, *UBR),
    # Of a window of one segment, RTT is what counts: acknowledgements no longer wait for ACR.
    row(
        "flow.tcp.ack_service",
        '"abr"',
        '"ubr"',
        "rises",
        THROUGHPUT,
        'abr.pcr="1 Mbit/s"',
        'tcp.window="512 bytes"',
    ),
    row("flow.tcp.sends", "true", "false", "falls", THROUGHPUT),
    row("flow.tcp.start", '"0 s"', '"10 ms"', "rises", per_flow("start_seconds")),
    row("flow.tcp.stagger", '"1 ms"', '"5 ms"', "rises", per_flow("start_seconds")),
    row("flow.tcp.source_queue", '"infinite"', '"30 cells"', "rises", REFUSED),
    # The first cells of a refused PDU are sent in vain: the receiver finds more damaged PDUs.
    row(
        "flow.tcp.source_queue_refuses",
        '"pdu"',
        '"cell"',
        "rises",
        per_flow("packets_merged"),
        'flow.tcp.source_queue="30 cells"',
    ),
    row("flow.tcp.gfr.pcr", '"20 Mbit/s"', '"2 Mbit/s"', "rises", POLICED, *TAGGED),
    row("flow.tcp.gfr.cdvt", '"0 s"', '"10 ms"', "falls", NONCONFORMING, *TAGGED),
    row("flow.tcp.gfr.mcr", '"1 Mbit/s"', '"2 Mbit/s"', "falls", NONCONFORMING, *TAGGED),
    row("flow.tcp.gfr.mbs", '"50 cells"', '"500 cells"', "falls", NONCONFORMING, *TAGGED),
    row("flow.tcp.gfr.mfs", '"12 cells"', '"11 cells"', "rises", POLICED, *TAGGED),
    row("flow.tcp.policer.pcr", '"4 Mbit/s"', '"1.5 Mbit/s"', "rises", NONCONFORMING, *COUNTED),
    row("flow.tcp.policer.cdvt", '"0 s"', '"1 ms"', "falls", NONCONFORMING, *COUNTED),
    row("flow.tcp.policer.scr", '"1 Mbit/s"', '"2 Mbit/s"', "falls", NONCONFORMING, *COUNTED),
    row("flow.tcp.policer.mbs", '"50 cells"', '"500 cells"', "falls", NONCONFORMING, *COUNTED),
    row("flow.tcp.policer.dynamic.tau_2", '"1 ms"', '"50 ms"', "falls", NONCONFORMING, *FOLLOWED),
    row("flow.tcp.policer.dynamic.tau_3", '"0 s"', '"1 ms"', "rises", NONCONFORMING, *FOLLOWED),
    row("flow.tcp.shaper.pcr", '"4 Mbit/s"', '"2 Mbit/s"', "falls", THROUGHPUT, *SHAPED),
    row("flow.tcp.shaper.scr", '"0.5 Mbit/s"', '"1 Mbit/s"', "rises", THROUGHPUT, *SHAPED),
    row("flow.tcp.shaper.mbs", '"50 cells"', '"500 cells"', "rises", THROUGHPUT, *SHAPED),
    # Without SCR the peak rate is the rate.
    row(
        "flow.tcp.port_shaper.pcr",
        '"1 Mbit/s"',
        '"0.5 Mbit/s"',
        "falls",
        THROUGHPUT,
        *UBR,
        'switch.schedule={ discipline = "scfq" }',
    ),
    row("flow.tcp.port_shaper.scr", '"0.5 Mbit/s"', '"1 Mbit/s"', "rises", THROUGHPUT, *AT_PORTS),
    row("flow.tcp.port_shaper.mbs", '"50 cells"', '"500 cells"', "rises", THROUGHPUT, *AT_PORTS),
    row("flow.tcp.access", '"0.1 ms"', '"5 ms"', "rises", DELAY, *IDLE),
    row("flow.tcp.egress", '"0.1 ms"', '"5 ms"', "rises", DELAY, *IDLE),
    row("flow.tcp.tcp", "{}", '{ window = "1 KiB" }', "falls", LOST),
    row("flow.tcp.abr", "{}", '{ pcr = "1 Mbit/s" }', "falls", ACR),
    row("flow.cbr.from", '"c"', '"a"', "differs", digest, scenario=GRAPH),
    row("flow.tcp.to", '"b"', '"c"', "rises", THROUGHPUT, scenario=GRAPH),
    row("flow.tcp.multipoint.also_to", "[]", '["c"]', "rises", flow_count, *COPIED, scenario=GRAPH),
    row(
        "flow.tcp.multipoint.consolidation",
        '"wait-for-all"',
        '"simple"',
        "differs",
        digest,
        *COPIED,
        'flow.tcp.multipoint.also_to=["c"]',
        scenario=GRAPH,
    ),
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
    row("flow.tcp.reverse", "false", "true", "differs", digest, *UBR),
    row("flow.tcp.enters", "1", "2", "falls", DELAY, *LOT_BY_ACCESS, *IDLE),
    row("flow.tcp.hops", "1", "2", "rises", DELAY, *LOT_BY_ACCESS, *IDLE),
]
