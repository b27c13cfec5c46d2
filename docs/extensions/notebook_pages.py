"""Runs the notebooks of the gallery and writes a page of each, before Sphinx reads the pages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import notebook_runner as runner

if TYPE_CHECKING:
    from sphinx.application import Sphinx

NOTEBOOKS = "notebooks"
GENERATED = "reference/generated/notebooks"
# The Sphinx builder of `make test-docs`, which needs the pages but not the output of the cells.
WITHOUT_OUTPUT = "doctest"


def setup(app: Sphinx) -> dict[str, bool]:
    """Registers the extension with Sphinx."""
    app.connect("builder-inited", _write)
    return {"parallel_read_safe": True}


def _write(app: Sphinx) -> None:
    docs = Path(app.srcdir)
    place = docs / GENERATED
    place.mkdir(parents=True, exist_ok=True)
    for notebook in sorted((docs / NOTEBOOKS).glob("*.ipynb")):
        file = place / f"{notebook.stem}.md"
        if app.builder.name == WITHOUT_OUTPUT:
            text = runner.page(notebook)
        else:
            text = runner.page(notebook, runner.run(notebook)[0])
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
