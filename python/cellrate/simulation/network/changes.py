"""Changes of settings during a run, and notes on how long statements on a network hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Change:
    """Settings that change at one instant.

    Attributes:
        at_seconds: The instant.
        keys: Paths of the keys that change, as `--set` has them.
    """

    at_seconds: float
    keys: tuple[str, ...]

    @classmethod
    def of_described(cls, network: Mapping[str, Any]) -> tuple[Self, ...]:
        """Changes in the engine's description of a network, in the order of their instants."""
        return tuple(cls(one["at_seconds"], tuple(one["keys"])) for one in network["changes"])


class Changing:
    """Base class of a network whose settings may change during the run.

    Attributes:
        changes: Changes, in the order of their instants. All other fields of a network have the
            values before the first change.
    """

    changes: tuple[Change, ...]

    def change_of(self, *paths: str) -> str | None:
        """Text on the first change of a key, or of a key below it; None if none of them changes."""
        for change in self.changes:
            for key in change.keys:
                if any(key == path or key.startswith(f"{path}.") for path in paths):
                    return f"`{key}` changes at {change.at_seconds:g} s"
        return None

    @property
    def until_first_change(self) -> str | None:
        """A note that a statement holds only until the first change; None without changes."""
        if not self.changes:
            return None
        first, *later = self.changes
        keys = ", ".join(f"`{key}`" for key in first.keys)
        rest = f"; {len(later)} more changes follow" if len(later) > 1 else ""
        rest = "; one more change follows" if len(later) == 1 else rest
        return f"the scenario changes at {first.at_seconds:g} s ({keys}){rest}"
