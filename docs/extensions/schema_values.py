"""Values of a schema in words: allowed values, defaults, and ranges for a search."""

from __future__ import annotations

import json
import re
from typing import Any, TypeAlias

Schema: TypeAlias = dict[str, Any]


def names_of(schema: Schema) -> list[str]:
    """The texts that a schema allows; empty if it does not restrict texts."""
    if "oneOf" in schema:
        return [name for one in schema["oneOf"] for name in names_of(one)]
    if "const" in schema:
        return [str(schema["const"])]
    return [str(name) for name in schema.get("enum", ())]


def constant(schema: Schema) -> str | None:
    """The one text that a schema allows; None if there is not exactly one."""
    names = names_of(schema)
    return names[0] if len(names) == 1 else None


def text(schema: Schema) -> str:
    """Description of a schema, on one line."""
    return " ".join(str(schema.get("description", "")).split())


def paragraphs(documentation: str) -> str:
    """Documentation of Rust as Markdown, with links between types turned into names."""
    return re.sub(r"\[(`[^`\]]+`)\](?!\()", r"\1", documentation)


def searched(schema: Schema) -> str:
    """Range that `cellrate tune` searches for a parameter by itself, as declared, in words."""
    if "x-not-searched" in schema:
        return f"*No range to search: {schema['x-not-searched']}.*"
    search = schema.get("x-search")
    if search is None:
        return ""
    whole = f" times `{search['of']}`" if "of" in search else ""
    scale = {"linear": "", "log": ", logarithmic", "powers-of-two": ", powers of two"}
    step = f", multiples of {search['step']}" if "step" in search else ""
    low, high = (fraction(search[end]) for end in ("low", "high"))
    return f"*Searched from {low} to {high}{whole}{scale[search['scale']]}{step}.*"


def fraction(value: object) -> str:
    """A number below 0.02 as 1/n if n is whole; any other value as it is."""
    inverse = 1 / value if isinstance(value, float) and 0 < value < 0.02 else 0
    return f"1/{round(inverse)}" if inverse and inverse == round(inverse) else str(value)


def toml(value: object) -> str:
    """A default in the notation of TOML."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {toml(one)}' for key, one in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return json.dumps(value, ensure_ascii=False)
