"""Words that the fuzzer puts into inputs: keys, choices and units of scenarios and studies."""

import json
from collections.abc import Iterator
from pathlib import Path

from cellrate import _core

UNITS = ("ps", "ns", "us", "ms", "s", "m", "km", "bit/s", "kbit/s", "Mbit/s", "Gbit/s", "cells/s")
MORE_UNITS = ("cells/ms", "payload", "bytes", "kB", "MB", "KiB", "MiB", "cells", "infinite")
NUMBERS = ("0", "-1", "1e300", "nan", "inf", "4294967296", "9223372036854775807", "0.0")
SIGNS = ("[[", "]]", "[", "]", "{", "}", " = ", '"', "'", "#", ".", ",", "\\u0000")


def write(path: Path) -> None:
    """Writes a dictionary for libFuzzer."""
    words = {*UNITS, *MORE_UNITS, *NUMBERS, *SIGNS}
    for schema in (_core.schema(), _core.study_schema()):
        words.update(_words(json.loads(schema)))
    quoted = (word.replace("\\", "\\\\").replace('"', '\\"') for word in sorted(words))
    path.write_text("".join(f'"{word}"\n' for word in quoted), encoding="utf-8")


def _words(schema: object) -> Iterator[str]:
    """Names of properties and texts that are values."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        values = [schema.get("const"), *schema.get("enum", [])]
        yield from (value for value in values if isinstance(value, str))
        for inner in schema.values():
            yield from _words(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _words(inner)
