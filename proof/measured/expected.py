"""The committed page of predictions and runs: `python -m proof.measured.expected DIRECTORY`."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from cellrate import _core
from cellrate.advice.explain import Explanation, explain
from cellrate.advice.explain.answer import Statement
from cellrate.advice.sizing.question import Question
from cellrate.reproduce.papers import papers_root
from cellrate.simulation.network import Network
from cellrate.simulation.run_types import Runner
from cellrate.simulation.runner import Job, default_store, run_many

TOTAL = "bound_bits_per_second"
QUEUE = "queue_cells"
# Formulas that limit the queue from the start on.
LIMITS = frozenset({"buffer-law", "q-max", "window-sum", "n-d-d-1", "credit-buffer"})
# Measures from the start, without traces and events.
WHOLE = ('measure.from="0 s"', "measure.traces=[]", "measure.events=[]")
INTRODUCTION = """# Expected and measured

Written by `python -m proof.measured.expected docs/evidence`: the predictions of `cellrate
explain` for the scenarios of the papers and of the templates, beside runs with the scenarios' own
seeds, measured from start to end. Brackets mark a prediction of which an assumption fails. The
queue is that of the port with the longest queue, in a run without limits on buffers; throughput and
losses are those of the scenario as it is.

| scenario | TCP at most, Mbit/s | measured | queue, cells | measured | loss | cells lost |
|---|--:|--:|---|--:|---|--:|
"""
AFTER = """
{broken}

Reasons for differences between theory and simulation:

- A throughput far below its bound is due to what the switches allocate, to slow start and to
  timeouts, which the bound ignores.
- `efci-cycle` is the queue of the steady cycle, not a bound: the model assumes continuous feedback,
  while a source receives it with its RM cells only, every N Nrm / BW; so the queue becomes longer.
  `q-max` holds.
- A queue longer than `window-sum` holds segments that were retransmitted after premature timeouts.
- ERICA's law is a worst case; most queues are far below it.
"""


@dataclass(frozen=True)
class Row:
    """A scenario with its predictions and measured results.

    Attributes:
        name: Name of the scenario.
        explanation: The predictions.
        summary: Results of its run.
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
        """Bound on and measured TCP throughput in bit/s."""
        bounds = (one for one in self.explanation.statements if TOTAL in one.values)
        measured = float(self.summary["totals"]["tcp_throughput_bits_per_second"])
        return next(bounds, None), measured

    @property
    def losses(self) -> tuple[set[str], int]:
        """The predictions of loss at all ports, and the number of cells lost."""
        said = (one.values.get("expected") for one in self.explanation.statements)
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
            one.formula
            for one in self._queues(port)
            if one.formula in LIMITS and one.applies and cells > _number(one, QUEUE)
        )
        return found + [f"`{self.name}`: {cells:,} cells are beyond `{name}`" for name in beyond]

    def line(self) -> str:
        """The row of the table."""
        bound, measured = self.throughput
        port, cells = self.port
        expected, lost = self.losses
        return (
            f"| {self.name} | {_megabits(bound)} | "
            f"{measured / 1e6:.2f} | {self._formulas(port)} | {cells:,} | "
            f"{', '.join(sorted(expected)) or '-'} | {lost:,} |\n"
        )

    def _formulas(self, port: str) -> str:
        shown = []
        for one in self._queues(port):
            text = f"`{one.formula}` {_number(one, QUEUE):,.0f}"
            shown.append(f"({text})" if one.fails else text)
        return ", ".join(shown) or "-"

    def _queues(self, port: str) -> list[Statement]:
        """Statements of formulas about the queue of a port."""
        said = (one for one in self.explanation.statements if one.formula and QUEUE in one.values)
        return [one for one in said if one.values["port"] == port]


def _number(statement: Statement, key: str) -> float:
    return cast("float", statement.values[key])


def _megabits(bound: Statement | None) -> str:
    return "-" if bound is None else f"{_number(bound, TOTAL) / 1e6:.2f}"


def main(arguments: Sequence[str]) -> int:
    """Writes the page into the directory that the argument names."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m proof.measured.expected DIRECTORY\n")
        return 2
    runner = functools.partial(run_many, store=default_store(Path("out") / "results"))
    text = page(rows(scenarios(), runner))
    (Path(arguments[0]) / "expected.md").write_text(text, encoding="utf-8", newline="\n")
    return 0


def scenarios() -> dict[str, str]:
    """Every scenario of the papers, and every template, by name."""
    root = papers_root()
    found = {
        f"{path.parts[-3]}/{path.stem}": path.read_text(encoding="utf-8")
        for path in sorted(root.glob("*/scenarios/*.toml"))
    }
    templates = json.loads(_core.registry())["templates"]
    return found | {entry["name"]: _core.template(entry["name"]) for entry in templates}


def rows(texts: dict[str, str], runner: Runner) -> list[Row]:
    """Explains and runs each scenario."""
    networks = {name: Network.of(text, name) for name, text in texts.items()}
    as_is = [Job(text, name, WHOLE) for name, text in texts.items()]
    unlimited = [Question(text, name).job(networks[name].seed) for name, text in texts.items()]
    summaries = [json.loads(outcome.summary()) for outcome in runner([*as_is, *unlimited])]
    count = len(texts)
    return [
        Row(name, explain(network), summaries[index], summaries[count + index])
        for index, (name, network) in enumerate(networks.items())
    ]


def page(found: Iterable[Row]) -> str:
    """The page as Markdown."""
    listed = list(found)
    broken = [sentence for row in listed for sentence in row.broken()]
    lines = "\n".join(f"- {sentence}" for sentence in broken)
    verdict = f"Contradicted:\n\n{lines}" if broken else "No bound and no expectation is broken."
    return INTRODUCTION + "".join(row.line() for row in listed) + AFTER.format(broken=verdict)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
