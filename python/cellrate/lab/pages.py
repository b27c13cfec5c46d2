"""The files of the lab's page, which `make lab` builds and the wheel carries."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from cellrate.common.problems import BadInput

PLACE = Path(str(resources.files("cellrate"))) / "lab" / "pages"
SINGLE = "single.html"
"""The page as one file, without a scenario."""
TYPES = {
    "index.html": "text/html; charset=utf-8",
    "lab.css": "text/css; charset=utf-8",
    "lab.js": "text/javascript; charset=utf-8",
    "worker.js": "text/javascript; charset=utf-8",
    "engine.wasm": "application/wasm",
}
"""Files of the page that is served, and their media types."""


def read(name: str) -> bytes:
    """Contents of one of the page's files.

    Raises:
        BadInput: The page has not been built.
    """
    try:
        return (PLACE / name).read_bytes()
    except FileNotFoundError:
        raise BadInput(
            "the lab's page is not built: in a checkout run `make lab`, which needs node and npm; "
            "wheels have it"
        ) from None
