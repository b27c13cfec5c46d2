"""Writes the scenario file of a graph."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from cellrate import _core
from cellrate.common.problems import BadInput
from cellrate.simulation.graphml.graph_file import Drawn, read
from cellrate.simulation.graphml.options import GraphOptions
from cellrate.simulation.graphml.parts import GraphLine, GraphPart, host_named, links_of, nodes_of

HEAD = """# Written by `cellrate import-graph` from {path}.
# `cellrate new graph` explains the keys, `cellrate new n-source` the units.

[run]
duration = {duration}
seed = 1

[measure]
traces = ["queue", "acr", "cwnd"]

# Settings of every switch that has none of its own.
[switch]
buffer = "infinite"
{control}
[topology]
template = "graph"
"""
CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
CONTROL = '[switch.control]\nscheme = "erica"\n'


def scenario_of(data: bytes, path: str, options: GraphOptions) -> str:
    """Scenario, as TOML text, with the nodes and links of a GraphML file.

    Nodes may have the attributes ``kind`` (``host`` or ``switch``; without it a node with at most
    one neighbour is a host) and ``name`` or ``label``; switches ``buffer``; hosts ``flows_to``, the
    names of other hosts. Links have ``rate`` and ``delay`` or ``length`` as text with units, or
    ``rate_bits_per_second`` (``LinkSpeedRaw``), ``delay_seconds`` or ``length_km`` as numbers. The
    flows are file transfers.

    Args:
        data: The file's bytes.
        path: The file's name in error messages.
        options: Values that the file leaves open.

    Raises:
        BadInput: The file or an option is wrong; the message names the place.
        ScenarioError: The network cannot carry a flow, for instance because there is no path.
    """
    drawing = read(data, path)
    nodes = nodes_of(drawing)
    lines = links_of(drawing, nodes, options)
    if options.host_rate is not None:
        lines += _attach_hosts(nodes, options.host_rate, options.host_delay)
    flows = list(_flows(nodes, options))
    if not flows:
        raise BadInput(
            f"{path} has no flows: give hosts the attribute flows_to, or say --flow FROM:TO"
        )
    text = "".join(
        [
            HEAD.format(
                path=_comment(path),
                duration=json.dumps(options.duration),
                control=CONTROL if options.service == "abr" else "",
            ),
            *(_node(part) for part in nodes.values()),
            *(_line(line) for line in lines),
            *(_flow(number, ends, options.service) for number, ends in enumerate(flows, start=1)),
        ]
    )
    _core.Scenario(text, f"the scenario of {path}")
    return text


def _attach_hosts(nodes: dict[str, GraphPart], rate: str, delay: str) -> list[GraphLine]:
    """Adds a host to every switch; returns the links of these hosts."""
    names = {part.name for part in nodes.values()}
    added = []
    for part in [part for part in nodes.values() if not part.is_host]:
        name = f"h.{part.name}"
        if name in names:
            part.drawn.refuse(f"the host of {part.name!r} would be a second node named {name!r}")
        drawn = Drawn((name,), {}, part.drawn.place)
        nodes[name] = GraphPart(name, drawn, is_host=True, buffer=None, flows_to=())
        added.append(GraphLine((name, part.name), rate, delay, duplex=True))
    return added


def _flows(nodes: dict[str, GraphPart], options: GraphOptions) -> Iterator[tuple[str, str]]:
    for part in nodes.values():
        for to in part.flows_to:
            try:
                yield part.name, host_named(nodes, to, "flows_to").name
            except BadInput as error:
                part.drawn.refuse(str(error))
    for source, destination in options.flows:
        what = f"--flow {source}:{destination}"
        yield host_named(nodes, source, what).name, host_named(nodes, destination, what).name


def _table(name: str, keys: Iterable[tuple[str, str | bool | None]], comment: str = "") -> str:
    lines = [f"{key} = {json.dumps(value)}" for key, value in keys if value is not None]
    return "\n".join([f"\n{comment}[[{name}]]", *lines, ""])


def _comment(text: str) -> str:
    """A text on a line, without the control characters that TOML does not allow in comments."""
    return " ".join(CONTROLS.sub(" ", text).split())


def _node(part: GraphPart) -> str:
    label = _comment(str(part.drawn.attributes.get("label", part.name)))
    comment = f"# {label}\n" if label != part.name else ""
    kind = "host" if part.is_host else "switch"
    keys = [("name", part.name), ("kind", kind), ("buffer", part.buffer)]
    return _table("topology.node", keys, comment)


def _line(line: GraphLine) -> str:
    keys = [
        ("from", line.ends[0]),
        ("to", line.ends[1]),
        ("rate", line.rate),
        ("delay", line.delay),
    ]
    return _table("topology.link", [*keys, ("duplex", None if line.duplex else False)])


def _flow(number: int, ends: tuple[str, str], service: str) -> str:
    keys = [("name", f"f{number}"), ("service", service), ("from", ends[0]), ("to", ends[1])]
    return _table("flow", keys)
