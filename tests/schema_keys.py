"""The keys of a scenario, per variant of their table: `switch.control.erica.delta`.

A table with variants has a tag, such as `scheme` of `switch.control`, that says which one it is.
The tag's value stands in the key behind the table's name.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from typing import Any

from cellrate import _core

TAGS = ("template", "scheme", "policy", "kind", "discipline")
# Tables that stand for all their keys, since these have effects of their own elsewhere.
WHOLE = (
    "flow.tcp",
    "flow.abr",
    "topology.graph.node.switch.control",
    "topology.graph.node.switch.discard",
    "topology.graph.node.switch.schedule",
    "topology.graph.node.switch.vsvd",
)


def schema_keys(schema: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """Every key, with the names among which it chooses; none if it is not a choice.

    Args:
        schema: The schema of scenarios, as `cellrate schema` prints it.
    """
    return dict(_walked(schema, schema["$defs"], ""))


def key_of(path: str, text: str, file: str, settings: list[str]) -> str:
    """The key that a path of `--set` leads to, in the variants that a scenario has.

    Args:
        path: Such as `flow.tcp.source.rate`; a flow, node or link by name or number.
        text: The scenario.
        file: Its name.
        settings: Settings with which it is run, `path` itself among them.
    """
    table: Any = tomllib.loads(_core.Scenario(text, file, settings).resolved())
    key: list[str] = []
    for part in path.split("."):
        if isinstance(table, list):
            table = _chosen(table, part)
        else:
            key.append(part)
            table = table.get(part)
        key += _variant(table)
        if ".".join(key) in WHOLE:
            break
    named_itself = isinstance(table, dict) and _variant(table)
    return ".".join(key[:-1] if named_itself else key)


def names_chosen(scenario: dict[str, Any]) -> set[str]:
    """Names that a resolved scenario chooses, with their keys: `tcp.recovery=reno`.

    Args:
        scenario: As `tomllib` reads it.
    """
    return {f"{key}={name}" for key, name in _names(scenario, "") if name in CHOICES.get(key, ())}


def _names(table: dict[str, Any], path: str) -> Iterator[tuple[str, str]]:
    variant = _variant(table)
    yield from ((path, name) for name in variant)
    for name, value in table.items():
        key = ".".join([*([path] if path else ()), *variant, name])
        if isinstance(value, str):
            yield key, value
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, dict):
                yield from _names(inner, key)


def _chosen(tables: list[dict[str, Any]], part: str) -> dict[str, Any]:
    by_name = [table for table in tables if table.get("name") == part]
    return by_name[0] if by_name else tables[int(part)]


def _variant(table: object) -> list[str]:
    """The value of a table's tag."""
    return [table[tag] for tag in TAGS if tag in table] if isinstance(table, dict) else []


def _resolved(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in schema:
        return schema
    beside = {name: value for name, value in schema.items() if name != "$ref"}
    target = _resolved(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    properties = {**target.get("properties", {}), **beside.get("properties", {})}
    return {**target, **beside, **({"properties": properties} if properties else {})}


def _walked(
    schema: dict[str, Any], definitions: dict[str, Any], path: str
) -> Iterator[tuple[str, tuple[str, ...]]]:
    schema = _resolved(schema, definitions)
    real = [part for part in schema.get("anyOf", ()) if part.get("type") != "null"]
    variants = [_resolved(part, definitions) for part in schema.get("oneOf", ())]
    items = _resolved(schema.get("items", {}), definitions)
    if path in WHOLE:
        yield path, ()
    elif real:
        for part in real:
            yield from _walked(part, definitions, path)
    elif variants:
        names = []
        for variant in variants:
            properties = variant.get("properties", {})
            tags = [value["const"] for value in properties.values() if "const" in value]
            names += [variant["const"]] if "const" in variant else [*variant.get("enum", ()), *tags]
            for tag in tags:
                yield from _properties(properties, definitions, f"{path}.{tag}")
        # A name that is also the tag of a table counts once.
        yield path, tuple(dict.fromkeys(names))
    elif "properties" in schema:
        yield from _properties(schema["properties"], definitions, path)
    elif "properties" in items or (
        "oneOf" in items
        and any("properties" in _resolved(one, definitions) for one in items["oneOf"])
    ):
        yield from _walked(items, definitions, path)
    else:
        yield path, tuple(schema.get("enum", ()))


def _properties(
    properties: dict[str, Any], definitions: dict[str, Any], path: str
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, schema in properties.items():
        if "const" not in schema:
            yield from _walked(schema, definitions, f"{path}.{name}".lstrip("."))


KEYS = schema_keys(json.loads(_core.schema()))
"""Every key, with the names among which it chooses."""
CHOICES = {key: names for key, names in KEYS.items() if names}
"""The keys that choose, with these names."""
