"""TCP as ns-2 (2.35) simulates it: its traces, and the engine's tests against them."""

import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from proof.oracles.patterns import Pattern
from proof.oracles.tool import Oracle, found_or_installed
from proof.oracles.traces import Event

SCRIPT = Path(__file__).with_name("one_way.tcl")
BACKOFF = Pattern("backoff", 22_000, lost=((0, 1), (0, 2), (0, 3)))


@dataclass(frozen=True)
class Variant:
    """A sender and a receiver of ns-2 by their classes, and patterns; all patterns if empty.

    `rule` names the correction of ssthresh (`one_way.tcl`), or "none" for ns-2 as it is. `settings`
    are triples of object, option and value.
    """

    sender: str
    sink: str = "Agent/TCPSink"
    rule: str = "none"
    settings: str = ""
    patterns: tuple[Pattern, ...] = ()


# With these settings the receiver always waits for a second packet before it acknowledges.
_DELAYED = (
    "tcp windowInit_ 2 receiver interval_ 5 receiver SYN_immediate_ack_ false "
    "receiver RFC2581_immediate_ack_ true"
)
_TIMEOUT = "tcp numdupacks_ 1000000"
VARIANTS = {
    "tahoe": Variant("Agent/TCP", rule="bsd"),
    "reno": Variant("Agent/TCP/Reno", rule="bsd"),
    "reno-delayed": Variant(
        "Agent/TCP/Reno", "Agent/TCPSink/DelAck", rule="bsd", settings=_DELAYED
    ),
    "timeout-only": Variant("Agent/TCP", rule="bytes", settings=_TIMEOUT),
    "backoff": Variant(
        "Agent/TCP",
        rule="bytes",
        settings=f"{_TIMEOUT} tcp rtxcur_init_ 3.0 tcp maxrto_ 60.0",
        patterns=(BACKOFF,),
    ),
    # RFC 6582 without its heuristics; the end of a recovery by its option (1).
    "newreno": Variant(
        "Agent/TCP/Newreno",
        settings="tcp bugFix_ true tcp bugfix_ack_ false tcp exit_recovery_fix_ 1",
    ),
    # With limited transmit (RFC 3042).
    "sack": Variant(
        "Agent/TCP/Sack1",
        "Agent/TCPSink/Sack1",
        settings="tcp bugFix_ true tcp singledup_ 1",
    ),
}


def simulate(name: str, patterns: list[Pattern]) -> list[list[Event]]:
    """The runs of one of `VARIANTS`."""
    return [_settled(VARIANTS[name], pattern) for pattern in patterns]


def _settled(variant: Variant, pattern: Pattern) -> list[Event]:
    """Events of the run in which exactly the copies of packets that the pattern names are lost.

    ns-2 identifies losses by the number of the transmission. The number of a copy is only known
    from a run with all earlier losses, so runs are repeated until the numbers are stable.
    """
    lost: list[int] = []
    while True:
        events = _run(variant, pattern, lost)
        places = _places(pattern, events)
        if places == lost:
            return events
        lost = places


def _places(pattern: Pattern, events: list[Event]) -> list[int]:
    copies: dict[int, int] = {}
    places = []
    for place, event in enumerate(event for event in events if not event.ack):
        copies[event.packet] = copies.get(event.packet, 0) + 1
        if (event.packet, copies[event.packet]) in pattern.lost:
            places.append(place)
    return places


def _run(variant: Variant, pattern: Pattern, lost: list[int]) -> list[Event]:
    delayed = [packet - sum(place < packet for place in lost) for packet in pattern.delayed]
    lists: list[Sequence[float]] = [lost, delayed, [pattern.delay_ms / 1000], pattern.lost_acks]
    lost_, delayed_, delay, acks = (" ".join(map(str, numbers)) for numbers in lists)
    arguments = [variant.sender, variant.sink, str(pattern.end_ms / 1000), variant.rule]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["ns", SCRIPT, *arguments, lost_, delayed_, delay, acks, variant.settings],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode or done.stderr:
        raise ChildProcessError(f"ns-2 on {pattern.name}: {done.stderr}{done.stdout[:500]}")
    return [_event(line.split(",")) for line in done.stdout.splitlines()]


def _event(fields: list[str]) -> Event:
    time, event, packet, cwnd = fields
    return Event(int(time), ack=event == "ack", packet=int(packet), cwnd=float(cwnd))


def install() -> str:
    """Version of ns-2, a Debian package that is installed if it is missing and can be installed."""
    return found_or_installed("ns", "ns2")


ORACLE = Oracle(
    "ns2",
    "ns-2",
    install,
    simulate,
    {name: v.patterns for name, v in VARIANTS.items()},
    # `tahoe-bsd` is a variant of the engine alone, compared with the traces of `tahoe`.
    ("tahoe-bsd", *(name for name, v in VARIANTS.items() if v.rule != "none")),
)
