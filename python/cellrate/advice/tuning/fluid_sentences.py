"""The fluid model's judgement of pairs of RIF and RDF, in words."""

from __future__ import annotations

from math import isfinite, log

import numpy as np

from cellrate.advice.tuning.answer import Answer
from cellrate.advice.tuning.laboratory import Setting
from cellrate.advice.tuning.proposal import Judgement
from cellrate.common.numbers import number
from cellrate.studies.parameters.ranges import written

SLOW = 0.01
"""A slow start is mentioned if it leaves more than this share of the run unused."""


def of_setting(answer: Answer, setting: Setting) -> str:
    """The fluid model's verdict on a setting; empty if it has none."""
    if answer.modelled is None:
        return ""
    at = place_of(answer, setting)
    if at is None:
        return ""
    return verdict(answer.modelled.judgement, at)


def place_of(answer: Answer, setting: Setting) -> int | None:
    """Index of a setting in the judgement; None if it is not a standard pair of RIF and RDF."""
    if answer.modelled is None:
        return None
    model, judgement = answer.modelled.model, answer.modelled.judgement
    values = dict(setting.values)
    own = float(np.asarray(model.loop.rif)), float(np.asarray(model.loop.rdf))
    rif, rdf = (
        float(next((values[path] for path in paths if path in values), fallback))
        for paths, fallback in zip(model.paths, own, strict=True)
    )
    if set(values) - {path for paths in model.paths for path in paths}:
        return None
    found = np.flatnonzero((judgement.rif == rif) & (judgement.rdf == rdf))
    return int(found[0]) if found.size else None


def verdict(judgement: Judgement, at: int) -> str:
    """Names the conditions that a pair misses and by how much, and mentions a slow start."""
    parts = []
    if judgement.overflow_cells[at] > 0:
        parts.append(f"overflows by {number(round(float(judgement.overflow_cells[at])))}")
    share = float(np.asarray(judgement.found.utilisation)[at])
    if judgement.idle_cells[at] >= 0:
        parts.append(f"empties, {share:.3f} used")
    if judgement.utilisation[at] < share - SLOW:
        parts.append(f"slow start, {judgement.utilisation[at]:.3f} of this run used")
    if judgement.feasible[at]:
        parts.insert(0, "feasible")
    return ", ".join(parts)


def region(answer: Answer) -> str:
    """States the number of pairs that the model finds feasible."""
    if answer.modelled is None:
        return ""
    judgement, model = answer.modelled.judgement, answer.modelled.model
    count, total = int(judgement.feasible.sum()), judgement.rif.size
    continuous = int(np.asarray(judgement.continuous.feasible).sum())
    limited = isfinite(model.buffer_cells)
    network = (
        f"{int(np.asarray(model.loop.n))} sources, "
        f"{number(float(np.asarray(model.loop.bw)))} cells/s, round trip "
        f"{number(1e3 * float(np.asarray(model.loop.tau)))} ms, "
        f"{f'buffer {number(model.buffer_cells)} cells' if limited else 'unlimited buffer'}"
    )
    if count:
        return (
            f"The fluid model finds {count} of {total} sets feasible ({network}), and {continuous} "
            "with the paper's continuous decrease and propagation alone; "
            f"{_others(judgement)}."
        )
    return (
        f"No set of RIF and RDF avoids overflow and keeps the link full ({network}): of {total}, "
        f"{int(np.asarray(judgement.found.avoids_overflow).sum())} avoid overflow, "
        f"{int(np.asarray(judgement.found.keeps_link_full).sum())} keep the link full."
    )


def pace(answer: Answer) -> list[str]:
    """States the time in which rates double while the queue is empty.

    Slow settings are only good where the available bandwidth changes little.
    """
    at = place_of(answer, answer.chosen.setting)
    if answer.modelled is None or at is None:
        return []
    judgement = answer.modelled.judgement
    loop = answer.modelled.model.simulated(judgement.rif[at], judgement.rdf[at])
    seconds = log(2) / float(np.asarray(loop.with_(growth="delayed").lam))
    seconds = float(f"{seconds:.2g}")
    return [f"While the queue is empty, its rates double every {written(seconds, 'Time')}."]


def _others(judgement: Judgement) -> str:
    """Counts the pairs that are not feasible, by the condition that they miss."""
    overflows, idles = judgement.overflow_cells > 0, judgement.idle_cells >= 0
    counts = {
        "may overflow": overflows & ~idles,
        "let the queue empty": idles & ~overflows,
        "do both": overflows & idles,
    }
    parts = [f"{int(where.sum())} {fault}" for fault, where in counts.items() if where.any()]
    return "of the others, " + ", ".join(parts) if parts else "there are no others"
