"""Converts a GOAL file into a scenario and a file with the steps of a collective operation."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cellrate import _core
from cellrate.common import whole_file
from cellrate.common.problems import BadInput, choose
from cellrate.simulation import source
from cellrate.simulation.goal_file import read
from cellrate.simulation.goal_moments import START
from cellrate.simulation.goal_steps import Step, steps_of
from cellrate.simulation.mapping import scenario_text

HEADING = "step,from,to,size_bytes,after,wait_seconds"
OF_PAIRS = frozenset({"count", "from", "name", "pattern", "source", "stagger", "start", "to"})
"""Keys of a flow that a pattern of steps replaces."""
HEAD = """# Written by `cellrate import-goal` from {path}: {ranks} ranks, {messages} messages.
# Network: {network}. The messages replace its flows.

"""


@dataclass(frozen=True)
class GoalOptions:
    """Options of the import; see `cellrate.import_goal`."""

    steps: str
    network: str = "leaf-spine"
    hosts: Sequence[str] = ()
    eager_bytes: int = 0
    duration: str | None = None


def scenario_of(data: bytes, path: str, options: GoalOptions) -> str:
    """Scenario, as TOML text, whose flows are the messages of a GOAL file.

    Writes the messages into the file `options.steps`, which the scenario names.

    Raises:
        BadInput: The file or an option is wrong, or the file means something that steps cannot
            express; the message names the place.
        ScenarioError: The network is wrong, or cannot carry the flows.
        OSError: A file cannot be read or written.
    """
    ranks, operations = read(data, path)
    network = _network(options.network)
    hosts = _hosts(ranks, network, options)
    steps = steps_of(operations, options.eager_bytes)
    if not steps:
        raise BadInput(f"{path} has no messages")
    values = tomllib.loads(network[0])
    values["flow"] = [_flow(values, options.steps)]
    if options.duration is not None:
        values.setdefault("run", {})["duration"] = options.duration
    text = HEAD.format(
        path=json.dumps(path), ranks=ranks, messages=len(steps), network=json.dumps(network[1])
    ) + scenario_text(values)
    _write(Path(options.steps), _lines(steps, hosts))
    _core.Scenario(text, "scenario.toml")
    return text


def _network(network: str) -> tuple[str, str]:
    """Text and name of a scenario: of a template, or else of a file."""
    names = [entry["name"] for entry in json.loads(_core.registry())["templates"]]
    if network not in names and Path(network).exists():
        return source.read(network)
    return _core.template(choose(network, names, "file or template")), f"template {network}"


def _write(path: Path, lines: Iterator[str]) -> None:
    """Writes the steps, but not over a file with anything else, such as the trace itself."""
    if path.is_file():
        with path.open("rb") as file:
            if not file.readline().startswith(HEADING.encode()):
                raise BadInput(f"--steps {path}: the file exists and has no steps; name another")
    whole_file.write_text(path, "\n".join(lines))


def _hosts(ranks: int, network: tuple[str, str], options: GoalOptions) -> list[str]:
    """The host of each rank."""
    scenario = _core.Scenario(*network)
    if scenario.link_layer != "ethernet":
        raise BadInput(f"--network {options.network}: messages need a network of Ethernet, not ATM")
    nodes = json.loads(scenario.network())["nodes"]
    known = [node["name"] for node in nodes if node["switch"] is None]
    hosts = list(options.hosts) or known
    for host in hosts:
        choose(host, known, "host")
        if hosts.count(host) > 1:
            raise BadInput(f"--host {host}: stands twice; each rank has a host of its own")
    if len(hosts) < ranks:
        raise BadInput(
            f"the trace has {ranks} ranks for {len(hosts)} hosts; allowed: at most one rank a host"
        )
    return hosts


def _flow(values: dict[str, object], steps: str) -> dict[str, object]:
    """The flow group of the trace, with the transport of the network's first group."""
    flows = values.get("flow")
    first = flows[0] if isinstance(flows, list) and flows else {}
    kept = {key: value for key, value in first.items() if key not in OF_PAIRS}
    return {"name": "trace", "pattern": {"kind": "steps", "file": steps}, **kept}


def _lines(steps: Sequence[Step], hosts: Sequence[str]) -> Iterator[str]:
    names = [f"r{step.send.rank}.{step.send.name}" for step in steps]
    yield HEADING
    for name, step in zip(names, steps, strict=True):
        ends = f"{hosts[step.send.rank]},{hosts[step.send.peer]}"
        events = [event for event in step.begin if event != START or len(step.begin) > 1]
        after = " ".join("start" if event == START else names[event // 2] for event in events)
        times = [f"{wait}e-9" if wait else "0" for wait in step.begin.values()]
        # One time serves all events.
        wait = " ".join(times if len(set(times)) > 1 else times[:1]).removeprefix("0")
        yield f"{name},{ends},{step.send.amount},{after},{wait}"
    yield ""
