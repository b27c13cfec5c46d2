"""Runs published experiments again: measured beside printed numbers, and open parameters.

An open parameter is a parameter whose value the paper does not print. A reading of a paper is one
set of values for its open parameters. As assumed: with the values that were set before any result
was known. A joint reading draws the values of all open parameters together. A result is a printed
number with a score, or a claim of the paper about runs; it is met if the simulation agrees.
"""

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
