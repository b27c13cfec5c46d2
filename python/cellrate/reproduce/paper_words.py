"""The papers' words as predicates, with the numbers of `papers/words.toml`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class PaperWords:
    """Numbers behind the words; see `papers/words.toml`."""

    fair: float
    slightly: float
    about_equal: float
    much: float
    high: float
    small: float

    def predicates(self) -> dict[str, Callable[..., bool]]:
        """Functions by which expressions use the words."""
        return {
            "fair": lambda jain: jain >= self.fair,
            "high": lambda share: share >= self.high,
            "small": lambda share: share <= self.small,
            "about_equal": self._about_equal,
            "slightly_below": lambda a, b: b * (1 - self.slightly) <= a <= b,
            "slightly_above": lambda a, b: b <= a <= b * (1 + self.slightly),
            "much_smaller": lambda a, b: a * self.much <= b and a < b,
            "much_larger": lambda a, b: a >= b * self.much and a > b,
        }

    def _about_equal(self, a: float, b: float) -> bool:
        return abs(a - b) <= self.about_equal * max(abs(a), abs(b))


def read_paper_words(table: dict[str, Any]) -> PaperWords:
    """Reads the words from the content of `words.toml`."""
    return PaperWords(
        fair=table["fair"]["jain_at_least"],
        slightly=table["slightly"]["ratio"],
        about_equal=table["about_equal"]["ratio"],
        much=table["much"]["factor"],
        high=table["high"]["ratio"],
        small=table["small"]["ratio"],
    )
