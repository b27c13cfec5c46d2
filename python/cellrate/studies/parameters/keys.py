"""Keys of a scenario: type and value of a dotted path, from schema and resolved scenario."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from cellrate import _core
from cellrate.common.problems import BadInput, choose
from cellrate.studies.parameters import schema as schemas
from cellrate.studies.parameters.schema import (
    Schema,
    choices_of,
    element,
    full_path,
    is_table,
    kind_of,
    resolve,
    table_keys,
    variants,
)


@dataclass(frozen=True)
class Key:
    """A key that a scenario can set.

    Attributes:
        path: Dotted path, as ``--set`` takes it.
        kind: ``"number"``, ``"integer"``, ``"boolean"``, ``"choice"`` or the type of a quantity
            (``"Time"``, ``"Cells"``, ...).
        value: Value in the resolved scenario; None if it is absent.
        choices: Allowed texts of a choice.
        search: Declared range of a search (``x-search``), if there is one.
        not_searched: Declared reason why the parameter is not searched (``x-not-searched``).
        siblings: The resolved table that holds the key.
    """

    path: str
    kind: str
    value: Any
    choices: tuple[str, ...]
    search: Mapping[str, Any] | None
    not_searched: str | None
    siblings: Mapping[str, Any]

    def chosen(self, text: str) -> str:
        """A value of a choice or a truth value; a key for a recovery may name a class in Python.

        Raises:
            BadInput: The key does not allow the value.
        """
        if self.path.endswith("recovery") and ":" in text:
            return text
        return choose(text, self.choices or ("true", "false"), f"value of {self.path}")


class Keys:
    """The keys that a scenario can set, with their types and present values.

    Args:
        resolved: The scenario with every default written out, as TOML.
    """

    def __init__(self, resolved: str) -> None:
        self.document: dict[str, Any] = json.loads(_core.toml_as_json(resolved))

    def find(self, path: str) -> Key:
        """Key at a dotted path, or the only key whose path ends with it.

        Raises:
            BadInput: There is no such key, or several; or it holds a table, a list or free text.
        """
        path = full_path(self.document, path)
        table, _, name = path.rpartition(".")
        node, data = self.walk(table)
        if isinstance(data, list):
            element(data, name, table)
            raise BadInput(f"{path} is a table; name one of its keys")
        keys = table_keys(node, data, table or "the scenario")
        node = keys[choose(name, list(keys), f"key of {table or 'the scenario'}")]
        if "const" in node:
            raise BadInput(f"{path} names a component, which is not a quantity; give another key")
        if "items" in resolve(node):
            if is_table(resolve(node)["items"]):
                raise BadInput(f"{path} is a list; name a key of one of its elements")
            raise BadInput(
                f"{path} is a list, which cannot be varied; `alternatives` of a study file may set "
                "it, and so may --set"
            )
        key = _key(path, node, data)
        if key is None and is_table(node):
            raise BadInput(f"{path} is a table; name one of its keys")
        if key is None:
            raise BadInput(f"{path} is text of any kind; vary a number, a quantity or a choice")
        return key

    def below(self, path: str) -> Iterator[Key]:
        """Every key below the table at a path, except in tables that the scenario lacks."""
        node, data = self.walk(path)
        yield from _below(path, node, data)

    def walk(self, path: str) -> tuple[Schema, Any]:
        """Schema and data of the table or list at a path.

        Raises:
            BadInput: The path does not exist.
        """
        node: Schema = schemas.schema_of(self.document)
        data: Any = self.document
        here = "the scenario"
        for step in path.split(".") if path else ():
            if isinstance(data, list):
                data, node = element(data, step, here), resolve(node)["items"]
            else:
                keys = table_keys(node, data, here)
                node = keys[choose(step, list(keys), f"key of {here}")]
                data = data.get(step, {})
            here = step if here == "the scenario" else f"{here}.{step}"
        return node, data


def _below(path: str, node: Schema, data: Mapping[str, Any]) -> Iterator[Key]:
    for name, inner in table_keys(node, data, path).items():
        if "const" in inner:
            continue
        below = f"{path}.{name}"
        key = None if "items" in resolve(inner) else _key(below, inner, data)
        if key is not None:
            yield key
        if isinstance(data.get(name), dict):
            yield from _below(below, inner, data[name])


def _key(path: str, node: Schema, siblings: Mapping[str, Any]) -> Key | None:
    """Key with a schema; None if it holds a table, a list or free text.

    A choice whose names stand for tables of parameters, such as a recovery, has its name as value.
    """
    kind, choices = kind_of(node), choices_of(resolve(node))
    if kind is None and not choices:
        return None
    value = siblings.get(path.rpartition(".")[2])
    if isinstance(value, dict):
        [value] = (value[one.tag] for one in variants(node) if value.get(one.tag) == one.name)
    return Key(
        path,
        kind or "choice",
        value,
        choices,
        node.get("x-search"),
        node.get("x-not-searched"),
        siblings,
    )


def number(text: str, key: Key) -> float:
    """Converts the text of a value into a number in SI units or cells.

    Raises:
        BadInput: The text is not a number, or has the wrong unit.
    """
    if key.kind in {"number", "integer"}:
        plain = text.replace(" ", "")
        try:
            # An exponent is not read by `Fraction`, whose number of digits has no limit.
            value = float(Fraction(plain)) if "/" in plain else float(plain)
        except (ValueError, ZeroDivisionError, OverflowError):
            value = math.nan
        if not math.isfinite(value):
            raise BadInput(
                f"{key.path} must be a finite number such as 0.5 or 1/64, but is {text!r}"
            )
        if key.kind == "integer" and value != round(value):
            raise BadInput(f"{key.path} must be a whole number, but is {text}")
        return value
    try:
        return _core.quantity(text, key.kind.lower())
    except ValueError as error:
        raise BadInput(f"{key.path}: {error}") from None
