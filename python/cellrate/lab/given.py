"""The scenario that a page opens with."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from cellrate import _core
from cellrate.common.problems import BadInput

NAME = "given.json"
"""Name under which the server has it."""


@dataclass(frozen=True)
class Given:
    """A scenario with what was set.

    Attributes:
        name: Name of its file.
        text: The file.
        set: Path and value of each override.
    """

    name: str
    text: str
    set: tuple[tuple[str, str], ...] = ()

    def json(self) -> str:
        """It as one JSON object, which is safe within a page."""
        return json.dumps(asdict(self)).replace("<", "\\u003c")


def given(name: str, text: str, settings: tuple[str, ...], seed: int | None) -> Given:
    """A scenario that can be run.

    Raises:
        ScenarioError: It cannot be run.
        BadInput: It names classes in Python, which a page cannot run.
    """
    code = _core.Scenario(text, name, list(settings), seed).code
    if code:
        raise BadInput(f"the lab has no Python, which `{code[0]}` needs: `cellrate run` has")
    pairs = [
        (path.strip(), value.strip()) for path, _, value in (s.partition("=") for s in settings)
    ]
    seeded = [] if seed is None else [("run.seed", str(seed))]
    return Given(name, text, (*pairs, *seeded))
