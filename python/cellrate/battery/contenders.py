"""Contenders of the battery: control schemes to judge, with settings of the sources they need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cellrate import ScenarioError
from cellrate.advice.choosing.candidates import Ability, Candidate, candidates
from cellrate.advice.tuning.declared import ResolvedScenario
from cellrate.battery.experiments import Experiment
from cellrate.common.problems import BadInput, choose
from cellrate.schemes import find, permission
from cellrate.schemes.classes import NoScheme
from cellrate.simulation.runner import Job

MARKS = '"1 ms"'
"""Time between messages of credit control that count the cells sent, to restore credits of lost
cells."""
SCENARIO = "scenario.toml"
"""Path of a scenario in the working directory, to which file names are relative."""
STATIC = (f"fcvc={{mark_interval={MARKS}}}",)


@dataclass(frozen=True)
class Contender:
    """A control scheme with settings, as the battery runs it.

    Attributes:
        name: Name of the contender in reports.
        candidate: The control that is run.
        settings: Settings of the user, which override all others.
        built_in: True if the contender is a control of the registry without settings of the user,
            so that its results are shipped.
    """

    name: str
    candidate: Candidate
    settings: tuple[str, ...] = ()
    built_in: bool = True

    def overrides(self, experiment: Experiment) -> tuple[str, ...]:
        """Settings that give an experiment this control and its sources.

        Credit control allocates the buffer statically if the buffer is large enough for all
        channels, otherwise adaptively.

        Raises:
            ScenarioError: The control is not valid in the experiment.
        """
        checked = experiment.job().scenario()
        plain = ResolvedScenario.of(checked)
        own = self.candidate.control(plain)
        if self.candidate.ability != "credit":
            return (*own, *self.settings)
        own = tuple(one for one in own if not one.startswith("fcvc="))
        static = (*own, *STATIC, *self.settings)
        try:
            experiment.job(static).scenario()
        except ScenarioError:
            buffer = plain.keys.find("switch.buffer").value
            shared = f'fcvc={{allocation="adaptive", memory="{buffer}", mark_interval={MARKS}}}'
            return (*own, shared, *self.settings)
        return static

    def jobs(self, experiment: Experiment, seeds: Sequence[int]) -> tuple[Job, ...]:
        """The runs of an experiment.

        Raises:
            ScenarioError: The contender is not valid in the experiment.
        """
        overrides = self.overrides(experiment)
        return tuple(experiment.job(overrides, seed) for seed in seeds)


def built_in() -> tuple[Contender, ...]:
    """Every control of the registry with its usual parameters."""
    return tuple(Contender(one.name, one) for one in candidates())


def contender(name: str, settings: Sequence[str] = ()) -> Contender:
    """The contender with this name: a built-in control, or a class in Python.

    The code of a class that is named here is allowed to run.

    Args:
        name: Name in `cellrate list`, or `FILE.py:CLASS` relative to the working directory, or
            `PACKAGE.MODULE:CLASS`.
        settings: Settings of the contender, as for `--set`.

    Raises:
        BadInput: There is no such control, or the name is that of a scenario or of a class that
            cannot be a control scheme.
    """
    known = {one.name: one for one in candidates()}
    if name.endswith(".toml"):
        raise BadInput(
            f"{name} is a scenario, but `battery` takes control schemes; "
            f"`cellrate choose {name}` compares control schemes on a scenario"
        )
    if ":" not in name:
        choose(name, list(known), "control scheme")
        label = name if not settings else f"{name} ({', '.join(settings)})"
        return Contender(label, known[name], tuple(settings), built_in=not settings)
    place, _, class_name = name.rpartition(":")
    if not place or not class_name.isidentifier():
        raise BadInput(f"{name}: must be FILE.py:CLASS or PACKAGE.MODULE:CLASS")
    permission.allow(name)
    ability: Ability = "explicit-rate" if _gives_rates(name) else "relative-rate"
    own = Candidate(name, ability, f"class {class_name} of {place}")
    return Contender(class_name, own, tuple(settings), built_in=False)


def _gives_rates(name: str) -> bool:
    """False if a class states `explicit_rate = False`, so that it only marks cells.

    Raises:
        BadInput: The class cannot be found, or cannot be a control scheme.
    """
    try:
        found = find("control", name, SCENARIO)
    except NoScheme as error:
        raise BadInput(f"{error}; {error.help}" if error.help else str(error)) from error
    return found is None or bool(getattr(found.factory, "explicit_rate", True))
