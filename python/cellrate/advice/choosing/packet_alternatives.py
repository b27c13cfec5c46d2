"""Alternatives of `choose` for TCP and explicit rates over Ethernet."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cellrate import _core
from cellrate.advice.choosing.candidates import AT_ONCE, BY_MARKS, Candidate, candidates, everywhere
from cellrate.advice.tuning.declared import ResolvedScenario
from cellrate.simulation.network.ethernet_view import FrameFlow
from cellrate.simulation.runner import Job

OF_MARKS = "dctcp"
"""The recovery that reacts to the share of marked data; it is tried only with marks."""
CROSSED = 3
"""Number of recoveries, the best ones besides DCTCP, that are tried with each algorithm."""


@dataclass(frozen=True)
class Alternative:
    """A recovery of TCP with a queue algorithm, or a control scheme for rate-controlled flows.

    Attributes:
        recovery: Recovery of TCP; empty for the scenario's recovery.
        algorithm: Algorithm of `switch.aqm`; empty for the scenario's queue management.
        marks: True if the algorithm marks packets instead of dropping them.
        control: Control of the flows that obey rates; None for the scenario's control.
        is_varied: True for the scenario's own recovery, queue management and control, if their
            parameters differ from those in the scenario.
    """

    recovery: str = ""
    algorithm: str = ""
    marks: bool = False
    control: Candidate | None = None
    is_varied: bool = False

    @property
    def name(self) -> str:
        """Name of the alternative: control, or recovery, algorithm, and drops or marks."""
        if self.control is not None:
            return f"control {self.control.name}"
        if not self.recovery:
            return "the scenario's own" + (", other parameters" if self.is_varied else "")
        marked = " with ECN" if self.marks and self.recovery != OF_MARKS else ""
        return f"{self.recovery}{marked}, {self.algorithm or 'queues as they are'}"

    @property
    def kind(self) -> str:
        """Kind of the alternative: the queue algorithm, "recovery" or "control".

        The parameters of the best alternative of each kind are searched. The scenario as it is has
        a kind of its own, the empty text.
        """
        if self.control is not None:
            return "control"
        return self.algorithm or ("recovery" if self.recovery else "")

    @property
    def row(self) -> str:
        """Name of the table row, which shows the best of the alternatives with this name."""
        return self.name

    def varied(self) -> Alternative:
        """The alternative with other parameters, so that it is no longer the scenario as it is."""
        is_own = self.control is None and not self.recovery
        return replace(self, is_varied=True) if is_own else self

    def differs_in_marks(self, other: Alternative) -> bool:
        """True if the other alternative differs only in marks instead of drops."""
        return bool(self.algorithm) and replace(self, marks=other.marks) == other

    def removed(self, scenario: ResolvedScenario) -> tuple[str, ...]:  # noqa: ARG002  of RoCE
        """Keys that this alternative must not have, and that only an edit of the file removes."""
        return ()

    def shared(self, scenario: ResolvedScenario) -> tuple[str, ...]:  # noqa: ARG002  of RoCE
        """Flow groups that share the parameters of one control over RoCE."""
        return ()

    def job(self, base: Job, scenario: ResolvedScenario) -> Job:
        """The scenario under this alternative."""
        return replace(base, overrides=(*base.overrides, *self.overrides(scenario)))

    def as_json(self) -> dict[str, Any]:
        """The parts of the alternative, for `--json`."""
        return {
            "recovery": self.recovery or None,
            "algorithm": self.algorithm or None,
            "marks": self.marks,
            "control": self.control and self.control.name,
        }

    def overrides(self, scenario: ResolvedScenario) -> tuple[str, ...]:
        """Settings that turn the scenario into this alternative."""
        groups = scenario.keys.document["flow"]
        if self.control is not None:
            by_marks = self.control.ability in {"efci", "relative-rate"}
            of_abr = BY_MARKS if by_marks else AT_ONCE
            return (
                f'switch.control={{scheme="{self.control.name}"}}',
                *(
                    f"flow.{one['name']}.rate_control.{key}={value}"
                    for one in groups
                    if "rate_control" in one
                    for key, value in of_abr.items()
                ),
            )
        if not self.recovery:
            return ()
        keys = [f'recovery="{self.recovery}"']
        if self.algorithm:
            keys.append(f"ecn={str(self.marks).lower()}")
        own = (one["name"] for one in groups if {"recovery", "ecn"} & one.get("tcp", {}).keys())
        tables = ("tcp", *(f"flow.{name}.tcp" for name in own))
        of_tcp = tuple(f"{table}.{key}" for table in tables for key in keys)
        if not self.algorithm:
            return of_tcp
        ecn = ", ecn=true" if self.marks and self.algorithm != "threshold" else ""
        queues = f'{{algorithm="{self.algorithm}"{ecn}}}'
        return (*of_tcp, *everywhere(scenario, "aqm", queues))


def at_first(scenario: ResolvedScenario, flows: Sequence[FrameFlow]) -> Iterator[Alternative]:
    """The scenario as it is, then with each recovery, and with each control.

    Flows over TCP are tried with every other recovery in the registry but DCTCP, in the scenario's
    queue management. Flows that obey rates are tried with every control but credits.
    """
    yield Alternative()
    document = scenario.keys.document
    places = (document["switch"], *document["topology"].get("node", ()))
    algorithms = {one["aqm"]["algorithm"] for one in places if "aqm" in one} or {"none"}
    if any(flow.tcp for flow in flows):
        for entry in json.loads(_core.registry())["recoveries"]:
            if entry["name"] not in {OF_MARKS, own_recovery(flows)}:
                yield Alternative(entry["name"], "none" if algorithms == {"none"} else "")
    for control in candidates() if any(flow.rate_controlled for flow in flows) else ():
        if control.ability != "credit":
            yield Alternative(control=control)


def own_recovery(flows: Sequence[FrameFlow]) -> str:
    """The recovery of all flows over TCP; empty if they have several."""
    found = {flow.recovery for flow in flows if flow.tcp}
    return found.pop() if len(found) == 1 else ""


def crossed(ranked: Sequence[str]) -> Iterator[Alternative]:
    """Recoveries with each queue algorithm, with drops and with marks.

    Args:
        ranked: Recoveries, the best first in the scenario's queue management. The best `CROSSED`
            are combined with each algorithm, and DCTCP.
    """
    best = [one for one in ranked if one != OF_MARKS][:CROSSED]
    algorithms = [one["name"] for one in json.loads(_core.registry())["aqm"]]
    for recovery in (*best, OF_MARKS):
        for algorithm in algorithms:
            if recovery != OF_MARKS and algorithm != "threshold":
                yield Alternative(recovery, algorithm)
            if algorithm != "none":
                yield Alternative(recovery, algorithm, marks=True)
