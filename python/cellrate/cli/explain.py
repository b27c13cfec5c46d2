"""`cellrate explain`: explains a scenario by theory before it runs."""

from __future__ import annotations

from cellrate.advice import explain as explaining
from cellrate.advice.explain.as_json import as_json
from cellrate.advice.explain.report import report
from cellrate.cli.answering import hand_over
from cellrate.cli.options import Json, ScenarioFile, Seed, Settings
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
    hand_over(
        json=json,
        as_json=lambda: {"scenario": name, "settings": settings, **as_json(explanation)},
        report=lambda: report(explanation, name),
    )
