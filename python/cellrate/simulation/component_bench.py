"""Times every scheme, policy, source and TCP recovery, in ns for each cell over one link.

The components are those of the registries. Each runs in a small network for its kind, and is
compared with a simple component in the same network. Only ratios are comparable among machines.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cellrate import _core

# Each time is the best of several rounds. The components take turns, so that a disturbance of the
# machine affects all of them.
ROUNDS = 5

# Fifteen flows over a bottleneck of one line rate: some four million cell-hops.
NETWORK = """
[run]
duration = "2 s"
[topology]
template = "n-source"
link_rate = "155.52 Mbit/s"
access = "1000 km"
bottleneck = "1000 km"
egress = "1000 km"
"""

# Required parameters of components, by name.
PARAMETERS: dict[str, dict[str, Any]] = {
    "efci": {"threshold": "500 cells"},
    "cbr": {"rate": "9.8 Mbit/s"},
    "poisson": {"rate": "9.8 Mbit/s"},
    "on-off": {"peak": "19.6 Mbit/s", "period": "10 ms", "duty_cycle": 0.5},
    "exponential-on-off": {"peak": "19.6 Mbit/s", "mean_on": "5 ms", "mean_off": "5 ms"},
    "mmdp": {"sources": 14, "peak": "1.4 Mbit/s", "mean_on": "5 ms", "burstiness": 2.0},
    "mpeg2": {"mean": "7.5 Mbit/s", "standard_deviation": "3 Mbit/s"},
    "transfer": {"size": "100 MB"},
    "www": {"think_time": "50 ms"},
    "messages": {"mean_length": "20 kB", "mean_rate": "8 Mbit/s"},
}


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of component (scheme, policy, source ...) and the network in which it is timed.

    Attributes:
        name: Name of the kind.
        registry: Registry that lists the components.
        plain: The component with which all others are compared.
        limit: Greatest allowed cost relative to the plain component; None if the components do
            different work.
        scenario: The network, with `{}` in place of the component.
    """

    name: str
    registry: str
    plain: str
    limit: float | None
    scenario: str


# With a scheme, rates may rise to twice the fair share; without a scheme they stay below it.
CONTROLLED = """
[switch]
buffer = "20000 cells"
control = {}
[abr]
icr = "9.8 Mbit/s"
pcr = "20 Mbit/s"
[[flow]]
name = "abr"
count = 15
service = "abr"
source = {{ kind = "persistent" }}
"""
# TCP flows that overflow a buffer.
DISCARDED = """
[switch]
buffer = "2000 cells"
discard = {}
[tcp]
window = "512 KiB"
granularity = "10 ms"
min_rto = "50 ms"
[[flow]]
name = "tcp"
count = 15
stagger = "1 ms"
service = "ubr"
"""
TAIL_DROP = '{{ policy = "tail-drop" }}'
RECOVERED = DISCARDED.replace("{}", TAIL_DROP).replace("[tcp]", "[tcp]\nrecovery = {}")
KINDS = (
    Kind("control scheme", "schemes", "none", 2.0, CONTROLLED),
    Kind("discard policy", "policies", "tail-drop", 2.0, DISCARDED),
    Kind("recovery", "recoveries", "reno", None, RECOVERED),
    Kind(
        "source",
        "sources",
        "cbr",
        None,
        '[[flow]]\nname = "f"\ncount = 15\nstagger = "17 us"\nservice = "ubr"\nsource = {}\n',
    ),
)
# ERICA with VS/VD and without; no registry lists VS/VD.
LOOPS = Kind("control loops", "", "one loop", 2.0, CONTROLLED)
# Traffic under credit control, and some cells of higher priority in another queue. Credit cells on
# the way back count as cell-hops, too.
CREDITED = """
{}
[[flow]]
name = "guaranteed"
service = "cbr"
source = {{ kind = "cbr", rate = "1 Mbit/s" }}
[[flow]]
name = "credited"
count = 15
stagger = "17 us"
service = "ubr"
source = {{ kind = "cbr", rate = "9.8 Mbit/s" }}
"""
CREDIT = Kind("credit control", "", "no credit", 3.0, CREDITED)
# Losses so rare that both runs carry the same cells.
LOSSES = Kind("links", "", "no losses", 2.0, "{}" + DISCARDED.replace("discard = {}", ""))
# Scenarios with and without each feature that no registry lists.
WITH_AND_WITHOUT = (
    (LOOPS, {"one loop": '{ scheme = "erica" }', "vsvd": '{ scheme = "erica" }\nvsvd = {}'}),
    (LOSSES, {"no losses": "", "losses": "[link_errors]\ncell_loss_ratio = 1e-9"}),
    (CREDIT, {"no credit": "", "fcvc": "[fcvc]"}),
)
KEYS = {"schemes": "scheme", "policies": "policy", "sources": "kind"}


