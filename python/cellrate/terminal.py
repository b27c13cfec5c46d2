"""Standard output: as wide as the terminal, or of a fixed width where there is none."""

from rich.console import Console

# A file or a pipe has no width of its own.
PLAIN_WIDTH = 120


def console() -> Console:
    """Standard output, without markup: names are shown as they are."""
    plain = Console(markup=False, highlight=False)
    return plain if plain.is_terminal else Console(markup=False, highlight=False, width=PLAIN_WIDTH)


def say(text: str) -> None:
    """Writes a line."""
    console().print(text, soft_wrap=True)
