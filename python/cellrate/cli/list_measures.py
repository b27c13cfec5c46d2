"""`cellrate list measures`: the dictionary of measures."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from cellrate.cli import tables
from cellrate.common.json_text import json_text
from cellrate.common.problems import choose
from cellrate.common.terminal import say

if TYPE_CHECKING:
    from cellrate.language.measures import Measure


def list_measures(name: str | None, *, json: bool) -> None:
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
        tables.show_names([_line(measure) for measure in known.values()])


def _called(name: str, known: dict[str, Measure]) -> list[Measure]:
    """Measures of any table whose name, key, column or last part of the key is `name`.

    The brackets of lists may be left out, and a table may stand for its place, as in
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
