"""Figures of documents, drawn by several processes before pages show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from cellrate.common.document import Block, Document, Figure, changed, walk
from cellrate.common.forks import shared_out


def drawn_ahead(documents: Sequence[Document], workers: int) -> list[Document]:
    """The documents, with figures replaced by SVG elements that `workers` processes draw."""
    figures = [
        part.svg
        for document in documents
        for part in walk(document.parts)
        if isinstance(part, Figure)
    ]
    drawings = iter(shared_out(figures, workers))

    def drawn(part: Block) -> Block:
        return replace(part, svg=partial(str, next(drawings))) if isinstance(part, Figure) else part

    return [replace(document, parts=changed(document.parts, drawn)) for document in documents]
