"""Runs the cells of a notebook one after the other, and keeps the output of each cell.

The cells of the gallery's notebooks are plain Python. A Jupyter kernel would need twenty packages.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RICH = ("html", "svg")
"""Forms in which a value may show itself, the best first: `_repr_html_`, `_repr_svg_`."""


@dataclass(frozen=True)
class Cell:
    """A cell of a notebook.

    Attributes:
        kind: ``markdown`` or ``code``.
        source: Text of the cell.
    """

    kind: str
    source: str


@dataclass(frozen=True)
class Shown:
    """The output of a cell.

    Attributes:
        printed: Text that the cell printed.
        markup: The value of the cell's last line as HTML or SVG; empty if the value has neither.
        text: The value as text; empty without a value, or if there is markup.
    """

    printed: str = ""
    markup: str = ""
    text: str = ""


def cells(notebook: Path) -> list[Cell]:
    """The cells of an .ipynb file."""
    content = json.loads(notebook.read_text(encoding="utf-8"))
    return [Cell(one["cell_type"], "".join(one["source"])) for one in content["cells"]]


def run(notebook: Path) -> tuple[list[Shown], dict[str, Any]]:
    """Runs a notebook.

    Returns:
        The output of each cell, and the names that the cells defined.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = [
        _run(one.source, names, f"{notebook.name}, cell {at}") if one.kind == "code" else Shown()
        for at, one in enumerate(cells(notebook), start=1)
    ]
    return shown, names


def _run(source: str, names: dict[str, Any], place: str) -> Shown:
    tree = ast.parse(source, place)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
        exec(compile(tree, place, "exec"), names)  # noqa: S102  our own notebook
        value = None
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), place, "eval"), names)  # noqa: S307
        return _shown(value, printed)


def _shown(value: object, printed: io.StringIO) -> Shown:
    if value is None:
        return Shown(printed.getvalue())
    for form in RICH:
        show = getattr(value, f"_repr_{form}_", None)
        markup = None if show is None else show()
        if markup:
            return Shown(printed.getvalue(), markup)
    return Shown(printed.getvalue(), text=repr(value))


def page(notebook: Path, outputs: list[Shown] | None = None) -> str:
    """The notebook as a page of Markdown, with the outputs of its cells if they are given."""
    parts: list[str] = []
    for at, one in enumerate(cells(notebook)):
        if one.kind == "markdown":
            parts.append(one.source)
            continue
        parts.append(f"```python\n{one.source}\n```")
        if outputs is not None:
            parts += _output(outputs[at])
    return "\n\n".join(parts) + "\n"


def _output(shown: Shown) -> list[str]:
    found = [f"```text\n{text.rstrip()}\n```" for text in (shown.printed, shown.text) if text]
    if shown.markup:
        found.append(f'`````{{raw}} html\n<div class="shown">\n{shown.markup}\n</div>\n`````')
    return found


def content(found: list[Cell]) -> Mapping[str, Any]:
    """Cells as the content of an .ipynb file without outputs."""
    listed: list[dict[str, Any]] = [
        {"cell_type": one.kind, "id": f"cell-{at}", "metadata": {}, "source": _lines(one.source)}
        | ({"execution_count": None, "outputs": []} if one.kind == "code" else {})
        for at, one in enumerate(found, start=1)
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": listed, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _lines(source: str) -> list[str]:
    return source.splitlines(keepends=True)
