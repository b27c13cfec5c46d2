"""What the fluid model of EFCI says of every (RIF, RDF) that the standard can signal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from cellrate.network import (
    Flow,
    Link,
    Network,
    capacity_left_cells_per_second,
    overloaded_ports,
)
from cellrate.theory.assumptions import AssumptionError
from cellrate.theory.efci import STANDARD_FACTORS, EfciLoop, Feasibility, feasibility
from cellrate.tuning.keys import Keys
from cellrate.tuning.laboratory import Setting

Truths: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float64]


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
        paths: Parameters that set RIF, and those that set RDF.
        cautions: What the model leaves out of this scenario.
    """

    port: str
    loop: EfciLoop
    hops: int
    buffer_cells: float
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


@dataclass(frozen=True)
class Judgement:
    """Every standard set of factors, judged by the model.

    Attributes:
        rif: RIF of each set.
        rdf: RDF of each set; 1 is left out, for a factor that ends all sending has no model.
        found: The conditions for the loop as it is simulated.
        continuous: The conditions with the paper's continuous decrease and propagation alone.
        buffer_cells: What the queue is held against.
    """

    rif: Floats
    rdf: Floats
    found: Feasibility
    continuous: Feasibility
    buffer_cells: float

    @property
    def overflow_cells(self) -> Floats:
        """By how much Q_max exceeds the buffer; negative if it does not."""
        return np.asarray(self.found.maximum_queue_bound_cells - self.buffer_cells)

    @property
    def idle_cells(self) -> Floats:
        """How far below zero Q_min falls; negative if it does not."""
        return -np.asarray(self.found.minimum_queue_cells)

    @property
    def feasible(self) -> Truths:
        """Both conditions."""
        return np.asarray(self.found.feasible)


def model_of(network: Network, keys: Keys) -> Model:
    """The loop of a scenario.

    Raises:
        NoModel: It is none.
    """
    port = _bottleneck(network)
    flows = [flow for flow in network.flows_over(port) if flow.abr is not None]
    if not flows:
        raise NoModel(f"no ABR flow goes over {port.name}")
    try:
        loop = _loop(network, port, flows)
        feasibility(loop, port.switch.buffer_cells)
    except AssumptionError as error:
        raise NoModel(str(error)) from error
    paths = _paths(keys, flows, "rif"), _paths(keys, flows, "rdf")
    cautions = tuple(_cautions(network, port, flows))
    hops = len(flows[0].forward) + len(flows[0].backward)
    return Model(port.name, loop, hops, port.switch.buffer_cells, paths, cautions)


def judged(model: Model) -> Judgement:
    """The model's word on every set of factors 2^-k with k of 0..15."""
    rif, rdf = np.meshgrid(STANDARD_FACTORS, STANDARD_FACTORS[1:], indexing="ij")
    loop = model.loop.with_(rif=rif.ravel(), rdf=rdf.ravel())
    found = feasibility(model.simulated(rif.ravel(), rdf.ravel()), model.buffer_cells)
    continuous = feasibility(loop, model.buffer_cells)
    return Judgement(rif.ravel(), rdf.ravel(), found, continuous, model.buffer_cells)


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


def _cautions(network: Network, port: Link, flows: Sequence[Flow]) -> list[str]:
    """What the scenario has and the model leaves out."""
    found = []
    if any(flow.tcp for flow in flows):
        found.append("TCP windows limit the sources; in the model they always have cells")
    if port.switch.control["mark_at"] == "enqueue":
        found.append("marks wait in the queue; in the model they leave at once")
    together = sum(flow.abr.icr_cells_per_second for flow in flows if flow.abr is not None)
    share = together / capacity_left_cells_per_second(network, port)
    if share > 1:
        found.append(
            f"the initial rates together are {share:.2g} of the bottleneck; the model's bound "
            "begins with the bottleneck full and its queue empty"
        )
    if any(flow.kind == "transfer" for flow in flows):
        found.append("transfers end; in the model the sources never stop")
    if any(flow.abr is None for flow in network.flows_over(port)):
        found.append("other classes take their mean rate off the bottleneck, without variation")
    return found
