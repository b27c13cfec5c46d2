"""The battery: schemes judged on a fixed set of experiments, against every built-in scheme."""

from cellrate.battery.answer import Answer
from cellrate.battery.as_json import as_json
from cellrate.battery.contenders import Contender, built_in, contender
from cellrate.battery.experiments import SEEDS, Experiment, chosen, experiments
from cellrate.battery.judge import judge, judged
from cellrate.battery.report import report
from cellrate.battery.write import write

__all__ = [
    "SEEDS",
    "Answer",
    "Contender",
    "Experiment",
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
