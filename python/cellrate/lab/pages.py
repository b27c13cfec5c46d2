"""The lab's page: its files, which `make lab` builds, and the scenario that the page opens with."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path

from cellrate import _core
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
NAME = "given.json"
"""Path under which the server offers the scenario."""
GAP = "<!--given-->"
"""Placeholder text in the single-file page, which the scenario replaces."""


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


@dataclass(frozen=True)
class Given:
    """A scenario with its overrides, for the page.

    Attributes:
        name: Name of the scenario's file.
        text: Text of the file.
        set: Path and value of each override.
    """

    name: str
    text: str
    set: tuple[tuple[str, str], ...] = ()

    def json(self) -> str:
        """The scenario as one JSON object, escaped for a page."""
        return json.dumps(asdict(self)).replace("<", "\\u003c")


def given(name: str, text: str, settings: tuple[str, ...], seed: int | None) -> Given:
    """Checks a scenario for the page.

    Raises:
        ScenarioError: The scenario cannot be run, or its network has routers.
        BadInput: The scenario names classes in Python, which a page cannot run.
    """
    scenario = _core.Scenario(text, name, list(settings), seed)
    scenario.require_one_link_layer()
    code = scenario.code
    if code:
        raise BadInput(f"the lab has no Python, which `{code[0]}` needs; use `cellrate run`")
    pairs = [
        (path.strip(), value.strip()) for path, _, value in (s.partition("=") for s in settings)
    ]
    seeded = [] if seed is None else [("run.seed", str(seed))]
    return Given(name, text, (*pairs, *seeded))


def single_page(given: Given) -> str:
    """The page with a scenario as one HTML file that loads nothing else.

    Raises:
        BadInput: The page has not been built.
    """
    shell = read(SINGLE).decode("utf-8")
    before, place, after = shell.partition(GAP)
    if not place:
        raise RuntimeError(f"{SINGLE} has no {GAP}")
    data = f'<script type="application/json" id="given">{given.json()}</script>'
    return before + data + after
