"""Cells of constant rate that a port certainly sends before all cells of TCP."""

from __future__ import annotations

from collections.abc import Iterator

from cellrate.advice.explain.subject import Subject
from cellrate.simulation.network import Flow, Link, peak_cells_per_second


def served_first_cells_per_second(subject: Subject, port: Link) -> float:
    """Lower bound of the mean rate in the measuring window of cells that a port sends before TCP.

    N sources of constant rate, together r cells/s, bring at least r T - N cells in any time T. The
    port sends them before TCP at the lesser of r and its own rate C. It loses some of them only
    while more than N of them wait, so the losses delay none of the cells that it sends: in a time T
    it sends at least min(r, C) T - N - 1 of them. One cell of TCP may be under way.
    """
    known = subject.known_first
    if port not in known:
        known[port] = _computed(subject, port)
    return known[port]


def _computed(subject: Subject, port: Link) -> float:
    sources = list(_sources(subject, port)) if port.is_port else []
    if not sources or port.switch.unrefused_cells <= len(sources):
        return 0.0
    steady = max(map(_begin_seconds, sources)) + subject.network.start_jitter_seconds
    seconds = max(0.0, subject.end_seconds - max(subject.begin_seconds, steady))
    rate = sum(map(peak_cells_per_second, sources))
    if rate > port.cells_per_second:
        rate = port.cells_per_second if port.switch.stays_full else 0.0
    return max(0.0, (rate * seconds - len(sources) - 1) / subject.window_seconds)


def _sources(subject: Subject, port: Link) -> Iterator[Flow]:
    """Sources of constant rate that nothing slows down on the way to a port, in earlier queues."""
    network = subject.network
    flows = network.flows_over(port)
    queues = [port.switch.queue_of(flow.service) for flow in flows if flow.tcp is not None]
    if not queues or network.links_lose or network.credit is not None:
        return
    for flow in flows:
        checks = flow.abr, flow.policer, flow.shaper, flow.port_shaper
        alone = subject.flows_by_access[flow.access] == 1 and flow.forward[1] is port
        queue = port.switch.queue_of(flow.service)
        first = port.switch.is_strictly_before(queue, min(queues))
        if flow.kind == "cbr" and all(check is None for check in checks) and alone and first:
            yield flow


def _begin_seconds(flow: Flow) -> float:
    """Time from which the cells of a flow reach its first switch, without jitter of the start."""
    access = flow.access
    return flow.start_seconds + access.delay_seconds + 1 / access.cells_per_second
