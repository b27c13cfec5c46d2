"""Changes of a network during a run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Change:
    """Settings that change at one instant.

    Attributes:
        at_seconds: The instant.
        keys: Paths of the keys that change, as `--set` has them.
    """

    at_seconds: float
    keys: tuple[str, ...]
