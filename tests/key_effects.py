"""For every key of a scenario: two values, and what must rise, fall or differ between them.

A setting that is silently not applied is the field's most common bug, so each key has a row in one
of the files `*_effects.py`, and `test_every_key_matters.py` fails when the schema has a key without
one. Here is what they share.
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
    """An effect of changing one key.

    Attributes:
        path: Path of the key, as `--set` takes it.
        first: Its value in the first run, as TOML; empty if the first run has no such key.
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

    def settings(self, value: str) -> tuple[str, ...]:
        """Settings of the run in which the key has a value, or is absent if that is empty."""
        return (*self.context, f"{self.path}={value}") if value else self.context


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


def of_flow(flow: str, name: str) -> Measure:
    """A measure of one flow; null counts as zero."""
    return lambda result: next(f[name] or 0 for f in result.summary["flows"] if f["name"] == flow)


THROUGHPUT = total("tcp_throughput_bits_per_second")
DELAY = per_flow("packet_delay_mean_seconds")
ACR = per_vc("acr_mean_cells_per_second")
CELLS = per_vc("cells_sent")
FRMS = per_vc("frm_cells_sent")
# One small window in a network without queues: every delay is visible.
IDLE = ('flow.tcp.service="ubr"', "flow.tcp.count=1", 'tcp.window="512 bytes"')
UBR = ('flow.tcp.service="ubr"',)
ROOMY = (*UBR, 'switch.buffer="infinite"')
# Heavy loss: timeouts, one after the other.
LOSSY = (*UBR, 'switch.buffer="12 cells"', 'tcp.recovery="timeout-only"', "flow.tcp.count=8")
FAR = 'topology.bottleneck="20 ms"'
ERICA = (
    'switch.control={ scheme = "erica", interval = "2 ms" }',
    'switch.buffer="infinite"',
    "abr.rif=1.0",
)
# Many RM cells, and rates that start low.
UNEASY = ("abr.nrm=4", 'abr.icr="0.1 Mbit/s"')
# An application that pauses for longer than a retransmission timeout.
MESSAGES = (
    'flow.tcp.source={ kind = "messages", mean_length = "4 kB", mean_rate = "1 Mbit/s" }',
    *ROOMY,
)
LOT_BY_ACCESS = (
    (
        'topology={ template = "parking-lot", link_rate = "20 Mbit/s", switches = 3,'
        ' hop = "20 km", access = "20 km", egress = "10 km" }'
    ),
)


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
