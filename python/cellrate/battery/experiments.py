"""The fixed set of experiments on which control schemes are judged, and the measures."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cellrate import _core
from cellrate.common.problems import choose
from cellrate.simulation.runner import Job
from cellrate.studies.compare.duels import Measure

PLACE = Path(__file__).parent
SEEDS = tuple(range(1, 11))
"""Seeds of every experiment, the same for every scheme."""
DIGITS = 12
_BATTERY = tomllib.loads((PLACE / "battery.toml").read_text(encoding="utf-8"))
MEASURES = tuple(Measure(**found) for found in _BATTERY["measure"])
"""The measures of a run, in the order of the reports."""
BY_NAME = {measure.name: measure for measure in MEASURES}
JUDGED = tuple(measure for measure in MEASURES if measure.judged)


@dataclass(frozen=True)
class Experiment:
    """A scenario without a control, on which every scheme is run.

    Attributes:
        name: Name of the experiment.
        about: Description of load and network.
        text: The scenario, as TOML.
        settings: Settings for the scenario, as for `--set`.
        steady: True if the load is constant after the last start or change, so that a scheme is
            expected to settle.
    """

    name: str
    about: str
    text: str
    settings: tuple[str, ...]
    steady: bool

    def job(self, settings: Sequence[str] = (), seed: int | None = None) -> Job:
        """A run of the experiment.

        Args:
            settings: Further settings: the control and its sources.
            seed: The seed; the seed of the scenario by default.
        """
        return Job(self.text, f"{self.name}.toml", (*self.settings, *settings), seed)

    def written(self) -> str:
        """The text of a scenario file with all settings of the experiment, for `cellrate run`."""
        head = f"# Experiment {self.name} of `cellrate battery`: {self.about}.\n"
        # The class of acknowledgements follows the class of the flow, which a control may change.
        lines = self.job().resolved().splitlines(keepends=True)
        kept = [line for line in lines if line != 'ack_service = "abr"\n']
        return f"{head}\n{''.join(kept)}"


@cache
def experiments() -> tuple[Experiment, ...]:
    """Every experiment, in the order of the reports."""
    return tuple(
        Experiment(
            one["name"],
            one["about"],
            _core.template(one["template"])
            if "template" in one
            else (PLACE / "scenarios" / f"{one['scenario']}.toml").read_text(encoding="utf-8"),
            tuple(one.get("settings", ())),
            one["steady"],
        )
        for one in _BATTERY["experiment"]
    )


def chosen(names: Sequence[str]) -> tuple[Experiment, ...]:
    """The experiments with these names; without names all experiments.

    Raises:
        BadInput: There is no experiment of a name.
    """
    known = {one.name: one for one in experiments()}
    for name in names:
        choose(name, list(known), "experiment")
    return tuple(one for one in experiments() if not names or one.name in names)


def fingerprint() -> str:
    """A hash over the texts and settings of all experiments and their seeds.

    Results of two sets can be compared only if their hashes are equal.
    """
    told = repr([(one.name, one.text, one.settings, one.steady) for one in experiments()])
    return hashlib.sha256(f"{told}{SEEDS}".encode()).hexdigest()[:DIGITS]
