"""The JSON Schema of scenarios: tables, their variants, and what a key may hold."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from cellrate import _core
from cellrate.problems import BadInput, choose

Schema: TypeAlias = Mapping[str, Any]

QUANTITIES = frozenset({"Time", "Delay", "Rate", "Bytes", "Buffer", "Cells"})
NUMBERS = frozenset({"number", "integer"})


@cache
def schema() -> dict[str, Any]:
    """The JSON Schema of scenarios."""
    found: dict[str, Any] = json.loads(_core.schema())
    return found


def resolve(node: Schema) -> Schema:
    """A schema with what it refers to written out; its own words win."""
    if "$ref" not in node:
        return node
    return {**schema()["$defs"][definition(node)], **node}


def definition(node: Schema) -> str:
    """Name of the definition that a schema refers to, if it does."""
    return str(node.get("$ref", "")).rpartition("/")[2]


def table_keys(node: Schema, data: Mapping[str, Any], here: str) -> Mapping[str, Schema]:
    """The keys of a table, of the variant that the data are if there are several."""
    node = resolve(node)
    for variant in node.get("oneOf", ()):
        properties: Mapping[str, Schema] = variant_keys(variant)
        tags = {name: one["const"] for name, one in properties.items() if "const" in one}
        if tags and all(data.get(name) == tag for name, tag in tags.items()):
            return properties
    if "properties" not in node:
        raise BadInput(f"{here} has no keys of its own")
    found: Mapping[str, Schema] = node["properties"]
    return found


def variant_keys(variant: Schema) -> Mapping[str, Schema]:
    """Keys of a variant, those of the definition that it refers to included."""
    referred = resolve(variant).get("properties", {}) if "$ref" in variant else {}
    return {**referred, **variant.get("properties", {})}


def element(items: Sequence[Mapping[str, Any]], step: str, here: str) -> Mapping[str, Any]:
    """The element of a list of tables with that name or number."""
    names = [str(item.get("name", "")) for item in items]
    if step in names:
        return items[names.index(step)]
    if step.isdecimal() and int(step) < len(items):
        return items[int(step)]
    return items[names.index(choose(step, [name for name in names if name], f"element of {here}"))]


def kind_of(node: Schema) -> str | None:
    """Number, whole number, truth value or the type of a quantity; None for anything else."""
    if definition(node) in QUANTITIES:
        return definition(node)
    kind = resolve(node).get("type")
    return str(kind) if kind in NUMBERS | {"boolean"} else None


def choices_of(node: Schema) -> tuple[str, ...]:
    """The texts that a schema allows, if it allows just some."""
    if "enum" in node:
        return tuple(map(str, node["enum"]))
    texts: list[str] = []
    for option in node.get("oneOf", ()):
        texts += [option["const"]] if "const" in option else option.get("enum", ())
    return tuple(texts)


def is_table(node: Schema) -> bool:
    """Whether a schema is that of a table."""
    return "properties" in resolve(node) or bool(variants(node))


@dataclass(frozen=True)
class Variant:
    """One form of a table.

    Attributes:
        name: Of the form.
        tag: Key that says so.
        keys: All keys of the table in this form.
    """

    name: str
    tag: str
    keys: Mapping[str, Schema]


def variants(node: Schema) -> tuple[Variant, ...]:
    """Forms that a table has; none if it has just one."""
    every = (variant_keys(one) for one in resolve(node).get("oneOf", ()))
    return tuple(
        Variant(str(one["const"]), tag, keys)
        for keys in every
        for tag, one in keys.items()
        if "const" in one
    )
