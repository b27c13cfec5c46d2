"""Effects of the keys of ERICA."""

from __future__ import annotations

from cellrate import Result
from key_effects import ACR, ERICA, FAR, PAIR, UNEASY, Effect, digest, queue, row


def load_factor(result: Result) -> float:
    """ERICA's load factor at the bottleneck, at the end."""
    controls = {port["name"]: port["control"] for port in result.summary["ports"]}
    return float(controls["A->B"]["load_factor"])


# Windows so small that intervals pass in which a source, or every source, is silent.
BURSTY = ('tcp.window="1 KiB"', FAR)


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


ERICA_KEYS = [
    erica("target_utilisation", "0.9", "0.7", "falls"),
    erica("interval", '"2 ms"', '"5 ms"', "differs"),
    erica("interval_cells", '"100 cells"', '"10 cells"', "differs"),
    erica("delta", "0.0", "0.3", "differs"),
    erica("max_alloc", "true", "false", "differs"),
    erica("clip_to_fair_share", "true", "false", "differs", *BURSTY, *UNEASY),
    erica("clip_to_capacity", "true", "false", "differs"),
    erica("load_weight", "0.2", "0.8", "differs", 'switch.control.load_averaging="components"'),
    erica("load_weight", "0.2", "0.8", "differs", 'switch.control.load_averaging="load-factor"'),
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
    # Many sources that start over a long way: a rate rises once it is allowed there and back.
    row(
        "switch.control.mark_forward",
        "false",
        "true",
        "falls",
        queue("queue_max_cells"),
        *ERICA,
        FAR,
        "flow.tcp.count=15",
        'tcp.window="600 KiB"',
        'abr.icr="1 Mbit/s"',
        'switch.control.interval="5 ms"',
        'switch.control.interval_cells="500 cells"',
        "switch.control.delta=0.0",
    ),
    row(
        "switch.control.ci_threshold",
        '"10 cells"',
        '"200 cells"',
        "rises",
        queue("queue_mean_cells"),
        *ERICA,
        "abr.rdf=0.0625",
        "switch.control.target_utilisation=1.0",
    ),
    erica("bidirectional_counting", "false", "true", "differs", *BURSTY, *UNEASY),
    # The target utilisation is then 1.
    erica("queue_control", "", "{}", "rises"),
    erica("queue_control.target_delay", '"1 ms"', '"5 ms"', "rises"),
    erica("queue_control.a", "1.15", "2.0", "differs"),
    erica("queue_control.b", "1.05", "1.3", "differs"),
    erica("queue_control.drain_limit", "0.5", "0.9", "differs"),
    erica(
        "queue_control.drain_delay",
        '"1 ms"',
        '"5 ms"',
        "differs",
        "switch.control.queue_control.function=linear",
    ),
]
