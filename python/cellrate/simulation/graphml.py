"""Converts a network drawn in another program, a GraphML file, into a scenario file."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from cellrate import _core
from cellrate.common.problems import BadInput, choose
from cellrate.simulation.graph_file import Drawing, Drawn, read

LINK_LAYERS = ("atm", "ethernet")
SERVICES = ("cbr", "vbr", "abr", "ubr", "random")
"""Service classes of flows over ATM."""
KINDS = ("host", "switch")
# Attributes that hold a quantity as text with a unit, and attributes that hold it as a number, with
# the unit of the number.
RATE = (("rate",), {"rate_bits_per_second": "bit/s", "LinkSpeedRaw": "bit/s"})
DELAY = (("delay", "length"), {"delay_seconds": "s", "length_km": "km"})
UNFIT = re.compile(r"[^A-Za-z0-9_.-]")
BETWEEN = re.compile(r"[\s,;]+")
HEAD = """# Written by `cellrate import-graph` from {path}.
# {explained}

{link_layer}[run]
duration = {duration}
seed = 1

[measure]
traces = {traces}

# Settings of every switch that has none of its own.
[switch]
{switch}
[topology]
template = "graph"
"""
OVER_ATM = {
    "explained": "`cellrate new graph` explains the keys, `cellrate new n-source` the units.",
    "link_layer": "",
    "traces": '["queue", "acr", "cwnd"]',
    "switch": 'buffer = "infinite"\n',
}
OVER_ETHERNET = {
    "explained": "`cellrate new leaf-spine` explains the keys.",
    "link_layer": 'link_layer = "ethernet"\n\n',
    "traces": '["queue", "cwnd"]',
    "switch": '# Without a key `buffer` queues have no limit.\nmultipath = "ecmp"\n',
}
CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
CONTROL = '\n[switch.control]\nscheme = "erica"\n'


@dataclass(frozen=True)
class GraphOptions:
    """Values for attributes that the graph lacks; see `cellrate.import_graph`."""

    rate: str | None = None
    delay: str | None = None
    flows: Sequence[tuple[str, str]] = ()
    service: str | None = None
    host_rate: str | None = None
    host_delay: str = "1 km"
    duration: str = "1 s"
    join_parallel: bool = False
    link_layer: str = "atm"

    @property
    def over_ethernet(self) -> bool:
        """True if links carry frames."""
        return self.link_layer == "ethernet"


def scenario_of(data: bytes, path: str, options: GraphOptions) -> str:
    """Scenario, as TOML text, with the nodes and links of a GraphML file.

    Nodes may have the attributes ``kind`` (``host`` or ``switch``; without it a node with at most
    one neighbour is a host) and ``name`` or ``label``; switches ``buffer``; hosts ``flows_to``, the
    names of other hosts. Links have ``rate`` and ``delay`` or ``length`` as text with units, or
    ``rate_bits_per_second`` (``LinkSpeedRaw``), ``delay_seconds`` or ``length_km`` as numbers. The
    flows are file transfers. Over Ethernet neither rates nor buffers are in cells.

    Raises:
        BadInput: The file or an option is wrong; the message names the place.
        ScenarioError: The network cannot carry a flow, for instance because there is no path.
    """
    choose(options.link_layer, LINK_LAYERS, "link layer")
    if options.service is not None:
        choose(options.service, SERVICES, "service")
    if options.over_ethernet and options.service is not None:
        raise BadInput(f"--service {options.service}: flows over Ethernet have no service class")
    drawing = read(data, path)
    nodes = nodes_of(drawing, options)
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
            _head(path, options),
            *(_node(part) for part in nodes.values()),
            *(_line(line) for line in lines),
            *(_flow(number, ends, options) for number, ends in enumerate(flows, start=1)),
        ]
    )
    _core.Scenario(text, f"the scenario of {path}")
    return text


def _head(path: str, options: GraphOptions) -> str:
    words = dict(OVER_ETHERNET if options.over_ethernet else OVER_ATM)
    if not options.over_ethernet and options.service in {None, "abr"}:
        words["switch"] += CONTROL
    return HEAD.format(path=_comment(path), duration=json.dumps(options.duration), **words)


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
    """A text without line breaks and the control characters that TOML forbids in comments."""
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


def _flow(number: int, ends: tuple[str, str], options: GraphOptions) -> str:
    service = None if options.over_ethernet else options.service or "abr"
    keys = [("name", f"f{number}"), ("service", service), ("from", ends[0]), ("to", ends[1])]
    return _table("flow", keys)


@dataclass(frozen=True)
class GraphPart:
    """A node of the scenario.

    Attributes:
        name: Name in the scenario.
        drawn: The node of the GraphML file from which this node was made.
        is_host: True if flows end at the node.
        buffer: Buffer of a switch, as text. None if the file gives no buffer or, over Ethernet,
            gives a buffer without limit.
        flows_to: Ids or names of the hosts to which flows lead from this node.
    """

    name: str
    drawn: Drawn
    is_host: bool
    buffer: str | None
    flows_to: tuple[str, ...]


@dataclass(frozen=True)
class GraphLine:
    """A link of the scenario, with its rate and delay as text."""

    ends: tuple[str, str]
    rate: str
    delay: str
    duplex: bool


def nodes_of(drawing: Drawing, options: GraphOptions) -> dict[str, GraphPart]:
    """Nodes of the scenario by their ids in the file.

    Raises:
        BadInput: Kinds, buffers or names are wrong; the message names the place.
    """
    neighbours = {node.ends[0]: set[str]() for node in drawing.nodes}
    for link in drawing.links:
        for node_id, neighbour in (link.ends, link.ends[::-1]):
            neighbours[node_id].add(neighbour)
    parts = {}
    for node in drawing.nodes:
        parts[node.ends[0]] = _part(node, len(neighbours[node.ends[0]]), options)
    return _with_own_names(parts)


def _with_own_names(parts: dict[str, GraphPart]) -> dict[str, GraphPart]:
    """The nodes with distinct names: repeated names get `-2`, `-3`, and so on."""
    taken = {part.name for part in parts.values()}
    seen = set[str]()
    for node_id, part in parts.items():
        name = part.name
        if name in seen:
            further = (f"{part.name}-{number}" for number in count(2))
            name = next(free for free in further if free not in taken)
            parts[node_id] = replace(part, name=name)
        taken.add(name)
        seen.add(name)
    return parts


def _part(node: Drawn, neighbours: int, options: GraphOptions) -> GraphPart:
    kind = node.attributes.get("kind")
    if kind is not None and kind not in KINDS:
        node.refuse(f"a node of kind {kind!r}; allowed: {', '.join(KINDS)}")
    # A node with at most one neighbour is a host, unless the file says otherwise.
    is_host = kind == "host" if kind is not None else neighbours <= 1
    buffer = node.attributes.get("buffer")
    if buffer is not None:
        _checked(node, str(buffer), "buffer", "buffer", options)
        if is_host:
            node.refuse("a host cannot have `buffer`; only switches have it")
        if options.over_ethernet and math.isinf(_core.quantity(str(buffer), "buffer")):
            buffer = None
    labels = (node.attributes.get("name"), node.attributes.get("label"), node.ends[0])
    fit = (UNFIT.sub("-", str(label)).lstrip(".-") for label in labels if label is not None)
    name = next(filter(None, fit), "node")
    flows_to = tuple(filter(None, BETWEEN.split(str(node.attributes.get("flows_to", "")))))
    if flows_to and not is_host:
        node.refuse("`flows_to` stands at a switch, but a flow begins at a host")
    return GraphPart(name, node, is_host, None if buffer is None else str(buffer), flows_to)


def links_of(
    drawing: Drawing, nodes: dict[str, GraphPart], options: GraphOptions
) -> list[GraphLine]:
    """Links in the order of the file.

    In a directed graph, two links in opposite directions with equal rate and delay become one
    duplex link.

    Raises:
        BadInput: Rates or delays are missing or wrong, a link leads from a node to itself, or two
            links lead the same way and `join_parallel` is not asked for; the message names the
            place.
    """
    _require_quantities(options)
    lines: dict[tuple[str, str], GraphLine] = {}
    for link in drawing.links:
        if link.ends[0] == link.ends[1]:
            link.refuse(f"a link leads from {nodes[link.ends[0]].name!r} to itself")
        ends = (nodes[link.ends[0]].name, nodes[link.ends[1]].name)
        line = GraphLine(
            ends,
            _quantity(link, "rate", RATE, options),
            _quantity(link, "delay", DELAY, options),
            duplex=not drawing.directed,
        )
        back = lines.get(ends[::-1])
        first = lines.get(ends) or (back if back is not None and back.duplex else None)
        if first is not None:
            if not options.join_parallel:
                link.refuse(
                    f"there are two links from {ends[0]!r} to {ends[1]!r}; --join-parallel joins "
                    "them"
                )
            lines[first.ends] = _joined(first, line)
            continue
        if back is not None and (back.rate, back.delay) == (line.rate, line.delay):
            lines[back.ends] = GraphLine(back.ends, back.rate, back.delay, duplex=True)
        else:
            lines[ends] = line
    return list(lines.values())


def _joined(first: GraphLine, second: GraphLine) -> GraphLine:
    """One link with the sum of the rates of two links, and the longer of their delays."""
    rate = sum(_core.quantity(line.rate, "rate") for line in (first, second))
    delay = max((first.delay, second.delay), key=lambda text: _core.quantity(text, "delay"))
    return replace(first, rate=f"{rate:.15g} bit/s", delay=delay)


def _require_quantities(options: GraphOptions) -> None:
    """Checks the options for links, even if no link needs them.

    Raises:
        BadInput: The value of an option is not a quantity of its kind.
    """
    for kind, text in (("rate", options.rate), ("delay", options.delay)):
        if text is not None:
            try:
                _check(text, kind, options)
            except ValueError as error:
                raise BadInput(f"--{kind}: {error}") from error


def _quantity(
    link: Drawn, kind: str, known: tuple[tuple[str, ...], dict[str, str]], options: GraphOptions
) -> str:
    texts, numbers = known
    for name in texts:
        if name in link.attributes and str(link.attributes[name]).lower() != "nan":
            value = link.attributes[name]
            if not isinstance(value, str):
                units = " or ".join(numbers)
                link.refuse(
                    f"{name} is {value!r}, without a unit: make it text, or call it {units}"
                )
            return _checked(link, value, kind, name, options)
    for name, unit in numbers.items():
        if name in link.attributes:
            return _checked(link, _with_unit(link, name, unit), kind, name, options)
    default = options.rate if kind == "rate" else options.delay
    if default is None:
        link.refuse(
            f"a link has no {' or '.join(texts)}; --{kind} sets it for all links without it"
        )
    return default


def _with_unit(link: Drawn, name: str, unit: str) -> str:
    try:
        value = float(link.attributes[name])
    except (ValueError, OverflowError):
        link.refuse(f"{name} is {link.attributes[name]!r}, which is not a number")
    whole = value.is_integer() and abs(value) < 1e15
    return f"{int(value) if whole else repr(value)} {unit}"


def _checked(drawn: Drawn, text: str, kind: str, name: str, options: GraphOptions) -> str:
    try:
        _check(text, kind, options)
    except ValueError as error:
        drawn.refuse(f"{name}: {error}")
    return text


def _check(text: str, kind: str, options: GraphOptions) -> None:
    """Checks that a text is a quantity, over Ethernet without cells.

    Raises:
        ValueError: The text is not a quantity of this kind.
    """
    _core.quantity(text, kind)
    of_cells = not text.rstrip().endswith("bit/s") if kind == "rate" else "cell" in text
    if options.over_ethernet and of_cells:
        raise ValueError(
            f"`{text}` counts ATM cells; over Ethernet allowed are bytes, and bit/s of the line"
        )


def host_named(nodes: dict[str, GraphPart], name: str, refuse: str) -> GraphPart:
    """Host with a name or id.

    The error message begins with `refuse`, the attribute or option that names the host.

    Raises:
        BadInput: There is no such host.
    """
    by_name = {part.name: part for part in nodes.values()}
    node = by_name.get(name) or nodes.get(name)
    if node is None or not node.is_host:
        hosts = ", ".join(sorted(part.name for part in nodes.values() if part.is_host))
        what = "no node" if node is None else "no host, but a switch,"
        raise BadInput(f"{refuse}: there is {what} named {name!r}; hosts: {hosts or 'none'}")
    return node
