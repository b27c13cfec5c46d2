"""Queues of sources without feedback, or within known traffic contracts."""

from __future__ import annotations

from cellrate.advice.formulas.situation import DoesNotApply, PortFormula, Result, Situation
from cellrate.simulation.network import Flow, OwnRate
from cellrate.simulation.network.ends import Parameters
from cellrate.theory import gcra
from cellrate.theory.queueing import fractional, md1, periodic

# Assumption of these formulas: they compute the share of time, which is at least the loss ratio.
STANDS = "the loss ratio is the share of time that an unlimited queue is longer than the buffer"
# Greatest share of time in which normal rates may lie below zero or above the peak.
NORMAL = 0.01


def _periodic_sources(situation: Situation) -> Result:
    """The queue of constant bit rate sources: one cell of each, or fewer if loss is allowed."""
    _require_only(situation, "cbr")
    rates = {flow.source.get("rate_cells_per_second") for flow in situation.others}
    if len(rates) > 1:
        raise DoesNotApply("the rates differ; the formula assumes equal ones")
    sources = len(situation.others)
    given = {
        "sources": float(sources),
        "rate_cells_per_second": float(rates.pop() or 0.0),
        "link_cells_per_second": situation.port.cells_per_second,
    }
    periodic.periodic_mean_queue_cells(**given)
    if situation.loss_ratio == 0:  # this bound holds for all phases, so no cell is ever lost
        return Result(float(sources), given)
    rates_given = (given["rate_cells_per_second"], given["link_cells_per_second"])
    probability = situation.loss_ratio
    cells = periodic.periodic_buffer_cells(sources, *rates_given, probability=probability)
    return Result(float(cells), {**given, "probability": probability}, (STANDS,))


def _poisson_sources(situation: Situation) -> Result:
    """The queue of Poisson sources; it has no upper bound, so a loss ratio is needed."""
    _require_only(situation, "poisson")
    if situation.loss_ratio == 0:
        raise DoesNotApply("the queue of Poisson cells has no bound: ask for a loss ratio")
    given = {
        "arrival_cells_per_second": situation.background_cells_per_second(),
        "link_cells_per_second": situation.port.cells_per_second,
        "probability": situation.loss_ratio,
    }
    return Result(float(md1.md1_buffer_cells(**given)), given, (STANDS,))


def _require_only(situation: Situation, kind: str) -> None:
    """Refuses a port with sources of another kind, or with several queues."""
    if situation.elastic:
        raise DoesNotApply("elastic flows cross the port")
    if any(flow.kind != kind for flow in situation.others) or not situation.others:
        raise DoesNotApply(f"not all sources are {kind}")
    if any(flow.abr is not None for flow in situation.others):
        raise DoesNotApply("ABR holds cells back, and then sends them faster than they came")
    if len({situation.switch.queue_of(flow.service) for flow in situation.others}) > 1:
        raise DoesNotApply("the sources do not share a queue")


def _video_streams(situation: Situation) -> Result:
    """The queue of video streams whose rates are fractional Gaussian noise (Norros 1994)."""
    video = [flow for flow in situation.others if flow.kind == "mpeg2"]
    _require_equal_streams(situation, video)
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
        "probability": situation.loss_ratio,
    }
    cells = float(fractional.fractional_buffer_cells(**given))
    fails = [STANDS]
    if share > NORMAL:
        fails.append(
            f"rates have a normal distribution, but {share:.0%} of it lies below zero or above the "
            "peak, and are cut off"
        )
    return Result(cells, given, tuple(fails))


def _contracted_sources(situation: Situation) -> Result:
    """The queue of sources behind equal shapers, or equal policers that drop (Cruz 1991)."""
    contracts = {_contract(flow) for flow in situation.flows}
    if None in contracts or not contracts:
        raise DoesNotApply("not every flow over the port has a shaper or a policer that drops")
    if len(contracts) > 1:
        raise DoesNotApply("the contracts differ; the formula assumes equal ones")
    if any(situation.port in flow.backward for flow in situation.network.flows):
        raise DoesNotApply("backward cells of flows, which no contract limits, cross the port")
    if len({situation.switch.queue_of(flow.service) for flow in situation.flows}) > 1:
        raise DoesNotApply("the sources do not share a queue")
    peak, sustained, burst = next(found for found in contracts if found is not None)
    given = {
        "sources": float(len(situation.flows)),
        "link_cells_per_second": situation.port.cells_per_second,
        "peak_cells_per_second": peak,
        "sustained_cells_per_second": sustained,
        "burst_cells": burst,
    }
    return Result(float(gcra.worst_queue_cells(**given)), given, tuple(_contract_fails(situation)))


