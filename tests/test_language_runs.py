"""Runs as expressions see them, on summaries and traces written by hand."""

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from cellrate.language.expressions import ExpressionError, evaluate
from cellrate.language.measured import MEASURED
from cellrate.language.runs import Row, run_of
from cellrate.papers.runs import vocabulary
from conftest import SCENARIOS


def flow(name: str, lost: int, throughput: float, *, tcp: bool = True) -> dict[str, Any]:
    return {
        "name": name,
        "group": name.split(".")[0],
        "packets_lost": lost,
        "tcp_throughput_bits_per_second": throughput,
        "effective_throughput_ratio": throughput / 1e7,
        "completion_seconds": None,
        "balance": {"delivered_bytes": 5} if tcp else None,
    }


def queue(classes: list[str], longest: int) -> dict[str, Any]:
    return {"classes": classes, "queue_max_cells": longest}


SUMMARY = {
    "window_seconds": 2.0,
    "totals": {"cells_sent": 100, "jain_index": None},
    "flows": [flow("tcp.1", 3, 4e6), flow("tcp.2", 4, 2e6), flow("random.1", 9, 1e6, tcp=False)],
    "classes": [{"service": "abr", "cell_delay_std_seconds": 0.25}],
    "vcs": [
        {"name": "tcp.1/forward", "cells_sent": 8, "cells_dropped": 2},
        {"name": "tcp.2/forward", "cells_sent": 12, "cells_dropped": 3},
        {"name": "random.1/forward", "cells_sent": 99, "cells_dropped": 9},
    ],
    "ports": [
        {"name": "A->sink", "utilisation": 0.5, "queues": [queue(["cbr"], 99), queue(["abr"], 7)]},
        {"name": "A->src.1", "utilisation": 0.9, "queues": [queue(["ubr", "abr"], 2)]},
    ],
}
TIMES = [0.0, 0.1, 0.2, 0.3]
LOWS = [0.0, 1.0, 5.0, 2.0]
HIGHS = [0.0, 2.0, 6.0, 2.0]


class HandMade:
    """A finished run that nobody ran."""

    def summary(self) -> str:
        """The summary."""
        return json.dumps(SUMMARY)

    def resolved(self) -> str:
        """The scenario: the efci one of the tests."""
        return (SCENARIOS / "efci.toml").read_text("utf-8")

    def series(self) -> list[dict[str, object]]:
        """Two traces."""
        return [
            {"kind": "cwnd", "entity": e, "unit": "bytes", "points": 4} for e in ("tcp.1", "tcp.2")
        ]

    def series_data(self, index: int) -> tuple[bytes, bytes, bytes]:
        """Columns of a trace."""
        low, high = np.array(LOWS) + 10 * index, np.array(HIGHS) + 10 * index
        return np.array(TIMES).tobytes(), low.tobytes(), high.tobytes()

    def events(self) -> dict[str, list[object]]:
        """Four events."""
        return {
            "time_seconds": [0.1, 0.2, 0.2, 0.4],
            "kind": ["loss", "timeout", "loss", "loss"],
            "vc": ["tcp.1/forward", "tcp.1/forward", "tcp.2/forward", "tcp.1/forward"],
        }


def value(text: str) -> object:
    return evaluate(text, vocabulary() | {"run": run_of(HandMade(), "run"), "row": ROW})


