"""Fair shares of lines over Ethernet.

Datagrams, queues of higher priority and the targets of control schemes reduce the shared rate.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from cellrate.advice.explain.answer import NoStatement, Prediction, Statement
from cellrate.advice.explain.minimum_rates import Held, counts_flows, fails
from cellrate.advice.explain.own_classes import allocation_unknown
from cellrate.advice.explain.subject import beside_phantom, missed_target, target_utilisation
from cellrate.advice.formulas.frame_bounds import outstanding_bytes
from cellrate.simulation.network import is_own_class
from cellrate.simulation.network.ethernet_view import (
    FrameFlow,
    FrameNetwork,
    Hop,
    Line,
    hop_rate,
)
from cellrate.theory import AssumptionError, MaxMin, max_min

TOPIC, FORMULA = "fair shares", "max-min"
# Relative difference of sums of rates that counts as rounding.
ROUNDING = 1e-9


def gbit(bits_per_second: float) -> str:
    """A rate as text."""
    return f"{bits_per_second / 1e9:,.4g} Gbit/s"


def from_to(low: str, high: str) -> str:
    """A range as text; one value if both ends are the same."""
    return low if low == high else f"{low} to {high}"


def targets(network: FrameNetwork, port: Line) -> Iterator[Statement]:
    """Statement on the rate that the control scheme of a port allocates, if not the whole line."""
    share = _target(port)
    if share == 1.0 or not any(flow.rate_controlled for flow in network.over[port]):
        return
    allocated = share * port.bits_per_second
    control = port.switch["control"] if port.switch else {}
    most = (1 + control["delta"]) * allocated if control.get("max_alloc") else allocated
    more = f"; by `max_alloc` it lets up to {gbit(most)} pass as no overload" * (most > allocated)
    if missed := missed_target(control):
        more += f", but {missed}"
    elif share > 1.0:
        more += (
            f". The line carries only {gbit(port.bits_per_second)}, so the queue grows while flows "
            "use what is allocated"
        )
    yield Statement(
        "bottleneck",
        f"{port.name}: the switch aims at {gbit(allocated)} for flows with rate control, its "
        f"target utilisation of {share:g}{more}.",
        {
            "port": port.name,
            "target_utilisation": share,
            "allocated_bits_per_second": allocated,
            "tolerated_bits_per_second": most,
        },
    )


def _target(port: Line) -> float:
    return 1.0 if port.switch is None else target_utilisation(port.switch["control"])


def fair_shares(network: FrameNetwork) -> Iterator[Prediction]:
    """Max-min fair shares of the flows in each queue, over the paths that ECMP has chosen."""
    queues: dict[int, list[FrameFlow]] = {}
    for flow in network.flows:
        if _is_elastic(flow):
            queues.setdefault(network.queue(flow.priority), []).append(flow)
    sharing = _Sharing(network)
    for queue, flows in sorted(queues.items()):
        which = f" in queue {queue + 1}" if len(queues) > 1 else ""
        try:
            _require_together(flows)
            _require_known_schemes(flows)
            rates = sharing.rates(queue, flows)
        except _UnknownError as error:
            quantity = f"fair shares of flows{which}"
            yield NoStatement(TOPIC, quantity, str(error), FORMULA)
            # Queues of lower priority have the rate that this queue leaves.
            return
        yield _statement(sharing, flows, rates, which)


def _require_together(flows: Iterable[FrameFlow]) -> None:
    """Raises `_UnknownError` where flows begin when others have ended."""
    waiting = next((flow.group for flow in flows if flow.after), None)
    if waiting is not None:
        raise _UnknownError(f"flows of {waiting} await one another, so all never send at once")


def _require_known_schemes(flows: Iterable[FrameFlow]) -> None:
    """Raises `_UnknownError` if a class of Python sets the rates of a flow."""
    for flow in flows:
        schemes = [str(_control(hop)["scheme"]) for hop in flow.hops if flow.rate_controlled]
        for scheme in filter(is_own_class, schemes):
            raise _UnknownError(allocation_unknown(scheme))


def _is_elastic(flow: FrameFlow) -> bool:
    return flow.tcp is not None or flow.roce is not None or flow.rate_controlled


def _statement(
    sharing: _Sharing, flows: Sequence[FrameFlow], rates: Mapping[FrameFlow, float], which: str
) -> Statement:
    least, most = min(rates.values()), max(rates.values())
    whose = sharing.taken_by
    of = f", of what {' and '.join(whose)} leave" if whose else ""
    part = min(sharing.part(hop) for flow in flows for hop in flow.hops)
    more = f" The shares divide what switches allocate, {part:g} of the line." if part < 1 else ""
    if any(flow.is_sprayed for flow in flows):
        more += " The lines over which a switch sprays frames count as one line."
    controls = [_control(hop) for flow in flows if flow.rate_controlled for hop in flow.hops]
    missed = dict.fromkeys(filter(None, map(missed_target, controls)))
    sent = " what their windows allow" if any(flow.tcp is not None for flow in flows) else ""
    return Statement(
        TOPIC,
        f"The max-min fair share of a flow{which} is {from_to(gbit(least), gbit(most))} while all "
        f"flows send{sent}, headers included{of}. A run may share otherwise.{more}",
        {"least_bits_per_second": least, "greatest_bits_per_second": most},
        FORMULA,
        (*sharing.fails, *(f"switches keep their target, but {reason}" for reason in missed)),
    )


def _most(flow: FrameFlow) -> float:
    """Greatest rate of a flow in bit/s on a line: its own, PCR, or a window in each round trip."""
    if flow.tcp is None:
        return flow.sent_bits_per_second
    packets = outstanding_bytes(flow) / flow.payload_bytes
    by_window = 8 * packets * flow.line_bytes / flow.least_round_trip_seconds
    return min(flow.sent_bits_per_second, by_window)


class _UnknownError(Exception):
    """The shares of a queue are not known; the message is the reason."""


class _Sharing:
    """Rates of flows, from the queue that is served first to the last.

    Attributes:
        network: The network.
        taken_by: Names of the traffic whose rate was subtracted from the lines in the last call of
            `rates`, since it is served first or does not react.
        fails: Assumptions of the shares in the last call of `rates` that fail because of MCRs.
    """

    def __init__(self, network: FrameNetwork) -> None:
        self.network = network
        self.taken_by: list[str] = []
        self.fails: list[str] = []
        # Under credit each flow has a queue of its own, and datagrams take turns with the others.
        self._turns = network.credit is not None
        self._elastic: dict[Hop, float] = {}

    def part(self, hop: Hop) -> float:
        """Share of a hop's rate that a control scheme allocates; 1 if some flow is not under it."""
        flows = [flow for flow in self.network.over[hop[0]] if _is_elastic(flow)]
        if not all(flow.rate_controlled for flow in flows):
            return 1.0
        # A line carries no more than its rate, whatever a scheme allocates.
        return min(1.0, _target(hop[0])) * beside_phantom(_control(hop), len(flows))

    def rates(self, queue: int, flows: Sequence[FrameFlow]) -> dict[FrameFlow, float]:
        """Max-min fair shares of the elastic flows of a queue in bit/s."""
        hops = {hop for flow in flows for hop in flow.hops}
        datagrams = [
            flow
            for flow in self.network.flows
            if not _is_elastic(flow)
            and self.network.queue(flow.priority) <= queue
            and not hops.isdisjoint(flow.hops)
        ]
        self._require_order(queue, hops)
        self._require_known(datagrams)
        steady = {} if self._turns else self._carried(datagrams)
        self.taken_by = ["datagrams"] if any(steady.get(hop) for hop in hops) else []
        if any(self._elastic.get(hop) for hop in hops):
            self.taken_by.append("queues that go first")
        left = {
            hop: self.part(hop) * hop_rate(hop) - steady.get(hop, 0.0) - self._elastic.get(hop, 0.0)
            for hop in hops | {hop for flow in datagrams for hop in flow.hops}
        }
        full = {hop for hop, rate in left.items() if rate <= ROUNDING * hop_rate(hop)}
        sharing = [flow for flow in flows if full.isdisjoint(flow.hops)]
        both = [*sharing, *datagrams] if self._turns else sharing
        found = self._max_min({hop: left[hop] for hop in left if hop not in full}, both)
        rates = {flow: found.rates.get(flow.name, 0.0) for flow in flows}
        for flow, rate in rates.items():
            for hop in flow.hops:
                self._elastic[hop] = self._elastic.get(hop, 0.0) + rate
        return rates

    def _max_min(self, left: dict[Hop, float], flows: Sequence[FrameFlow]) -> MaxMin:
        """Max-min rates of flows over hops with some capacity left; `fails` is set.

        A rate is the greater of MCR and the share. Schemes that count flows give the shares without
        MCRs, as far as lines carry the sum.
        """

        def solved(capacities: dict[Hop, float], mcr: Mapping[str, float]) -> MaxMin:
            try:
                return max_min(
                    {_name(hop): rate for hop, rate in capacities.items()},
                    {flow.name: [_name(hop) for hop in flow.hops] for flow in flows},
                    mcr=mcr,
                    pcr={flow.name: max(_most(flow), flow.mcr_bits_per_second) for flow in flows},
                    fairness="max-of-mcr-and-share",
                )
            except AssumptionError as error:
                raise _UnknownError(f"{error} (bit/s)") from error

        self.fails = []
        plain = solved(left, {})
        mcr = {flow.name: rate for flow in flows if (rate := flow.mcr_bits_per_second)}
        if not mcr:
            return plain
        for hop in left:
            over = [flow for flow in flows if hop in flow.hops]
            shares = [plain.rates[flow.name] for flow in over]
            if counts_flows(_control(hop), shares) and not self._has_others(hop):
                asked = sum(max(mcr.get(flow.name, 0.0), plain.rates[flow.name]) for flow in over)
                beyond = left[hop] + (1 - self.part(hop)) * hop_rate(hop)
                left[hop] = max(left[hop], min(asked, beyond))
        found = solved(left, mcr)
        for hop in left:
            held = [
                Held(
                    flow.name,
                    flow.mcr_bits_per_second,
                    plain.rates[flow.name],
                    found.shares[flow.name],
                    found.rates[flow.name],
                    ignores=False,
                )
                for flow in flows
                if flow.rate_controlled and hop in flow.hops
            ]
            controlled = _control(hop)["scheme"] != "none"
            if held and controlled and hop[0] in self.network.bottlenecks:
                self.fails += fails(
                    _name(hop), _control(hop), held, has_other_bottlenecks=self._has_others(hop)
                )
        return found

    def _has_others(self, hop: Hop) -> bool:
        """True if a flow over a hop also crosses another bottleneck."""
        return any(
            line not in hop and line in self.network.bottlenecks
            for flow in self.network.over[hop[0]]
            for line in flow.lines
        )

    def _require_order(self, queue: int, hops: Iterable[Hop]) -> None:
        """Raises `_UnknownError` where a line is not served queue by queue in a fixed order."""
        for hop in hops:
            met = {self.network.queue(flow.priority) for flow in self.network.over[hop[0]]}
            if hop[0].switch is None:
                if len(met) > 1:
                    raise _UnknownError(
                        "a host sends flows of several queues in turns, so their order there is "
                        "not that of switches"
                    )
            elif met != {queue} and hop[0].switch["schedule"]["discipline"] != "strict-priority":
                raise _UnknownError(
                    "queues take turns, and no formula here divides a line among them"
                )

    def _require_known(self, datagrams: Sequence[FrameFlow]) -> None:
        """Raises `_UnknownError` if the rate that datagrams take of a line is not known."""
        if self._turns:
            return
        for flow in datagrams:
            if flow.own_bits_per_second is None:
                raise _UnknownError(f"{flow.group} sends datagrams at the rate of its line")
        for hop, rate in self._carried(datagrams).items():
            if rate > hop_rate(hop) * (1 + ROUNDING):
                raise _UnknownError(
                    f"datagrams alone exceed {_name(hop)}, so losses decide what they leave"
                )

    @staticmethod
    def _carried(datagrams: Iterable[FrameFlow]) -> dict[Hop, float]:
        carried: dict[Hop, float] = {}
        for flow in datagrams:
            for hop in flow.hops:
                carried[hop] = carried.get(hop, 0.0) + (flow.own_bits_per_second or 0.0)
        return carried


def _control(hop: Hop) -> Mapping[str, Any]:
    switch = hop[0].switch
    return {"scheme": "none"} if switch is None else switch["control"]


def _name(hop: Hop) -> str:
    return " ".join(line.name for line in hop)
