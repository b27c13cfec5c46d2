"""`cellrate new`, `validate`, `schema`, `list`: scenario templates and checks, lists of names."""

from __future__ import annotations

import json as jsonlib
import sys
from typing import Annotated, Any

from cyclopts import Parameter

from cellrate import _core
from cellrate.cli import one_run, tables, validated
from cellrate.cli.list_measures import list_measures
from cellrate.cli.options import Json, ScenarioFile, Seed, Settings
from cellrate.common.json_text import json_text
from cellrate.common.problems import choose, reading
from cellrate.simulation import source
from cellrate.simulation.captures import DISSECTOR


def new(
    template: Annotated[str, Parameter(name="TEMPLATE", help="See `cellrate list templates`.")], /
) -> None:
    """Print a commented scenario to start from."""
    names = [entry["name"] for entry in _registry()["templates"]]
    sys.stdout.write(_core.template(choose(template, names, "template")))


def validate(
    file: ScenarioFile,
    /,
    *,
    settings: Settings = [],  # noqa: B006  cyclopts never changes it
    seed: Seed = None,
    json: Json = False,
) -> None:
    """Check a scenario without running it, and estimate time, memory and disk that a run takes.

    The checks, the warnings and the exit code are those of `cellrate run`, but for what only the
    run itself shows.
    """
    job = one_run.job_of(file, settings, seed)
    validated.validate(job.scenario(), job.path, json=json)


def dissector() -> None:
    """Print the path of the dissector of RM cells for tshark and Wireshark.

    tshark -X lua_script:"$(cellrate dissector)" -r FILE reads cells from a file that cellrate run
    --capture has written.
    """
    sys.stdout.write(f"{DISSECTOR}\n")


def schema(
    what: Annotated[
        str,
        Parameter(
            name="WHAT", help="scenario, study, or a scenario's file with the classes it names."
        ),
    ] = "scenario",
    /,
    *,
    settings: Settings = [],  # noqa: B006  cyclopts never changes it
) -> None:
    """Print the JSON Schema of scenario or study files, for editors.

    With a scenario's FILE it also has the schemes in Python that the scenario names.
    """
    match what:
        case "scenario" if not settings:
            text = _core.schema()
        case "study" if not settings:
            text = _core.study_schema()
        case file:
            with reading(file):
                text, name = source.read(file)
            text = _core.Scenario(text, name, settings).schema()
    sys.stdout.write(text.rstrip("\n") + "\n")


def list_names(
    what: Annotated[
        str | None,
        Parameter(
            name="WHAT",
            help="experiments, measures, schemes, policies, ...; all components by default.",
        ),
    ] = None,
    name: Annotated[
        str | None, Parameter(name="NAME", help="Only this name; a measure with its full entry.")
    ] = None,
    /,
    *,
    json: Json = False,
) -> None:
    """List experiments, measures, schemes, credit, policies, sources, recoveries or templates.

    Each name is listed with a short description and its source.
    """
    registry = _registry()
    if what is None:
        if json:
            names = {kind: [entry["name"] for entry in listed] for kind, listed in registry.items()}
            sys.stdout.write(json_text(names))
        else:
            tables.show_registry(registry)
        return
    chosen = choose(what, ["experiments", "measures", *registry], "list")
    if chosen == "measures":
        list_measures(name, json=json)
        return
    entries = _experiments() if chosen == "experiments" else registry[chosen]
    if name is not None:
        known = choose(name, [entry["name"] for entry in entries], f"one of the {chosen}")
        entries = [entry for entry in entries if entry["name"] == known]
    if json:
        sys.stdout.write(json_text([entry["name"] for entry in entries]))
    else:
        tables.show_names(entries)


def _registry() -> dict[str, list[dict[str, str]]]:
    registry: dict[str, Any] = jsonlib.loads(_core.registry())
    return registry


def _experiments() -> list[dict[str, str]]:
    from cellrate import reproduce

    return [
        {"name": experiment.id, "about": experiment.title, "source": experiment.where}
        for paper in reproduce.all_papers()
        for experiment in paper.experiments
    ]
