"""The result as one JSON object with units in its keys."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from cellrate.advice.sizing import sentences
from cellrate.advice.sizing.answer import Answer
from cellrate.advice.sizing.confidence import CONFIDENCE


def as_json(answer: Answer) -> dict[str, Any]:
    """The output of `cellrate size-buffer --json`."""
    question = answer.question
    return {
        "scenario": question.path,
        "settings": list(question.overrides),
        "port": answer.port.name,
        "target": {"loss_ratio": question.loss_ratio, "delay_seconds": question.delay_seconds},
        "buffer_cells": answer.buffer_cells,
        "grows_without_end": _endless(answer),
        "confidence": CONFIDENCE,
        "covered_share": answer.covered_share,
        "normal_tolerance_cells": answer.normal_tolerance_cells,
        "seeds": [run.seed for run in answer.unlimited],
        "least_buffer_cells_by_seed": list(answer.each_cells),
        "mean_loss_ratio": answer.mean_loss_ratio,
        "upper_mean_loss_ratio": answer.upper_loss_ratio,
        "runs_with_buffer": [asdict(run) for run in answer.runs],
        "runs_without_limit": [asdict(run) for run in answer.unlimited],
        "longest_queues_cells": answer.longest_queues_cells,
        "formulas": [
            {
                "formula": formula.formula,
                "title": formula.title,
                "source": formula.source,
                "buffer_cells": formula.cells,
                "given": dict(formula.given),
                "failing_assumptions": list(formula.fails),
                "not_said_because": formula.inapplicable or None,
            }
            for formula in answer.formulas
        ],
        "words": sentences.verdict(answer),
    }


def _endless(answer: Answer) -> dict[str, Any] | None:
    endless = answer.endless
    if endless is None:
        return None
    return {
        "cells_per_second": endless.cells_per_second,
        "simulated": endless.seen is not None,
        "bound_cells": endless.bound_cells,
        "least_loss_ratio": endless.least_loss_ratio,
        "spans": [asdict(span) for span in endless.seen.spans] if endless.seen else [],
    }
