"""Describes a scenario as one loop of the fluid model of EFCI, if the model applies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from cellrate.advice.tuning.laboratory import Setting
from cellrate.simulation.network import (
    Flow,
    Link,
    Network,
    capacity_left_cells_per_second,
    overloaded_ports,
)
from cellrate.studies.parameters.keys import Keys, number
from cellrate.theory.assumptions import AssumptionError
from cellrate.theory.efci import EfciLoop, feasibility

Floats: TypeAlias = npt.NDArray[np.float64]
NOBODY: Mapping[str, Sequence[str]] = {}


@dataclass(frozen=True)
class StartUp:
    """Initial rates and the measuring window of a scenario.

    Attributes:
        share: Sum of the initial rates of all sources, as a share of the bottleneck.
        begins_seconds: Start of the measuring window, counted from the start of the last flow.
        ends_seconds: End of the window, counted from the start of the last flow.
    """

    share: float
    begins_seconds: float
    ends_seconds: float

    @classmethod
    def of(cls, keys: Keys, flows: Sequence[Flow], bandwidth_cells_per_second: float) -> StartUp:
        """The start-up of a scenario's ABR flows."""
        together = sum(flow.abr.icr_cells_per_second for flow in flows if flow.abr is not None)
        started = max(flow.start_seconds for flow in flows)
        begins, ends = (_seconds(keys, f"measure.{end}") for end in ("from", "to"))
        begins, ends = max(begins - started, 0.0), max(ends - started, 0.0)
        return cls(together / bandwidth_cells_per_second, begins, ends)

    def utilisation(self, loop: EfciLoop, steady: npt.ArrayLike) -> Floats:
        """Utilisation of the bottleneck in the measuring window, by an approximation of cellrate.

        The queue is empty until the rates, which grow by the slowest mode of phase 3, fill the link
        for the first time; from then on the link is used as in steady state.

        Args:
            loop: Loops, any shape.
            steady: Utilisation of each loop in steady state.
        """
        steady = np.asarray(steady)
        if self.ends_seconds <= self.begins_seconds:
            return steady
        growth = loop.with_(growth="delayed").lam
        filled = np.log(1 / min(self.share, 1.0)) / growth

        def used(until: float) -> Floats:
            rising = np.minimum(until, filled)
            return np.asarray(
                self.share * np.expm1(growth * rising) / growth + steady * (until - rising)
            )

        lasts = self.ends_seconds - self.begins_seconds
        return np.asarray((used(self.ends_seconds) - used(self.begins_seconds)) / lasts)


def _seconds(keys: Keys, path: str) -> float:
    key = keys.find(path)
    return number(str(key.value), key)


class NoFluidModel(Exception):
    """The fluid model does not describe the scenario; the message names the failed assumption."""


@dataclass(frozen=True)
class FluidModel:
    """A scenario as one loop of the fluid model.

    Attributes:
        port: Name of the bottleneck port.
        loop: Parameters of the loop in the paper's terms; RIF and RDF are those of the scenario.
        hops: Number of links round the loop.
        buffer_cells: Buffer of the bottleneck.
        start_up: Initial rates and the measuring window.
        paths: Paths of the parameters that set RIF, and of those that set RDF.
        cautions: Features of the scenario that the model ignores, as sentences.
    """

    port: str
    loop: EfciLoop
    hops: int
    buffer_cells: float
    start_up: StartUp
    paths: tuple[tuple[str, ...], tuple[str, ...]]
    cautions: tuple[str, ...]

    def simulated(self, rif: npt.ArrayLike, rdf: npt.ArrayLike) -> EfciLoop:
        """The loop as simulated: decrease per RM cell, and cell times within the round trip."""
        loop = self.loop.with_(rif=rif, rdf=rdf, decrease="per-cell")
        return loop.with_cell_delays(self.hops)

    def setting(self, rif: float, rdf: float) -> Setting:
        """The setting that gives the scenario's sources these values of RIF and RDF."""
        pairs = zip(self.paths, (rif, rdf), strict=True)
        return Setting(tuple((path, repr(value)) for paths, value in pairs for path in paths))


def model_of(
    network: Network, keys: Keys, own_abr: Mapping[str, Sequence[str]] = NOBODY
) -> FluidModel:
    """Describes a scenario as a loop of the model.

    Args:
        network: The network of the scenario.
        keys: The keys of the scenario.
        own_abr: Flow groups with RIF and RDF of their own (`ResolvedScenario.own_abr`).

    Raises:
        NoFluidModel: The scenario does not meet an assumption of the model.
    """
    port = _bottleneck(network)
    flows = [flow for flow in network.flows_over(port) if flow.abr is not None]
    try:
        loop = _loop(network, port, flows)
        feasibility(loop, port.switch.buffer_cells)
    except AssumptionError as error:
        raise NoFluidModel(str(error)) from error
    rif, rdf = (_paths(keys, flows, name, own_abr.get(name, ())) for name in ("rif", "rdf"))
    start_up = StartUp.of(keys, flows, float(np.asarray(loop.bw)))
    cautions = tuple(_cautions(network, port, flows, start_up))
    hops = len(flows[0].forward) + len(flows[0].backward)
    return FluidModel(
        port.name, loop, hops, port.switch.buffer_cells, start_up, (rif, rdf), cautions
    )


