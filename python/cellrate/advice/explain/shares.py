"""Max-min fair shares of elastic flows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from cellrate.advice.explain.answer import NoStatement, Prediction, Statement
from cellrate.advice.explain.subject import Subject, mbit, target_utilisation
from cellrate.advice.formulas import Situation
from cellrate.simulation.network import Flow
from cellrate.theory import MaxMin

TOPIC = "fair shares"
FORMULA = "max-min"


def statements(subject: Subject) -> Iterator[Prediction]:
    """Statements on the share of every group and on its bottleneck."""
    shares = subject.shares_or_reason()
    if isinstance(shares, str):
        yield NoStatement(TOPIC, "fair shares", shares, FORMULA)
        return
    for name, flows in subject.elastic_groups.items():
        yield _share(subject, name, flows, shares)


def _share(subject: Subject, name: str, flows: Sequence[Flow], shares: MaxMin) -> Statement:
    rates = [shares.rates[flow.name] for flow in flows]
    low, high = min(rates), max(rates)
    held_back = {shares.bottlenecks[flow.name] for flow in flows}
    links = sorted(link for link in held_back if link is not None)
    why = f"held back at {', '.join(links)}" if links else "at PCR"
    if links and None in held_back:
        why += " or at PCR"
    amount = mbit(low) if low == high else f"{mbit(low)} to {mbit(high)}"
    of = _shared(subject.bottlenecks_of(flows), set(links))
    return Statement(
        TOPIC,
        f"{name}: {amount} for each of {len(flows)}, headers of cells and RM cells included; "
        f"{why}{of}.",
        {
            "group": name,
            "flows": len(flows),
            "least_cells_per_second": low,
            "greatest_cells_per_second": high,
            "bottlenecks": links,
        },
        FORMULA,
        tuple(_fails(subject, flows)),
        "prediction",
    )


def _shared(bottlenecks: Iterable[Situation], links: set[str]) -> str:
    """A clause on links that hand out less than their rate, which `theory max-min` shares."""
    parts = {
        target_utilisation(one.switch) for one in bottlenecks if one.port.name in links and one.abr
    } - {1.0}
    if not parts:
        return ""
    shown = " or ".join(f"{part:g}" for part in sorted(parts))
    return (
        f". Shared is what switches allocate, {shown} of the capacity; `cellrate theory max-min` "
        "shares all of it"
    )


def _fails(subject: Subject, flows: Sequence[Flow]) -> list[str]:
    fails = unfair(subject, flows)
    if any(flow.kind in ("transfer", "messages", "www") for flow in flows):
        fails.append("flows have data without end")
    return fails


def unfair(subject: Subject, flows: Sequence[Flow]) -> list[str]:
    """Assumptions of fairness that fail for the flows."""
    if any(flow.abr is None for flow in flows):
        return ["switches share the rate fairly: without ABR, losses and round trips decide"]
    reasons = map(_unfair, subject.bottlenecks_of(flows))
    return list(dict.fromkeys(reason for reason in reasons if reason))


def _unfair(situation: Situation) -> str:
    """Reason why the scheme of a port does not give fair shares; empty if it does."""
    if situation.switch.scheme == "none":
        return "switches compute shares: here none controls ABR, and ACR rises to PCR"
    unequal = situation.has_unequal_round_trips or situation.has_other_bottlenecks
    marks = situation.switch.scheme == "efci" or situation.switch.scheme.startswith("rrm-")
    if marks and unequal:
        return (
            "switches compute shares: marks come more often over more switches, and later over "
            "longer ways"
        )
    return ""
