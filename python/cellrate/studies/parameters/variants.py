"""Switches a table to another form, such as another control scheme or traffic source."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cellrate import _core
from cellrate.common.problems import BadInput, choose
from cellrate.schemes.classes import Kind
from cellrate.schemes.finding import find
from cellrate.studies.parameters.keys import Keys
from cellrate.studies.parameters.schema import (
    Variant,
    element,
    full_path,
    resolve,
    schema,
    variants,
)

CLASSES: Mapping[str, Kind] = {
    ".scheme": "control",
    ".discard.policy": "discard",
    ".recovery.policy": "recovery",
}
"""Ends of the paths of keys that may name a class in Python, with the kind of component."""


@dataclass(frozen=True)
class TableForm:
    """A table with several forms, and its present form.

    Attributes:
        path: Dotted path of the key that selects the form, such as `switch.control.scheme`.
        value: Value of that key in the scenario.
        variants: All forms.
        written: Keys of the table that the scenario or its settings set, with their values.
        scenario: Path of the scenario, beside which classes in Python are found.
    """

    path: str
    value: str
    variants: tuple[Variant, ...]
    written: Mapping[str, Any]
    scenario: str

    @property
    def choices(self) -> tuple[str, ...]:
        """Names of all forms."""
        return tuple(variant.name for variant in self.variants)

    def keys_of(self, name: str) -> Mapping[str, Any]:
        """Keys of the form with this name, which may name a class in Python.

        Raises:
            BadInput: There is no such form.
        """
        kind = next((kind for end, kind in CLASSES.items() if f".{self.path}".endswith(end)), None)
        own = find(kind, name, self.scenario) if kind else None
        if own is not None:
            keys: Mapping[str, Any] = json.loads(own.schema)["properties"]
            return keys
        table = resolve(schema()["properties"].get(name, {}))
        if name not in self.choices and "properties" in table:
            raise BadInput(
                f"there is no value of {self.path} {name!r}: it is a table of the scenario, "
                f"[{name}]"
            )
        choose(name, self.choices, f"value of {self.path}")
        return next(variant.keys for variant in self.variants if variant.name == name)


@dataclass(frozen=True)
class Switch:
    """A setting that gives a table another form.

    Attributes:
        setting: Text for `--set`; empty if the table has that form already.
        kept: Keys that were set and exist in the other form as well; they keep their values.
        left_out: Keys that were set and do not exist in the other form.
    """

    setting: str
    kept: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def form_at(
    keys: Keys, path: str, text: str, settings: Sequence[str], scenario: str = ""
) -> TableForm | None:
    """Table whose form a key selects; None if the key does not select a form.

    Args:
        keys: The scenario's keys, with the settings applied.
        path: Dotted path of the key, or the end of it.
        text: The scenario as written.
        settings: Settings on top of the scenario, as texts for `--set`.
        scenario: Path of the scenario; in the working directory by default.

    Raises:
        BadInput: There is no such table.
    """
    table, _, tag = full_path(keys.document, path).rpartition(".")
    node, data = keys.walk(table)
    forms = tuple(variant for variant in variants(node) if variant.tag == tag)
    if not forms or not isinstance(data, dict):
        return None
    names = _written(text, table) | _set(settings, table)
    written = {name: data[name] for name in data if name in names and name != tag}
    return TableForm(f"{table}.{tag}", str(data[tag]), forms, written, scenario)


def switched(form: TableForm, name: str) -> Switch:
    """Setting that gives the table another form.

    A key keeps its value if the other form has a key of the same name and type. All other keys that
    were set are left out, and the other form has its own defaults.

    Raises:
        BadInput: There is no such form.
    """
    new = form.keys_of(name)
    if name == form.value:
        return Switch("")
    table, _, tag = form.path.rpartition(".")
    old = form.keys_of(form.value)
    kept = {
        key: value
        for key, value in form.written.items()
        if key in new and _type(new[key]) == _type(old[key])
    }
    inline = _inline({tag: name, **kept})
    left_out = tuple(key for key in form.written if key not in kept)
    return Switch(f"{table}={inline}", tuple(kept), left_out)


def _type(node: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(node.get(keyword) for keyword in ("$ref", "type", "enum"))


def _written(text: str, table: str) -> set[str]:
    """Keys of a table that the scenario's text sets."""
    data: Any = json.loads(_core.toml_as_json(text))
    here = "the scenario"
    for step in table.split("."):
        data = element(data, step, here) if isinstance(data, list) else data.get(step, {})
        here = step
    return set(data)


def _set(settings: Sequence[str], table: str) -> set[str]:
    """Keys of a table that settings set."""
    keys: set[str] = set()
    for setting in settings:
        path, _, value = setting.partition("=")
        if path.strip() == table:
            keys |= set(json.loads(_core.toml_as_json(f"table = {value}"))["table"])
        elif path.strip().startswith(f"{table}."):
            keys.add(path.strip().removeprefix(f"{table}.").partition(".")[0])
    return keys


def _inline(value: object) -> str:
    """A value as TOML in one line."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key} = {_inline(item)}' for key, item in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, value))}]"
    return json.dumps(value, ensure_ascii=False)
