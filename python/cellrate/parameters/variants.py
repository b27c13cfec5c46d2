"""Another form of a table: another control scheme, discard policy or traffic source."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cellrate.parameters.keys import Keys
from cellrate.parameters.paths import full_path
from cellrate.parameters.schema import Variant, element, variants
from cellrate.problems import choose


@dataclass(frozen=True)
class Form:
    """A table that has several forms, and which one it is.

    Attributes:
        path: Dotted path of the key that tells, as `switch.control.scheme`.
        value: What the scenario has there.
        variants: All forms.
        written: Keys of the table that the scenario itself sets, with the values that they have.
    """

    path: str
    value: str
    variants: tuple[Variant, ...]
    written: Mapping[str, Any]

    @property
    def choices(self) -> tuple[str, ...]:
        """Names of all forms."""
        return tuple(one.name for one in self.variants)


@dataclass(frozen=True)
class Switch:
    """What gives a table another form.

    Attributes:
        setting: As `--set` takes it; empty if the table has that form already.
        kept: Keys that were set and that the other form knows as well: they keep their values.
        left_out: Keys that were set and that it does not know.
    """

    setting: str
    kept: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def form_at(keys: Keys, path: str, text: str, settings: Sequence[str]) -> Form | None:
    """The table whose form a key tells; None if the key is an ordinary one.

    Args:
        keys: The scenario's keys, with the settings applied.
        path: Dotted path of the key, or the end of it.
        text: The scenario as written.
        settings: What was set on top of it, as `--set` takes it.

    Raises:
        BadInput: There is no such table.
    """
    table, _, tag = full_path(keys.document, path).rpartition(".")
    node, data = keys.walk(table)
    forms = tuple(one for one in variants(node) if one.tag == tag)
    if not forms or not isinstance(data, dict):
        return None
    names = _written(text, table) | _set(settings, table)
    written = {name: data[name] for name in data if name in names and name != tag}
    return Form(f"{table}.{tag}", str(data[tag]), forms, written)


def switched(form: Form, name: str) -> Switch:
    """What makes the table have that form.

    A key keeps its value if the other form has a key of that name and type. Whatever else was set
    belongs to the form that is left, and the other one begins with its own defaults.

    Raises:
        BadInput: There is no such form.
    """
    choose(name, form.choices, f"value of {form.path}")
    if name == form.value:
        return Switch("")
    table, _, tag = form.path.rpartition(".")
    old, new = (
        next(one.keys for one in form.variants if one.name == wanted)
        for wanted in (form.value, name)
    )
    kept = {
        key: value
        for key, value in form.written.items()
        if key in new and _type(new[key]) == _type(old[key])
    }
    inline = _inline({tag: name, **kept})
    left_out = tuple(key for key in form.written if key not in kept)
    return Switch(f"{table}={inline}", tuple(kept), left_out)


def _type(node: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(node.get(one) for one in ("$ref", "type", "enum"))


def _written(text: str, table: str) -> set[str]:
    """Keys of a table that the scenario's text has."""
    found: Any = tomllib.loads(text)
    here = "the scenario"
    for step in table.split("."):
        found = element(found, step, here) if isinstance(found, list) else found.get(step, {})
        here = step
    return set(found)


def _set(settings: Sequence[str], table: str) -> set[str]:
    """Keys of a table that settings set."""
    found: set[str] = set()
    for setting in settings:
        path, _, value = setting.partition("=")
        if path.strip() == table:
            found |= set(tomllib.loads(f"table = {value}")["table"])
        elif path.strip().startswith(f"{table}."):
            found.add(path.strip().removeprefix(f"{table}.").partition(".")[0])
    return found


def _inline(value: object) -> str:
    """A value as TOML in one line."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key} = {_inline(one)}' for key, one in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, value))}]"
    return json.dumps(value, ensure_ascii=False)
