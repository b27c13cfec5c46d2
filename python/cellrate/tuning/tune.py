"""From a scenario to its best parameters: propose, race, report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cellrate import ScenarioError, _core
from cellrate.network import Network
from cellrate.parameters.keys import Keys
from cellrate.parameters.ranges import Space
from cellrate.problems import BadInput
from cellrate.runner import Job, run_many
from cellrate.tuning.asked import included, varied
from cellrate.tuning.declared import Left, Scene, declared, parameter_tables
from cellrate.tuning.judgement import judged
from cellrate.tuning.laboratory import AS_IT_IS, Laboratory, Runner, Setting
from cellrate.tuning.measures import bottleneck
from cellrate.tuning.model import NoModel, model_of
from cellrate.tuning.objective import DEFAULT, Objective
from cellrate.tuning.proposal import proposal
from cellrate.tuning.race import affordable, cost, race, require_budget, standing
from cellrate.tuning.report import Modelled, Report
from cellrate.tuning.search import count, search

MODEL_SETTINGS = 11
SEARCH_SETTINGS = 40
"""Settings that are tried unless a budget is given."""


@dataclass(frozen=True)
class Wishes:
    """What the user asks for.

    Attributes:
        vary: Parameters to vary, see `asked.FORM`; none for what the model or the schemes say.
        include: Settings to compare with, see `asked.included`.
        objective: What is best, see `objective.Objective.named`.
        seeds: Seeds that the best settings get.
        first_seed: The first of them.
        budget: Simulations at most; None for what suits the method and the seeds.
        search_seed: Seed of the random numbers of a search.
    """

    vary: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    objective: str = DEFAULT
    seeds: int = 5
    first_seed: int = 1
    budget: int | None = None
    search_seed: int = 1


USUAL = Wishes()


def tune(
    base: Job,
    wishes: Wishes = USUAL,
    runner: Runner = run_many,
    is_known: Callable[[Job], bool] = lambda _: False,
) -> Report:
    """Finds the best parameters of a scenario.

    For EFCI with one bottleneck the fluid model of Ohsaki et al. 1995 judges every set of RIF and
    RDF that can be signalled; the best of them and their neighbours are simulated. For everything
    else, or if something is varied explicitly, settings are searched by simulation.

    Args:
        base: The scenario.
        wishes: What is asked for.
        runner: Runs jobs.
        is_known: Whether the outcome of a job is kept already; only counted.

    Raises:
        BadInput: A wish cannot be met; says which and what is allowed.
        ScenarioError: The scenario is wrong, or a setting to compare with.
        KeyboardInterrupt: Ctrl-C was pressed; complete runs are kept.
    """
    network = Network.of(base.text, base.path, base.overrides)
    keys = Keys(_core.resolve(base.text, base.path, list(base.overrides), None))
    scene = Scene(keys, network)
    objective = Objective.named(wishes.objective)
    seeds = tuple(range(wishes.first_seed, wishes.first_seed + wishes.seeds))
    laboratory = Laboratory(base, seeds, bottleneck(network), runner, is_known)
    wanted = [AS_IT_IS, *(included(scene, one) for one in wishes.include)]
    guests = laboratory.allowed(wanted)
    for error in laboratory.refused.values():
        raise error
    contest = _Contest(scene, laboratory, objective, tuple(guests), wishes)
    no_model = None
    if not wishes.vary:
        try:
            return contest.by_model()
        except NoModel as error:
            no_model = str(error)
    return contest.by_search(no_model)


@dataclass(frozen=True)
class _Contest:
    """A tuning under way."""

    scene: Scene
    laboratory: Laboratory
    objective: Objective
    guests: tuple[Setting, ...]
    wishes: Wishes

    def by_model(self) -> Report:
        """Simulates what the fluid model proposes.

        Raises:
            NoModel: It does not describe the scenario.
        """
        model = model_of(self.scene.network, self.scene.keys)
        judgement = judged(model)
        budget = self._budget(MODEL_SETTINGS)
        settings = self._affordable(budget)
        if not judgement.feasible.any():  # two races, each with half of what is left
            guests, seeds = len(self.guests), len(self.laboratory.seeds)
            settings = 2 * affordable((budget - cost(0, guests, seeds)) // 2, 0, seeds)
        proposed = proposal(model, judgement, settings)
        modelled = Modelled(model, judgement, proposed)
        for proposals, objective in (
            (proposed.feasible + proposed.boundary, self.objective),
            (proposed.lossless, self.objective),
            (proposed.full, self._full_first()),
        ):
            allowed = self.laboratory.allowed(proposals)
            if allowed:
                race(self.laboratory, allowed, self.guests, objective)
        return self._report("model", budget, modelled=modelled)

    def by_search(self, no_model: str | None) -> Report:
        """Searches what is varied by simulation.

        Raises:
            BadInput: There is nothing to vary, or the budget is too small.
        """
        space, left = self._space()
        budget = self._budget(SEARCH_SETTINGS)
        settings = self._affordable(budget)
        everything = count(space) <= settings
        found = search(self.laboratory, space, settings, self.objective, self.wishes.search_seed)
        race(self.laboratory, found, self.guests, self.objective)
        method = "all" if everything else "search"
        return self._report(method, budget, no_model=no_model, space=space, left=left)

    def _budget(self, settings: int) -> int:
        """What is allowed, or else what so many settings take."""
        return self.wishes.budget or cost(settings, len(self.guests), len(self.laboratory.seeds))

    def _affordable(self, budget: int) -> int:
        seeds, guests = len(self.laboratory.seeds), len(self.guests)
        settings = affordable(budget, guests, seeds)
        require_budget(budget, guests, seeds, settings)
        return settings

    def _space(self) -> tuple[Space, tuple[Left, ...]]:
        """What is varied, and what could not be.

        Raises:
            BadInput: Nothing.
        """
        if self.wishes.vary:
            return varied(self.scene, self.wishes.vary), ()
        space, left = declared(self.scene, parameter_tables(self.scene))
        if not space:
            reasons = "".join(f"; {one.why}" for one in left)
            raise BadInput(
                "there is nothing to vary: neither control nor discard has parameters with a range"
                f"{reasons}; name parameters with --vary, for instance --vary tcp.granularity"
            )
        return space, left

    def _full_first(self) -> Objective:
        """The objective if throughput, or utilisation without TCP, comes before everything."""
        over_tcp = any(flow.tcp for flow in self.scene.network.flows)
        first = Objective.named("throughput" if over_tcp else "utilisation").criteria
        others = tuple(one for one in self.objective.criteria if one.name != first[0].name)
        return Objective((*first, *others))

    def _report(
        self,
        method: str,
        budget: int,
        *,
        modelled: Modelled | None = None,
        no_model: str | None = None,
        space: Space = (),
        left: tuple[Left, ...] = (),
    ) -> Report:
        laboratory = self.laboratory
        infeasible = modelled is not None and not modelled.judgement.feasible.any()
        return Report(
            base=laboratory.base,
            objective=self.objective,
            seeds=laboratory.seeds,
            method=method,
            no_model=no_model,
            modelled=modelled,
            space=space,
            left=left,
            budget=budget,
            ranked=tuple(standing(laboratory, self.objective)),
            fullest=standing(laboratory, self._full_first())[0] if infeasible else None,
            refused={setting: _first_line(error) for setting, error in laboratory.refused.items()},
            simulated=laboratory.simulated,
            known=laboratory.known,
        )


def _first_line(error: ScenarioError) -> str:
    return str(error.diagnostics[0]["message"]) if error.diagnostics else str(error)
