"""Queue of long-range dependent video streams that are served before all else (Norros 1994)."""

from __future__ import annotations

from cellrate.advice.formulas.formula_answer import FormulaAnswer
from cellrate.advice.formulas.open_loop import STANDS
from cellrate.advice.formulas.situation import Situation
from cellrate.simulation.network import Flow, OwnRate
from cellrate.simulation.network.ends import Parameters
from cellrate.theory.assumptions import AssumptionError
from cellrate.theory.queueing import fractional

NAME = fractional.FORMULA.name
TITLE = "queue of the video streams' own class, exceeded for the share of time that may be lost"
# Rates may lie below zero or above the peak for this share of the time.
NORMAL = 0.01


def answer(situation: Situation) -> FormulaAnswer:
    """The queue of video streams whose rates are fractional Gaussian noise."""
    video = [flow for flow in situation.others if flow.kind == "mpeg2"]
    reason = _does_not_apply(situation, video)
    if reason:
        return FormulaAnswer(NAME, TITLE, fractional.FORMULA.source, inapplicable=reason)
    source, rate = video[0].source, _rates(video)[0]
    share, deviation = _cut(source)
    # Cells on the line per cell of the stream's parameters.
    factor = rate.peak_cells_per_second / source["sources"] / source["peak_cells_per_second"]
    given = {
        "sources": float(source["sources"] * len(video)),
        "mean_cells_per_second": rate.mean_cells_per_second / source["sources"],
        "deviation_cells_per_second": factor * deviation,
        "interval_seconds": (source["interval_low_seconds"] + source["interval_high_seconds"]) / 2,
        "hurst": source["hurst"],
        "link_cells_per_second": situation.port.cells_per_second,
    }
    try:
        cells = float(fractional.fractional_buffer_cells(**given, probability=situation.loss_ratio))
    except AssumptionError as error:
        return FormulaAnswer(NAME, TITLE, fractional.FORMULA.source, inapplicable=str(error))
    fails = [STANDS]
    if share > NORMAL:
        fails.append(f"rates are normal: {share:.0%} lie beyond zero and the peak, and are cut")
    given["probability"] = situation.loss_ratio
    return FormulaAnswer(NAME, TITLE, fractional.FORMULA.source, cells, given, tuple(fails))


def _does_not_apply(situation: Situation, video: list[Flow]) -> str:
    if not video:
        return "no source is `mpeg2`"
    if any(flow.source != video[0].source for flow in video):
        return "the streams differ; the formula assumes equal ones"
    queues = [situation.switch.queue_of(flow.service) for flow in situation.flows]
    last = max(situation.switch.queue_of(flow.service) for flow in video)
    if sum(queue <= last for queue in queues) > len(video):
        return "other flows share the streams' queue, or are served before them"
    if sum(rate.peak_cells_per_second for rate in _rates(video)) <= situation.port.cells_per_second:
        return "all streams at their peak together stay below the link rate"
    if situation.loss_ratio == 0:
        return "the queue of Gaussian streams has no bound: ask for a loss ratio"
    return ""


def _rates(video: list[Flow]) -> list[OwnRate]:
    """Rates of the streams."""
    return [flow.own_rate for flow in video if flow.own_rate is not None]


def _cut(source: Parameters) -> tuple[float, float]:
    """Share of normal rates below zero or above the peak, and deviation of one stream's rate.

    If such rates are discarded, the deviation is that of a normal distribution truncated at both
    ends; for the other bounds it is the parameter itself, which is larger.
    """
    from scipy.stats import norm, truncnorm  # slow to import

    mean, deviation = source["mean_cells_per_second"], source["standard_deviation_cells_per_second"]
    if deviation == 0:
        return 0.0, 0.0
    low, high = -mean / deviation, (source["peak_cells_per_second"] - mean) / deviation
    share = 1.0 - float(norm.cdf(high) - norm.cdf(low))
    if source["bound"] != "discard":
        return share, deviation
    return share, deviation * float(truncnorm.std(low, high))
