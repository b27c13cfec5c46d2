"""A GraphML file becomes a scenario with the same network; what is wrong with it is said where."""

from __future__ import annotations

import io
import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from cellrate import _core
from cellrate.common.problems import BadInput
from cellrate.simulation.graphml import GraphOptions, scenario_of
from cellrate.simulation.network import Network
from cellrate.simulation.network.ethernet_view import FrameNetwork
from conftest import Command
from hypothesis import given, settings
from hypothesis import strategies as st

SMALL = """<?xml version="1.0"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="r" for="edge" attr.name="rate" attr.type="string"/>
  <key id="n" for="edge" attr.name="rate_bits_per_second" attr.type="double"/>
  <key id="l" for="edge" attr.name="length" attr.type="string"/>
  <key id="k" for="node" attr.name="kind" attr.type="string"/>
  <key id="t" for="node" attr.name="flows_to" attr.type="string"/>
  <key id="b" for="node" attr.name="buffer" attr.type="string"/>
  <graph edgedefault="undirected">
    <node id="h1"><data key="t">h2</data></node>
    <node id="h2"/>
    <node id="S"><data key="k">switch</data><data key="b">1000 cells</data></node>
    <edge source="h1" target="S"><data key="r">25.6 Mbit/s</data><data key="l">10 km</data></edge>
    <edge source="S" target="h2"><data key="n">2e7</data><data key="l">1000 km</data></edge>
  </graph>
</graphml>
"""


