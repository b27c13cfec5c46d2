"""Reads a GraphML file with networkx and finds the line of every node and link."""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn
from xml.etree.ElementTree import ParseError
from xml.parsers import expat

from cellrate.common.problems import BadInput

Attributes = Mapping[str, Any]


@dataclass(frozen=True)
class Drawn:
    """A node or a link of the file.

    Attributes:
        ends: Id of the node, or ids of both ends of the link.
        attributes: Attributes that the file gives it.
        place: File and line.
    """

    ends: tuple[str, ...]
    attributes: Attributes
    place: str

    def refuse(self, message: str) -> NoReturn:
        """Raises an error that ends with the place.

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
    """Line numbers of elements; several links between the same nodes are in their order."""

    path: str
    nodes: dict[str, int] = field(default_factory=dict)
    links: defaultdict[tuple[str, ...], list[int]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def refuse(self, message: str, line: int) -> NoReturn:
        """Raises an error that ends with the place.

        Raises:
            BadInput: Always.
        """
        raise BadInput(f"{message}\n --> {self.path}:{line}")

    def add(self, tag: str, attributes: Mapping[str, str], line: int) -> None:
        """Notes an element if it is a node or a link.

        Raises:
            BadInput: A node with this id has been noted.
        """
        match tag.rpartition(":")[2]:
            case "node":
                name = attributes.get("id", "")
                if name in self.nodes:
                    first = self.nodes[name]
                    self.refuse(f"the node {name!r} is there twice, first in line {first}", line)
                self.nodes[name] = line
            case "edge":
                ends = (attributes.get("source", ""), attributes.get("target", ""))
                self.links[ends].append(line)

    def refuse_loose_ends(self) -> None:
        """Checks that links end at nodes, which may stand behind them in the file.

        Raises:
            BadInput: One does not; networkx would make a node for it.
        """
        for ends, (first, *_) in self.links.items():
            for name in ends:
                if name not in self.nodes:
                    self.refuse(f"a link ends at {name!r}, which is no node of the file", first)


def read(data: bytes, path: str) -> Drawing:
    """Reads the nodes and links of a GraphML file.

    Args:
        data: The file's bytes.
        path: The file's name in error messages.

    Raises:
        BadInput: networkx is not installed; the file is not XML, not GraphML, or has no nodes.
    """
    try:
        import networkx as nx
    except ImportError as error:
        raise BadInput("GraphML is read by networkx: pip install 'cellrate[graph]'") from error
    lines = _lines(data, path)
    try:
        graph = nx.read_graphml(io.BytesIO(data))
    except AttributeError as error:
        # networkx needs the text of an element, such as the default of a key, that has none.
        why = "an element is empty that must have a value"
        raise BadInput(f"{path} is no GraphML that can be read: {why}") from error
    except (nx.NetworkXException, ParseError, KeyError, ValueError, TypeError) as error:
        raise BadInput(f"{path} is no GraphML that can be read: {error}") from error
    nodes = tuple(
        Drawn((str(name),), attributes, _place(path, lines.nodes.get(str(name))))
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
    return Drawn(ends, attributes, _place(path, numbers.pop(0) if numbers else None))


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
            f"{path} declares an entity, {name!r}: write its text", parser.CurrentLineNumber
        )

    parser.StartElementHandler = start
    parser.EntityDeclHandler = declare
    try:
        parser.Parse(data, True)  # noqa: FBT003  expat's own
    except expat.ExpatError as error:
        problem = expat.errors.messages[error.code]
        message = f"{path} is no XML: {problem}\n --> {path}:{error.lineno}:{error.offset + 1}"
        raise BadInput(message) from error
    except (LookupError, ValueError) as error:
        raise BadInput(f"{path} is in an encoding that is not read: {error}") from error
    lines.refuse_loose_ends()
    return lines
