"""Typed view of the engine's description of a scenario."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from cellrate import _core
from cellrate.simulation import source
from cellrate.simulation.network.changes import Change, Changing
from cellrate.simulation.network.elements import Flow, Link, Node, Switch, limit
from cellrate.simulation.network.ends import TIME_STAMP_BYTES, Abr, OwnRate, Parameters, Tcp
from cellrate.simulation.runner import Job


@dataclass(frozen=True)
class Network(Changing):
    """Network of a scenario, with all groups and templates expanded.

    Attributes:
        seed: Seed of every random stream.
        duration_seconds: Simulated time.
        start_jitter_seconds: Largest random addition to the start of every flow.
        measure: Measuring window, and the traces and logs that are kept.
        credit: Credit control of channels of class UBR or random; None if there is none.
        links_lose: True if links may lose or damage cells (`link_errors`, or `errors` of a link).
        nodes: Hosts and switches.
        links: Directed links.
        flows: Every flow of every group.
        changes: Changes during the run; all other attributes describe the time before the first.
    """

    seed: int
    duration_seconds: float
    start_jitter_seconds: float
    measure: Parameters
    credit: Parameters | None
    links_lose: bool
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    flows: tuple[Flow, ...]
    changes: tuple[Change, ...] = ()

    @classmethod
    def of(
        cls,
        text: str,
        path: str = "<text>",
        overrides: Mapping[str, object] | Iterable[str] = (),
        seed: int | None = None,
    ) -> Self:
        """Network of a scenario.

        Args:
            text: The scenario, as TOML.
            path: The scenario's name in error messages.
            overrides: Settings, as in `cellrate.run`.
            seed: Seed that replaces the scenario's.

        Raises:
            ScenarioError: The scenario is wrong.
            TypeError: The seed is not an integer.
            ValueError: The seed is out of range.
        """
        job = Job(text, path, tuple(source.settings(overrides)), seed)
        return cls.of_scenario(job.scenario())

    @classmethod
    def of_scenario(cls, scenario: _core.Scenario) -> Self:
        """Network of a scenario that has been read.

        Raises:
            ScenarioError: The link layer is Ethernet.
        """
        scenario.require_cells()
        return cls.described(json.loads(scenario.network()))

    @classmethod
    def described(cls, described: Mapping[str, Any]) -> Self:
        """Network from the engine's description of a scenario."""
        nodes = tuple(Node(node["name"], _switch(node["switch"])) for node in described["nodes"])
        links = tuple(_link(link, nodes) for link in described["links"])
        encapsulation_bytes = int(described["encapsulation_bytes"])
        plain = (
            "seed",
            "duration_seconds",
            "start_jitter_seconds",
            "measure",
            "credit",
            "links_lose",
        )
        return cls(
            **{name: described[name] for name in plain},
            nodes=nodes,
            links=links,
            flows=tuple(_flow(flow, links, encapsulation_bytes) for flow in described["flows"]),
            changes=Change.of_described(described),
        )

    @property
    def ports(self) -> tuple[Link, ...]:
        """Links that a switch's output port feeds."""
        return tuple(link for link in self.links if link.is_port)

    def port(self, name: str) -> Link:
        """Link with a name, which a switch's output port feeds.

        Raises:
            ValueError: There is no such port; the message lists all ports.
        """
        for link in self.ports:
            if link.name == name:
                return link
        known = ", ".join(link.name for link in self.ports)
        raise ValueError(f"there is no output port {name!r}; there are {known}")

    def flows_over(self, link: Link) -> tuple[Flow, ...]:
        """Flows whose forward channel uses a link."""
        return tuple(self._over.get(link, ()))

    @cached_property
    def _over(self) -> dict[Link, list[Flow]]:
        """Flows by the links of their forward channels."""
        over: dict[Link, list[Flow]] = {}
        for flow in self.flows:
            for link in flow.forward:
                over.setdefault(link, []).append(flow)
        return over

    @cached_property
    def known_offered(self) -> dict[Link, float]:
        """Cache of the results of `offered_cells_per_second`."""
        return {}

    @cached_property
    def ways_of_elastic_flows(self) -> frozenset[tuple[Node, Node]]:
        """Sender and receiver of every link over which an elastic flow (without own rate) sends."""
        elastic = (flow for flow in self.flows if flow.is_elastic)
        return frozenset((link.sender, link.receiver) for flow in elastic for link in flow.forward)

    def groups(self, flows: Sequence[Flow] | None = None) -> dict[str, tuple[Flow, ...]]:
        """Flows by group, in order; all flows by default."""
        groups: dict[str, list[Flow]] = {}
        for flow in self.flows if flows is None else flows:
            groups.setdefault(flow.group, []).append(flow)
        return {name: tuple(members) for name, members in groups.items()}


def _switch(settings: Mapping[str, Any] | None) -> Switch | None:
    if settings is None:
        return None
    return Switch(
        **_of(Switch, settings)
        | {
            "buffer_cells": limit(settings["buffer_cells"]),
            "priority": tuple(tuple(classes) for classes in settings["priority"]),
        }
    )


def _link(link: Mapping[str, Any], nodes: Sequence[Node]) -> Link:
    ends = {"sender": nodes[link["from"]], "receiver": nodes[link["to"]]}
    return Link(**_of(Link, link), **ends)


def _flow(flow: Mapping[str, Any], links: Sequence[Link], encapsulation_bytes: int) -> Flow:
    converted = {
        "forward": tuple(links[index] for index in flow["forward"]),
        "backward": tuple(links[index] for index in flow["backward"]),
        "own_rate": _own_rate(flow["own_rate"]),
        "tcp": _tcp(flow["tcp"], encapsulation_bytes),
        "abr": _abr(flow["abr"]),
        "source_queue_cells": limit(flow["source_queue_cells"]),
        "feedback_delays_seconds": tuple(flow["feedback_delay_seconds"]),
    }
    return Flow(**_of(Flow, flow) | converted)


def _of(kind: type[Any], described: Mapping[str, Any]) -> dict[str, Any]:
    """The entries of the engine's description that are fields of the class `kind`."""
    return {name: described[name] for name in kind.__dataclass_fields__ if name in described}


def _own_rate(rates: Mapping[str, float | None] | None) -> OwnRate | None:
    if rates is None:
        return None
    return OwnRate(rates["mean_cells_per_second"] or 0.0, limit(rates["peak_cells_per_second"]))


def _tcp(parameters: Parameters | None, encapsulation_bytes: int) -> Tcp | None:
    if parameters is None:
        return None
    whole = {name: int(parameters[name]) for name in ("mss_bytes", "window_bytes", "header_bytes")}
    if parameters.get("timestamps"):
        whole["header_bytes"] += TIME_STAMP_BYTES
    return Tcp(
        **_of(Tcp, parameters) | whole,
        encapsulation_bytes=encapsulation_bytes,
        parameters=parameters,
    )


def _abr(parameters: Parameters | None) -> Abr | None:
    if parameters is None:
        return None
    least = parameters["mcr_cells_per_second"] or 0.0
    return Abr(**_of(Abr, parameters) | {"mcr_cells_per_second": least}, parameters=parameters)
