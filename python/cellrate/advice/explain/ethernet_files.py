"""Earliest completion of files over Ethernet, by the line that needs longest."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from cellrate.advice.explain.answer import Prediction, Statement
from cellrate.advice.explain.claims import Claim
from cellrate.advice.formulas.frame_bounds import FrameBounds
from cellrate.common.numbers import seconds
from cellrate.simulation.network.ethernet_view import (
    FrameFlow,
    Line,
)


def completion(
    bounds: FrameBounds, groups: dict[str, tuple[FrameFlow, ...]]
) -> Iterator[Prediction]:
    """Statement on the earliest completion of a group's files, by the line that needs longest."""
    for name, flows in groups.items():
        if flows[0].kind != "transfer":
            continue
        over = _by_line(flows)
        least, line = max(
            ((bounds.completion(files, line), line) for line, files in over.items()),
            key=lambda one: one[0],
        )
        chain = bounds.collective(flows) if any(flow.after for flow in flows) else -math.inf
        if chain > least:
            yield Statement(
                "completion",
                f"{name}: the last flow cannot end before {seconds(chain)} after the start of the "
                "run: flows await one another, and a chain of them takes so long over empty lines.",
                {"group": name, "flows": len(flows), "earliest_end_seconds": chain},
                kind="bound",
                claims=(Claim("end", name, "at least", chain, "completion"),),
            )
            continue
        count = len(over[line])
        files = f"{count} files that cross" if count > 1 else "the longest file over"
        takes = "take" if count > 1 else "takes"
        extra = "headers, preambles and gaps"
        if all(flow.flow_credit_line_bytes is not None for flow in flows):
            extra = "headers, preambles, gaps and credits of the way back"
        yield Statement(
            "completion",
            f"{name}: the last file cannot end before {seconds(least)} after the start of the "
            f"run: {files} {line.name} {takes} so long with {extra}. A run counts the time of each "
            "file from the file's own start.",
            {"group": name, "port": line.name, "files": count, "earliest_end_seconds": least},
            kind="bound",
            claims=(Claim("end", name, "at least", least, "completion"),),
        )
    yield from _of_several_groups(bounds)


def _by_line(flows: Iterable[FrameFlow]) -> dict[Line, list[FrameFlow]]:
    """Flows by each line that all their data cross."""
    over: dict[Line, list[FrameFlow]] = {}
    for flow in flows:
        for line in flow.forward:
            over.setdefault(line, []).append(flow)
    return over


def _of_several_groups(bounds: FrameBounds) -> Iterator[Statement]:
    """Statement on the earliest end of files of several groups, by the line that needs longest."""
    files = [flow for flow in bounds.network.flows if flow.kind == "transfer" and flow.sends]
    over = _by_line(flow for flow in files if flow.tcp is not None or flow.roce is not None)
    shared = {
        line: flows for line, flows in over.items() if len({flow.group for flow in flows}) > 1
    }
    if not shared:
        return
    least = {line: bounds.completion(flows, line) for line, flows in shared.items()}
    line = max(least, key=least.__getitem__)
    groups = list(dict.fromkeys(flow.group for flow in shared[line]))
    yield Statement(
        "completion",
        f"{', '.join(groups[:-1])} and {groups[-1]}: the last of their "
        f"{len(shared[line])} files that cross {line.name} cannot end before "
        f"{seconds(least[line])} after the start of the run, since together they take so long.",
        {
            "groups": groups,
            "port": line.name,
            "files": len(shared[line]),
            "earliest_end_seconds": least[line],
        },
        kind="bound",
        claims=(Claim("end", "", "at least", least[line], "completion"),),
    )
