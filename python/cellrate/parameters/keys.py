"""Keys of a scenario: what the schema and the resolved scenario say of a dotted path."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, TypeAlias

from cellrate import _core
from cellrate.problems import BadInput, choose

Schema: TypeAlias = Mapping[str, Any]

QUANTITIES = frozenset({"Time", "Delay", "Rate", "Bytes", "Buffer", "Cells"})
NUMBERS = frozenset({"number", "integer"})


@dataclass(frozen=True)
class Key:
    """A key that a scenario can set.

    Attributes:
        path: Dotted path, as ``--set`` takes it.
        kind: ``"number"``, ``"integer"``, ``"boolean"``, ``"choice"`` or the type of a quantity
            (``"Time"``, ``"Cells"``, ...).
        value: What the resolved scenario has there; None if it is absent.
        choices: What may be written, of a choice.
        search: How the parameter may be searched, as its declaration says (``x-search``).
        not_searched: Why it declares that it is not.
        siblings: The table that it stands in, as resolved.
    """

    path: str
    kind: str
    value: Any
    choices: tuple[str, ...]
    search: Mapping[str, Any] | None
    not_searched: str | None
    siblings: Mapping[str, Any]


@cache
def schema() -> dict[str, Any]:
    """The JSON Schema of scenarios."""
    found: dict[str, Any] = json.loads(_core.schema())
    return found


class Keys:
    """The keys of one scenario.

    Args:
        resolved: The scenario with every default written out, as TOML.
    """

    def __init__(self, resolved: str) -> None:
        self.document: dict[str, Any] = tomllib.loads(resolved)

    def find(self, path: str) -> Key:
        """The key at a dotted path.

        Raises:
            BadInput: There is none, or it holds a table or a list.
        """
        table, _, name = path.rpartition(".")
        node, data = self._walk(table)
        if isinstance(data, list):
            _element(data, name, table)
            raise BadInput(f"{path} is a table; name one of its keys")
        keys = _table(node, data, table or "the scenario")
        node = keys[choose(name, list(keys), f"key of {table or 'the scenario'}")]
        if "const" in node:
            raise BadInput(f"{path} tells what its table is; vary a key beside it")
        if "items" in resolve(node):
            raise BadInput(f"{path} is a list; name a key of one of its elements")
        key = _key(path, node, data)
        if key is None:
            raise BadInput(f"{path} is a table; name one of its keys")
        return key

    def below(self, path: str) -> Iterator[Key]:
        """Every key below the table at a path, except in tables that the scenario lacks."""
        node, data = self._walk(path)
        yield from _below(path, node, data)

    def _walk(self, path: str) -> tuple[Schema, Any]:
        """Schema and data of the table or list at a path.

        Raises:
            BadInput: There is none.
        """
        node: Schema = schema()
        data: Any = self.document
        here = "the scenario"
        for step in path.split(".") if path else ():
            if isinstance(data, list):
                data, node = _element(data, step, here), resolve(node)["items"]
            else:
                keys = _table(node, data, here)
                node = keys[choose(step, list(keys), f"key of {here}")]
                data = data.get(step, {})
            here = step if here == "the scenario" else f"{here}.{step}"
        return node, data


def resolve(node: Schema) -> Schema:
    """A schema with what it refers to written out; its own words win."""
    if "$ref" not in node:
        return node
    return {**schema()["$defs"][definition(node)], **node}


def definition(node: Schema) -> str:
    """Name of the definition that a schema refers to, if it does."""
    return str(node.get("$ref", "")).rpartition("/")[2]


def _below(path: str, node: Schema, data: Mapping[str, Any]) -> Iterator[Key]:
    for name, inner in _table(node, data, path).items():
        if "const" in inner:
            continue
        below = f"{path}.{name}"
        key = None if "items" in resolve(inner) else _key(below, inner, data)
        if key is not None:
            yield key
        elif isinstance(data.get(name), dict):
            yield from _below(below, inner, data[name])


def _table(node: Schema, data: Mapping[str, Any], here: str) -> Mapping[str, Schema]:
    """The keys of a table, of the variant that the data are if there are several."""
    node = resolve(node)
    for variant in node.get("oneOf", ()):
        properties: Mapping[str, Schema] = _variant(variant)
        tags = {name: one["const"] for name, one in properties.items() if "const" in one}
        if tags and all(data.get(name) == tag for name, tag in tags.items()):
            return properties
    if "properties" not in node:
        raise BadInput(f"{here} has no keys of its own")
    found: Mapping[str, Schema] = node["properties"]
    return found


def _variant(variant: Schema) -> Mapping[str, Schema]:
    """Keys of a variant, those of the definition that it refers to included."""
    referred = resolve(variant).get("properties", {}) if "$ref" in variant else {}
    return {**referred, **variant.get("properties", {})}


def _element(items: Sequence[Mapping[str, Any]], step: str, here: str) -> Mapping[str, Any]:
    """The element of a list of tables with that name or number."""
    names = [str(item.get("name", "")) for item in items]
    if step in names:
        return items[names.index(step)]
    if step.isdecimal() and int(step) < len(items):
        return items[int(step)]
    return items[names.index(choose(step, [name for name in names if name], f"element of {here}"))]


def _key(path: str, node: Schema, siblings: Mapping[str, Any]) -> Key | None:
    """The key of that schema; None if it holds a table."""
    kind, choices = _kind(node), _choices(resolve(node))
    if kind is None and not choices:
        return None
    name = path.rpartition(".")[2]
    return Key(
        path,
        kind or "choice",
        siblings.get(name),
        choices,
        node.get("x-search"),
        node.get("x-not-searched"),
        siblings,
    )


def _kind(node: Schema) -> str | None:
    if definition(node) in QUANTITIES:
        return definition(node)
    kind = resolve(node).get("type")
    return str(kind) if kind in NUMBERS | {"boolean"} else None


def _choices(node: Schema) -> tuple[str, ...]:
    """The texts that a schema allows, if it allows just some."""
    if "enum" in node:
        return tuple(map(str, node["enum"]))
    texts: list[str] = []
    for option in node.get("oneOf", ()):
        texts += [option["const"]] if "const" in option else option.get("enum", ())
    return tuple(texts)


def number(text: str, key: Key) -> float:
    """A value as a number in SI units or cells.

    Raises:
        BadInput: It is none, or has the wrong unit.
    """
    if key.kind in {"number", "integer"}:
        try:
            value = float(Fraction(text.replace(" ", "")))
        except (ValueError, ZeroDivisionError):
            raise BadInput(f"{key.path} cannot be {text!r}; a number such as 0.5 or 1/64") from None
        if key.kind == "integer" and value != round(value):
            raise BadInput(f"{key.path} cannot be {text}; it is a whole number")
        return value
    try:
        return _core.quantity(text, key.kind.lower())
    except ValueError as error:
        raise BadInput(f"{key.path}: {error}") from None
