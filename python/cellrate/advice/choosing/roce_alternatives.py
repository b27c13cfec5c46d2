"""Alternatives of `choose` for flows over RoCE: controls under each protection from losses."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cellrate import _core
from cellrate.advice.choosing.candidates import everywhere
from cellrate.advice.choosing.packet_alternatives import Alternative
from cellrate.advice.roce_controls import ROCE_CONTROLS
from cellrate.advice.tuning.declared import ResolvedScenario
from cellrate.simulation.network.ethernet_view import FrameNetwork
from cellrate.simulation.runner import Job

GO_BACK, SELECTIVE, TRIMMING = "go-back-n", "selective", "trimming"
"""Protections by the source: go-back-N; selective resend; resend of packets that were trimmed."""
PAUSES = {"pfc": "{}", "cbfc": "{batch=96}"}
"""Protections by links, with their settings; CBFC returns credit for four full frames at a time."""
RED = (
    'algorithm="red", weight=1, gentle=false, ecn=true, hard_drop=false, at="dequeue", '
    'min="{} bytes", max="{} bytes", max_p={}'
)
KMIN, KMAX, KMAX_RATE = 5_000, 200_000, 40e9
"""Marking thresholds for DCQCN (Zhu et al. 2015) in bytes, and the line rate in bit/s they suit."""
LEAST_RATE = 8e9
"""Line rate in bit/s, up to which the thresholds for DCQCN are constant: 1 kB and 40 kB."""
KMIN_SHARE, KMAX_SHARE = 0.2, 0.8
"""Marking thresholds as shares of the buffer, as in the public simulator of Ultra Ethernet."""
NSCC_TIMEOUT = 100e-6
"""Retransmission timer of NSCC in the public simulator of Ultra Ethernet, in seconds."""


@dataclass(frozen=True)
class OverRoce(Alternative):
    """A control of all flows over RoCE, with a protection from losses.

    Attributes:
        roce: Name of the control; empty if the scenario has several.
        protection: Name of the protection.
        is_own: True for the scenario as it is.
    """

    roce: str = ""
    protection: str = ""
    is_own: bool = False

    @property
    def name(self) -> str:
        """Name of the alternative: control, and protection."""
        own = " (own)" if self.is_own else ""
        return f"{self.roce or 'several controls'}, {self.protection}{own}"

    @property
    def kind(self) -> str:
        """The control; the scenario as it is has a kind of its own, the empty text."""
        return "" if self.is_own else self.roce

    @property
    def row(self) -> str:
        """Name of the table row: the control; the scenario as it is has the empty text."""
        return self.kind

    def varied(self) -> OverRoce:
        """The alternative with other parameters, which is not the scenario as it is."""
        return replace(self, is_own=False)

    def removed(self, scenario: ResolvedScenario) -> tuple[str, ...]:
        """Keys that this alternative must not have, and that only an edit of the file removes."""
        document = scenario.keys.document
        if self.protection == _protection(document):
            return ()
        found = tuple(one for one in PAUSES if one in document and one != self.protection)
        is_trimming = "trim_priority" in document["switch"] and self.protection != TRIMMING
        return (*found, *(("switch.trim_priority",) if is_trimming else ()))

    def shared(self, scenario: ResolvedScenario) -> tuple[str, ...]:
        """All groups over RoCE; none if they have several controls."""
        return _groups(scenario.keys.document) if self.roce else ()

    def job(self, base: Job, scenario: ResolvedScenario) -> Job:
        """The scenario under this alternative."""
        return super().job(without(base, self.removed(scenario)), scenario)

    def overrides(self, scenario: ResolvedScenario) -> tuple[str, ...]:
        """Settings that turn the scenario, without the keys `removed`, into this alternative.

        The scenario's own control and its own protection keep their parameters.
        """
        document, network = scenario.keys.document, scenario.network
        assert isinstance(network, FrameNetwork)  # noqa: S101  callers know it
        own_control, own_protection = _control(document), _protection(document)
        of_flows, found = dict[str, str](), list[str]()
        if self.roce != own_control or (_lacks_marks(document) and not self.is_own):
            found += everywhere(scenario, "aqm", _marks(self.roce, network))
        if self.roce != own_control:
            of_flows["control"] = f'{{algorithm="{self.roce}"}}'
            if self.roce == "nscc" and _full_seconds(network) < NSCC_TIMEOUT:
                of_flows["timeout"] = f'"{NSCC_TIMEOUT * 1e6:.0f} us"'
        if self.protection != own_protection:
            resend = SELECTIVE if self.protection == TRIMMING else GO_BACK
            if any(one["resend"] != resend for one in _of_flows(document)):
                of_flows["resend"] = f'"{resend}"'
            if self.protection in PAUSES:
                found.append(f"{self.protection}={PAUSES[self.protection]}")
            if self.protection == TRIMMING:
                found += [*_headers_first(document["switch"]), "switch.trim_priority=7"]
        groups = _groups(document)
        settings = (
            f"flow.{g}.roce.{key}={value}" for g in groups for key, value in of_flows.items()
        )
        return (*found, *settings)

    def as_json(self) -> dict[str, Any]:
        """Control and protection for `--json`."""
        return {"control": self.roce or None, "protection": self.protection}


def _headers_first(switch: Mapping[str, Any]) -> Iterator[str]:
    """Settings that give priority 7, of trimmed headers, a queue of its own before all others.

    The queue is a strict one before those that have quanta or weights.
    """
    queues, schedule = switch["queues"], switch["schedule"]
    kept = [place for place, queue in enumerate(queues) if queue != [7]]
    rest = [[priority for priority in queues[place] if priority != 7] for place in kept]
    if rest in ([], [[]]):
        rest = [[0]]
    yield f"switch.queues={json.dumps([[7], *rest])}"
    if schedule["discipline"] == "strict-priority":
        return
    strict = schedule.get("strict", 0)
    yield f"switch.schedule.strict={1 + sum(place < strict for place in kept)}"
    for key in ("quanta", "weights"):
        if key in schedule and len(kept) < len(queues):
            parts = [one for i, one in enumerate(schedule[key], strict) if i in kept]
            yield f"switch.schedule.{key}={json.dumps(parts)}"


def without(base: Job, keys: Sequence[str]) -> Job:
    """The scenario after `keys` have been deleted from its text; unchanged if there are none."""
    if not keys:
        return base
    text = base.resolved()
    for key in keys:
        name = re.escape(key.removeprefix("switch."))
        text = re.sub(rf"(?ms)^\[{name}\]\n.*?(?=^\[|\Z)|^{name} = [^\n]*\n", "", text)
    return replace(base, text=text, overrides=())


def over_roce(scenario: ResolvedScenario) -> Iterator[OverRoce]:
    """The scenario as it is, then all other controls under its protection from losses.

    The scenario's own control is among them if it reacts to marks and no queue marks.
    """
    document = scenario.keys.document
    own = OverRoce(roce=_control(document), protection=_protection(document), is_own=True)
    yield own
    for entry in json.loads(_core.registry())["roce"]:
        if entry["name"] != own.roce or _lacks_marks(document):
            yield OverRoce(roce=entry["name"], protection=own.protection)


def protected(scenario: ResolvedScenario, missing: Sequence[OverRoce]) -> Iterator[OverRoce]:
    """Controls under all other protections from losses.

    Protections without pauses and credits of links are tried only where queues have a limit, since
    unlimited queues lose nothing.

    Args:
        scenario: The scenario as it is.
        missing: Alternatives that miss a goal, or cannot run, under the protection of the scenario.
    """
    others = (*PAUSES, *((GO_BACK, TRIMMING) if has_limits(scenario) else ()))
    for one in missing:
        for protection in others:
            if protection != one.protection:
                yield OverRoce(roce=one.roce, protection=protection)


def has_limits(scenario: ResolvedScenario) -> bool:
    """True if a queue of a switch has a limit of its own or a memory that it shares."""
    network = scenario.network
    assert isinstance(network, FrameNetwork)  # noqa: S101  callers know it
    return "memory" in scenario.keys.document["switch"] or math.isfinite(_buffer(network))


def _control(document: dict[str, Any]) -> str:
    """The control of all flows over RoCE; empty if they have several."""
    found = {one["control"]["algorithm"] for one in _of_flows(document)}
    return str(found.pop()) if len(found) == 1 else ""


def _lacks_marks(document: dict[str, Any]) -> bool:
    """True if the control of all flows over RoCE reacts to marks, and no queue marks."""
    control, nodes = _control(document), document["topology"].get("node", ())
    managed = [one["aqm"] for one in (document["switch"], *nodes) if "aqm" in one]
    marks = any(aqm["algorithm"] == "threshold" or aqm.get("ecn") for aqm in managed)
    return control != "" and ROCE_CONTROLS[control].by_marks and not marks


def _groups(document: dict[str, Any]) -> tuple[str, ...]:
    return tuple(one["name"] for one in document["flow"] if "roce" in one)


def _of_flows(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The tables `roce` of all flow groups that have one."""
    return [one["roce"] for one in document["flow"] if "roce" in one]


