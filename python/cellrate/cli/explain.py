"""`cellrate explain`: explains a scenario by theory before it runs."""

from __future__ import annotations

import json as jsonlib
import sys
import textwrap

from cellrate.advice import explain as explaining
from cellrate.cli.options import Json, ScenarioFile, Seed, Settings
from cellrate.common import terminal
from cellrate.common.problems import reading
from cellrate.simulation import source
from cellrate.simulation.network import Network


def explain(
    file: ScenarioFile,
    /,
    *,
    settings: Settings = [],  # noqa: B006  cyclopts never changes it
    seed: Seed = None,
    json: Json = False,
) -> None:
    """Say what theory expects of a scenario before it runs.

    Covers bottlenecks, fair shares, delays, bounds of throughput and queue, time constants,
    oscillation and loss. Each statement names its formula, which `cellrate theory` computes, and
    the assumptions that fail. Formulas that do not apply are listed with the reason.
    """
    with reading(file):
        text, name = source.read(file)
    explanation = explaining.explain(Network.of(text, name, settings, seed))
    if json:
        answer = {"scenario": name, "settings": settings, **explanation.as_json()}
        sys.stdout.write(jsonlib.dumps(answer, allow_nan=False) + "\n")
    else:
        _show(explanation, name)


def _show(explanation: explaining.Explanation, name: str) -> None:
    terminal.say(f"{name}: what theory says before it runs")
    for topic, statements in explanation.topics().items():
        terminal.say(f"\n{topic[0].upper()}{topic[1:]}")
        for statement in statements:
            formula = f" [{statement.formula}]" if statement.formula else ""
            _paragraph("  ", statement.text + formula)
            for assumption in statement.fails:
                _paragraph("      ", f"assumes what does not hold here: {assumption}")
    if explanation.not_said:
        terminal.say("\nNot said")
        for silence in explanation.not_said:
            formula = f" [{silence.formula}]" if silence.formula else ""
            _paragraph("  ", f"{silence.what}{formula}: {silence.because}")


def _paragraph(indent: str, text: str) -> None:
    width = terminal.PLAIN_WIDTH
    lines = textwrap.wrap(
        text, width, initial_indent=indent, subsequent_indent=f"{indent}  ", break_long_words=False
    )
    terminal.say("\n".join(lines))
