"""Candidates of a choice: all controls, each with settings of the sources; measured options."""

from __future__ import annotations

import json
import math
import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

from cellrate import _core
from cellrate.advice.marking import WITHOUT_A_RATE
from cellrate.advice.tuning.declared import PREDICTED, ResolvedScenario
from cellrate.advice.tuning.laboratory import Setting, shown
from cellrate.advice.tuning.measures import BAND
from cellrate.advice.tuning.objective import undominated
from cellrate.simulation.runner import Job

Ability: TypeAlias = Literal["none", "efci", "relative-rate", "explicit-rate", "credit"]
"""Abilities of switches: no control, EFCI, CI and NI in RM cells, explicit rates, credits."""
ABILITIES: tuple[Ability, ...] = get_args(Ability)

# RIF and RDF of sources: 1 under explicit rates, 1/16 under marks.
AT_ONCE = {"rif": "1"}
MARKED_RIF = 0.0625
BY_MARKS = {"rif": str(MARKED_RIF), "rdf": "0.0625"}
TAIL_DROP = "tail-drop"
POLICIES = (TAIL_DROP, "epd")
"""Discard policies that a choice tries in finite buffers; without loss a policy has no effect."""
# Rates above this share of another count as equal.
EQUAL = 0.999
# The control without feedback from switches: TCP over UBR.
UNCONTROLLED = "none"


@dataclass(frozen=True)
class Candidate:
    """A control for all switches of a scenario.

    Attributes:
        name: Name of the control scheme; `none` and `fcvc` (credits) carry TCP over UBR.
        ability: The ability of switches that the control needs.
        about: Description of the scheme.
        is_own: True if the scenario already has this control; its parameters then stay those of the
            scenario.
    """

    name: str
    ability: Ability
    about: str
    is_own: bool = False

    def overrides(self, scenario: ResolvedScenario) -> tuple[str, ...]:
        """Settings that give a scenario this control, and buffers without a limit."""
        return (*self.control(scenario), *limited(scenario, None, "tail-drop"))

    def control(self, scenario: ResolvedScenario) -> tuple[str, ...]:
        """Settings that give a scenario this control.

        Elastic flows become ABR, or UBR without rates. Switches with settings of their own get the
        same settings. The scenario's own control stays as it is.
        """
        if self.is_own:
            return ()
        without_rates = self.ability in {"none", "credit"}
        service = "ubr" if without_rates else "abr"
        scheme = UNCONTROLLED if without_rates else self.name
        groups = dict.fromkeys(flow.group for flow in scenario.cells.flows if flow.is_elastic)
        return (
            *(f'flow.{group}.service="{service}"' for group in groups),
            *everywhere(scenario, "control", f'{{scheme="{scheme}"}}'),
            *self.sources(scenario),
            *(("fcvc={}",) if self.ability == "credit" else ()),
        )

    def sources(self, scenario: ResolvedScenario) -> tuple[str, ...]:
        """Settings of sources that suit the control; none if sources have no rates.

        For the Smith predictor the settings give sources and switches the same time constant.
        """
        if self.ability in {"none", "credit"}:
            return ()
        if self.name != PREDICTED:
            by_marks = self.ability in {"efci", "relative-rate"}
            return _of_all(scenario, BY_MARKS if by_marks else AT_ONCE)
        flows = scenario.cells.flows
        trip = max(flow.propagation_round_trip_seconds or 0.0 for flow in flows)
        constant = f'"{max(1, round(trip * 1e6))} us"'
        return (
            *_of_all(scenario, {"rules": f'"{PREDICTED}"', "time_constant": constant}),
            *everywhere(scenario, "control.time_constant", constant),
        )


def _of_all(scenario: ResolvedScenario, values: Mapping[str, str]) -> tuple[str, ...]:
    """Settings that give ABR parameters of all sources these values."""
    found = values.items()
    return tuple(f"{path}={one}" for name, one in found for path in scenario.setting_abr(name))


