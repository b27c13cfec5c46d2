"""A scenario as one loop of the fluid model of EFCI, if it is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cellrate.network import (
    Flow,
    Link,
    Network,
    capacity_left_cells_per_second,
    overloaded_ports,
)
from cellrate.parameters.keys import Keys
from cellrate.theory.assumptions import AssumptionError
from cellrate.theory.efci import EfciLoop, feasibility
from cellrate.tuning.laboratory import Setting
from cellrate.tuning.start_up import StartUp


class NoModel(Exception):
    """The fluid model does not describe the scenario; says which assumption fails."""


@dataclass(frozen=True)
class Model:
    """A scenario as one loop of the fluid model.

    Attributes:
        port: The bottleneck.
        loop: Its parameters as the literature has them; RIF and RDF are those of the scenario.
        hops: Links round the loop.
        buffer_cells: Of the bottleneck.
        start_up: How the scenario begins, and what of it is measured.
        paths: Parameters that set RIF, and those that set RDF.
        cautions: What the model leaves out of this scenario.
    """

    port: str
    loop: EfciLoop
    hops: int
    buffer_cells: float
    start_up: StartUp
    paths: tuple[tuple[str, ...], tuple[str, ...]]
    cautions: tuple[str, ...]

    def simulated(self, rif: npt.ArrayLike, rdf: npt.ArrayLike) -> EfciLoop:
        """The loop with a decrease per RM cell and with what cells add to the round trip."""
        loop = self.loop.with_(rif=rif, rdf=rdf, decrease="per-cell")
        return loop.with_cell_delays(self.hops)

    def setting(self, rif: float, rdf: float) -> Setting:
        """A set of factors as a setting of the scenario."""
        pairs = zip(self.paths, (rif, rdf), strict=True)
        return Setting(tuple((path, repr(value)) for paths, value in pairs for path in paths))


def model_of(network: Network, keys: Keys) -> Model:
    """The loop of a scenario.

    Raises:
        NoModel: It is none.
    """
    port = _bottleneck(network)
    flows = [flow for flow in network.flows_over(port) if flow.abr is not None]
    try:
        loop = _loop(network, port, flows)
        feasibility(loop, port.switch.buffer_cells)
    except AssumptionError as error:
        raise NoModel(str(error)) from error
    paths = _paths(keys, flows, "rif"), _paths(keys, flows, "rdf")
    start_up = StartUp.of(keys, flows, float(np.asarray(loop.bw)))
    cautions = tuple(_cautions(network, port, flows, start_up))
    hops = len(flows[0].forward) + len(flows[0].backward)
    return Model(port.name, loop, hops, port.switch.buffer_cells, start_up, paths, cautions)


def _bottleneck(network: Network) -> Link:
    """The one port whose queue can grow.

    Raises:
        NoModel: There is none, or several.
    """
    ports = [p for p in overloaded_ports(network) if any(f.abr for f in network.flows_over(p))]
    if len(ports) != 1:
        names = ", ".join(port.name for port in ports)
        found = f"here are {len(ports)}: {names}" if ports else "here is none"
        raise NoModel(f"it has one bottleneck with ABR, {found}")
    [port] = ports
    if port.switch.scheme != "efci":
        raise NoModel(f"it is of EFCI marking, and {port.name} does {port.switch.scheme!r}")
    if port.switch.control["mark_at"] == "enqueue":
        raise NoModel(f"its marks leave at once, and those of {port.name} wait in the queue")
    others = [f for f in network.flows_over(port) if f.abr is None and f.is_elastic]
    if others:
        raise NoModel(f"{others[0].name} over {port.name} takes what it gets without ABR")
    return port


def _loop(network: Network, port: Link, flows: Sequence[Flow]) -> EfciLoop:
    """The model's parameters.

    Raises:
        NoModel: The flows differ in what the model takes to be equal.
        AssumptionError: A value is outside the model's assumptions.
    """
    control = port.switch.control
    high = control["high_cells"] or control["threshold_cells"]
    end_systems = [flow.abr for flow in flows if flow.abr is not None]
    return EfciLoop(
        sources=len(flows),
        bandwidth_cells_per_second=capacity_left_cells_per_second(network, port),
        round_trip_seconds=_one("a round trip", [_round_trip(flow) for flow in flows]),
        high_cells=high,
        low_cells=control["low_cells"] or high,
        rif=_one("RIF", [abr.rif for abr in end_systems]),
        rdf=_one("RDF", [abr.rdf for abr in end_systems]),
        nrm=_one("Nrm", [abr.nrm for abr in end_systems]),
        pcr_cells_per_second=_one("PCR", [abr.pcr_cells_per_second for abr in end_systems]),
        mcr_cells_per_second=_one("MCR", [abr.mcr_cells_per_second for abr in end_systems]),
    )


def _round_trip(flow: Flow) -> float:
    return flow.propagation_round_trip_seconds or 0.0


def _one(what: str, values: Sequence[float]) -> float:
    """The value that all flows have.

    Raises:
        NoModel: They have several.
    """
    low, high = min(values), max(values)
    if high - low > 1e-9 * high:
        raise NoModel(f"its flows are alike, and here they have {what} of {low:g} to {high:g}")
    return values[0]


def _paths(keys: Keys, flows: Sequence[Flow], name: str) -> tuple[str, ...]:
    """Where a parameter of the flows is set: in `[abr]`, or where a group has its own."""
    groups = dict.fromkeys(flow.group for flow in flows)
    own = [f"flow.{group}.abr.{name}" for group in groups]
    return tuple(
        dict.fromkeys(path if keys.find(path).value is not None else f"abr.{name}" for path in own)
    )


def _cautions(network: Network, port: Link, flows: Sequence[Flow], start_up: StartUp) -> list[str]:
    """What the scenario has and the model leaves out."""
    found = []
    if any(flow.tcp for flow in flows):
        found.append("TCP windows limit the sources; in the model they always have cells")
    if start_up.share > 1:
        found.append(
            f"the initial rates together are {start_up.share:.2g} of the bottleneck; the model's "
            "bound begins with the bottleneck full and its queue empty"
        )
    if any(flow.kind == "transfer" for flow in flows):
        found.append("transfers end; in the model the sources never stop")
    if any(flow.abr is None for flow in network.flows_over(port)):
        found.append("other classes take their mean rate off the bottleneck, without variation")
    return found
