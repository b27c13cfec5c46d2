"""Judges schemes on the fixed set of experiments, against every built-in scheme."""

from __future__ import annotations

from collections.abc import Sequence

from cellrate.battery import running
from cellrate.battery.answer import Answer
from cellrate.battery.contenders import Contender, built_in, contender
from cellrate.battery.duels import Values, duels
from cellrate.battery.experiments import SEEDS, Experiment
from cellrate.battery.fair_load import fair_load
from cellrate.battery.run_record import Record
from cellrate.battery.shipped import shipped, work
from cellrate.battery.standings import ranked, standing
from cellrate.common.problems import BadInput
from cellrate.simulation.network import Network
from cellrate.simulation.run_types import StreamRunner


def judge(
    contenders: Sequence[Contender],
    chosen: Sequence[Experiment],
    runner: StreamRunner,
    again: StreamRunner,
) -> Answer:
    """Runs contenders and judges them; the results of built-in schemes are those shipped.

    Args:
        contenders: The schemes; those without settings that are built in are not run.
        chosen: The experiments.
        runner: Runs jobs, or finds their kept results.
        again: Runs jobs without a store; for the check that a run repeats.

    Raises:
        BadInput: Two contenders have one name.
        ScenarioError: No experiment allows a contender.
    """
    own = [one for one in contenders if not one.built_in]
    _require_different([*(one.name for one in own), *(one.name for one in built_in())])
    planned = running.plan(own, chosen, SEEDS)
    records = running.run(planned, runner)
    yardstick = contender(running.YARDSTICK)
    irregular = tuple(one.name for one in own if not _repeats(one, records, again))
    ratios = {one.name: running.work(one, yardstick) for one in own}
    return judged(contenders, records, chosen, ratios, irregular)


def judged(
    contenders: Sequence[Contender],
    records: Sequence[Record],
    chosen: Sequence[Experiment],
    ratios: dict[str, float | None] | None = None,
    irregular: tuple[str, ...] = (),
) -> Answer:
    """Judges schemes by their runs.

    Args:
        contenders: The schemes that were asked for.
        records: Their runs, without those of built-in schemes.
        chosen: The experiments.
        ratios: Work of those that were run, over ERICA's.
        irregular: Names of contenders whose runs do not repeat.
    """
    names = [one.name for one in chosen]
    known = [one for one in shipped() if one.experiment in names]
    everything = (*records, *known)
    values = Values(everything, {one.name: _horizon(one) for one in chosen})
    opponents = [one.name for one in built_in()]
    own = [one.name for one in contenders if not one.built_in]
    found = {
        one: tuple(duels(one, [other for other in opponents if other != one], names, values))
        for one in (*own, *opponents)
    }
    return Answer(
        tuple(contenders),
        tuple(chosen),
        SEEDS,
        everything,
        values,
        found,
        ranked(standing(one, of_one) for one, of_one in found.items()),
        {**work(), **(ratios or {})},
        irregular,
    )


def _horizon(experiment: Experiment) -> float:
    """Seconds after the last start or change that are watched."""
    network = Network.of_scenario(experiment.job().scenario())
    return network.duration_seconds - (fair_load(experiment).settles_from_seconds or 0.0)


def _repeats(one: Contender, records: Sequence[Record], again: StreamRunner) -> bool:
    found = [record for record in records if record.scheme == one.name and not record.error]
    return not found or running.repeats(one, found[0], again)


def _require_different(names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise BadInput(f"two schemes are called {name}: give one of the classes another name")
