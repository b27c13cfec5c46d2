"""`cellrate list`, `schema`, `dissector`, `completion`: names and files of the program itself."""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from cellrate import _core
from cellrate.cli.options import Json, Settings
from cellrate.common.problems import choose, reading
from cellrate.common.terminal import say, width
from cellrate.common.to_json import json_text
from cellrate.simulation import source
from cellrate.simulation.captures import DISSECTOR
from cellrate.simulation.purposes import KEYS, PURPOSES

if TYPE_CHECKING:
    from cellrate.language.measures import Measure

# Greatest length of a name that has its description beside it, and not below.
MOST_NAME = 30


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
            name="WHAT",
            help="scenario, ethernet (a scenario over Ethernet), study, or a scenario file, "
            "for a schema that knows its Python classes.",
        ),
    ] = "scenario",
    /,
    *,
    settings: Settings = [],  # noqa: B006  cyclopts never changes it
) -> None:
    """Print the JSON Schema of scenario or study files, for editors.

    With a scenario FILE it also has the Python classes that the scenario names.
    """
    match what:
        case "scenario" if not settings:
            text = _core.schema()
        case "ethernet" if not settings:
            text = _core.schema(ethernet=True)
        case "study" if not settings:
            text = _core.study_schema()
        case file:
            with reading(file):
                text, name = source.read(file)
            text = _core.Scenario(text, name, settings).schema()
    sys.stdout.write(text.rstrip("\n") + "\n")


def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], Parameter(name="SHELL", help="The shell.")], /
) -> None:
    """Print a script that completes commands and options in a shell.

    bash reads it from ~/.local/share/bash-completion/completions/cellrate, zsh from a file
    _cellrate in a directory of $fpath, fish from ~/.config/fish/completions/cellrate.fish.
    """
    from cellrate.cli.parser import app

    sys.stdout.write(app.generate_completion(shell=shell))


def list_names(
    what: Annotated[
        str | None,
        Parameter(
            name="WHAT",
            help="experiments, measures, schemes, policies, ...; by default all components, "
            "grouped by purpose.",
        ),
    ] = None,
    name: Annotated[
        str | None,
        Parameter(
            name="NAME",
            help="Only the entry of this name; of a paper all experiments.",
        ),
    ] = None,
    /,
    *,
    json: Json = False,
) -> None:
    """List all components with the purpose of each, or one kind of them with their sources.

    Without WHAT each component is listed under its group, with what one would want it for. With
    WHAT each name is listed with a short description and its source.
    """
    if what is None:
        if json:
            sys.stdout.write(json_text(PURPOSES))
        else:
            _show_purposes()
        return
    registry: dict[str, list[dict[str, str]]] = jsonlib.loads(_core.registry())
    chosen = choose(what, ["experiments", "measures", *registry], "list")
    if chosen == "measures":
        _list_measures(name, json=json)
        return
    entries = _experiments() if chosen == "experiments" else registry[chosen]
    if name is not None:
        entries = _entries_called(name, entries, chosen)
    if json:
        sys.stdout.write(json_text([entry["name"] for entry in entries]))
    else:
        _show_names(entries)


def _show_purposes() -> None:
    """Lists all components by group and kind; each has a line with its purpose."""
    for group, kinds in PURPOSES.items():
        say(group)
        for kind, names in kinds.items():
            key = f", by {KEYS[kind]}" if KEYS.get(kind) else ""
            say(f"  {kind}{key}:")
            _show_names(
                [{"name": name, "about": why, "source": ""} for name, why in names.items()], "    "
            )
        say("")
    say("cellrate list schemes, or another kind, describes each with its source.")


def _entries_called(name: str, entries: list[dict[str, str]], kind: str) -> list[dict[str, str]]:
    """The entry with a name, or the experiments of the paper with that id."""
    if kind == "experiments":
        of_paper = [entry for entry in entries if entry["name"].startswith(f"{name}-")]
        if of_paper:
            return of_paper
    known = choose(name, [entry["name"] for entry in entries], f"one of the {kind}")
    return [entry for entry in entries if entry["name"] == known]


def _experiments() -> list[dict[str, str]]:
    from cellrate.papers.collection import all_papers

    return [
        {"name": experiment.id, "about": experiment.title, "source": experiment.where}
        for paper in all_papers()
        for experiment in paper.experiments
    ]


def _show_names(entries: Sequence[dict[str, str]], indent: str = "") -> None:
    """Lists names with a description and, in brackets, its source."""
    longest = max((len(entry["name"]) for entry in entries), default=0)
    room = width()
    apart = room is not None and longest > MOST_NAME
    for entry in entries:
        source = f" [{entry['source']}]" if entry["source"] else ""
        about = f"{entry['about']}{source}".rstrip()
        if apart:
            say(f"{indent}{entry['name']}")
            say(f"{indent}    {about}", hanging=0)
        else:
            say(f"{indent}{entry['name']:<{longest}}  {about}".rstrip(), hanging=longest + 2)


def _list_measures(name: str | None, *, json: bool) -> None:
    """Shows every measure on one line, or the full entries of the measures called `name`."""
    from cellrate.language.measures import all_measures

    known = all_measures()
    if name is not None:
        measures = _called(name, known)
        if json:
            entries = [{"name": measure.name, **asdict(measure)} for measure in measures]
            sys.stdout.write(json_text(entries))
        else:
            say("\n\n".join(_described(measure) for measure in measures))
    elif json:
        sys.stdout.write(json_text(list(known)))
    else:
        _show_names([_line(measure) for measure in known.values()])


def _called(name: str, known: dict[str, Measure]) -> list[Measure]:
    """Measures of any table whose name, key, column or last part of the key is `name`.

    The brackets of lists may be left out. A table may be named instead of its path, as in
    `queues.queue_max_cells` and `run.totals.jain_index`.

    Raises:
        BadInput: There is no such measure; the message names the nearest.
    """
    matching = [
        m
        for m in known.values()
        if name
        in (m.name, m.name.replace("[]", ""), f"{m.table}.{m.key}", m.key, m.column, _last(m))
    ]
    if matching:
        return matching
    keys = dict.fromkeys(_last(measure) for measure in known.values())
    return [known[choose(name, [*keys, *known], "measure")]]


def _last(measure: Measure) -> str:
    return measure.key.rpartition(".")[2]


def _line(measure: Measure) -> dict[str, str]:
    unit = f" ({measure.unit})" if measure.unit else ""
    return {
        "name": measure.name,
        "about": f"{measure.definition.rstrip('.')}{unit}",
        "source": measure.source,
    }


def _described(measure: Measure) -> str:
    parts = {
        "unit": measure.unit or "none",
        "formula": measure.formula,
        "better": measure.better,
        "source": measure.source,
    }
    lines = [f"  {what:<7}  {text}" for what, text in parts.items() if text]
    return "\n".join([measure.name, f"  {measure.definition}", *lines])
