"""The page on the evidence that each component follows its source, made of `components.toml`."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from cellrate import _core
from cellrate.papers.collection import all_papers
from cellrate.simulation.purposes import PURPOSES

COMPONENTS = Path(__file__).with_name("components.toml")
NOT_HERE = {"templates", "measures"}
"""Kinds that consist of other components, or that `measures` of the reference describes."""
WITH_PAGES = {"schemes", "policies", "aqm", "roce", "sources", "recoveries"}
SHORT = {"crates/engine/tests/suite/": "suite/", "crates/engine/src/": "", "crates/": ""}
"""Beginnings of paths, and their replacements on the page."""
SIMULATORS = {"ns-2": "tcp-ns2.md", "ns-3": "tcp-ns3.md", "tshark": "../../evidence.md"}
HEAD = """# Components

What holds each component to its source. Closed forms are names for `cellrate theory`. Outside are
[papers](papers.md) whose printed results are compared, and other simulators. The last column has a
test that is worked by hand: `suite/` is `crates/engine/tests/suite`, `tests/` is that of the
repository, and all else is below `crates/engine/src` or `crates`. "-" is none.
[What was tried](../../evidence.md) has the tests that components share, and
[one overload](../../generated/overload.md) shows what many of them do.
"""


@dataclass(frozen=True)
class Held:
    """Evidence that a component follows its source.

    Attributes:
        source: Paper or standard of the component.
        test: A test that is worked by hand, as `path::name` from the repository; empty if none.
        theory: Names of closed forms that runs are compared with.
        outside: Papers with printed results, other simulators, or text about other evidence.
    """

    source: str
    test: str = ""
    theory: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()


@cache
def held() -> dict[str, dict[str, Held]]:
    """The evidence of all components, by kind and name as in `PURPOSES`.

    Raises:
        TypeError: A component of the file has an unknown key.
    """
    registry = json.loads(_core.registry())
    sources = {
        (kind, one["name"]): one["source"] for kind, entries in registry.items() for one in entries
    }
    found: dict[str, dict[str, Held]] = {}
    for kind, entries in tomllib.loads(COMPONENTS.read_text(encoding="utf-8")).items():
        found[kind] = {}
        for name, entry in entries.items():
            fields: dict[str, Any] = {"source": sources.get((kind, name)), **entry}
            for key in ("theory", "outside"):
                fields[key] = tuple(fields.get(key, ()))
            found[kind][name] = Held(**fields)
    return found


def components() -> str:
    """The page, with a table for each group of purposes."""
    parts = [HEAD]
    for group, kinds in PURPOSES.items():
        rows = [row for kind, names in kinds.items() for row in _rows(kind, names)]
        if rows:
            head = "| component | source | closed form | outside | by hand |"
            parts.append("\n".join([f"## {group}\n", head, "|---" * 5 + "|", *rows, ""]))
    return "\n".join(parts)


def _rows(kind: str, names: dict[str, str]) -> Iterator[str]:
    if kind in NOT_HERE:
        return
    for name in names:
        one = held()[kind][name]
        shown = f"`{name}`" if kind == "keys" or kind not in WITH_PAGES else _page(kind, name)
        key = f"<br>`{kind}`" if "." in kind else ""
        cells = (
            f"{shown}{key}",
            one.source,
            ", ".join(f"`{theory}`" for theory in one.theory) or "-",
            ", ".join(map(_outside, one.outside)) or "-",
            _test(one.test) if one.test else "-",
        )
        yield f"| {' | '.join(cells)} |"


def _page(kind: str, name: str) -> str:
    return f"[`{name}`](../../reference/generated/{kind}/{name}.md)"


def _test(test: str) -> str:
    path, _, name = test.partition("::")
    for long, short in SHORT.items():
        if path.startswith(long):
            path = short + path.removeprefix(long)
            break
    return f"`{path}`<br>`::{name}`"


def _outside(outside: str) -> str:
    if outside in {paper.id for paper in all_papers()}:
        return f"[{outside}](../{outside}.md)"
    return f"[{outside}]({SIMULATORS[outside]})" if outside in SIMULATORS else outside
