"""Published experiments run again: measured numbers beside printed ones, and open parameters."""

from cellrate.papers.collection import all_papers, experiment_ids
from cellrate.papers.findings import Inference
from cellrate.papers.inference import Question, infer
from cellrate.papers.laboratory import Laboratory
from cellrate.papers.paper import ReproduceError, assumptions_of
from cellrate.papers.reproduce import run_reproduction
from cellrate.papers.reproduction import Options

__all__ = [
    "Inference",
    "Laboratory",
    "Options",
    "Question",
    "ReproduceError",
    "all_papers",
    "assumptions_of",
    "experiment_ids",
    "infer",
    "run_reproduction",
]
