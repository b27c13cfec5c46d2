"""Reference pages of the scenario file, made from its JSON Schema."""

from __future__ import annotations

from typing import Any, TypeAlias

from schema_values import constant, names_of, paragraphs, searched, text, toml

Schema: TypeAlias = dict[str, Any]

# Sections of a scenario in the order in which one writes them.
SECTIONS = (
    "run",
    "measure",
    "topology",
    "switch",
    "fcvc",
    "pfc",
    "cbfc",
    "llr",
    "link_errors",
    "tcp",
    "abr",
    "aal5",
    "ethernet",
    "flow",
)
# Definitions whose keys are documented on another page than the key that refers to them.
ELSEWHERE = {
    "ControlConfig": "[control scheme](schemes.md) and its keys",
    "DiscardConfig": "[discard policy](policies.md) and its keys",
    "AqmConfig": "[active queue management](aqm.md) and its keys",
    "RoceControlConfig": "[rate control over RoCE](roce.md) and its keys",
    "SourceConfig": "[traffic source](sources.md) and its keys",
    "Recovery": "[recovery](recoveries.md)",
    "TcpConfig": "keys of `[tcp]`",
    "AbrConfig": "keys of `[abr]`",
}
SIMPLE = {
    "boolean": "`true` or `false`",
    "integer": "whole number",
    "object": "table",
    "string": "text",
}
# Greatest length of a default that is shown; a longer one says less than the keys of the table.
LONGEST_DEFAULT = 60

HEAD = """# Scenario file

TOML. A quantity is text with its unit: `"155.52 Mbit/s"`, `"5 ms"`, `"1000 km"` (5 µs per km),
`"500 cells"`, `"1024 KiB"` (kB is 1000 bytes, KiB 1024); only plain counts and factors are numbers.
A rate counts the 424 bits of each cell unless it is marked, as in `"10 Mbit/s payload"`. Every key
can be set on the command line by its dotted path: `--set switch.buffer="500 cells"`; a flow is
addressed by its name or number, `--set flow.tcp.count=5`. Whatever is unknown, of a wrong unit or
impossible is an error that says where it is and what is allowed. The range in which a key is
*searched* is where its best value is looked for unless another one is given.

A rate over ATM may also be the name of a physical layer: `link_rate = "OC-3c"` is the same as
`"149.76 Mbit/s"`. The frames of the layer leave this rate for cells. A rate with a unit is never
reduced: a link of `"155.52 Mbit/s"` carries 155.52 Mbit/s of cells.

| name | line (Mbit/s) | share for cells | cells (Mbit/s) | cells/s |
|---|---|---|---|---|
| `DS1` | 1.544 | 192 of 193 bits | 1.536 | 3,622.64 |
| `E1` | 2.048 | 30 of 32 octets | 1.92 | 4,528.30 |
| `E3` (G.832) | 34.368 | 530 of 537 octets | 33.92 | 80,000 |
| `DS3-PLCP` | 44.736 | 12 cells in 125 µs | 40.704 | 96,000 |
| `DS3` (cells found by HEC) | 44.736 | 84 of 85 bits | 44.209694118 | 104,268.15 |
| `STS-1` | 51.84 | 84 of 90 columns | 48.384 | 114,113.21 |
| `OC-3c`, `STM-1` | 155.52 | 260 of 270 columns | 149.76 | 353,207.55 |
| `OC-12c`, `STM-4c` | 622.08 | 1,040 of 1,080 columns | 599.04 | 1,412,830.19 |
| `OC-48c`, `STM-16c` | 2,488.32 | 4,160 of 4,320 columns | 2,396.16 | 5,651,320.75 |
| `OC-192c`, `STM-64c` | 9,953.28 | 16,640 of 17,280 columns | 9,584.64 | 22,605,283.02 |

Sources: ITU-T G.804 for the first five, G.707 and GR-253 for the others. `DS3` is rounded to
0.001 bit/s. Only the mean rate is modelled: cells follow each other evenly, without the gaps that
the overhead of a frame makes. In each row of OC-3c 10 of 270 octets are overhead: gaps of 0.5 µs,
a fifth of the 2.83 µs of a cell. Such names are refused over Ethernet and in networks with routers.
"""