def candidates() -> tuple[Candidate, ...]:
    """All controls of the registry as candidates."""
    registry = json.loads(_core.registry())
    found = [(one, _ability(one["name"])) for one in registry["schemes"]]
    found += [(one, "credit") for one in registry["credit"]]
    return tuple(Candidate(one["name"], ability, one["about"]) for one, ability in found)


def own_first(scenario: ResolvedScenario) -> tuple[Candidate, ...]:
    """All controls of the registry as candidates; the control of the scenario comes first."""
    document = scenario.keys.document
    nodes = document["topology"].get("node", ())
    schemes = {one["control"]["scheme"] for one in (document["switch"], *nodes) if "control" in one}
    elastic = {flow.service for flow in scenario.cells.flows if flow.is_elastic}

    def is_own(one: Candidate) -> bool:
        service = "ubr" if one.ability == "none" else "abr"
        return schemes == {one.name} and elastic == {service}

    found = [replace(one, is_own=is_own(one)) for one in candidates()]
    for own in schemes - {one.name for one in found}:
        about = "the scenario's own class"
        found.append(Candidate(own, _ability(own), about, schemes == {own} and elastic == {"abr"}))
    return tuple(sorted(found, key=lambda one: not one.is_own))


def broken_contract(candidate: Candidate, scenario: ResolvedScenario) -> str:
    """The reason if a control without ABR drops rates that flows are promised; else empty."""
    if candidate.is_own or candidate.ability not in {"none", "credit"}:
        return ""
    flows = [(flow, flow.abr) for flow in scenario.cells.flows if flow.is_elastic and flow.abr]
    lines = {flow: min(link.cells_per_second for link in flow.forward) for flow, _ in flows}
    mcr = dict.fromkeys(flow.group for flow, abr in flows if abr.mcr_cells_per_second > 0)
    pcr = dict.fromkeys(
        flow.group for flow, abr in flows if abr.pcr_cells_per_second < EQUAL * lines[flow]
    )
    kept = [f"the {what} of {', '.join(of)}" for what, of in (("MCR", mcr), ("PCR", pcr)) if of]
    return f"only ABR keeps {' and '.join(kept)}" if kept else ""


@dataclass(frozen=True)
class OwnControl:
    """The control that all switches of a scenario have, and what sets it apart from its defaults.

    Attributes:
        scheme: Name of the control scheme.
        values: Parameters of the scheme that differ from its defaults, as text.
        sources: RIF and RDF of the sources, as text; empty if no source has rates.
    """

    scheme: str
    values: tuple[str, ...]
    sources: str

    @classmethod
    def of(cls, base: Job, scenario: ResolvedScenario) -> OwnControl | None:
        """The control of a scenario; None without a control, or with several."""
        document = scenario.keys.document
        tables = [document["switch"], *document["topology"].get("node", ())]
        controls = [one["control"] for one in tables if "control" in one]
        if not controls or any(one != controls[0] for one in controls):
            return None
        scheme = str(controls[0]["scheme"])
        if scheme == UNCONTROLLED:
            return None
        plain = (*base.overrides, *everywhere(scenario, "control", f'{{scheme="{scheme}"}}'))
        usual = tomllib.loads(replace(base, overrides=plain).resolved())["switch"]["control"]
        differs = {key: value for key, value in controls[0].items() if value != usual.get(key)}
        values = tuple(f"{key} {shown(str(value))}" for key, value in differs.items())
        return cls(scheme, values, _sources(document))

    def text(self) -> str:
        """A sentence on the control."""
        values = ", ".join(self.values) or "all parameters at their defaults"
        sources = f", and sources with {self.sources}" if self.sources else ""
        return f"The scenario's own control is {self.scheme} with {values}{sources}."


def _sources(document: Mapping[str, Any]) -> str:
    """RIF and RDF of the sources that obey rates; empty if there are none, or they differ."""
    groups = document["flow"]
    rates = [one["rate_control"] for one in groups if "rate_control" in one]
    rates += [one.get("abr") or document["abr"] for one in groups if one.get("service") == "abr"]
    found = {(one.get("rif"), one.get("rdf")) for one in rates}
    if len(found) != 1 or None in (pair := found.pop()):
        return ""
    rif, rdf = (shown(str(one)) for one in pair)
    return f"RIF {rif} and RDF {rdf}"


