"""How printed numbers are written for people."""

from cellrate.reproduce.model import Published


def printed(published: Published) -> str:
    """A printed value with its unit, which may be part of the print already."""
    ends_with_it = published.printed.endswith(published.unit)
    return published.printed if ends_with_it else f"{published.printed} {published.unit}"
