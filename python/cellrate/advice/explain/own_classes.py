"""Parts of a network that are classes of Python, on whose behaviour no formula says anything."""

from __future__ import annotations

from collections.abc import Iterable

from cellrate.simulation.network import Flow, Network, is_own_class


def unknown_rates(network: Network) -> str:
    """Reason why the rates of ABR flows are not known; empty if no class of Python sets them."""
    for flow in network.flows:
        if not flow.is_elastic or flow.abr is None:
            continue
        law = flow.abr.parameters.get("law")
        if law is not None:
            return f"the source law `{law['law']}` is a class, and what rates it sets is not known"
        for port in flow.forward:
            if port.is_port and is_own_class(port.switch.scheme):
                return allocation_unknown(port.switch.scheme)
    return ""


def allocation_unknown(scheme: str) -> str:
    """Reason why the shares under a control scheme that is a class of Python are not known."""
    return f"the control scheme `{scheme}` is a class, and what it allocates is not known"


def unknown_windows(flows: Iterable[Flow]) -> str:
    """Reason why the windows of TCP are not known; empty if no recovery is a class of Python."""
    for flow in flows:
        if flow.tcp is not None and is_own_class(flow.tcp.recovery):
            return (
                f"the recovery `{flow.tcp.recovery}` is a class, and how its windows grow is not "
                "known"
            )
    return ""
