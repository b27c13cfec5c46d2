"""`cellrate list measures`: the dictionary of measures."""

from __future__ import annotations

import json as jsonlib
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from cellrate.cli import tables
from cellrate.problems import choose
from cellrate.terminal import say

if TYPE_CHECKING:
    from cellrate.measures import Measure


def list_measures(name: str | None, *, json: bool) -> None:
    """Shows every measure in a line, or all that there is to say of those called `name`."""
    from cellrate.measures import all_measures

    known = all_measures()
    if name is not None:
        found = _called(name, known)
        if json:
            entries = [{"name": one.name, **asdict(one)} for one in found]
            sys.stdout.write(jsonlib.dumps(entries, ensure_ascii=False) + "\n")
        else:
            say("\n\n".join(_described(one) for one in found))
    elif json:
        sys.stdout.write(jsonlib.dumps(list(known)) + "\n")
    else:
        tables.show_names([_line(one) for one in known.values()])


def _called(name: str, known: dict[str, Measure]) -> list[Measure]:
    """Measures of that name, key or column, or whose key ends so, in any table.

    Raises:
        BadInput: There is none; names the nearest one.
    """
    found = [one for one in known.values() if name in (one.name, one.key, one.column, _last(one))]
    if found:
        return found
    keys = dict.fromkeys(_last(one) for one in known.values())
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
        "source": measure.source,
    }
    lines = [f"  {what:<7}  {text}" for what, text in parts.items() if text]
    return "\n".join([measure.name, f"  {measure.definition}", *lines])
