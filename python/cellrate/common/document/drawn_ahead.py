"""Figures of documents, drawn by several processes before pages show them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from cellrate.common.document import Block, Detail, Document, Figure, Folded, Section
from cellrate.common.forks import shared_out


def drawn_ahead(documents: Sequence[Document], workers: int) -> list[Document]:
    """The documents with figures that are drawn already.

    Args:
        documents: Documents whose figures are to be shown.
        workers: Number of figures that are drawn at a time.
    """
    figures = [figure.svg for document in documents for figure in _figures(document.parts)]
    drawings = iter(shared_out(figures, workers))
    return [replace(document, parts=_drawn(document.parts, drawings)) for document in documents]


def _figures(parts: Sequence[Block]) -> Iterator[Figure]:
    for part in parts:
        if isinstance(part, Section | Detail | Folded):
            yield from _figures(part.parts)
        elif isinstance(part, Figure):
            yield part


def _drawn(parts: Sequence[Block], drawings: Iterator[str]) -> tuple[Block, ...]:
    """The parts with the next drawings in the place of their figures' own."""
    found: list[Block] = []
    for part in parts:
        if isinstance(part, Section | Detail | Folded):
            found.append(replace(part, parts=_drawn(part.parts, drawings)))
        elif isinstance(part, Figure):
            found.append(replace(part, svg=partial(str, next(drawings))))
        else:
            found.append(part)
    return tuple(found)