def _bottleneck(network: Network) -> Link:
    """The only overloaded port with ABR flows.

    Raises:
        NoFluidModel: The number of such ports is not 1, the port does not mark by EFCI as cells
            leave, or it carries elastic flows without ABR.
    """
    if network.until_first_change is not None:
        raise NoFluidModel(f"the model has one set of parameters; {network.until_first_change}")
    ports = [p for p in overloaded_ports(network) if any(f.abr for f in network.flows_over(p))]
    if len(ports) != 1:
        names = ", ".join(port.name for port in ports)
        found = f"has {len(ports)}: {names}" if ports else "has none"
        raise NoFluidModel(f"the model has one bottleneck with ABR flows; the scenario {found}")
    [port] = ports
    if port.switch.scheme != "efci":
        raise NoFluidModel(
            f"the model assumes EFCI marking; {port.name} uses {port.switch.scheme!r}"
        )
    if port.switch.control["mark_at"] == "enqueue":
        raise NoFluidModel(
            "the model assumes that cells are marked when they leave the queue; "
            f"{port.name} marks them when they enter it"
        )
    others = [f for f in network.flows_over(port) if f.abr is None and f.is_elastic]
    if others:
        raise NoFluidModel(
            "the model assumes that all elastic flows of the bottleneck use ABR; "
            f"{others[0].name} over {port.name} does not"
        )
    return port


def _loop(network: Network, port: Link, flows: Sequence[Flow]) -> EfciLoop:
    """The model's parameters.

    Raises:
        NoFluidModel: The flows differ in a parameter that the model assumes to be equal.
        AssumptionError: A value is outside the model's assumptions.
    """
    control = port.switch.control
    high = control["high_cells"] or control["threshold_cells"]
    end_systems = [flow.abr for flow in flows if flow.abr is not None]
    return EfciLoop(
        sources=len(flows),
        bandwidth_cells_per_second=capacity_left_cells_per_second(network, port),
        round_trip_seconds=_equal("the round trip in s", [_round_trip(flow) for flow in flows]),
        high_cells=high,
        low_cells=control["low_cells"] or high,
        rif=_equal("RIF", [abr.rif for abr in end_systems]),
        rdf=_equal("RDF", [abr.rdf for abr in end_systems]),
        nrm=_equal("Nrm", [abr.nrm for abr in end_systems]),
        pcr_cells_per_second=_equal("PCR", [abr.pcr_cells_per_second for abr in end_systems]),
        mcr_cells_per_second=_equal("MCR", [abr.mcr_cells_per_second for abr in end_systems]),
    )


def _round_trip(flow: Flow) -> float:
    return flow.propagation_round_trip_seconds or 0.0


def _equal(parameter: str, values: Sequence[float]) -> float:
    """The value that all flows have.

    Raises:
        NoFluidModel: The values differ.
    """
    low, high = min(values), max(values)
    if high - low > 1e-9 * high:
        raise NoFluidModel(
            f"the model assumes equal flows; here {parameter} ranges from {low:g} to {high:g}"
        )
    return values[0]


def _paths(keys: Keys, flows: Sequence[Flow], name: str, own: Sequence[str]) -> tuple[str, ...]:
    """Paths that set an ABR parameter of the flows: in `[abr]`, or in a group of flows."""
    paths = {group: f"flow.{group}.abr.{name}" for group in (flow.group for flow in flows)}
    return tuple(
        dict.fromkeys(
            path if group in own or keys.find(path).value is not None else f"abr.{name}"
            for group, path in paths.items()
        )
    )


def _cautions(network: Network, port: Link, flows: Sequence[Flow], start_up: StartUp) -> list[str]:
    """Features of the scenario that the model ignores, as sentences."""
    found = []
    if any(flow.tcp for flow in flows):
        found.append(
            "TCP windows limit the sources, but the model assumes that sources always have cells "
            "to send"
        )
    if start_up.share > 1:
        found.append(
            f"the initial rates together are {start_up.share:.2g} of the bottleneck; the model's "
            "bound begins with the bottleneck full and its queue empty"
        )
    if any(flow.kind == "transfer" for flow in flows):
        found.append("transfers end, but the model assumes that sources never stop")
    if any(flow.abr is None for flow in network.flows_over(port)):
        found.append(
            "the model subtracts the mean rate of other classes from the bottleneck, without their "
            "variation"
        )
    return found
