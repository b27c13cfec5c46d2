"""Dotted paths of a scenario's keys, and their short forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cellrate.common.problems import BadInput
from cellrate.studies.parameters.schema import Schema, is_table, resolve, schema, table_keys


def full_path(document: Mapping[str, Any], path: str) -> str:
    """Full form of a short path, as `switch.control.scheme` of `control.scheme`.

    A path that begins with a table of the scenario, or that no path ends with, is returned as is.

    Args:
        document: The resolved scenario.
        path: Full or short path.

    Raises:
        BadInput: Several paths end with `path`.
    """
    if path.partition(".")[0] in schema()["properties"]:
        return path
    matching = [full for full in key_paths(document) if full.endswith(f".{path}")]
    if len(matching) > 1:
        raise BadInput(f"{path} is several keys, name one: {', '.join(matching)}")
    return matching[0] if matching else path


def key_paths(document: Mapping[str, Any]) -> Iterator[str]:
    """Paths of all keys that do not hold a table, except in tables that the scenario lacks."""
    yield from _below("", schema(), document)


def _below(prefix: str, node: Schema, data: Mapping[str, Any]) -> Iterator[str]:
    for name, inner in table_keys(node, data, prefix or "the scenario").items():
        path, value = f"{prefix}{name}", data.get(name)
        if isinstance(value, dict):
            yield from _below(f"{path}.", inner, value)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            items = resolve(inner)["items"]
            for number, item in enumerate(value):
                yield from _below(f"{path}.{item.get('name', number)}.", items, item)
        elif not is_table(inner):
            yield path
