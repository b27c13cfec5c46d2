"""Reference pages of the scenario file, out of its JSON Schema."""

from __future__ import annotations

import json
from typing import Any, TypeAlias

Schema: TypeAlias = dict[str, Any]

# Sections of a scenario in the order in which one writes them.
SECTIONS = ("run", "measure", "topology", "switch", "tcp", "abr", "aal5", "flow")

HEAD = """# Scenario file

TOML. A quantity is text with its unit: `"155.52 Mbit/s"`, `"5 ms"`, `"1000 km"` (5 µs per km),
`"500 cells"`, `"1024 KiB"` (kB is 1000 bytes, KiB 1024); only plain counts and factors are numbers.
A rate counts the 424 bits of each cell unless it is marked, as in `"10 Mbit/s payload"`. Every key
can be set on the command line by its dotted path: `--set switch.buffer="500 cells"`; a flow is
addressed by its name or number, `--set flow.tcp.count=5`. Whatever is unknown, of a wrong unit or
impossible is an error that says where it is and what is allowed.
"""


class SchemaPages:
    """Pages about the parts of one schema."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.definitions: dict[str, Schema] = schema.get("$defs", {})

    def scenario(self) -> str:
        """The page with every section of the file."""
        parts = [HEAD]
        for name in SECTIONS:
            found = self.schema["properties"][name]
            brackets = f"[[{name}]]" if found.get("type") == "array" else f"[{name}]"
            section = self.resolve(found.get("items", found))
            parts.append(f"## `{brackets}`\n\n{text(found) or text(section)}\n")
            parts += self.variants(section) if "oneOf" in section else [self.keys(section)]
        return "\n".join(parts)

    def choices(self, title: str, place: str, tag: str, entries: list[dict[str, str]]) -> str:
        """The page of one registry: every entry, what it is, and its parameters."""
        variants = self.tagged(tag)
        parts = [
            f"# {title}\n\nValues of `{tag}` in `{place}`, each with the keys that come with it.\n"
        ]
        for entry in entries:
            parts.append(f"## {entry['name']}\n\n{entry['about']}\n")
            parts.append(self.keys(variants[entry["name"]], without=tag))
        return "\n".join(parts)

    def tagged(self, tag: str) -> dict[str, Schema]:
        """Variants of the definition that is told apart by `tag`, by name.

        Raises:
            LookupError: No definition, or more than one, is.
        """
        found = [
            {str(constant(self.properties(variant)[tag])): variant for variant in one["oneOf"]}
            for one in self.definitions.values()
            if all(tag in self.properties(variant) for variant in one.get("oneOf", [{}]))
        ]
        if len(found) != 1:
            raise LookupError(f"{len(found)} definitions are told apart by {tag}")
        return found[0]

    def variants(self, section: Schema) -> list[str]:
        """Keys of each variant of a section."""
        parts = []
        for variant in section["oneOf"]:
            properties = self.properties(variant)
            tag = next(key for key, value in properties.items() if constant(value) is not None)
            about = text(variant)
            parts.append(f'### `{tag} = "{constant(properties[tag])}"`\n\n{about}\n')
            parts.append(self.keys(variant, without=tag))
        return parts

    def keys(self, section: Schema, without: str = "") -> str:
        """A definition list of all keys: type, default, and what they mean."""
        required = self.required(section)
        lines = []
        for key, value in self.properties(section).items():
            if key == without:
                continue
            facts = [self.type_of(value)]
            if key in required:
                facts.append("required")
            elif value.get("default") is not None:
                facts.append(f"default `{json.dumps(value['default'], ensure_ascii=False)}`")
            lines.append(f"`{key}`\n: {', '.join(facts)}. {text(value)}\n")
        return "\n".join(lines) or "No keys.\n"

    def type_of(self, value: Schema) -> str:
        """What may be written, in words."""
        value = self.resolve(value)
        if "anyOf" in value:
            kinds = [self.type_of(one) for one in value["anyOf"] if one.get("type") != "null"]
            return " or ".join(dict.fromkeys(kinds))
        if "oneOf" in value:
            names = [constant(one) for one in value["oneOf"]]
            if all(name is not None for name in names):
                return " or ".join(f'`"{name}"`' for name in names)
            return "table"
        if "enum" in value:
            return " or ".join(f'`"{name}"`' for name in value["enum"])
        if value.get("type") == "array" or "array" in value.get("type", ()):
            return f"list of {self.type_of(value.get('items', {}))}"
        return self._simple_type(value)

    def _simple_type(self, value: Schema) -> str:
        kinds = value.get("type", "value")
        kind = kinds if isinstance(kinds, str) else next(one for one in kinds if one != "null")
        name = {
            "string": "text",
            "integer": "whole number",
            "object": "table",
            "boolean": "`true` or `false`",
        }
        if "title" in value and kind == "string":
            return str(value["title"]).lower()
        return name.get(kind, kind)

    def properties(self, schema: Schema) -> dict[str, Schema]:
        """Keys of a table, those of the definition that it refers to included."""
        found = dict(self.resolve(schema).get("properties", {})) if "$ref" in schema else {}
        return {**schema.get("properties", {}), **found}

    def required(self, schema: Schema) -> set[str]:
        """Keys that a table must have."""
        return {*schema.get("required", ()), *self.resolve(schema).get("required", ())}

    def resolve(self, schema: Schema) -> Schema:
        """The definition that a reference refers to; anything else as it is."""
        while "$ref" in schema:
            schema = self.definitions[schema["$ref"].rpartition("/")[2]]
        return schema


def constant(schema: Schema) -> str | None:
    """The one value that a schema allows, if there is just one."""
    if "const" in schema:
        return str(schema["const"])
    values = schema.get("enum", [])
    return str(values[0]) if len(values) == 1 else None


def text(schema: Schema) -> str:
    """Description of a schema, on one line."""
    return " ".join(str(schema.get("description", "")).split())
