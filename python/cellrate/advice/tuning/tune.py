"""Finds the best parameters of a scenario: proposes settings and compares them by runs."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from cellrate import ScenarioError
from cellrate.advice.tuning.answer import Answer
from cellrate.advice.tuning.declared import NotVaried, ResolvedScenario, declared, parameter_tables
from cellrate.advice.tuning.fluid_model import FluidModel, NoFluidModel, model_of
from cellrate.advice.tuning.fresh_seeds import preferred, with_fresh_seeds
from cellrate.advice.tuning.holding import Checks
from cellrate.advice.tuning.laboratory import AS_IT_IS, Laboratory, Setting
from cellrate.advice.tuning.measures import bottleneck
from cellrate.advice.tuning.objective import Objective, default
from cellrate.advice.tuning.options import DEFAULTS, TuneOptions, included, varied
from cellrate.advice.tuning.proposal import ModelResults, judged, proposal
from cellrate.advice.tuning.race import Ranked, affordable, cost, race, ranking, require_budget
from cellrate.advice.tuning.search import count, search
from cellrate.advice.tuning.shares import notes
from cellrate.common.problems import BadInput
from cellrate.simulation.network import Network
from cellrate.simulation.network.ethernet_view import FrameNetwork
from cellrate.simulation.run_types import Runner
from cellrate.simulation.runner import Job, run_many
from cellrate.studies.parameters.ranges import Space

MODEL_SETTINGS = 11
SEARCH_SETTINGS = 40
"""Number of settings that are compared unless a budget is given."""


def tune(
    base: Job,
    options: TuneOptions = DEFAULTS,
    runner: Runner = run_many,
    is_known: Callable[[Job], bool] = lambda _: False,
) -> Answer:
    """Finds the best parameters of a scenario.

    For EFCI with one bottleneck the fluid model of Ohsaki et al. 1995 judges every pair of RIF and
    RDF that can be signalled; the best pairs and their neighbours are simulated. For all other
    scenarios, or if the user names parameters to vary, settings are searched by simulation.

    Args:
        base: The scenario.
        options: Options of the tuning.
        runner: Runs jobs.
        is_known: Returns True if the result of a job is already stored; only for the count of runs.

    Raises:
        BadInput: An option is not valid; the message names it and what is allowed.
        ScenarioError: The scenario, or a setting to compare with, is wrong.
        KeyboardInterrupt: Ctrl-C was pressed; complete runs are kept.
    """
    seedless = replace(base, seed=None)
    seedless.scenario().require_point_to_point()
    scenario = ResolvedScenario.of_job(seedless)
    criteria = options.objective or default([flow.kind for flow in scenario.network.flows])
    objective = Objective.named(criteria, scenario.link_layer).files_ending_first()
    seeds = tuple(range(options.first_seed, options.first_seed + options.seeds))
    ports = bottleneck(scenario.network)
    laboratory = Laboratory(base, seeds, ports, runner, is_known, by_shares=True)
    wanted = [AS_IT_IS, *(included(scenario, text) for text in options.include)]
    references = laboratory.allowed(wanted)
    for error in laboratory.refused.values():
        raise error
    tuning = _Tuning(scenario, laboratory, objective, tuple(references), options)
    no_model = None
    if not options.vary and isinstance(scenario.network, Network):
        try:
            return tuning.by_model(model_of(scenario.network, scenario.keys, scenario.own_abr))
        except NoFluidModel as error:
            no_model = str(error)
    return tuning.by_search(no_model)


@dataclass(frozen=True)
class _Tuning:
    """A tuning in progress, by the fluid model or by a search.

    Attributes:
        scenario: The scenario.
        laboratory: Runs the settings and keeps their measures.
        objective: Ranks the settings.
        references: Settings to compare with, the scenario as it is among them; they are run with
            every seed.
        options: Options of the tuning.
    """

    scenario: ResolvedScenario
    laboratory: Laboratory
    objective: Objective
    references: tuple[Setting, ...]
    options: TuneOptions

    def by_model(self, model: FluidModel) -> Answer:
        """Simulates the settings that the fluid model proposes."""
        judgement = judged(model)
        budget = self._budget(MODEL_SETTINGS)
        settings = self._affordable(budget)
        self._require_values()
        if not judgement.feasible.any():  # two races share the budget, each gets half of the rest
            references, seeds = len(self.references), len(self.laboratory.seeds)
            settings = 2 * affordable((budget - cost(0, references, seeds)) // 2, 0, seeds)
        proposed = proposal(model, judgement, settings)
        modelled = ModelResults(model, judgement, proposed)
        for proposals, objective in (
            (proposed.feasible + proposed.boundary, self.objective),
            (proposed.lossless, self.objective),
            (proposed.full, self._full_first()),
        ):
            allowed = self.laboratory.allowed(proposals)
            if allowed:
                race(self.laboratory, allowed, self.references, objective)
        return self._answer("model", budget, modelled=modelled)

    def by_search(self, no_model: str | None) -> Answer:
        """Searches the space of settings by simulation.

        Raises:
            BadInput: There is nothing to vary, or the budget is too small.
        """
        space, not_varied = self._space()
        budget = self._budget(SEARCH_SETTINGS)
        settings = self._affordable(budget)
        self._require_values()
        everything = count(space) <= settings
        found = search(self.laboratory, space, settings, self.objective, self.options.search_seed)
        race(self.laboratory, found, self.references, self.objective)
        method = "all" if everything else "search"
        return self._answer(method, budget, no_model=no_model, space=space, not_varied=not_varied)

    def _budget(self, settings: int) -> int:
        """The user's budget in runs; by default the runs that this number of settings needs."""
        seeds = len(self.laboratory.seeds)
        return self.options.budget or cost(settings, len(self.references), seeds)

    def _affordable(self, budget: int) -> int:
        seeds, references = len(self.laboratory.seeds), len(self.references)
        settings = affordable(budget, references, seeds)
        require_budget(budget, references, seeds, settings)
        return settings

    def _require_values(self) -> None:
        """Checks that the scenario as it is has a value of one criterion of `--objective`.

        Raises:
            BadInput: It has none, so that the ranking would be arbitrary.
        """
        if self.options.objective is None:
            return
        self.laboratory.measure([AS_IT_IS], 1)
        values = self.laboratory.trials[AS_IT_IS][0].values
        if all(values[criterion.name] is None for criterion in self.objective.criteria):
            allowed = [name for name, value in values.items() if value is not None]
            raise BadInput(
                f"--objective {self.options.objective}: a run of the scenario has no value of it; "
                f"allowed: {', '.join(allowed)}"
            )

    def _space(self) -> tuple[Space, tuple[NotVaried, ...]]:
        """The parameters that are varied, and those that could not be varied.

        Raises:
            BadInput: There is nothing to vary.
        """
        if self.options.vary:
            return varied(self.scenario, self.options.vary), ()
        space, not_varied = declared(self.scenario, parameter_tables(self.scenario))
        if not space:
            reasons = "".join(f"; {parameter.why}" for parameter in not_varied)
            raise BadInput(
                f"there is nothing to vary: {self._without_range()} parameters with a range"
                f"{reasons}; name parameters with --vary, for instance --vary tcp.granularity"
            )
        return space, not_varied

    def _without_range(self) -> str:
        """The start of an error message, with the tables in which no parameter has a range."""
        if isinstance(self.scenario.network, FrameNetwork):
            rates = any(flow.rate_controlled for flow in self.scenario.network.flows)
            if any(flow.roce for flow in self.scenario.network.flows):
                return "neither the algorithm of `switch.aqm` nor that of `roce.control` has"
            if rates:
                return "neither the algorithm of `switch.aqm` nor `switch.control` has"
            return "the algorithm of `switch.aqm` has no"
        return "neither control nor discard has"

    def _full_first(self) -> Objective:
        """The objective with throughput (without TCP: utilisation) as its first criterion."""
        over_tcp = any(flow.tcp for flow in self.scenario.network.flows)
        name, link_layer = "throughput" if over_tcp else "utilisation", self.scenario.link_layer
        first = Objective.named(name, link_layer).criteria
        others = tuple(
            criterion for criterion in self.objective.criteria if criterion.name != first[0].name
        )
        return replace(self.objective, criteria=(*first, *others))

    def _most_throughput(self, fallen: Collection[Setting]) -> Ranked:
        """The best setting if throughput comes first, without those that do not hold."""
        order = ranking(self.laboratory, self._full_first())
        return next((one for one in order if one.setting not in fallen), order[0])

    def _answer(
        self,
        method: str,
        budget: int,
        *,
        modelled: ModelResults | None = None,
        no_model: str | None = None,
        space: Space = (),
        not_varied: tuple[NotVaried, ...] = (),
    ) -> Answer:
        laboratory = self.laboratory
        infeasible = modelled is not None and not modelled.judgement.feasible.any()
        checks = Checks(laboratory, self.objective)
        checks.until_one_holds()
        ranked = tuple(ranking(laboratory, self.objective, checks.held, checks.fallen))
        answer = Answer(
            base=laboratory.base,
            objective=self.objective,
            seeds=laboratory.seeds,
            method=method,
            no_model=no_model,
            modelled=modelled,
            space=space,
            not_varied=not_varied,
            budget=budget,
            ranked=ranked,
            order=tuple(laboratory.trials),
            checks=tuple(checks.done),
            check_runs=checks.runs,
            most_throughput=self._most_throughput(checks.fallen) if infeasible else None,
            fairness_notes=tuple(notes(self.scenario.network)),
            refused={setting: _first_line(error) for setting, error in laboratory.refused.items()},
            simulated=laboratory.simulated,
            known=laboratory.known,
        )
        answer = self._recommended(with_fresh_seeds(answer, laboratory), checks)
        return replace(
            answer,
            rise=laboratory.rise(answer.chosen.setting),
            checks=tuple(checks.done),
            usual=checks.usual,
        )

    def _recommended(self, answer: Answer, checks: Checks) -> Answer:
        """The answer with the preferred setting first, if this setting holds."""
        first, before = preferred(answer), checks.runs
        if first == answer.chosen.setting:
            return answer
        holds = checks.holds(first)
        order = ranking(
            self.laboratory, self.objective, first if holds else checks.held, checks.fallen
        )
        return replace(
            answer,
            ranked=tuple(order),
            of_search=answer if holds else None,
            check_runs=answer.check_runs + checks.runs - before,
        )


def _first_line(error: ScenarioError) -> str:
    return str(error.diagnostics[0]["message"]) if error.diagnostics else str(error)
