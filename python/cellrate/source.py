"""Where a scenario's text comes from: a file, standard input, or the caller."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from cellrate import _core

STANDARD_INPUT = "-"


def read(path: str) -> tuple[str, str]:
    """Text and name of the scenario in a file, or in standard input if the path is ``-``.

    Raises:
        OSError: The file cannot be read.
        ScenarioError: It is not UTF-8 text; the error names the first place that is not.
    """
    if path == STANDARD_INPUT:
        return decode(sys.stdin.buffer.read(), "<stdin>"), "<stdin>"
    return decode(Path(path).read_bytes(), path), path


def given(scenario: str | Path) -> tuple[str, str]:
    """Text and name of a scenario as Python's functions take it: a path, or the TOML itself.

    Text of several lines is TOML, any other a path.

    Raises:
        OSError: The file cannot be read.
        ScenarioError: It is not UTF-8 text.
    """
    if isinstance(scenario, str) and "\n" in scenario:
        return scenario, "<text>"
    return read(str(scenario))


def decode(data: bytes, path: str) -> str:
    """Bytes as text.

    Raises:
        ScenarioError: The bytes are not UTF-8.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        column = len(before.rpartition(b"\n")[2].decode("utf-8")) + 1
        raise _not_text(path, line, column, data[error.start]) from None


def _not_text(path: str, line: int, column: int, byte: int) -> _core.ScenarioError:
    message = f"byte 0x{byte:02x} is not UTF-8 text"
    advice = "a scenario is a TOML file, which is UTF-8 text"
    error = _core.ScenarioError(message)
    error.rendered = f"error: {message}\n --> {path}:{line}:{column}\n  |\n  = help: {advice}\n"
    error.diagnostics = [
        {
            "severity": "error",
            "message": message,
            "path": path,
            "line": line,
            "column": column,
            "label": "",
            "help": advice,
        }
    ]
    return error


def settings(overrides: Mapping[str, object] | Iterable[str]) -> list[str]:
    """Overrides in the form ``path=value`` that the command line's ``--set`` takes.

    >>> settings({"flow.tcp.count": 5, "switch.buffer": "500 cells"})
    ['flow.tcp.count=5', 'switch.buffer="500 cells"']

    Raises:
        TypeError: A value is no text, number, truth value or list of them.
    """
    if isinstance(overrides, str):
        return [overrides]
    if isinstance(overrides, Mapping):
        return [f"{path}={_toml(value)}" for path, value in overrides.items()]
    return list(overrides)


def _toml(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_toml(item) for item in value)}]"
    if isinstance(value, (str, bool, int, float)):
        return json.dumps(value, ensure_ascii=False)
    raise TypeError(f"a setting is text, a number, true, false or a list of them, not {value!r}")
