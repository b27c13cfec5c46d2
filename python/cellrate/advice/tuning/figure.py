"""Figure of the feasible region of the fluid model, with the simulated settings on it."""

from __future__ import annotations

from matplotlib.figure import Figure

from cellrate.advice.feasible_region import Region, draw
from cellrate.advice.tuning import fluid_sentences
from cellrate.advice.tuning.answer import Answer
from cellrate.advice.tuning.laboratory import AS_IT_IS
from cellrate.advice.tuning.race import Ranked
from cellrate.theory.efci.region import Point


def region(answer: Answer) -> Figure | None:
    """Draws both conditions over RIF and RDF, with the settings that were simulated.

    Returns None if the settings were not proposed by the model.
    """
    if answer.modelled is None:
        return None
    model = answer.modelled.model
    loop = model.simulated(1.0, 0.5)
    points = [point for one in answer.ranked for point in _points(answer, one)]
    return draw(Region(loop, model.buffer_cells), points)


def _points(answer: Answer, ranked: Ranked) -> list[Point]:
    """The point of a setting; empty if the setting is not a standard pair of RIF and RDF."""
    at = fluid_sentences.place_of(answer, ranked.setting)
    if answer.modelled is None or at is None:
        return []
    judgement = answer.modelled.judgement
    names = {answer.chosen.setting: "chosen", AS_IT_IS: "as it is"}
    return [
        Point(
            float(judgement.rif[at]),
            float(judgement.rdf[at]),
            names.get(ranked.setting, ""),
            ranked.means["loss"],
            ranked.means["utilisation"],
        )
    ]
