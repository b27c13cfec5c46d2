"""JSON Schema of scenarios: tables, their variants, the types and the paths of keys."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from cellrate import _core
from cellrate.common.problems import BadInput, choose
from cellrate.schemes.finding import found
from cellrate.schemes.parameter_schema import TAGS

Schema: TypeAlias = Mapping[str, Any]

QUANTITIES = frozenset({"Time", "Delay", "Rate", "Bytes", "Buffer", "Cells", "QueueLength"})
NUMBERS = frozenset({"number", "integer"})


# Prefix of references to definitions; the schema over Ethernet gets another prefix.
DEFINITIONS, OVER_ETHERNET = "#/$defs/", "#/ethernet/"


@cache
def schema(link_layer: str = "atm") -> dict[str, Any]:
    """JSON Schema of scenarios of a link layer."""
    text = _core.schema()
    if link_layer == "ethernet":
        text = _core.schema(ethernet=True).replace(f'"{DEFINITIONS}', f'"{OVER_ETHERNET}')
    document: dict[str, Any] = json.loads(text)
    return document


def schema_of(document: Mapping[str, Any]) -> dict[str, Any]:
    """JSON Schema of a resolved scenario, by its link layer."""
    return schema(document.get("link_layer", "atm"))


@cache
def _definitions() -> Mapping[str, Schema]:
    """Definitions of both link layers by the texts that refer to them."""
    cells, frames = schema()["$defs"], schema("ethernet")["$defs"]
    found = {f"{DEFINITIONS}{name}": one for name, one in cells.items()}
    return found | {f"{OVER_ETHERNET}{name}": one for name, one in frames.items()}


def resolve(node: Schema) -> Schema:
    """A schema merged with the definition that it refers to; its own keys take precedence."""
    if "$ref" not in node:
        return node
    return {**_definitions()[node["$ref"]], **node}


def definition(node: Schema) -> str:
    """Name of the definition that a schema refers to; empty if it refers to none."""
    return str(node.get("$ref", "")).rpartition("/")[2]


def table_keys(node: Schema, data: Mapping[str, Any] | str, here: str) -> Mapping[str, Schema]:
    """Keys of a table; if it has several variants, those of the variant that the data have.

    Raises:
        BadInput: The data are a name, or a table without keys of its own.
    """
    node = resolve(node)
    if isinstance(data, str):
        raise BadInput(f"{here} has no keys of its own")
    for variant in node.get("oneOf", ()):
        properties: Mapping[str, Schema] = variant_keys(variant)
        tags = {name: key["const"] for name, key in properties.items() if "const" in key}
        if tags and all(data.get(name) == tag for name, tag in tags.items()):
            return properties
    value_of = getattr(data, "get", lambda *_: "")  # a table may be a plain value
    for tag in TAGS.values():
        named = value_of(tag, "")
        if (of_class := found(str(named))) is not None:
            own: Mapping[str, Schema] = json.loads(of_class.schema)["properties"]
            return {tag: {"const": named}, **own}
    if "properties" not in node:
        raise BadInput(f"{here} has no keys of its own")
    keys: Mapping[str, Schema] = node["properties"]
    return keys


def variant_keys(variant: Schema) -> Mapping[str, Schema]:
    """Keys of a variant, including those of the definition that it refers to."""
    referred = resolve(variant).get("properties", {}) if "$ref" in variant else {}
    return {**referred, **variant.get("properties", {})}


def element(items: Sequence[Mapping[str, Any]], step: str, here: str) -> Mapping[str, Any]:
    """Element of a list of tables, by its name or number."""
    names = [str(item.get("name", "")) for item in items]
    if step in names:
        return items[names.index(step)]
    if step.isdecimal() and int(step) < len(items):
        return items[int(step)]
    return items[names.index(choose(step, [name for name in names if name], f"element of {here}"))]


def kind_of(node: Schema) -> str | None:
    """Kind of a schema: `number`, `integer`, `boolean` or the type of a quantity; else None."""
    if definition(node) in QUANTITIES:
        return definition(node)
    kind = resolve(node).get("type")
    return str(kind) if kind in NUMBERS | {"boolean"} else None


def choices_of(node: Schema) -> tuple[str, ...]:
    """Texts that a schema allows; empty if it does not restrict them."""
    if "enum" in node:
        return tuple(map(str, node["enum"]))
    texts: list[str] = []
    for option in node.get("oneOf", ()):
        texts += [option["const"]] if "const" in option else option.get("enum", ())
    return tuple(texts)


def is_table(node: Schema) -> bool:
    """True if a schema describes a table."""
    return "properties" in resolve(node) or bool(variants(node))


@dataclass(frozen=True)
class Variant:
    """One form of a table, such as a control scheme.

    Attributes:
        name: Name of the form.
        tag: Key whose value is that name.
        keys: All keys of the table in this form.
    """

    name: str
    tag: str
    keys: Mapping[str, Schema]


def variants(node: Schema) -> tuple[Variant, ...]:
    """Forms of a table; empty if it has only one."""
    every = (variant_keys(variant) for variant in resolve(node).get("oneOf", ()))
    return tuple(
        Variant(str(key["const"]), tag, keys)
        for keys in every
        for tag, key in keys.items()
        if "const" in key
    )


def full_path(document: Mapping[str, Any], path: str) -> str:
    """Full form of a short path, as `switch.control.scheme` of `control.scheme`.

    A path that begins with a table of the scenario, or that no path ends with, is returned as is.

    Raises:
        BadInput: Several paths end with `path`.
    """
    if path.partition(".")[0] in schema_of(document)["properties"]:
        return path
    matching = [full for full in key_paths(document) if full.endswith(f".{path}")]
    if len(matching) > 1:
        raise BadInput(f"{path} is several keys, name one: {', '.join(matching)}")
    return matching[0] if matching else path


def key_paths(document: Mapping[str, Any]) -> Iterator[str]:
    """Paths of all keys that do not hold a table, except in tables that the scenario lacks."""
    yield from _paths_below("", schema_of(document), document)


def _paths_below(prefix: str, node: Schema, data: Mapping[str, Any]) -> Iterator[str]:
    for name, inner in table_keys(node, data, prefix or "the scenario").items():
        path, value = f"{prefix}{name}", data.get(name)
        if isinstance(value, dict):
            yield from _paths_below(f"{path}.", inner, value)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            items = resolve(inner)["items"]
            for number, item in enumerate(value):
                yield from _paths_below(f"{path}.{item.get('name', number)}.", items, item)
        elif not is_table(inner):
            yield path