ROW = Row("row", {(1, 2): lambda: run_of(HandMade(), "a"), (1, 3): lambda: run_of(HandMade(), "b")})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("run.window_seconds", 2.0),
        ("run.totals.cells_sent", 100),
        ("run.packets_lost", 7),
        ("run.throughput_mbit", 6.0),
        ("run.cell_loss_ratio", 0.25),
        ("run.effective_throughput", pytest.approx(0.6)),
        ("run.group('random').sum('packets_lost')", 9),
        ("run.tcp.values('packets_lost')", [3, 4]),
        ("run.tcp.mean('packets_lost')", 3.5),
        ("run.tcp.min('packets_lost') + run.tcp.max('packets_lost')", 7),
        ("run.tcp.jain('tcp_throughput_bits_per_second')", pytest.approx(36 / 40)),
        ("run.flow('tcp.2').balance.delivered_bytes", 5),
        ("run.vc('tcp.1').cells_sent", 8),
        ("run.service('abr').cell_delay_std_seconds", 0.25),
        ("run.port('A->sink').queue('cbr').queue_max_cells", 99),
        ("run.bottleneck.queue_max_cells", 7),
        ("run.bottleneck_port.name", "A->sink"),
        ("run.series('cwnd', 'tcp.1').values", HIGHS),
        ("run.series('cwnd', '*.1').at(0.25)", 6.0),
        ("run.series('cwnd', 'tcp.1').max()", 6.0),
        ("run.series('cwnd', 'tcp.1').min(0.1)", 1.0),
        ("run.series('cwnd', 'tcp.1').max(0.25, 1)", 2.0),
        ("run.series('cwnd', 'tcp.1').mean(0.1, 0.2)", 3.5),
        ("run.series('cwnd', 'tcp.1').spread(0.1, 0.2)", pytest.approx(2 / 3.5)),
        ("run.series_sum('cwnd').values", [10.0, 14.0, 22.0, 14.0]),
        ("run.series_sum('cwnd', 'tcp.*').min(0.1)", 12.0),
        ("run.series('cwnd', 'tcp.1').first_above(1.5)", 0.1),
        ("run.series('cwnd', 'tcp.1').first_above(9)", float("inf")),
        ("run.series('cwnd', 'tcp.1').first_below(3, 0.2)", 0.3),
        ("[s.at(0) for s in run.series_all('cwnd', 'tcp.*')]", [0.0, 10.0]),
        ("run.events('loss').count()", 3),
        ("run.events('loss').count(0.1, 0.2)", 1),
        ("run.events('loss').first(0.15)", 0.2),
        ("run.events('timeout').first(0.3)", float("inf")),
        ("run.events('loss').of('vc', 'tcp.1/*').times", [0.1, 0.4]),
        ("row.axis", [(1, 2), (1, 3)]),
        ("len(row)", 2),
        ("row[1, 3].packets_lost", 7),
        ("[r.packets_lost for r in row]", [7, 7]),
        ("run.scenario.duration_seconds", 0.3),
        ("run.scenario.link('src.source.1->A').delay_seconds", 1e-4),
        ("run.scenario.flow('source.5').abr.icr_bits_per_second", 5e6),
        ("run.scenario.switch('A').control.threshold_cells", 500),
    ],
)
def test_what_a_run_tells(text: str, expected: object) -> None:
    assert value(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("run.nothing", "has no `nothing`"),
        ("run.totals.jain_index", "was not measured"),
        ("run.flow('tcp')", "2 flows of `run` begin with"),
        ("run.flow('udp.1')", "no flows of `run` begin with"),
        ("run.scenario.link('A->nowhere')", "none of the links of the scenario is called"),
        ("run.group('udp')", "no flows of group udp"),
        ("run.port('A->sink').queue('vbr')", "no queue for vbr"),
        ("run.series('acr')", "no trace `acr`"),
        ("run.series('cwnd')", "several traces of cwnd: tcp.1, tcp.2"),
        ("run.series('cwnd', 'tcp.1').at(-1)", "no sample"),
        ("run.series('cwnd', 'tcp.1').max(0.31, 0.4)", "no samples"),
        ("row[2, 2]", r"it has [(1, 2), (1, 3)]"),
    ],
)
def test_what_is_missing_is_an_error(text: str, message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        value(text)
    assert message in str(caught.value)


def test_the_program_works_where_docstrings_are_left_out() -> None:
    code = """
import importlib, pkgutil
from cellrate import cli
from cellrate.language import measured, runs
for one in pkgutil.iter_modules(cli.__path__, "cellrate.cli."):
    importlib.import_module(one.name)
print(list(measured.MEASURED.values()))
"""
    without = subprocess.run(
        [sys.executable, "-OO", "-c", code], check=True, capture_output=True, text=True
    ).stdout
    assert without == f"{list(MEASURED.values())}\n"
    assert "Sum over the TCP flows" in without
