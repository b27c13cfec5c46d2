"""Infers open parameters of a paper from its results, with a hold-out in both directions."""

from cellrate.inference.answer import Counts, Finding, Inference
from cellrate.inference.as_json import as_json, plan_as_json
from cellrate.inference.evidence import write_evidence
from cellrate.inference.infer import Question, infer
from cellrate.inference.laboratory import Laboratory, RunJobs, Watch
from cellrate.inference.open_parameters import assumptions_of
from cellrate.inference.plan import Stage, plan
from cellrate.inference.report import plan_report, report
from cellrate.inference.stored import held_out, store

__all__ = [
    "Counts",
    "Finding",
    "Inference",
    "Laboratory",
    "Question",
    "RunJobs",
    "Stage",
    "Watch",
    "as_json",
    "assumptions_of",
    "held_out",
    "infer",
    "plan",
    "plan_as_json",
    "plan_report",
    "report",
    "store",
    "write_evidence",
]
