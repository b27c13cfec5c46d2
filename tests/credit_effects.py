"""Effects of the keys of credit control and of link errors."""

from __future__ import annotations

from collections.abc import Iterator

from cellrate import Result
from key_effects import GRAPH, PAIR, Effect, digest, total

CREDIT = "credit.toml"
ADAPTIVE = ('fcvc.allocation="adaptive"',)
# Credits wait for guaranteed cells, and for each other.
WAITING = ('fcvc.n2="1 cell"', 'fcvc.priority="below-guaranteed"')
LOSSES = ("link_errors.lose_every=500",)


def credits_sent(result: Result) -> float:
    """Credit cells of the switch."""
    controls = [port["control"] for port in result.summary["ports"]]
    return sum(float(control.get("credit_cells_sent", 0.0)) for control in controls)


# One connection has the line to itself, as far as its buffers allow.
ALONE = ("flow.tcp.count=1",)
GOODPUT = total("goodput_bits_per_second")


def of_bits(table: str, scenario: str = PAIR) -> Iterator[Effect]:
    """Effects of the keys of bit errors in a table."""
    measure = total("packets_errored")
    yield Effect(f"{table}.bit_error_ratio", "1e-7", "1e-5", "rises", measure, (), scenario)
    bursts = f'{table}.bursts={{every="100 ms", length="5 ms", bit_error_ratio=1e-3}}'
    for key, few, many in (
        ("every", '"1 s"', '"50 ms"'),
        ("length", '"0.1 ms"', '"10 ms"'),
        ("bit_error_ratio", "1e-6", "1e-3"),
    ):
        yield Effect(f"{table}.bursts.{key}", few, many, "rises", measure, (bursts,), scenario)


CREDIT_EFFECTS = [
    Effect("fcvc.n2", '"5 cells"', '"20 cells"', "falls", credits_sent, (), CREDIT),
    Effect("fcvc.n3", '"1 cell"', '"20 cells"', "rises", GOODPUT, ALONE, CREDIT),
    Effect("fcvc.vc_rate", '"1 Mbit/s"', '"50 Mbit/s"', "rises", GOODPUT, ALONE, CREDIT),
    Effect("fcvc.records_per_cell", "1", "6", "falls", credits_sent, WAITING, CREDIT),
    Effect("fcvc.mark_interval", '"1 ms"', '"5 ms"', "differs", digest, LOSSES, CREDIT),
    Effect(
        "fcvc.memory", '"20 cells"', '"200 cells"', "rises", GOODPUT, (*ALONE, *ADAPTIVE), CREDIT
    ),
    Effect("fcvc.window", '"10 cells"', '"80 cells"', "differs", digest, ADAPTIVE, CREDIT),
    Effect("link_errors.cell_loss_ratio", "0.0", "0.01", "rises", total("cells_lost_on_links")),
    Effect("link_errors.lose_every", "200", "2000", "falls", total("cells_lost_on_links")),
    Effect(
        "link_errors.cells",
        '"data"',
        '"credit"',
        "falls",
        total("cells_lost_on_links"),
        LOSSES,
        CREDIT,
    ),
    *of_bits("link_errors"),
    *of_bits("topology.link.2.errors", GRAPH),
]
