"""`cellrate explain`: explains a scenario by theory before it runs."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from cellrate import _core
from cellrate.cli.answering import hand_over
from cellrate.cli.options import Json, ScenarioFile, Seed, Settings
from cellrate.common.problems import reading
from cellrate.simulation import source


def explain(
    file: ScenarioFile,
    /,
    *,
    settings: Settings = [],  # noqa: B006  cyclopts never changes it
    seed: Seed = None,
    json: Json = False,
    everything: Annotated[
        bool, Parameter(name="--all", negative="", help="List what theory says nothing about, too.")
    ] = False,
) -> None:
    """Say what theory expects of a scenario before it runs.

    Opens with a verdict of three sentences, then goes through bottlenecks, fair shares, delays,
    throughput, queues, time constants, oscillation and loss. "At most" is a bound that no run
    exceeds. "Expected" is a prediction, with the error that predictions of its kind had in random
    scenarios. A formula in brackets is one of `cellrate theory`; if an assumption of it fails here,
    it does not apply, and says so before its number. Of a scenario with `changes` it explains the
    network until the first.
    """
    with reading(file):
        text, name = source.read(file)
    scenario = _core.Scenario(text, name, settings, seed)
    # They load slowly, and most errors are known before.
    from cellrate.advice import explain as explaining
    from cellrate.advice.explain.as_json import as_json
    from cellrate.advice.explain.report import report
    from cellrate.simulation.network import Network

    explanation = explaining.explain(Network.of_scenario(scenario))
    hand_over(
        json=json,
        as_json=lambda: {"scenario": name, "settings": settings, **as_json(explanation)},
        report=lambda: report(explanation, name, everything=everything),
    )
