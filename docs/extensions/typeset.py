"""Typeset equations: LaTeX as MathML, which browsers draw without scripts or further fonts."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from latex2mathml.converter import convert

EQUATIONS = Path(__file__).parent / "equations.toml"


def equations() -> Mapping[str, Sequence[str]]:
    """The equations of each formula as lines of LaTeX."""
    return tomllib.loads(EQUATIONS.read_text(encoding="utf-8"))


def typeset(lines: Sequence[str]) -> list[str]:
    """Markdown that shows lines of LaTeX, one beneath the other."""
    drawn = (convert(line, display="block") for line in lines)
    return ["```{raw} html", '<div class="equation">', *drawn, "</div>", "```"]
