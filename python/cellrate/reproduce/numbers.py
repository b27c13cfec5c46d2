"""Writes the printed numbers of papers for people."""

from cellrate.reproduce.model import Published


def printed(published: Published) -> str:
    """A printed value with its unit, which is appended unless the printed text ends with it."""
    has_unit = published.printed.endswith(published.unit)
    return published.printed if has_unit else f"{published.printed} {published.unit}"
