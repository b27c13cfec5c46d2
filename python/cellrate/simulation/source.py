"""Reads the text of a scenario from a file, from standard input, or from an argument."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from pathlib import Path

from cellrate import _core
from cellrate.common import input_file
from cellrate.common.problems import EMPTY_PATH

STANDARD_INPUT = "-"
UNNAMED = frozenset({"<stdin>", "<mapping>", "<text>"})
"""Names of scenarios and studies that do not come from a file."""
VARIANTS = frozenset({"kind", "law", "policy", "scheme", "template"})
"""Keys that choose the variant of a table, on which its other keys depend."""


def read(path: str) -> tuple[str, str]:
    """Text and name of the scenario in a file, or in standard input if the path is ``-``.

    Raises:
        OSError: The path is empty, or the file cannot be read or is longer than any scenario.
        ScenarioError: The file is not UTF-8 text; the error names the first wrong byte.
    """
    if not path:
        raise OSError(EMPTY_PATH)
    if path == STANDARD_INPUT:
        piped = input_file.read_stream(sys.stdin.buffer, input_file.MOST_TEXT_BYTES)
        return decode(piped, "<stdin>"), "<stdin>"
    return decode(input_file.read_bytes(path, input_file.MOST_TEXT_BYTES), path), path


def given(scenario: str | PathLike[str] | Mapping[str, object]) -> tuple[str, str]:
    """Text and name of a scenario that is given as a path, as TOML or as a mapping.

    A text of several lines is TOML, any other a path.

    Raises:
        TypeError: The scenario is none of these, or the mapping has a value that TOML lacks.
        OSError: The file cannot be read.
        ScenarioError: The file is not UTF-8 text.
    """
    if isinstance(scenario, Mapping):
        from cellrate.simulation.mapping import scenario_text  # not needed for files and texts

        return scenario_text(scenario), "<mapping>"
    if not isinstance(scenario, str | PathLike):
        raise TypeError(
            f"scenario = {scenario!r}: must be a path, the scenario itself as TOML, a mapping of "
            "its sections, or a Scenario"
        )
    if isinstance(scenario, str) and "\n" in scenario:
        return scenario, "<text>"
    return read(str(scenario))


def decode(data: bytes, path: str) -> str:
    """Decodes UTF-8 text.

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
    """Converts overrides to the form ``path=value`` of the option ``--set``.

    Mappings may be nested, and set each key that they have. A mapping with ``scheme``, ``policy``,
    ``law``, ``kind`` or ``template`` replaces the whole table, because variants have different
    keys. A class of `cellrate.schemes`, or an object of one, stands for its name, or for its name
    and parameters; passing it permits its code to run.

    >>> settings({"flow.tcp.count": 5, "switch": {"buffer": "500 cells"}})
    ['flow.tcp.count=5', 'switch.buffer="500 cells"']
    >>> settings({"switch": {"control": {"scheme": "efci", "threshold": "100 cells"}}})
    ['switch.control={ scheme = "efci", threshold = "100 cells" }']

    Raises:
        BadInput: Runs would not find a class, since it is not at the top level of its module.
        TypeError: A key is not text, a value is not text, a number, a boolean, a list or a mapping,
            or the overrides are neither a mapping nor texts.
    """
    if isinstance(overrides, str):
        return [overrides]
    if isinstance(overrides, Mapping):
        return list(_flat(overrides, ""))
    if not isinstance(overrides, Iterable):
        raise TypeError(f"overrides = {overrides!r}: must be a mapping, or texts PATH=VALUE")
    found = list(overrides)
    for text in found:
        if not isinstance(text, str):
            raise TypeError(f"{text!r} is no override: must be a text PATH=VALUE, or use a mapping")
    return found


def _flat(overrides: Mapping[str, object], above: str) -> Iterator[str]:
    from cellrate.schemes.parameter_schema import as_settings
    from cellrate.simulation.mapping import value_text

    for key, given_value in overrides.items():
        if not isinstance(key, str):
            raise TypeError(f"a key of the overrides, {above}{key}: must be text, not {key!r}")
        path = f"{above}{key}"
        value = as_settings(given_value, path.rpartition(".")[2])
        if isinstance(value, Mapping) and value and not VARIANTS & value.keys():
            yield from _flat(value, f"{path}.")
        else:
            yield f"{path}={value_text(value, path)}"


def stem(name: str) -> str:
    """The stem of output files for a scenario or study of this name.

    >>> stem("examples/efci-oscillation.toml"), stem("<stdin>"), stem("<xy>.toml")
    ('efci-oscillation', 'stdin', '<xy>')
    """
    return name.strip("<>") if name in UNNAMED else Path(name).stem


def short_name(name: str) -> str:
    """The name of a scenario in titles: its file name without suffix; empty without a file.

    >>> short_name("examples/efci-oscillation.toml")
    'efci-oscillation'
    >>> short_name("<mapping>")
    ''
    """
    return "" if name in UNNAMED else Path(name).stem
