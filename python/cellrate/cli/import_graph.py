"""`cellrate import-graph`: converts a GraphML file to a scenario."""

from __future__ import annotations

import sys
from typing import Annotated

from cyclopts import Parameter

from cellrate.common.input_file import MOST_BYTES, read_bytes, read_stream
from cellrate.common.problems import BadInput, choose, reading
from cellrate.simulation.graphml import SERVICES, GraphOptions, scenario_of
from cellrate.simulation.source import STANDARD_INPUT


def import_graph(
    file: Annotated[
        str,
        Parameter(name="FILE", allow_leading_hyphen=True, help="GraphML; - is standard input."),
    ],
    /,
    *,
    flow: Annotated[
        list[str],
        Parameter(
            show_default=False,
            negative="",
            help="A flow between two hosts, FROM:TO, in addition to those of the file; repeatable.",
        ),
    ] = [],  # noqa: B006  cyclopts never changes it
    service: Annotated[str, Parameter(help="Service class of the flows.")] = "abr",
    rate: Annotated[
        str | None, Parameter(help="Rate of links whose rate the file does not give.")
    ] = None,
    delay: Annotated[
        str | None,
        Parameter(help="Delay or length (as in 300 km) of links for which the file gives neither."),
    ] = None,
    host_rate: Annotated[
        str | None,
        Parameter(help="Give every switch a host, named h.SWITCH, over a link of this rate."),
    ] = None,
    host_delay: Annotated[str, Parameter(help="Delay or length of these links.")] = "1 km",
    duration: Annotated[str, Parameter(help="Simulated time.")] = "1 s",
    join_parallel: Annotated[
        bool,
        Parameter(
            negative="",
            help="Make one link of several between two nodes: the sum of their rates, the longest "
            "of their delays.",
        ),
    ] = False,
) -> None:
    """Print a scenario with the nodes and links of a GraphML file, as a start for your own.

    The attribute `kind` of a node is host or switch; without it, a node with at most one neighbour
    is a host. Links have `rate` ("155.52 Mbit/s") and `delay` or `length` ("300 km") as text, or
    `rate_bits_per_second`, `delay_seconds`, `length_km` as numbers. Hosts may name other hosts in
    `flows_to`, switches may have a `buffer` ("1000 cells"). Of nodes with one name the second gets
    `-2`. All graphs of the file are read; a node with a graph inside is a frame around its nodes
    unless a link ends at it. Needs networkx: the extra `graph`.
    """
    with reading(file):
        if file == STANDARD_INPUT:
            data = read_stream(sys.stdin.buffer, MOST_BYTES)
        else:
            data = read_bytes(file)
    options = GraphOptions(
        rate=rate,
        delay=delay,
        flows=[_ends(text) for text in flow],
        service=choose(service, SERVICES, "service"),
        host_rate=host_rate,
        host_delay=host_delay,
        duration=duration,
        join_parallel=join_parallel,
    )
    sys.stdout.write(scenario_of(data, "<stdin>" if file == STANDARD_INPUT else file, options))


def _ends(text: str) -> tuple[str, str]:
    source, colon, destination = text.partition(":")
    if not (source and colon and destination):
        raise BadInput(f"--flow {text!r}: must be FROM:TO, the names of two hosts")
    return source, destination
