"""Statistical comparison of alternatives: their differences, and the part of chance in them."""

from cellrate.compare.answer import Comparison, Pair
from cellrate.compare.comparing import Rules, compare
from cellrate.compare.contrast import Contrast, contrast
from cellrate.compare.corrections import holm, simultaneous_level
from cellrate.compare.ratio import Ratio, ratio_of_means
from cellrate.compare.two_studies import Side, side_by_side

__all__ = [
    "Comparison",
    "Contrast",
    "Pair",
    "Ratio",
    "Rules",
    "Side",
    "compare",
    "contrast",
    "holm",
    "ratio_of_means",
    "side_by_side",
    "simultaneous_level",
]