@dataclass(frozen=True, slots=True)
class Cost:
    """Processor time of a component, alone and relative to the simple component of its kind.

    Attributes:
        kind: Kind of the component.
        name: Key of the component.
        nanoseconds: Time per cell over one link.
        ratio: Time relative to the time of the plain component.
        limit: Greatest allowed ratio; None without a limit.
    """

    kind: str
    name: str
    nanoseconds: float
    ratio: float
    limit: float | None


def components() -> list[tuple[Kind, str, str]]:
    """Kind, key and scenario of every component in the registries, of VS/VD, FCVC and losses."""
    registry = json.loads(_core.registry())
    found = [
        (kind, entry["name"], scenario(kind, entry["name"]))
        for kind in KINDS
        for entry in registry[kind.registry]
    ]
    others = [
        (kind, name, NETWORK + kind.scenario.format(own))
        for kind, choices in WITH_AND_WITHOUT
        for name, own in choices.items()
    ]
    return found + others


def scenario(kind: Kind, name: str) -> str:
    """The scenario in which a component is timed."""
    if kind.registry == "recoveries":
        return NETWORK + kind.scenario.format(json.dumps(name))
    parameters: dict[str, Any] = {KEYS[kind.registry]: name} | PARAMETERS.get(name, {})
    table = ", ".join(f"{key} = {json.dumps(value)}" for key, value in parameters.items())
    text = kind.scenario.format(f"{{ {table} }}")
    if kind.registry == "schemes" and name == kind.plain:
        text = text.replace('pcr = "20 Mbit/s"', 'pcr = "9.8 Mbit/s"')
    return NETWORK + text


def needs_file(name: str) -> bool:
    """True if a source needs a file, which the bench does not have."""
    definitions = json.loads(_core.schema())["$defs"]
    for variant in definitions["SourceConfig"]["oneOf"]:
        if variant["properties"]["kind"]["const"] == name:
            return "file" in variant.get("required", [])
    return False


def measure(
    progress: Callable[[float, float], bool | None] | None = None, rounds: int = ROUNDS
) -> list[Cost]:
    """Times every component.

    Args:
        progress: Called with the number of finished runs and of all; returns False to stop.
        rounds: Number of times that each component is timed; the best counts.

    Raises:
        cellrate._core.Cancelled: The progress function stopped the bench.
    """
    timed = [entry for entry in components() if not needs_file(entry[1])]
    best = [float("inf")] * len(timed)
    for turn in range(rounds):
        for index, (_, name, text) in enumerate(timed):
            best[index] = min(best[index], _nanoseconds(text, name))
            done = turn * len(timed) + index + 1
            if progress is not None and progress(done, rounds * len(timed)) is False:
                raise _core.Cancelled("the bench was stopped")
    found = zip(timed, best, strict=True)
    plain = {kind.name: cost for (kind, name, _), cost in found if name == kind.plain}
    return [
        Cost(kind.name, name, cost, cost / plain[kind.name], kind.limit)
        for (kind, name, _), cost in zip(timed, best, strict=True)
    ]


def _nanoseconds(text: str, name: str) -> float:
    """Processor time of this thread for each cell over one link, little changed by other load."""
    begin = time.thread_time_ns()
    outcome = _core.Scenario(text, name).run()
    spent = time.thread_time_ns() - begin
    return float(spent / json.loads(outcome.summary())["cell_hops"])