OVER_ETHERNET = """# Scenario file over Ethernet

`link_layer = "ethernet"` makes a scenario one of frames instead of cells. Quantities are written as
in a [scenario of cells](scenario.md); sizes are bytes, and lines have at most 800 Gbit/s. The bytes
of a frame count from its header to its frame check sequence; a line is also busy for the preamble
of 8 bytes and the gap of 12. `cellrate schema ethernet` prints the JSON Schema.
"""


STUDY = """# Study file

TOML: many runs of one scenario. `cellrate schema study` prints its JSON Schema, for editors. Values
of factors are written as in a [scenario](scenario.md);
[how to run a study](../../how-to/run-a-study.md) shows the whole.
"""


VALUES = """\
## Values of a factor

A list, such as `[2, 4, 8]`, or a table that leads from one value to another, such as
`{ from = 2, to = 30, count = 8 }`:
"""


def index_page(key: str, title: str, intro: str, entries: list[dict[str, str]]) -> str:
    """The list of one registry: every entry with a line of description and its source."""
    rows = [
        f"| [{entry['name']}]({key}/{entry['name']}.md) | {entry['about']} | {entry['source']} |"
        for entry in entries
    ]
    table = ["| name | what it is | source |", "|---|---|---|", *rows]
    tree = ["```{toctree}", ":hidden:", "", *(f"{key}/{entry['name']}" for entry in entries), "```"]
    return "\n".join([f"# {title}", "", intro, "", *table, "", *tree])


def component_head(entry: dict[str, str]) -> str:
    """The head of the page of a component."""
    return f"# {entry['name']}\n\n{entry['about']}. Source: {entry['source']}.\n"