def _contract(flow: Flow) -> tuple[float, float, float] | None:
    """PCR and SCR in cells/s, MBS in cells; None if nothing holds the flow to a contract."""
    found = flow.shaper
    if found is None and flow.policer is not None and flow.policer["action"] == "drop":
        found = flow.policer
    if found is None:
        return None
    peak = float(found["pcr_cells_per_second"])
    sustained = found.get("scr_cells_per_second")
    if sustained is None or sustained >= peak:
        return peak, peak, 1.0
    return peak, float(sustained), float(found["mbs_cells"])


def _contract_fails(situation: Situation) -> list[str]:
    flows, fails = situation.flows, []
    if any(flow.forward.index(situation.port) != 1 for flow in flows):
        fails.append("cells come straight from their contracts, but some cross other ports before")
    shaped = [(flow.access, flow.shaper) for flow in flows if flow.shaper is not None]
    lines = [flow.access for flow in situation.network.flows]
    if any(lines.count(line) > 1 for line, _ in shaped):
        fails.append("each shaped source has a line of its own")
    if any(each["pcr_cells_per_second"] > line.cells_per_second for line, each in shaped):
        fails.append("the line of each shaped source is as fast as its PCR")
    policers = [flow.policer for flow in flows if flow.shaper is None and flow.policer is not None]
    if any(policer["cdvt_seconds"] for policer in policers):
        fails.append("no policer tolerates early cells, but here CDVT is above 0")
    if any(policer["frames"] != "cells" for policer in policers):
        fails.append("policers judge each cell by itself, but here whole PDUs (`frames`)")
    return fails


def _require_equal_streams(situation: Situation, video: list[Flow]) -> None:
    """Refuses a port whose queue is not that of equal video streams alone."""
    if not video:
        raise DoesNotApply("no source is `mpeg2`")
    if any(flow.source != video[0].source for flow in video):
        raise DoesNotApply("the streams differ; the formula assumes equal ones")
    queues = [situation.switch.queue_of(flow.service) for flow in situation.flows]
    last = max(situation.switch.queue_of(flow.service) for flow in video)
    if situation.switch.queue_weights:
        last = max(queues)
    if sum(queue <= last for queue in queues) > len(video):
        raise DoesNotApply("other flows share the streams' queue, or are served before them")
    if sum(rate.peak_cells_per_second for rate in _rates(video)) <= situation.port.cells_per_second:
        raise DoesNotApply("all streams at their peak together stay below the link rate")
    if situation.loss_ratio == 0:
        raise DoesNotApply("the queue of Gaussian streams has no bound: ask for a loss ratio")


def _rates(video: list[Flow]) -> list[OwnRate]:
    """Own rates of the video streams."""
    return [flow.own_rate for flow in video if flow.own_rate is not None]


def _cut(source: Parameters) -> tuple[float, float]:
    """Share of normal rates below zero or above the peak, and deviation of one stream's rate.

    With the bound `discard` the deviation is that of a normal distribution truncated at both ends;
    with other bounds it is the parameter itself, which is larger.
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


PERIODIC = PortFormula(
    periodic.FORMULA.name,
    "queue of periodic sources, in the worst case with a cell of each source at once",
    periodic.FORMULA.source,
    _periodic_sources,
)
POISSON = PortFormula(
    md1.FORMULA.name,
    "queue of Poisson cells that is exceeded for the share of time that may be lost",
    md1.FORMULA.source,
    _poisson_sources,
)
CONTRACTS = PortFormula(
    gcra.WORST_QUEUE.name,
    "longest queue within the contracts of all sources",
    gcra.WORST_QUEUE.source,
    _contracted_sources,
)
VIDEO = PortFormula(
    fractional.FORMULA.name,
    "queue of the video streams' own class, exceeded for the share of time that may be lost",
    fractional.FORMULA.source,
    _video_streams,
)