def _ability(scheme: str) -> Ability:
    if scheme == UNCONTROLLED:
        return "none"
    if scheme == "efci":
        return "efci"
    return "relative-rate" if scheme in WITHOUT_A_RATE else "explicit-rate"


def limited(scenario: ResolvedScenario, buffer_cells: int | None, policy: str) -> tuple[str, ...]:
    """Settings that give all switches a discard policy and a buffer; None for no limit."""
    if (own_policy(scenario), own_buffer_cells(scenario)) == (policy, buffer_cells):
        return tuple(_own_limits(scenario))
    buffer = "infinite" if buffer_cells is None else f"{buffer_cells} cells"
    return (
        *everywhere(scenario, "buffer", f'"{buffer}"'),
        *everywhere(scenario, "discard", f'{{policy="{policy}"}}'),
    )


def _own_limits(scenario: ResolvedScenario) -> Iterator[str]:
    """Settings that give all switches their own discard policies and buffers."""
    for path, table in _switch_tables(scenario).items():
        if "buffer" in table:
            yield f"{path}.buffer={json.dumps(table['buffer'])}"
        if "discard" in table:
            given = (pair for pair in table["discard"].items() if pair[0] != "source")
            values = ", ".join(f"{key}={json.dumps(value)}" for key, value in given)
            yield f"{path}.discard={{{values}}}"


def own_policy(scenario: ResolvedScenario) -> str:
    """The scenario's own discard policies; empty if all switches drop at the tail."""
    tables = [one["discard"] for one in _switch_tables(scenario).values() if "discard" in one]
    found = dict.fromkeys(str(one["policy"]) for one in tables)
    return "" if list(found) == [TAIL_DROP] else " and ".join(found)


def own_buffer_cells(scenario: ResolvedScenario) -> int | None:
    """The greatest of the scenario's own buffers; None for no limit."""
    switches = (node.switch for node in scenario.cells.nodes)
    most = max(one.buffer_cells for one in switches if one)
    return None if math.isinf(most) else int(most)


def _switch_tables(scenario: ResolvedScenario) -> dict[str, Mapping[str, Any]]:
    """Settings of switches by their path: those of all, and those of nodes."""
    document = scenario.keys.document
    nodes = document["topology"].get("node", ())
    return {
        "switch": document["switch"],
        **{f'topology.node."{one["name"]}"': one for one in nodes},
    }


def everywhere(scenario: ResolvedScenario, key: str, value: str) -> Iterator[str]:
    """Settings that give `key` a value in `[switch]`, and at each node that sets the key itself.

    A key within a table is set at each node that has the table.
    """
    yield f"switch.{key}={value}"
    for node in scenario.keys.document["topology"].get("node", ()):
        if key.partition(".")[0] in node:
            yield f'topology.node."{node["name"]}".{key}={value}'