def _protection(document: dict[str, Any]) -> str:
    """The protection that a scenario has."""
    by_links = next((one for one in PAUSES if one in document), None)
    if by_links is None and "trim_priority" in document["switch"]:
        return TRIMMING
    is_selective = any(one["resend"] == SELECTIVE for one in _of_flows(document))
    return by_links or (SELECTIVE if is_selective else GO_BACK)


def _marks(control: str, network: FrameNetwork) -> str:
    """Queue management that marks what a control needs marked.

    Kmin and Kmax of DCQCN grow with the rate of the line. The thresholds of NSCC, and of any other
    control by marks, are shares of the buffer; of the bandwidth-delay product if buffers have no
    limit.
    """
    rate = min(line.bits_per_second for line in network.bottlenecks or network.ports)
    if not ROCE_CONTROLS[control].by_marks:
        return '{algorithm="none"}'
    if control == "dcqcn":
        share = max(rate, LEAST_RATE) / KMAX_RATE
        ends = (math.floor(share * k / 1000) * 1000 for k in (KMIN, KMAX))
        return f'{{{RED.format(*ends, 0.01)}, spacing="geometric"}}'
    trip = max(flow.least_round_trip_seconds for flow in network.flows if flow.roce)
    buffer = _buffer(network)
    whole = buffer if math.isfinite(buffer) else rate * trip / 8
    ends = (round(share * whole) for share in (KMIN_SHARE, KMAX_SHARE))
    return f"{{{RED.format(*ends, 1)}}}"


def _buffer(network: FrameNetwork) -> float:
    """The least limit of a queue in bytes; infinity without a limit."""
    return min((port.buffer_bytes for port in network.ports), default=math.inf)


def _full_seconds(network: FrameNetwork) -> float:
    """The longest round trip of a flow over RoCE through full buffers; infinity without limits."""
    return max(
        flow.least_round_trip_seconds
        + sum(line.seconds(line.buffer_bytes) for line in flow.lines if line.switch is not None)
        for flow in network.flows
        if flow.roce
    )
