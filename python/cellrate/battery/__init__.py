"""The battery: control schemes judged on fixed experiments, against every built-in scheme."""

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
