"""Parses `--vary` of `cellrate compare`: the alternatives, and the points to compare them at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

from cellrate.common.problems import BadInput, choose
from cellrate.simulation.runner import Job
from cellrate.studies.parameters.keys import Key, Keys, number
from cellrate.studies.parameters.variants import form_at, switched


@dataclass(frozen=True)
class Level:
    """One value of a factor.

    Attributes:
        value: The value as the user wrote it.
        settings: Overrides that set it, in the form of `--set`.
        left_out: Keys that the scenario sets and that this variant of a table does not have.
    """

    value: str
    settings: tuple[str, ...]
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Varied:
    """A factor: a dotted path and its values in order."""

    path: str
    levels: tuple[Level, ...]


def varied(base: Job, asked: Sequence[str]) -> tuple[Varied, ...]:
    """Parses `--vary PATH=A,B,C`; the end of a path is enough if it is unique.

    Raises:
        BadInput: A path or value is unknown, or a path is varied twice.
        ScenarioError: The scenario itself is wrong.
    """
    keys = Keys(replace(base, seed=None).resolved())
    found = tuple(_varied(base, keys, one) for one in asked)
    for at, one in enumerate(found):
        if one.path in {other.path for other in found[:at]}:
            raise BadInput(f"--vary {one.path}: it is varied twice")
    if not found:
        raise BadInput("name what is compared: --vary PATH=A,B,C")
    return found


def _varied(base: Job, keys: Keys, text: str) -> Varied:
    path, equals, listed = (part.strip() for part in text.partition("="))
    values = tuple(dict.fromkeys(part.strip() for part in listed.split(",")))
    if not (path and equals) or not all(values):
        raise BadInput(f"--vary {text!r}; it takes PATH=A,B,C")
    form = form_at(keys, path, base.text, base.overrides, base.path)
    if form is not None:
        levels = []
        for value in values:
            change = switched(form, value)
            settings = (change.setting,) if change.setting else ()
            levels.append(Level(value, settings, change.left_out))
        return Varied(form.path, tuple(levels))
    key = keys.find(path)
    if key.path == "run.seed":
        raise BadInput("--vary run.seed: every alternative gets the same seeds; see --seeds")
    return Varied(key.path, tuple(Level(one, (_setting(key, one),)) for one in values))


def _setting(key: Key, value: str) -> str:
    """The override that sets a key; of a fraction such as 1/16 its value.

    Raises:
        BadInput: The key cannot have the value.
    """
    if key.kind in {"boolean", "choice"}:
        choose(value, key.choices or ("true", "false"), f"value of {key.path}")
    else:
        found = number(value, key)
        if "/" in value and key.kind in {"number", "integer"}:
            return f"{key.path}={int(found) if key.kind == 'integer' else repr(found)}"
    return f"{key.path}={value}"


def combinations_of(found: Sequence[Varied]) -> list[tuple[Level, ...]]:
    """All combinations of one level of each factor; the last factor changes fastest."""
    return list(product(*(one.levels for one in found)))


def left_out(found: Sequence[Varied]) -> list[str]:
    """Sentences on keys that the scenario sets and that another variant of a table lacks."""
    return [
        f"{one.path}={level.value} does not know {', '.join(level.left_out)}, set for another one"
        for one in found
        for level in one.levels
        if level.left_out
    ]