class SchemaPages:
    """Pages about the parts of one schema."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.definitions: dict[str, Schema] = schema.get("$defs", {})

    def scenario(self, head: str = HEAD) -> str:
        """The page with every section of the file, and the form of quantities of each kind."""
        parts = [head]
        for name in (name for name in SECTIONS if name in self.schema["properties"]):
            value = self.schema["properties"][name]
            used = self.definition(value.get("items", value)) in ("TcpConfig", "AbrConfig")
            parts += self.table(name, value, "##", even_elsewhere=used)
        quantities = [(name, one) for name, one in self.definitions.items() if "pattern" in one]
        parts.append("## Quantities\n")
        parts += [f"{name.lower()}\n: {text(one)}\n" for name, one in sorted(quantities)]
        return "\n".join(parts)

    def study(self) -> str:
        """The page of a study file; the schema must be that of study files."""
        values = self.keys("factors", self.definitions["Range"], "###")
        return "\n".join([STUDY, *self.keys("", self.schema, "##"), VALUES, *values])

    def choices(
        self, key: str, title: str, place: str, tag: str, entries: list[dict[str, str]]
    ) -> dict[str, str]:
        """The pages of one registry, by name: the list, and every entry with its keys."""
        variants = self.tagged(tag, {entry["name"] for entry in entries})
        intro = f"Values of `{tag}` in `{place}`, each with the keys that come with it."
        pages = {key: index_page(key, title, intro, entries)}
        for entry in entries:
            variant = variants[entry["name"]]
            parts = [component_head(entry), f"{paragraphs(variant['x-documentation'])}\n"]
            keys = self.keys(place.strip("[]"), variant, "##", without=tag)
            # Links to other pages are relative to the list, which is one folder up.
            parts += [part.replace("](", "](../") for part in keys]
            pages[f"{key}/{entry['name']}"] = "\n".join(parts)
        return pages

    def tagged(self, tag: str, names: set[str]) -> dict[str, Schema]:
        """Variants, by name, of the definition in which `tag` selects a variant by these names.

        Raises:
            LookupError: No definition has these names, or more than one has.
        """
        found = []
        for one in self.definitions.values():
            variants = [two for two in one.get("oneOf", []) if self.properties(two)]
            tags = [constant(self.properties(variant).get(tag, {})) for variant in variants]
            if names == set(tags):
                found.append(dict(zip(map(str, tags), variants, strict=True)))
        if len(found) != 1:
            raise LookupError(
                f"{len(found)} definitions are told apart by {tag} as {sorted(names)}"
            )
        return found[0]

    def table(
        self, path: str, value: Schema, heading: str, *, even_elsewhere: bool = False
    ) -> list[str]:
        """Documentation of a table or a list of tables: description, keys, and inner tables."""
        value = next((one for one in value.get("anyOf", ()) if "$ref" in one), value)
        inner = self.resolve(value.get("items", value))
        known = self.definition(value.get("items", value)) in ELSEWHERE and not even_elsewhere
        if known or not ("properties" in inner or self.has_variants(inner)):
            return []
        brackets = f"[[{path}]]" if "items" in value else f"[{path}]"
        parts = [f"{heading} `{brackets}`\n\n{text(value) or text(inner)}\n"]
        if not self.has_variants(inner):
            return parts + self.keys(path, inner, f"{heading}#")
        for variant in inner["oneOf"]:
            properties = self.properties(variant)
            tag = next(key for key, one in properties.items() if constant(one) is not None)
            name = f'{heading}# `{tag} = "{constant(properties[tag])}"`'
            parts.append(f"{name}\n\n{text(variant) or text(self.resolve(variant))}\n")
            parts += self.keys(path, variant, f"{heading}##", without=tag)
        return parts

    def has_variants(self, schema: Schema) -> bool:
        """True if a table has variants with keys of their own."""
        return any(self.properties(variant) for variant in schema.get("oneOf", ()))

    def keys(self, path: str, section: Schema, heading: str, without: str = "") -> list[str]:
        """A definition list of all keys, then the tables among them."""
        required = self.required(section)
        properties = {k: v for k, v in self.properties(section).items() if k != without}
        lines = [self._line(key, value, required) for key, value in properties.items()]
        tables = [
            self.table(f"{path}.{key}".lstrip("."), value, heading)
            for key, value in properties.items()
        ]
        return [*(lines or ["No keys.\n"]), *(part for table in tables for part in table)]

    def _line(self, key: str, value: Schema, required: set[str]) -> str:
        facts = [self.type_of(value)]
        if key in required:
            facts.append("required")
        elif value.get("default") is not None:
            default = toml(value["default"])
            facts += [f"default `{default}`"] if len(default) <= LONGEST_DEFAULT else []
        sentences = [f"{', '.join(facts)}.", text(value), searched(value)]
        lines = [f"`{key}`\n: {' '.join(filter(None, sentences))}", *self._meanings(value)]
        return "\n".join(lines) + "\n"

    def _meanings(self, value: Schema) -> list[str]:
        """Meanings of the texts that a key allows, as far as the schema gives them."""
        if "anyOf" in value:
            value = next((one for one in value["anyOf"] if "$ref" in one), value)
        if self.definition(value) in ELSEWHERE:
            return []
        described = [one for one in self.resolve(value).get("oneOf", ()) if text(one)]
        return [f"\n  - `{toml(name)}`: {text(one)}" for one in described for name in names_of(one)]

    def type_of(self, value: Schema) -> str:
        """Values that a key may have, in words."""
        name = self.definition(value)
        if name in ELSEWHERE:
            return ELSEWHERE[name]
        if "pattern" in self.definitions.get(name, {}):
            return f"[{name.lower()}](scenario.md#quantities)"
        value = self.resolve(value)
        if "anyOf" in value:
            kinds = [self.type_of(one) for one in value["anyOf"] if one.get("type") != "null"]
            return " or ".join(dict.fromkeys(kinds))
        if names := names_of(value):
            return " or ".join(f'`"{one}"`' for one in names)
        kinds = value.get("type", "table")
        kind = kinds if isinstance(kinds, str) else next(one for one in kinds if one != "null")
        if kind == "array":
            return f"list of {self.type_of(value['items'])}"
        return SIMPLE.get(kind, kind)

    def properties(self, schema: Schema) -> dict[str, Schema]:
        """Keys of a table, those of the definition that it refers to included."""
        found = self.resolve(schema).get("properties", {}) if "$ref" in schema else {}
        return {**schema.get("properties", {}), **found}

    def required(self, schema: Schema) -> set[str]:
        """Keys that a table must have."""
        return {*schema.get("required", ()), *self.resolve(schema).get("required", ())}

    def definition(self, schema: Schema) -> str:
        """Name of the definition that a schema refers to, if it does."""
        return str(schema.get("$ref", "")).rpartition("/")[2]

    def resolve(self, schema: Schema) -> Schema:
        """The definition that a schema refers to; anything else as it is."""
        while "$ref" in schema:
            schema = self.definitions[self.definition(schema)]
        return schema
