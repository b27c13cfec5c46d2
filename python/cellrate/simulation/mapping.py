"""Converts mappings of Python to TOML."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from numbers import Integral

BARE = re.compile(r"[A-Za-z0-9_-]+")


def scenario_text(scenario: Mapping[str, object]) -> str:
    """TOML of a scenario from mappings for its sections and lists of mappings for its arrays.

    >>> print(scenario_text({"run": {"duration": "1 s"}, "flow": [{"name": "tcp", "count": 5}]}))
    [run]
    duration = "1 s"
    <BLANKLINE>
    [[flow]]
    name = "tcp"
    count = 5
    <BLANKLINE>

    Raises:
        TypeError: A key is not text, or TOML has no such value.
    """
    return "\n".join("\n".join(lines) + "\n" for lines in _sections(scenario))


def _sections(scenario: Mapping[str, object]) -> Iterator[list[str]]:
    loose = {key: value for key, value in scenario.items() if not _tables(value)}
    if loose:  # TOML needs keys without a section first
        yield _lines(loose, "")
    for key, value in scenario.items():
        brackets = "[{}]" if isinstance(value, Mapping) else "[[{}]]"
        for table in _tables(value):
            yield [brackets.format(_key(key, "")), *_lines(table, f"{key}.")]


def _tables(value: object) -> Sequence[Mapping[str, object]]:
    """The tables in a value: a mapping itself, or the elements of a list of mappings."""
    if isinstance(value, Mapping):
        return [value]
    if isinstance(value, list | tuple) and all(isinstance(table, Mapping) for table in value):
        return value
    return []


def _lines(table: Mapping[str, object], path: str) -> list[str]:
    return [
        f"{_key(key, path)} = {value_text(value, f'{path}{key}')}" for key, value in table.items()
    ]


def _key(key: object, path: str) -> str:
    if not isinstance(key, str):
        raise TypeError(f"a key of the scenario, {path}{key}: must be text, not {key!r}")
    return key if BARE.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def value_text(value: object, path: str) -> str:
    """The TOML of a value on one line; `path` names it in errors.

    >>> value_text({"scheme": "efci"}, "switch.control")
    '{ scheme = "efci" }'

    Raises:
        TypeError: TOML has no such value.
    """
    if isinstance(value, float) and not math.isfinite(value):
        raise TypeError(f"{path} of the scenario = {value!r}: must be finite")
    if isinstance(value, str | bool | int | float):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Integral):
        return str(int(value))
    if hasattr(value, "tolist"):  # numbers and arrays of numpy become numbers and lists of Python
        return value_text(value.tolist(), path)
    if isinstance(value, list | tuple):
        return f"[{', '.join(value_text(element, path) for element in value)}]"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(_lines(value, f'{path}.'))} }}"
    raise TypeError(
        f"{path} of the scenario = {value!r}: must be text, a number, true, false, a list or a "
        "mapping"
    )
