"""The ranges that parameters declare, and which of them a scenario has."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cellrate.network import Network
from cellrate.parameters.keys import Key, Keys, number
from cellrate.parameters.ranges import WHOLE, Choices, Range, Space
from cellrate.problems import BadInput

# Schemes that mark and tell no rate.
WITHOUT_A_RATE = frozenset({"efci", "rrm-p", "rrm-pd", "rrm-pd-plus", "rrm-pid"})


@dataclass(frozen=True)
class Scene:
    """What a range may depend on: the keys of the scenario and its network."""

    keys: Keys
    network: Network


@dataclass(frozen=True)
class Left:
    """A declared parameter that is not varied, and why."""

    path: str
    why: str


def declared(scene: Scene, tables: Sequence[str]) -> tuple[Space, tuple[Left, ...]]:
    """The parameters in these tables that declare a range, and those that are left out.

    Choices and switches among them are variants of a scheme rather than its settings; they are
    varied only if asked for.
    """
    space: list[Range | Choices] = []
    left: list[Left] = []
    for key in (key for table in tables for key in _keys(scene, table)):
        if key.search is None or not _applies(key):
            continue
        try:
            space.append(declared_range(scene, key))
        except BadInput as error:
            left.append(Left(key.path, str(error)))
    return tuple(space), tuple(left)


def parameter_tables(scene: Scene) -> tuple[str, ...]:
    """Where a scenario's control and discard have their parameters.

    EFCI and relative rates do nothing by themselves: what sources do about them, RIF and RDF or AIR
    and MDF, belongs to them.
    """
    nodes = scene.keys.document["topology"].get("node", ())
    own = [
        f"topology.node.{n['name']}.{k}" for n in nodes for k in ("control", "discard") if k in n
    ]
    schemes = {node.switch.scheme for node in scene.network.nodes if node.switch}
    has_abr = any(flow.abr for flow in scene.network.flows)
    sources = _source_keys(scene) if schemes & WITHOUT_A_RATE and has_abr else ()
    return ("switch.control", "switch.discard", *own, *sources)


def _source_keys(scene: Scene) -> tuple[str, ...]:
    """What sources answer to marks by, as their rules have it."""
    rules = scene.keys.find("abr.rules").value
    return ("abr.rif", "abr.rdf") if rules == "tm4" else ("abr.air", "abr.mdf")


def _keys(scene: Scene, place: str) -> Iterable[Key]:
    """The key at a place, or all below it if it is a table."""
    return scene.keys.below(place) if not place.startswith("abr.") else [scene.keys.find(place)]


def declared_range(scene: Scene, key: Key) -> Range:
    """The range that a parameter declares.

    Raises:
        BadInput: It is a share of something that the scenario does not limit.
    """
    search: Mapping[str, Any] = key.search or {}
    if "of" in search:
        whole = _whole(scene, key, search["of"])
        low, high = search["low"] * whole, search["high"] * whole
    else:
        low, high = (_plain(search[end], key) for end in ("low", "high"))
    if key.kind in WHOLE:
        low, high = max(1.0, float(math.ceil(low))), float(math.floor(high))
    step = _plain(search["step"], key) if "step" in search else 0.0
    if low >= high:
        raise BadInput(
            f"--vary {key.path}: there is nothing between {low:g} and {high:g}; "
            f"give its range: --vary {key.path}=LOW..HIGH"
        )
    return Range(key.path, key.kind, low, high, search["scale"], step)


def _plain(value: object, key: Key) -> float:
    return float(value) if isinstance(value, int | float) else number(str(value), key)


def _whole(scene: Scene, key: Key, name: str) -> float:
    """What a declared range is a share of.

    Raises:
        BadInput: There is no such limit in the scenario.
    """
    advice = f"give its range: --vary {key.path}=LOW..HIGH"
    if name == "buffer":
        finite = min(node.switch.buffer_cells for node in scene.network.nodes if node.switch)
        if math.isinf(finite):
            raise BadInput(f"{key.path} is searched as a share of an infinite buffer; {advice}")
        return finite
    rates = [flow.abr.parameters for flow in scene.network.flows if flow.abr is not None]
    if not rates:
        raise BadInput(f"{key.path} has no effect: no flow is ABR")
    return float(min(rate[f"{name}_bits_per_second"] for rate in rates))


def _applies(key: Key) -> bool:
    """Whether the scenario has what a declared parameter depends on."""
    conditions: Mapping[str, Any] = (key.search or {}).get("when", {})
    return all(_holds(key.siblings.get(name), wanted) for name, wanted in conditions.items())


def _holds(found: object, wanted: object) -> bool:
    """Whether a key has one of several values, or is there (and not false) if that is wanted."""
    if isinstance(wanted, list):
        return found in wanted
    return (found is not None and found is not False) == wanted