def test_a_file_becomes_a_scenario_that_runs(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "small.graphml"
    file.write_text(SMALL, encoding="utf-8")
    done = command("import-graph", file, "--flow", "h2:h1", "--duration", "20 ms")
    assert done.returncode == 0, done.stderr
    network = Network.of(done.stdout)
    assert {node.name: node.switch is None for node in network.nodes} == {
        "h1": True,
        "h2": True,
        "S": False,
    }
    assert [link.delay_seconds for link in network.links] == [5e-5, 5e-5, 5e-3, 5e-3]
    assert [flow.name for flow in network.flows] == ["f1.1", "f2.1"]
    assert tomllib.loads(done.stdout)["topology"]["node"][2]["buffer"] == "1000 cells"
    summary = json.loads(_core.Scenario(done.stdout, "small", []).run().summary())
    assert summary["flows"][0]["delivered_bytes"] > 0


@pytest.mark.parametrize(
    ("found", "instead", "line", "words"),
    [
        ('">25.6 Mbit/s<', '">fast<', 13, "rate: "),
        ('"r">25.6 Mbit/s<', '"l">25.6 Mbit/s<', 13, "a link has no rate"),
        ('"n">2e7<', '"n">-2e7<', 14, "rate_bits_per_second: "),
        ('"n">2e7</data><data key="l">1000 km', '"n">2e7</data><data key="l">1000', 14, "length: "),
        ("h2</data>", "h3</data>", 10, "hosts: h1, h2"),
        ("h2</data>", "S</data>", 10, "no host, but a switch"),
        ('"b">1000 cells', '"b">1000 apples', 12, "buffer: "),
        ('"k">switch', '"k">router', 12, "allowed: host, switch"),
        ('<edge source="S" target="h2">', '<edge source="S" target="S">', 14, "to itself"),
        ('<edge source="S" target="h2">', '<edge source="h1" target="S">', 14, "--join-parallel"),
        ('<node id="h2"/>', '<node id="h2">', 15, "is not XML: mismatched tag"),
    ],
)
def test_what_is_wrong_is_said_where(found: str, instead: str, line: int, words: str) -> None:
    assert found in SMALL
    broken = SMALL.replace(found, instead, 1)
    with pytest.raises(BadInput) as caught:
        scenario_of(broken.encode(), "net.graphml", GraphOptions())
    assert words in str(caught.value)
    assert f" --> net.graphml:{line}" in str(caught.value)


EMPTY_DEFAULT = '<key id="e" for="node" attr.name="e" attr.type="boolean"><default/></key><key '
ENTITY = '<!DOCTYPE graphml [<!ENTITY a "aaaa">]>\n<graphml xmlns='


@pytest.mark.parametrize(
    ("found", "instead", "words"),
    [
        ('"1.0"?', '"1.0" encoding="foo"?', "cannot be decoded: unknown encoding: foo"),
        ('"1.0"?', '"1.0" encoding="big5"?', "cannot be decoded: multi-byte"),
        (
            "<graphml xmlns=",
            ENTITY,
            (
                "declares the entity 'a': put the entity's text in place of each use\n"
                " --> net.graphml:2"
            ),
        ),
        ('"n">2e7<', '"i">' + "9" * 400 + "<", "which is not a number\n --> net.graphml:14"),
        ("<key ", EMPTY_DEFAULT, "cannot be read as GraphML: an element is empty"),
    ],
)
def test_a_hostile_file_is_refused(found: str, instead: str, words: str) -> None:
    key = '<key id="i" for="edge" attr.name="LinkSpeedRaw" attr.type="long"/>'
    broken = SMALL.replace(found, instead, 1).replace('<key id="b"', f'{key}<key id="b"')
    with pytest.raises(BadInput) as caught:
        scenario_of(broken.encode(), "net.graphml", GraphOptions())
    assert words in str(caught.value)


def test_options_say_what_the_file_leaves_open(command: Command, tmp_path: Path) -> None:
    graph = nx.path_graph(["New York", "Chicago", "Los Angeles"])
    nx.set_node_attributes(graph, "switch", "kind")
    nx.set_edge_attributes(graph, 155_520_000, "LinkSpeedRaw")
    file = tmp_path / "zoo.graphml"
    nx.write_graphml(graph, file)
    flow = ("--flow", "h.New-York:h.Los-Angeles")
    asked = ("import-graph", file, "--host-rate", "25.6 Mbit/s", "--service", "ubr", *flow)
    bare = command(*asked)
    assert bare.returncode == 2
    assert "a link has no delay or length; --delay sets it" in bare.stderr
    done = command(*asked, "--delay", "1000 km")
    assert done.returncode == 0, done.stderr
    [found] = Network.of(done.stdout).flows
    assert [link.bits_per_second for link in found.forward] == [25.6e6, 155.52e6, 155.52e6, 25.6e6]
    for wrong, words in [
        ("h.Boston:h.Chicago", "no node named 'h.Boston'"),
        ("h.Chicago", "FROM:TO"),
    ]:
        refused = command(*asked, "--delay", "1 ms", "--flow", wrong)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert words in refused.stderr


@st.composite
def graphs(draw: st.DrawFn) -> Any:  # noqa: ANN401  networkx has no types
    """Some switches that hang together, two hosts, and whatever else links them."""
    graph = nx.DiGraph() if draw(st.booleans()) else nx.Graph()
    count = draw(st.integers(1, 6))
    graph.add_nodes_from(
        [(f"s{number}", {"kind": "switch"}) for number in range(count)]
        + [("h1", {"kind": "host", "flows_to": "h2"}), ("h2", {"kind": "host"})]
    )
    tree = [(f"s{draw(st.integers(0, number - 1))}", f"s{number}") for number in range(1, count)]
    number = st.integers(0, count - 1)
    chords = [(f"s{one}", f"s{other}") for one, other in draw(st.lists(st.tuples(number, number)))]
    hosts = [("h1", f"s{draw(number)}"), (f"s{draw(number)}", "h2")]
    for one, other in [*tree, *chords, *hosts]:
        if one != other:
            both = [(one, other), (other, one)] if graph.is_directed() else [(one, other)]
            for ends in both:
                graph.add_edge(
                    *ends,
                    rate_bits_per_second=draw(st.integers(1_000, 10**10)),
                    delay_seconds=draw(st.integers(0, 10**9)) / 1e12,
                )
    return graph


@settings(max_examples=60, deadline=None, derandomize=True)
@given(graphs())
def test_what_networkx_writes_is_read_back_the_same(graph: Any) -> None:  # noqa: ANN401
    written = io.BytesIO()
    nx.write_graphml(graph, written)
    network = Network.of(scenario_of(written.getvalue(), "random", GraphOptions(service="ubr")))
    kinds = nx.get_node_attributes(graph, "kind")
    assert {node.name: "switch" if node.switch else "host" for node in network.nodes} == kinds
    expected: dict[tuple[str, str], tuple[float, float]] = {}
    for one, other, data in graph.edges(data=True):
        line = (data["rate_bits_per_second"], round(data["delay_seconds"] * 1e12))
        expected[one, other] = line
        if not graph.is_directed():
            expected[other, one] = line
    assert {
        (link.sender.name, link.receiver.name): (
            link.bits_per_second,
            round(link.delay_seconds * 1e12),
        )
        for link in network.links
    } == expected
    [flow] = network.flows
    assert (flow.forward[0].sender.name, flow.forward[-1].receiver.name) == ("h1", "h2")


GRAPHML = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{}</graphml>'
GIVEN = GraphOptions(rate="100 Mbit/s", delay="100 km")


def network_of(graphs: str, flow: tuple[str, str], options: GraphOptions = GIVEN) -> Network:
    """The network of a file with these graphs."""
    asked = replace(options, flows=[flow])
    return Network.of(scenario_of(GRAPHML.format(graphs).encode(), "net.graphml", asked))


def names(network: Network) -> list[str]:
    return [node.name for node in network.nodes]


INNER = """
<graph edgedefault="undirected"><node id="west"/><node id="mid"/><node id="east"/>
  <node id="pop" {}><graph edgedefault="undirected"><node id="a"/><node id="b"/>
    <edge source="a" target="b"/></graph></node>
  {}</graph>
"""
ACROSS = '<edge source="west" target="a"/><edge source="b" target="east"/>'
AT_POP = (
    '<edge source="west" target="mid"/><edge source="mid" target="east"/>'
    '<edge source="mid" target="pop"/>'
)


@pytest.mark.parametrize("kind", ["", 'yfiles.foldertype="group"', 'yfiles.foldertype="folder"'])
def test_a_node_with_a_graph_inside_is_a_frame(kind: str) -> None:
    """The way leads through the nodes inside; the frame itself, to which no link leads, is none."""
    network = network_of(INNER.format(kind, ACROSS), ("west", "east"))
    assert names(network) == ["west", "mid", "east", "a", "b"]
    assert len(network.links) == 2 * 3


def test_a_node_with_a_graph_inside_is_a_node_if_a_link_ends_at_it() -> None:
    network = network_of(INNER.format("", AT_POP), ("west", "east"))
    assert names(network) == ["west", "mid", "east", "pop", "a", "b"]
    assert len(network.links) == 2 * 4


def test_all_graphs_of_a_file_are_read() -> None:
    def graph(a: str, b: str, c: str, kind: str) -> str:
        inside = f'<node id="{a}"/><node id="{b}"/><node id="{c}"/>'
        edges = f'<edge source="{a}" target="{b}"/><edge source="{b}" target="{c}"/>'
        return f'\n<graph edgedefault="{kind}">{inside}{edges}</graph>'

    both = graph("a", "s", "b", "undirected") + graph("c", "t", "d", "undirected")
    assert names(network_of(both, ("c", "d"))) == list("asbctd")
    with pytest.raises(
        BadInput, match=r"one graph of the file is directed, and another is not\n.*:3"
    ):
        network_of(
            graph("a", "s", "b", "undirected") + graph("c", "t", "d", "directed"), ("a", "b")
        )


@pytest.mark.parametrize("blank", ["", " \n ", "nan", "NaN"])
@pytest.mark.parametrize(
    "attribute",
    ["rate", "rate_bits_per_second", "LinkSpeedRaw", "delay", "length", "delay_seconds"],
)
def test_what_a_file_leaves_open_is_taken_from_the_options(attribute: str, blank: str) -> None:
    kind = (
        "double"
        if attribute in {"rate_bits_per_second", "LinkSpeedRaw", "delay_seconds"}
        else "string"
    )
    key = f'<key id="k" for="edge" attr.name="{attribute}" attr.type="{kind}"/>'
    nodes = '<node id="a"/><node id="s"/><node id="b"/>'
    edges = f'<edge source="a" target="s"><data key="k">{blank}</data></edge>'
    edges += '<edge source="s" target="b"/>'
    found = network_of(f'{key}<graph edgedefault="undirected">{nodes}{edges}</graph>', ("a", "b"))
    assert {(link.bits_per_second, link.delay_seconds) for link in found.links} == {(1e8, 5e-4)}


def test_maps_of_archives_have_equal_names_and_second_links() -> None:
    key = '<key id="l" for="node" attr.name="label" attr.type="string"/>'
    labels = ["Graz", "Graz", "", "?", "Graz"]
    nodes = "".join(
        f'<node id="n{at}"><data key="l">{label}</data></node>' for at, label in enumerate(labels)
    )
    ends = [(0, 1), (1, 2), (2, 3), (3, 4), (1, 2), (2, 1)]
    edges = "".join(f'<edge source="n{a}" target="n{b}"/>' for a, b in ends)
    graph = f'{key}<graph edgedefault="undirected">{nodes}{edges}</graph>'
    with pytest.raises(BadInput, match="two links from 'Graz-2' to 'n2'; --join-parallel"):
        network_of(graph, ("n0", "n4"))
    found = network_of(graph, ("n0", "n4"), replace(GIVEN, join_parallel=True))
    assert names(found) == ["Graz", "Graz-2", "n2", "n3", "Graz-3"]
    rates = {link.name: link.bits_per_second for link in found.links}
    assert rates["Graz-2->n2"] == rates["n2->Graz-2"] == 3e8
    assert rates["Graz->Graz-2"] == 1e8


def test_control_characters_stay_out_of_comments() -> None:
    key = '<key id="l" for="node" attr.name="label" attr.type="string"/>'
    graph = (
        f'{key}<graph edgedefault="undirected"><node id="a"><data key="l">left\x7f</data></node>'
        '<node id="s"/><node id="b"/><edge source="a" target="s"/><edge source="s" target="b"/>'
        "</graph>"
    )
    text = scenario_of(
        GRAPHML.format(graph).encode(), "a\x7fb\x01.graphml", replace(GIVEN, flows=[("left-", "b")])
    )
    assert Network.of(text).nodes[0].name == "left-"


ETHERNET = GraphOptions(link_layer="ethernet")


def test_a_file_becomes_a_network_of_ethernet_that_runs(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "small.graphml"
    file.write_text(SMALL.replace("1000 cells", "300 kB"), encoding="utf-8")
    asked = ("--link-layer", "ethernet", "--flow", "h2:h1", "--duration", "20 ms")
    done = command("import-graph", file, *asked)
    assert done.returncode == 0, done.stderr
    network = FrameNetwork.of_scenario(_core.Scenario(done.stdout, "small", []))
    assert [(line.name, line.bits_per_second, line.delay_seconds) for line in network.lines] == [
        ("h1->S", 25.6e6, 5e-5),
        ("S->h1", 25.6e6, 5e-5),
        ("h2->S", 2e7, 5e-3),
        ("S->h2", 2e7, 5e-3),
    ]
    assert [line.buffer_bytes for line in network.ports] == [300_000, 300_000]
    assert [flow.name for flow in network.flows] == ["f1.1", "f2.1"]
    summary = json.loads(_core.Scenario(done.stdout, "small", []).run().summary())
    assert summary["link_layer"] == "ethernet"
    assert summary["flows"][0]["delivered_bytes"] > 0


def test_both_link_layers_have_one_network() -> None:
    text = SMALL.replace("1000 cells", "infinite")
    cells = Network.of(scenario_of(text.encode(), "net", GraphOptions(service="ubr")))
    written = scenario_of(text.encode(), "net", ETHERNET)
    frames = FrameNetwork.of_scenario(_core.Scenario(written, "net", []))
    lines = [(line.name, line.bits_per_second, line.delay_seconds) for line in frames.lines]
    links = [(link.name, link.bits_per_second, link.delay_seconds) for link in cells.links]
    assert lines == links
    # A buffer without limit is no key over Ethernet.
    assert "buffer =" not in written.partition("[[topology.node]]")[2]


@pytest.mark.parametrize(
    ("found", "instead", "words"),
    [
        (">25.6 Mbit/s<", ">300 cells/ms<", "rate: `300 cells/ms` counts ATM cells"),
        (">25.6 Mbit/s<", ">25 Mbit/s payload<", "`25 Mbit/s payload` counts ATM cells"),
        (">25.6 Mbit/s<", ">DS3<", "rate: `DS3` counts ATM cells"),
        ("300 kB", "1000 cells", "buffer: `1000 cells` counts ATM cells"),
    ],
)
def test_ethernet_has_no_quantities_of_cells(found: str, instead: str, words: str) -> None:
    broken = SMALL.replace("1000 cells", "300 kB").replace(found, instead, 1)
    with pytest.raises(BadInput, match=words) as caught:
        scenario_of(broken.encode(), "net.graphml", ETHERNET)
    assert " --> net.graphml:1" in str(caught.value)


def test_ethernet_has_no_service_classes() -> None:
    options = replace(ETHERNET, service="ubr")
    with pytest.raises(BadInput, match="--service ubr: flows over Ethernet have no service class"):
        scenario_of(SMALL.encode(), "net.graphml", options)


def test_a_map_of_an_archive_becomes_a_network_of_ethernet() -> None:
    """A ring of four nodes with equal names, a second link, a frame, and hosts at every switch."""
    key = '<key id="l" for="node" attr.name="label" attr.type="string"/>'
    nodes = "".join(f'<node id="n{at}"><data key="l">Graz</data></node>' for at in range(4))
    edges = "".join(
        f'<edge source="n{a}" target="n{b}"/>' for a, b in [(0, 1), (1, 2), (2, 3), (3, 0), (0, 1)]
    )
    frame = f'<node id="frame"><graph edgedefault="undirected">{nodes}</graph></node>'
    graph = f'{key}<graph edgedefault="undirected">{frame}{edges}</graph>'
    asked = replace(
        ETHERNET,
        rate="10 Gbit/s",
        delay="100 km",
        host_rate="1 Gbit/s",
        join_parallel=True,
        flows=[("h.Graz", "h.Graz-3")],
    )
    text = scenario_of(GRAPHML.format(graph).encode(), "ring.graphml", asked)
    sprayed = _core.Scenario(text, "ring", ['switch.multipath="random"'])
    [flow] = FrameNetwork.of_scenario(sprayed).flows
    # Two ways round the ring have three links each.
    assert [[line.name for line in hop] for hop in flow.hops] == [
        ["h.Graz->Graz"],
        ["Graz->Graz-2", "Graz->Graz-4"],
        ["Graz-2->Graz-3", "Graz-4->Graz-3"],
        ["Graz-3->h.Graz-3"],
    ]
    assert [line.bits_per_second for line in flow.hops[1]] == [20e9, 10e9]
