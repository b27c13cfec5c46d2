"""Effect of MCR on fair shares: no scheme reads MCR, and sources keep ACR at MCR or above."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

# Schemes whose rates fall until the load fits: flows above their share leave less to all others.
FOLLOWS_THE_LOAD = frozenset({"capc", "eprca", "phantom", "smith-predictor"})
# Schemes that count a flow above its share as one at its share, so the shares of others stay.
COUNTS_FLOWS = frozenset({"charny", "erica", "ucsc"})
# Schemes that share alike while no MCR exceeds a share. What they do beyond that is known of some.
SHARES_BELOW = frozenset({"fmmra", "osu"}) | FOLLOWS_THE_LOAD | COUNTS_FLOWS
# Relative difference that counts as rounding.
ROUNDING = 1e-6


@dataclass(frozen=True)
class Held:
    """A flow under rate control at a port, and the rates that decide what its MCR does.

    Attributes:
        name: Name of the flow.
        mcr: Its MCR.
        plain: Its max-min rate if there were no MCRs.
        share: Its share where MCRs are kept; below MCR if MCR holds its rate up.
        rate: Its rate in these shares.
        ignores: True if the source takes an ER below MCR as no limit (`er_below_mcr = "ignore"`).
    """

    name: str
    mcr: float
    plain: float
    share: float
    rate: float
    ignores: bool

    @property
    def asked(self) -> float:
        """Rate if the shares of all flows are those without MCRs."""
        return max(self.mcr, self.plain)

    @property
    def is_above(self) -> bool:
        """True if MCR exceeds the rate that the flow has without MCRs."""
        return self.mcr > self.plain * (1 + ROUNDING)


def counts_flows(control: Mapping[str, Any], plain: Iterable[float]) -> bool:
    """True if a scheme with these keys counts a flow above its share as one at its share.

    ERICA gives each flow an equal part of the target. It gives what limited flows leave to others
    by `max_alloc`, which acts up to an overload of `delta`; otherwise nothing here says who gets
    it.

    Args:
        control: Keys of the scheme.
        plain: Max-min rates of the flows at the port if there were no MCRs.
    """
    known: str = control["scheme"]
    by_keys = known != "erica" or bool(control["max_alloc"] and control["delta"])
    return known in COUNTS_FLOWS and (by_keys or _equal(plain))


def overload(control: Mapping[str, Any], flows: Sequence[Held]) -> tuple[float, float] | None:
    """The sum of rates that flows may have, and the sum that is carried; None if it is no more."""
    asked, carried = sum(flow.asked for flow in flows), sum(flow.rate for flow in flows)
    if not _counts(control, flows) or not any(flow.is_above for flow in flows):
        return None
    return (asked, carried) if asked > carried * (1 + ROUNDING) else None


def fails(
    port: str, control: Mapping[str, Any], flows: Sequence[Held], *, has_other_bottlenecks: bool
) -> Iterator[str]:
    """Assumptions of the shares at a port that fail because of MCRs."""
    scheme, counts = control["scheme"], _counts(control, flows)
    for flow in flows:
        if flow.ignores and flow.mcr > flow.share * (1 + ROUNDING):
            yield (
                "sources obey rates below MCR as MCR, but by `er_below_mcr` their ACR rises to "
                f"PCR, as that of {flow.name}"
            )
            return
    above = any(flow.is_above for flow in flows)
    if scheme not in SHARES_BELOW:
        if above or not _equal(flow.mcr for flow in flows):
            yield _unknown(port, scheme)
    elif scheme not in FOLLOWS_THE_LOAD and not counts:
        if above:
            yield _unknown(port, scheme)
    elif counts and above and has_other_bottlenecks:
        yield (
            f"flows share what MCRs leave, but `{scheme}` at {port} gives shares as if there were "
            "no MCR, and no formula here follows such shares over several bottlenecks"
        )
    elif overload(control, flows):
        yield (
            f"flows share what MCRs leave, but `{scheme}` at {port} gives shares as if there were "
            "no MCR, and together flows send more than the link carries"
        )


def _counts(control: Mapping[str, Any], flows: Sequence[Held]) -> bool:
    return counts_flows(control, [flow.plain for flow in flows])


def _equal(rates: Iterable[float]) -> bool:
    found = sorted(rates)
    return not found or found[-1] - found[0] <= ROUNDING * found[-1]


def _unknown(port: str, scheme: str) -> str:
    return (
        f"flows share what MCRs leave, but nothing here says how `{scheme}` at {port} divides the "
        "rate among flows with these MCRs"
    )
