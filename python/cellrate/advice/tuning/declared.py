"""Search ranges that the schema declares for parameters (`x-search`), for one scenario."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from cellrate import ScenarioError, _core
from cellrate.advice.marking import WITHOUT_A_RATE
from cellrate.advice.roce_controls import ROCE_CONTROLS
from cellrate.common.problems import BadInput
from cellrate.simulation.network import Network
from cellrate.simulation.network.ethernet_view import FrameNetwork, network_of
from cellrate.simulation.runner import Job
from cellrate.studies.parameters.keys import Key, Keys, number
from cellrate.studies.parameters.ranges import WHOLE, Choices, Range, Space

PREDICTED = "smith-predictor"
"""The scheme that needs sources with a Smith predictor; all other schemes need those of TM 4.0."""


UNUSUAL = 0.012345678
"""A RIF or RDF that is no power of two, as those of scenarios are."""


@dataclass(frozen=True)
class ResolvedScenario:
    """A scenario with all defaults filled in: its keys and its network.

    Attributes:
        keys: Its keys.
        network: Its network.
        own_abr: Names of the flow groups that set RIF, and of those that set RDF, in tables of
            their own. A resolved scenario leaves out values that equal those of `[abr]`.
    """

    keys: Keys
    network: Network | FrameNetwork
    own_abr: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, scenario: _core.Scenario, own_abr: Mapping[str, tuple[str, ...]] | None = None
    ) -> ResolvedScenario:
        """The keys and the network of a scenario that has been read."""
        return cls(Keys(scenario.resolved()), network_of(scenario), own_abr or {})

    @classmethod
    def of_job(cls, job: Job) -> ResolvedScenario:
        """The keys and the network of a scenario, and its tables of RIF and RDF.

        Raises:
            ScenarioError: The scenario is wrong.
        """
        plain = cls.of(job.scenario())
        return plain if plain.link_layer == "ethernet" else replace(plain, own_abr=_own_abr(job))

    def setting_abr(self, name: str) -> tuple[str, ...]:
        """Paths that set an ABR parameter: in `[abr]`, and in each group with its own value."""
        differing = [
            one["name"] for one in self.keys.document["flow"] if name in one.get("abr", {})
        ]
        groups = dict.fromkeys((*differing, *self.own_abr.get(name, ())))
        return (f"abr.{name}", *(f"flow.{group}.abr.{name}" for group in groups))

    @property
    def cells(self) -> Network:
        """The network of a scenario of ATM cells."""
        assert isinstance(self.network, Network)  # noqa: S101  callers know it
        return self.network

    @property
    def link_layer(self) -> str:
        """Link layer of the network."""
        return "ethernet" if isinstance(self.network, FrameNetwork) else "atm"


def _own_abr(job: Job) -> dict[str, tuple[str, ...]]:
    """Flow groups that keep their own RIF or RDF if `[abr]` has a value that nobody chooses."""
    names = ("rif", "rdf")
    probes = tuple(f"abr.{name}={UNUSUAL}" for name in names)
    try:
        text = replace(job, overrides=(*job.overrides, *probes)).resolved()
    except ScenarioError:
        return {}
    groups = tomllib.loads(text)["flow"]
    return {
        name: tuple(one["name"] for one in groups if name in one.get("abr", {})) for name in names
    }


@dataclass(frozen=True)
class NotVaried:
    """A parameter with a declared range that is not varied, and the reason."""

    path: str
    why: str


def declared(
    scenario: ResolvedScenario, tables: Sequence[str]
) -> tuple[Space, tuple[NotVaried, ...]]:
    """Splits parameters with a declared range into ranges to vary and parameters not varied.

    Choices and booleans are varied only if the user names them, because they select variants of a
    scheme.
    """
    space: list[Range | Choices] = []
    not_varied: list[NotVaried] = []
    for key in (key for table in tables for key in _keys(scenario, table)):
        if key.search is None or not _applies(key):
            continue
        if (changes := scenario.network.change_of(key.path)) is not None:
            not_varied.append(NotVaried(key.path, f"{changes} during the run"))
            continue
        try:
            found = declared_range(scenario, key)
            if key.path.startswith("abr."):
                _, *own = scenario.setting_abr(key.path.removeprefix("abr."))
                found = replace(found, alike=tuple(own))
            space.append(found)
        except BadInput as error:
            not_varied.append(NotVaried(key.path, str(error)))
    return _in_step(scenario, space), tuple(not_varied)


def _in_step(scenario: ResolvedScenario, space: Sequence[Range | Choices]) -> Space:
    """The space with one range for the time constants of Smith predictors.

    A source reads the free queue space that switches tell it by their time constant, so sources and
    switches must have the same one.
    """
    document, last = scenario.keys.document, ".time_constant"
    of_switches = [
        one
        for one in space
        if isinstance(one, Range)
        and one.path.endswith(last)
        and scenario.keys.find(one.path).siblings.get("scheme") == PREDICTED
    ]
    if not of_switches:
        return tuple(space)
    sources = {"abr": document.get("abr", {})}
    sources |= {f"flow.{one['name']}.abr": one["abr"] for one in document["flow"] if "abr" in one}
    predicting = [path for path, abr in sources.items() if abr.get("rules") == PREDICTED]
    first, *others = of_switches
    alike = (*(one.path for one in others), *(path + last for path in predicting))
    return tuple(
        replace(one, alike=alike) if one == first else one for one in space if one not in others
    )


def parameter_tables(scenario: ResolvedScenario) -> tuple[str, ...]:
    """Dotted paths of the tables that hold the parameters of control and discard.

    A table is left out if no flow reacts to it: control if no flow is ABR, and queue management if
    it only marks packets of sources that ignore marks. EFCI and relative-rate marking act only
    through the sources, so the sources' RIF and RDF, or AIR and MDF, are included. Over Ethernet
    this is the table of active queue management, and the table of control if a flow is
    rate-controlled.
    """
    network = scenario.network
    if isinstance(network, FrameNetwork):
        of_queues = () if _marks_in_vain(scenario) else ("switch.aqm",)
        return (*of_queues, *_rate_tables(scenario))
    nodes = scenario.keys.document["topology"].get("node", ())
    has_abr = any(flow.abr for flow in network.flows)
    kinds = ("control", "discard") if has_abr else ("discard",)
    own = [f"topology.node.{n['name']}.{k}" for n in nodes for k in kinds if k in n]
    schemes = {node.switch.scheme for node in network.nodes if node.switch}
    sources = _source_keys(scenario) if schemes & WITHOUT_A_RATE and has_abr else ()
    return (*(f"switch.{kind}" for kind in kinds), *own, *sources)


def _marks_in_vain(scenario: ResolvedScenario) -> bool:
    """True if `switch.aqm` drops nothing, and all flows run over RoCE and ignore its marks."""
    document = scenario.keys.document
    aqm = document["switch"]["aqm"]
    if aqm["algorithm"] == "pie" or not aqm.get("ecn", True) or aqm.get("hard_drop"):
        return False
    over_roce = [one.get("roce") for one in document["flow"]]
    return all(
        roce and not ROCE_CONTROLS[roce["control"]["algorithm"]].by_marks for roce in over_roce
    )


def _rate_tables(scenario: ResolvedScenario) -> tuple[str, ...]:
    """Paths of control tables and source keys over Ethernet, if flows obey rates or use RoCE."""
    document = scenario.keys.document
    over_roce = tuple(
        f"flow.{one['name']}.roce.control" for one in document["flow"] if "roce" in one
    )
    flows = [one["name"] for one in document["flow"] if "rate_control" in one]
    if not flows:
        return over_roce
    by_marks = document["switch"]["control"]["scheme"] in WITHOUT_A_RATE
    of_sources = (f"flow.{name}.rate_control.{key}" for name in flows for key in ("rif", "rdf"))
    return ("switch.control", *over_roce, *(of_sources if by_marks else ()))


def _source_keys(scenario: ResolvedScenario) -> tuple[str, ...]:
    """Parameters by which sources react to marks, under the source rules in force."""
    rules = scenario.keys.find("abr.rules").value
    return ("abr.rif", "abr.rdf") if rules == "tm4" else ("abr.air", "abr.mdf")


def _keys(scenario: ResolvedScenario, path: str) -> Iterable[Key]:
    """The key at a path, or all keys below it if it is a table."""
    is_key = path.startswith("abr.") or ".rate_control." in path
    return [scenario.keys.find(path)] if is_key else scenario.keys.below(path)


def declared_range(scenario: ResolvedScenario, key: Key) -> Range:
    """The range that a parameter declares.

    Raises:
        BadInput: The range is empty, or is a share of a quantity that is unlimited or absent.
    """
    search: Mapping[str, Any] = key.search or {}
    network = scenario.network
    if "of" in search:
        if isinstance(network, FrameNetwork):
            whole = _whole_over_ethernet(network, key, search["of"])
        else:
            whole = _whole(network, key, search["of"])
        low, high = search["low"] * whole, search["high"] * whole
    else:
        low, high = (_plain(search[end], key) for end in ("low", "high"))
    if key.kind in WHOLE:
        low, high = max(1.0, float(math.ceil(low))), float(math.floor(high))
    step = _plain(search["step"], key) if "step" in search else 0.0
    if low >= high:
        raise BadInput(
            f"--vary {key.path}: its range, {low:g} to {high:g}, is empty here; "
            f"give its range: --vary {key.path}=LOW..HIGH"
        )
    kind = kind_as_written(key.kind, str(search["low"]))
    if kind == "QueueLength" and isinstance(network, FrameNetwork):
        # The scenario's own unit, since lengths of one table have one unit.
        kind = kind_as_written(kind, str(key.value))
        octets = max(flow.frame_bytes for flow in network.flows) if kind == "Bytes" else 1
        low, high, step = low * octets, high * octets, step * octets
    return Range(key.path, kind, low, high, search["scale"], step)


def kind_as_written(kind: str, text: str) -> str:
    """Kind of a quantity by the unit in its text; a queue length may be in packets or in bytes."""
    in_bytes = kind == "QueueLength" and not text.endswith("packets")
    return "Bytes" if in_bytes else kind


def _plain(value: object, key: Key) -> float:
    return float(value) if isinstance(value, int | float) else number(str(value), key)


def _whole(network: Network, key: Key, name: str) -> float:
    """The quantity of which a declared range is a share: the least buffer or rate.

    Raises:
        BadInput: The buffer is infinite, or no flow is ABR.
    """
    if name == "buffer":
        return _finite(min(node.switch.buffer_cells for node in network.nodes if node.switch), key)
    rates = [flow.abr.parameters for flow in network.flows if flow.abr is not None]
    if not rates:
        raise BadInput(f"{key.path} has no effect: no flow is ABR")
    return float(min(rate[f"{name}_bits_per_second"] for rate in rates))


def _whole_over_ethernet(network: FrameNetwork, key: Key, name: str) -> float:
    """The quantity of which a declared range is a share: the least buffer, or PCR of the flow.

    Raises:
        BadInput: The buffer is infinite.
    """
    if name == "buffer":
        return _finite(min(port.buffer_bytes for port in network.ports), key)
    own = key.siblings.get(name)
    if own is not None:
        return number(str(own), key)
    controlled = (flow for flow in network.flows if flow.rate_controlled)
    return min(flow.forward[0].bits_per_second for flow in controlled)


def _finite(buffer: float, key: Key) -> float:
    if math.isinf(buffer):
        raise BadInput(
            f"the default search range of {key.path} is a share of an infinite buffer; "
            f"give another range: --vary {key.path}=LOW..HIGH"
        )
    return buffer


def _applies(key: Key) -> bool:
    """True if the scenario meets the conditions under which a declared parameter has an effect."""
    conditions: Mapping[str, Any] = (key.search or {}).get("when", {})
    return all(_holds(key.siblings.get(name), wanted) for name, wanted in conditions.items())


def _holds(found: object, wanted: object) -> bool:
    """True if a value meets a condition.

    The value must be in the list `wanted`. If `wanted` is a boolean, the value must be set and not
    false.
    """
    if isinstance(wanted, list):
        return found in wanted
    return (found is not None and found is not False) == wanted
