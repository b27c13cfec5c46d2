"""Runs published experiments again and puts the measured numbers beside the published ones."""

from cellrate.reproduce.command import run_reproduction
from cellrate.reproduce.errors import ReproduceError
from cellrate.reproduce.options import Options
from cellrate.reproduce.papers import all_papers, experiment_ids

__all__ = ["Options", "ReproduceError", "all_papers", "experiment_ids", "run_reproduction"]
