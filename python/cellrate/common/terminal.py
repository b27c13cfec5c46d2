"""Writes to standard output, as wide as the terminal or else with a fixed width."""

from rich.console import Console

from cellrate.common.document import Document
from cellrate.common.document.terminal_text import show as show_on

# Width for files and pipes.
PLAIN_WIDTH = 120


def console() -> Console:
    """Console on standard output without markup, so that names are printed literally."""
    plain = Console(markup=False, highlight=False)
    return plain if plain.is_terminal else Console(markup=False, highlight=False, width=PLAIN_WIDTH)


def say(text: str) -> None:
    """Writes a line."""
    console().print(text, soft_wrap=True)


def show(document: Document) -> None:
    """Writes a document."""
    show_on(document, console())
