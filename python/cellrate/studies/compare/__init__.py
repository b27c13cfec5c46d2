"""Statistical comparison of alternatives: differences of measures, and tests against chance."""

from cellrate.studies.compare.answer import Comparison, Pair, Place, Ranking
from cellrate.studies.compare.comparing import Rules, compare
from cellrate.studies.compare.contrast import (
    Contrast,
    Ratio,
    adjusted,
    contrast,
    ratio_of_means,
    simultaneous_level,
)
from cellrate.studies.compare.of_studies import StudyRuns, side_by_side

__all__ = [
    "Comparison",
    "Contrast",
    "Pair",
    "Place",
    "Ranking",
    "Ratio",
    "Rules",
    "StudyRuns",
    "adjusted",
    "compare",
    "contrast",
    "ratio_of_means",
    "side_by_side",
    "simultaneous_level",
]
