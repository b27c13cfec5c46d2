"""Reads a GraphML file with networkx, and finds the line number of every node and link.

networkx reads only the first graph of a file, without graphs inside nodes. So all graphs are joined
to one graph before networkx reads the file.
"""

from __future__ import annotations

import io
import math
import warnings
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element, ParseError
from xml.parsers import expat

from cellrate.common.problems import BadInput

Attributes = Mapping[str, Any]


@dataclass(frozen=True)
class Drawn:
    """A node or a link of a GraphML file.

    Attributes:
        ends: Id of the node, or ids of both ends of the link.
        attributes: Attributes in the file, without blanks and NaN, by which graph libraries write
            missing values.
        place: File and line.
    """

    ends: tuple[str, ...]
    attributes: Attributes
    place: str

    def refuse(self, message: str) -> NoReturn:
        """Raises an error whose message ends with the place of this element.

        Raises:
            BadInput: Always.
        """
        raise BadInput(f"{message}\n --> {self.place}")


@dataclass(frozen=True)
class Drawing:
    """Nodes and links in the order of the file; links of a directed graph lead one way."""

    nodes: tuple[Drawn, ...]
    links: tuple[Drawn, ...]
    directed: bool


@dataclass
class _Lines:
    """Line numbers of nodes and links, found before networkx reads the file."""

    path: str
    nodes: dict[str, int] = field(default_factory=dict)
    graphs: list[int] = field(default_factory=list)
    links: defaultdict[tuple[str, ...], list[int]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def refuse(self, message: str, line: int) -> NoReturn:
        """Raises an error whose message ends with the place of a line."""
        raise BadInput(f"{message}\n --> {self.path}:{line}")

    def add(self, tag: str, attributes: Mapping[str, str], line: int) -> None:
        """Stores the line number of an element if it is a node or a link.

        Raises:
            BadInput: Another node has the same id.
        """
        match tag.rpartition(":")[2]:
            case "node":
                name = attributes.get("id", "")
                if name in self.nodes:
                    first = self.nodes[name]
                    self.refuse(f"the node {name!r} is there twice, first in line {first}", line)
                self.nodes[name] = line
            case "graph":
                self.graphs.append(line)
            case "edge":
                ends = (attributes.get("source", ""), attributes.get("target", ""))
                self.links[ends].append(line)

    def refuse_loose_ends(self) -> None:
        """Checks that every link ends at a node of the file.

        Raises:
            BadInput: A link ends at an id that no node has; networkx would add such a node.
        """
        for ends, (first, *_) in self.links.items():
            for name in ends:
                if name not in self.nodes:
                    self.refuse(f"a link ends at {name!r}, which is no node of the file", first)


def read(data: bytes, path: str) -> Drawing:
    """Reads the nodes and links of a GraphML file.

    Raises:
        BadInput: networkx is not installed; the file is not XML, not GraphML, or has no nodes.
    """
    try:
        import networkx as nx
    except ImportError as error:
        raise BadInput("GraphML is read by networkx: pip install 'cellrate[graph]'") from error
    lines = _lines(data, path)
    try:
        whole = _as_one_graph(data, lines)
        with warnings.catch_warnings():
            # networkx warns of ports, which only give the point where a link touches the drawn
            # node.
            warnings.simplefilter("ignore")
            graph = nx.read_graphml(io.BytesIO(whole))
    except AttributeError as error:
        # networkx fails if an element without text, such as the default of a key, needs a text.
        why = "an element is empty that must have a value"
        raise BadInput(f"{path} cannot be read as GraphML: {why}") from error
    except (nx.NetworkXException, ParseError, KeyError, ValueError, TypeError) as error:
        raise BadInput(f"{path} cannot be read as GraphML: {error}") from error
    nodes = tuple(
        Drawn((str(name),), _given(attributes), _place(path, lines.nodes.get(str(name))))
        for name, attributes in graph.nodes(data=True)
    )
    links = tuple(
        _link(source, target, attributes, lines, path)
        for source, target, attributes in graph.edges(data=True)
    )
    if not nodes:
        raise BadInput(f"the graph in {path} has no nodes")
    return Drawing(nodes, links, graph.is_directed())


def _link(
    source: object, target: object, attributes: Attributes, lines: _Lines, path: str
) -> Drawn:
    ends = (str(source), str(target))
    numbers = lines.links.get(ends) or lines.links.get(ends[::-1])
    return Drawn(ends, _given(attributes), _place(path, numbers.pop(0) if numbers else None))


def _given(attributes: Attributes) -> Attributes:
    """The attributes that are neither blank nor NaN."""
    return {
        name: value
        for name, value in attributes.items()
        if not (isinstance(value, str) and not value.strip())
        and not (isinstance(value, float) and math.isnan(value))
    }


def _as_one_graph(data: bytes, lines: _Lines) -> bytes:
    """The GraphML file with all its graphs joined to the first graph.

    A node with a graph inside is a frame around the nodes of that graph, as drawing programs write
    groups. The frame becomes a node of the network only if a link ends at it.

    Raises:
        BadInput: Links of one graph lead one way and links of another both ways.
        ParseError: The file is not XML.
    """
    root = ET.fromstring(data)  # noqa: S314  entities were refused before
    graphs = [element for element in root.iter() if _is(element, "graph")]
    for graph, line in zip(graphs, lines.graphs, strict=True):
        if graph.get("edgedefault") != graphs[0].get("edgedefault"):
            lines.refuse("one graph of the file is directed, and another is not", line)
    linked = {end for ends in lines.links for end in ends}
    parts = [part for graph in graphs for part in graph if not _is(part, "data")]
    for graph in graphs:
        graph[:] = [part for part in graph if _is(part, "data")]
    for graph in [graph for graph in root if _is(graph, "graph")][1:]:
        root.remove(graph)
    for part in parts:
        inner = [element for element in part if _is(element, "graph")]
        if inner and part.get("id") not in linked:
            continue
        for graph in inner:
            part.remove(graph)
        part.attrib.pop("yfiles.foldertype", None)
        blank = [element for element in part if _is(element, "data") and not len(element)]
        for element in blank:
            if not (element.text or "").strip():
                part.remove(element)
        graphs[0].append(part)
    return ET.tostring(root)


def _is(element: Element, name: str) -> bool:
    return element.tag.rpartition("}")[2] == name


def _place(path: str, line: int | None) -> str:
    return path if line is None else f"{path}:{line}"


def _lines(data: bytes, path: str) -> _Lines:
    lines = _Lines(path)
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        lines.add(tag, attributes, parser.CurrentLineNumber)

    def declare(name: str, *_: object) -> None:
        # A few entities that refer to each other can expand to a text larger than memory.
        lines.refuse(
            f"{path} declares the entity {name!r}: put the entity's text in place of each use",
            parser.CurrentLineNumber,
        )

    parser.StartElementHandler = start
    parser.EntityDeclHandler = declare
    try:
        parser.Parse(data, True)  # noqa: FBT003  expat's own
    except expat.ExpatError as error:
        problem = expat.errors.messages[error.code]
        message = f"{path} is not XML: {problem}\n --> {path}:{error.lineno}:{error.offset + 1}"
        raise BadInput(message) from error
    except (LookupError, ValueError) as error:
        raise BadInput(f"{path} cannot be decoded: {error}") from error
    lines.refuse_loose_ends()
    return lines
