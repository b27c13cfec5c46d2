"""Dotted paths of a scenario's keys, and short forms of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cellrate.parameters.schema import Schema, is_table, resolve, schema, table_keys
from cellrate.problems import BadInput


def full_path(document: Mapping[str, Any], path: str) -> str:
    """The one path that ends like `path`, as `switch.control.scheme` for `control.scheme`.

    What begins with a table of the scenario is whole already, and so is what is no end of any path.

    Args:
        document: The scenario, resolved.
        path: Whole or short.

    Raises:
        BadInput: Several paths end so.
    """
    if path.partition(".")[0] in schema()["properties"]:
        return path
    found = [one for one in key_paths(document) if one.endswith(f".{path}")]
    if len(found) > 1:
        raise BadInput(f"{path} is several keys, name one: {', '.join(found)}")
    return found[0] if found else path


def key_paths(document: Mapping[str, Any]) -> Iterator[str]:
    """Paths of all keys that hold no table, except in tables that the scenario lacks."""
    yield from _below("", schema(), document)


def _below(prefix: str, node: Schema, data: Mapping[str, Any]) -> Iterator[str]:
    for name, inner in table_keys(node, data, prefix or "the scenario").items():
        path, value = f"{prefix}{name}", data.get(name)
        if isinstance(value, dict):
            yield from _below(f"{path}.", inner, value)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            items = resolve(inner)["items"]
            for number, one in enumerate(value):
                yield from _below(f"{path}.{one.get('name', number)}.", items, one)
        elif not is_table(inner):
            yield path
