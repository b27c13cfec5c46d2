"""Writes the reference pages from the program's own data, before Sphinx reads the pages.

The scenario's keys come from its JSON Schema, schemes and the like from the registry, measures and
formulas from their dictionary and catalogue, the command from its own help. So no page can be out
of date.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cellrate import _core, template
from cellrate.cli.parser import app as command
from cellrate.language.measures import tables
from cellrate.theory.catalogue import CATALOGUE
from formula_pages import formulas
from measure_pages import measures
from schema_pages import OVER_ETHERNET, SchemaPages, component_head, index_page
from schema_values import paragraphs

if TYPE_CHECKING:
    from sphinx.application import Sphinx

GENERATED = "reference/generated"
RECOVERIES = "crates/engine/src/tcp/recovery"


def setup(app: Sphinx) -> dict[str, bool]:
    """Registers the extension with Sphinx."""
    app.connect("config-inited", lambda app, _config: write_pages(Path(app.srcdir)))
    return {"parallel_read_safe": True}


def write_pages(docs: Path) -> None:
    """Writes every generated page."""
    place = docs / GENERATED
    place.mkdir(parents=True, exist_ok=True)
    schema = SchemaPages(json.loads(_core.schema()))
    ethernet = SchemaPages(json.loads(_core.schema(ethernet=True)))
    registry = json.loads(_core.registry())
    pages = {
        "scenario": schema.scenario(),
        "ethernet": ethernet.scenario(OVER_ETHERNET),
        **ethernet.choices(
            "aqm", "Active queue management", "[switch.aqm]", "algorithm", registry["aqm"]
        ),
        **ethernet.choices(
            "roce", "Rate control over RoCE", "flow.roce.control", "algorithm", registry["roce"]
        ),
        "study": SchemaPages(json.loads(_core.study_schema())).study(),
        **schema.choices(
            "schemes", "Control schemes", "[switch.control]", "scheme", registry["schemes"]
        ),
        **schema.choices(
            "policies", "Discard policies", "[switch.discard]", "policy", registry["policies"]
        ),
        **schema.choices("sources", "Traffic sources", "flow.source", "kind", registry["sources"]),
        **recoveries(schema, registry["recoveries"], docs.parent / RECOVERIES),
        "templates": _templates(registry["templates"]),
        "measures": measures(tables()),
        "formulas": formulas(CATALOGUE),
        "command": command.generate_docs(output_format="markdown"),
    }
    for name, text in pages.items():
        _write(place / f"{name}.md", text)


def _write(path: Path, text: str) -> None:
    """Writes a page if it changed, so that Sphinx reads only changed pages."""
    text = text.rstrip("\n") + "\n"
    path.parent.mkdir(exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def recoveries(schema: SchemaPages, entries: list[dict[str, str]], sources: Path) -> dict[str, str]:
    """The pages of TCP's recoveries: documentation in their source files, and keys, if any."""
    intro = (
        "Values of `recovery` in `[tcp]`: a name, or a table with the name as `policy` and "
        "parameters. [What they do](../../explanation/recoveries.md)."
    )
    pages = {"recoveries": index_page("recoveries", "TCP recoveries", intro, entries)}
    tables = schema.tagged("policy", {entry["name"] for entry in entries})
    for entry in entries:
        file = sources / f"{entry['name'].replace('-', '_')}.rs"
        file = file if file.exists() else file.with_suffix("") / "mod.rs"
        source = file.read_text(encoding="utf-8")
        about = [line[3:].strip() for line in source.splitlines() if line.startswith("//!")]
        before, found, _ = source.partition("\npub struct ")
        if not found:
            raise LookupError(f"{entry['name']}: its file has no public struct")
        struct = [line for line in before.rpartition("\n\n")[2].splitlines() if "///" in line]
        text = "\n".join([*about, "", *(line.partition("///")[2].strip() for line in struct)])
        keys = schema.keys("tcp.recovery", tables[entry["name"]], "##", without="policy")
        keys = [part.replace("](", "](../") for part in keys]
        page = [f"{component_head(entry)}\n{paragraphs(text)}\n", *keys]
        pages[f"recoveries/{entry['name']}"] = "\n".join(page)
    return pages


def _templates(templates: list[dict[str, Any]]) -> str:
    parts = ["# Templates", "", "What `cellrate new TEMPLATE` prints.", ""]
    for entry in templates:
        name = entry["name"]
        parts += [
            f"## {name}",
            "",
            entry["about"],
            "",
            "```toml",
            template(name).rstrip(),
            "```",
            "",
        ]
    return "\n".join(parts)
