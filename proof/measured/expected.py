"""Predictions beside runs, for docs/evidence/expected.md: `python -m proof.measured.expected`."""

import json
import tomllib
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
from proof.measured.explained import Found

TOTAL = "bound_bits_per_second"
QUEUE = "queue_cells"
# Settings that measure from the start, without traces and events.
WHOLE = ('measure.from="0 s"', "measure.traces=[]", "measure.events=[]")


@dataclass(frozen=True)
class Row:
    """A scenario with its predictions, its run, and a run without limits on buffers."""

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
    """Every scenario of the papers over ATM, and every template, by name."""
    found = {
        f"{path.parts[-3]}/{path.stem}": path.read_text(encoding="utf-8")
        for path in sorted(papers_root().glob("*/scenarios/*.toml"))
    }
    templates = json.loads(_core.registry())["templates"]
    found |= {entry["name"]: _core.template(entry["name"]) for entry in templates}
    return {name: text for name, text in found.items() if "link_layer" not in tomllib.loads(text)}


def rows(texts: dict[str, str], runs: Runner) -> tuple[list[Row], Found]:
    """Explains and runs each scenario, and one without limits on buffers."""
    networks = {name: Network.of(text, name) for name, text in texts.items()}
    as_is = [Job(text, name, WHOLE) for name, text in texts.items()]
    unlimited = [Question(text, name).job(networks[name].seed) for name, text in texts.items()]
    found, summaries = Found(), []
    for job, outcome in zip([*as_is, *unlimited], runs([*as_is, *unlimited]), strict=True):
        found.add(job, explain(Network.of_scenario(job.scenario())), outcome)
        summaries.append(json.loads(outcome.summary()))
    pairs = zip(summaries[: len(texts)], summaries[len(texts) :], strict=True)
    explained = zip(networks.items(), pairs, strict=True)
    return [Row(name, explain(network), *pair) for (name, network), pair in explained], found


def main() -> int:
    """Writes the table of the page; 1 if a run contradicts a statement."""
    shown, found = rows(scenarios(), runner())
    write_rows("expected.md", [row.cells() for row in shown])
    wrong = [topic for topic, right in found.right.items() if not all(right)]
    print(*found.broken, *wrong, sep="\n")
    return int(bool(found.broken or wrong))


if __name__ == "__main__":
    end_with(main)
