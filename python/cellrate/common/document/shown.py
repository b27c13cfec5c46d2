"""Objects that notebooks show as documents."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cellrate.common.document.content import Document


class Shown:
    """An object that a notebook shows as its document, by `_repr_html_`."""

    __slots__ = ()

    @abstractmethod
    def document(self) -> Document:
        """The object as a document, which is also rendered for the terminal and web pages."""

    def _repr_html_(self) -> str:
        from cellrate.common.document.fragment import fragment

        return fragment(self.document())