@dataclass(frozen=True)
class Option:
    """A control, its parameters and a buffer, with means over seeds.

    Attributes:
        candidate: The control that is run.
        setting: Parameters of the control that were varied; empty for the candidate's defaults.
        policy: Discard policy.
        buffer_cells: Buffer of every port: the least buffer without loss, or a smaller buffer.
        by_seed_cells: The least lossless buffer with each seed; for an option with a smaller
            buffer, this smaller buffer.
        seeds: Number of seeds with which the option was run.
        throughput_bits_per_second: Throughput of the elastic flows in the measuring window.
        utilisation: Utilisation of the bottleneck; the mean of several bottlenecks.
        loss: Dropped share of the cells of the whole run.
        mean_delay_seconds: Mean wait at the bottleneck.
        longest_delay_seconds: Longest wait at the bottleneck in the whole run.
        fairness: Jain's index of the elastic flows; see `shares.over_atm`. None if all are files.
        settling_seconds: Time from the last start of a flow until the bottleneck's utilisation has
            settled, with the slowest seed; infinite if it never settles.
        overrides: Settings that turn the scenario into this option.
        locked_runs: Number of runs in which TCP sources ran in step (warning `phases-locked`).
        reserved_cells: Most cells that credits reserve at a port; 0 without credits.
        rise: Growth of the utilisation within the measuring window, as a share of its mean there.
        background_bits_per_second: Throughput of the flows with rates of their own; None if there
            are none.
        unfinished: Number of files that do not end; None unless all elastic flows transfer files.
        completion_seconds: Completion time that 99 % of these files do not exceed; None unless all
            files end with every seed.
        mcr_shares: Flow groups with a GFR contract, each with its throughput as a share of its MCR.
        fairness_by_seed: The fairness with each seed; empty if all elastic flows are files.
        loss_by_seed: The loss with each seed, if it was measured.
    """

    candidate: Candidate
    setting: Setting
    policy: str
    buffer_cells: int
    by_seed_cells: tuple[int, ...]
    seeds: int
    throughput_bits_per_second: float
    utilisation: float
    loss: float
    mean_delay_seconds: float
    longest_delay_seconds: float
    fairness: float | None
    settling_seconds: float
    overrides: tuple[str, ...]
    locked_runs: int = 0
    reserved_cells: int = 0
    rise: float = 0.0
    background_bits_per_second: float | None = None
    unfinished: float | None = None
    completion_seconds: float | None = None
    mcr_shares: tuple[tuple[str, float], ...] = ()
    fairness_by_seed: tuple[float, ...] = ()
    loss_by_seed: tuple[float, ...] = ()

    @property
    def speed(self) -> float:
        """Throughput in bit/s; of files alone the inverse of the completion time.

        0 if files do not end.
        """
        if self.unfinished is None:
            return self.throughput_bits_per_second
        return 1 / self.completion_seconds if self.completion_seconds else 0.0

    @property
    def rises(self) -> bool:
        """True if the utilisation has no steady state within the measuring window yet."""
        return self.rise > BAND

    @property
    def is_reserved(self) -> bool:
        """True if the buffer is what credits reserve, and no queue was longer."""
        return self.buffer_cells == self.reserved_cells

    @property
    def same_with_each_seed(self) -> bool:
        """True if several seeds were run and the longest queue of each needs the same buffer."""
        is_same = len(self.by_seed_cells) > 1 and len(set(self.by_seed_cells)) == 1
        return is_same and not self.is_reserved

    @property
    def cost(self) -> tuple[float, float, float]:
        """Buffer, negative speed and mean delay: less is better in each."""
        return self.buffer_cells, -self.speed, self.mean_delay_seconds

    @property
    def label(self) -> str:
        """Name of the option, with the varied parameters.

        The text says so if the other parameters keep the values of the scenario.
        """
        parts = [self.setting.label] if self.setting.values else []
        if self.candidate.is_own and self.candidate.ability != "none":
            parts.append("else the scenario's values" if parts else "the scenario's values")
        varied = f" ({', '.join(parts)})" if parts else ""
        policy = f" with {self.policy}" if self.policy != "tail-drop" else ""
        return f"{self.candidate.name}{varied}{policy}"

    def command(self, path: str, settings: tuple[str, ...]) -> str:
        """The shell command that runs the option once.

        Args:
            path: The scenario file.
            settings: Settings of the user, which come before those of the option.
        """
        parts = (part for override in (*settings, *self.overrides) for part in ("--set", override))
        return shlex.join(["cellrate", "run", path, *parts])


def pareto(options: Sequence[Option]) -> list[Option]:
    """The Pareto front of the options in buffer, speed and delay.

    No other option is better than one of these in one of the three and no worse in the rest.
    """
    costs = [option.cost for option in options]
    return [options[at] for at in sorted(undominated(costs), key=costs.__getitem__)]
