"""The battery: a fixed set of experiments that compares control schemes with built-in schemes."""

from cellrate.battery.answer import Answer, judge, judged
from cellrate.battery.contenders import Contender, built_in, contender
from cellrate.battery.experiments import SEEDS, Experiment, chosen, experiments
from cellrate.battery.report import as_json, report, write
from cellrate.studies.compare.duels import Duel, Record, Standing

__all__ = [
    "SEEDS",
    "Answer",
    "Contender",
    "Duel",
    "Experiment",
    "Record",
    "Standing",
    "as_json",
    "built_in",
    "chosen",
    "contender",
    "experiments",
    "judge",
    "judged",
    "report",
    "write",
]
