"""Predictions beside runs, for docs/evidence/expected.md: `python -m proof.measured.expected`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, cast

from cellrate import _core
from cellrate.advice.explain import Explanation, explain
from cellrate.advice.explain.answer import Statement
from cellrate.advice.sizing.question import Question
from cellrate.papers.collection import papers_root
from cellrate.simulation.network import Network
from cellrate.simulation.run_types import Runner
from cellrate.simulation.runner import Job

from proof.campaign import end_with, runner, write_rows

TOTAL = "bound_bits_per_second"
QUEUE = "queue_cells"
# Formulas that limit the queue from the start of the run.
LIMITS = frozenset({"buffer-law", "q-max", "window-sum", "n-d-d-1", "credit-buffer"})
# Settings that measure from the start, without traces and events.
WHOLE = ('measure.from="0 s"', "measure.traces=[]", "measure.events=[]")


@dataclass(frozen=True)
class Row:
    """A scenario with its predictions and measured results.

    Attributes:
        name: Name of the scenario.
        explanation: The predictions.
        summary: Results of the scenario's run.
        unlimited: Results of a run without limits on buffers.
    """

    name: str
    explanation: Explanation
    summary: dict[str, Any]
    unlimited: dict[str, Any]

    @property
    def port(self) -> tuple[str, int]:
        """The port with the longest queue, and the length of that queue in cells."""
        longest = (
            (queue["queue_max_cells"], port["name"])
            for port in self.unlimited["ports"]
            for queue in port["queues"]
        )
        cells, name = max(longest)
        return name, cells

    @property
    def throughput(self) -> tuple[Statement | None, float]:
        """Statement that bounds the TCP throughput, and the measured throughput in bit/s."""
        bounds = (
            statement for statement in self.explanation.statements if TOTAL in statement.values
        )
        measured = float(self.summary["totals"]["tcp_throughput_bits_per_second"])
        return next(bounds, None), measured

    @property
    def losses(self) -> tuple[set[str], int]:
        """The predictions of loss at all ports, and the number of cells lost."""
        said = (statement.values.get("expected") for statement in self.explanation.statements)
        expected = {str(value) for value in said if value is not None}
        return expected, int(self.summary["totals"]["cells_dropped"])

    def broken(self) -> list[str]:
        """Statements that the run contradicts."""
        found = []
        bound, measured = self.throughput
        if bound is not None and measured > _number(bound, TOTAL):
            found.append(f"`{self.name}`: {measured / 1e6:.2f} Mbit/s are beyond the bound")
        expected, lost = self.losses
        if expected == {"no"} and lost:
            found.append(f"`{self.name}`: lost {lost:,} cells where none was expected to be")
        if expected == {"yes"} and not lost:
            found.append(f"`{self.name}`: lost nothing where loss was expected")
        port, cells = self.port
        beyond = (
            statement.formula
            for statement in self._queues(port)
            if statement.formula in LIMITS
            and statement.applies
            and cells > _number(statement, QUEUE)
        )
        return found + [f"`{self.name}`: {cells:,} cells are beyond `{name}`" for name in beyond]

    def cells(self) -> list[str]:
        """The cells of the scenario's row in the table."""
        bound, measured = self.throughput
        port, cells = self.port
        expected, lost = self.losses
        return [
            self.name,
            "-" if bound is None else f"{_number(bound, TOTAL) / 1e6:.2f}",
            f"{measured / 1e6:.2f}",
            self._formulas(port),
            f"{cells:,}",
            ", ".join(sorted(expected)) or "-",
            f"{lost:,}",
        ]

    def _formulas(self, port: str) -> str:
        shown = []
        for statement in self._queues(port):
            text = f"`{statement.formula}` {_number(statement, QUEUE):,.0f}"
            shown.append(f"({text})" if statement.fails else text)
        return ", ".join(shown) or "-"

    def _queues(self, port: str) -> list[Statement]:
        """Statements of formulas about the queue of a port."""
        said = (
            statement
            for statement in self.explanation.statements
            if statement.formula and QUEUE in statement.values
        )
        return [statement for statement in said if statement.values["port"] == port]


def _number(statement: Statement, key: str) -> float:
    return cast("float", statement.values[key])


def scenarios() -> dict[str, str]:
    """Every scenario of the papers, and every template, by name."""
    root = papers_root()
    found = {
        f"{path.parts[-3]}/{path.stem}": path.read_text(encoding="utf-8")
        for path in sorted(root.glob("*/scenarios/*.toml"))
    }
    templates = json.loads(_core.registry())["templates"]
    return found | {entry["name"]: _core.template(entry["name"]) for entry in templates}


def rows(texts: dict[str, str], runs: Runner) -> list[Row]:
    """Explains and runs each scenario."""
    networks = {name: Network.of(text, name) for name, text in texts.items()}
    as_is = [Job(text, name, WHOLE) for name, text in texts.items()]
    unlimited = [Question(text, name).job(networks[name].seed) for name, text in texts.items()]
    summaries = [json.loads(outcome.summary()) for outcome in runs([*as_is, *unlimited])]
    count = len(texts)
    return [
        Row(name, explain(network), summaries[index], summaries[count + index])
        for index, (name, network) in enumerate(networks.items())
    ]


def main() -> int:
    """Writes the table of the page; 1 if a run contradicts a statement, which is printed."""
    found = rows(scenarios(), runner())
    write_rows("expected.md", [row.cells() for row in found])
    broken = [sentence for row in found for sentence in row.broken()]
    print(*broken, sep="\n")
    return int(bool(broken))


if __name__ == "__main__":
    end_with(main)
