"""Parameters that always have the same value, as the time constants of a Smith predictor."""

from __future__ import annotations

import cellrate
import pytest
from cellrate.advice.choosing.candidates import candidates
from cellrate.advice.choosing.trials import Trials, _ends
from cellrate.advice.tuning.declared import ResolvedScenario
from cellrate.advice.tuning.fluid_model import model_of
from cellrate.advice.tuning.laboratory import AS_IT_IS, Setting
from cellrate.advice.tuning.search import everything, setting_at
from cellrate.simulation.runner import Job, run_many
from cellrate.studies.parameters.ranges import Choices, Range
from conftest import SCENARIOS


def test_sources_and_switches_of_a_smith_predictor_keep_the_same_time_constant() -> None:
    [smith] = [one for one in candidates() if one.name == "smith-predictor"]
    base = Job(cellrate.template("n-source"), "x.toml")
    plain = ResolvedScenario.of(base.scenario())
    trials = Trials.of(smith, base, plain, (1,), run_many, lambda _: False)
    space = trials.space()
    assert {one.path.rpartition(".")[2] for one in space} == {"set_point", "time_constant"}
    found = [*_ends(space), *(setting_at(space, (share, share)) for share in (0.3, 0.7))]
    changed = [one for one in found if "time_constant" in one.label]
    assert len(changed) == 4
    for setting in changed:
        # Named once in the label, and given to both.
        assert setting.label.count("time_constant") == 1
        values = dict(setting.values)
        assert values["abr.time_constant"] == values["switch.control.time_constant"]
        scenario = trials.laboratory.job(setting, 1).scenario()
        told = [str(one["message"]) for one in scenario.warnings()]
        assert not [one for one in told if "time_constant" in one]
    # A source alone would misread the switch.
    only = Setting((("switch.control.time_constant", "7 ms"),))
    told = [str(one["message"]) for one in trials.laboratory.job(only, 1).scenario().warnings()]
    assert [one for one in told if "time_constant" in one]


def test_a_switch_of_its_own_has_the_time_constant_of_the_smith_predictor() -> None:
    [smith] = [one for one in candidates() if one.name == "smith-predictor"]
    text = (SCENARIOS / "graph.toml").read_text(encoding="utf-8")
    base = Job(text, "graph.toml", ('topology.node.X.control={scheme="erica"}',))
    plain = ResolvedScenario.of(base.scenario())
    trials = Trials.of(smith, base, plain, (1,), run_many, lambda _: False)
    paths = {"abr", "switch.control", "topology.node.X.control"}
    [one] = [one for one in trials.space() if one.path.endswith(".time_constant")]
    assert {path for path, _ in one.pairs("3 ms")} == {f"{path}.time_constant" for path in paths}
    for setting in (AS_IT_IS, Setting(one.pairs("3 ms"))):
        scenario = trials.laboratory.job(setting, 1).scenario()
        keys = ResolvedScenario.of(scenario).keys
        assert len({keys.find(path).value for path, _ in one.pairs("")}) == 1
        assert not [one for one in scenario.warnings() if "time_constant" in str(one["message"])]


@pytest.mark.parametrize("own", ["0.0078125", "0.0625", "1/512"])
def test_sources_with_their_own_rif_and_rdf_follow_the_search(own: str) -> None:
    """Also where a flow's own value is that of `[abr]`, or that of the candidate."""
    abr = f"flow.tcp.abr={{rif={own.replace('1/512', '0.001953125')}, rdf=0.0625}}"
    base = Job(cellrate.template("n-source"), "x.toml", ("abr.rif=0.0078125", abr))
    plain = ResolvedScenario.of_job(base)
    found = {one.name: one for one in candidates()}
    for name, rif in (("efci", 0.0625), ("fmmra", 1.0)):
        trials = Trials.of(found[name], base, plain, (1,), run_many, lambda _: False)
        space = {one.path: one for one in trials.space()}
        settings = {AS_IT_IS: rif}
        if name == "efci":
            tried = [Setting(space["abr.rif"].pairs(text)) for text in ("0.5", "1.0")]
            model = model_of(trials.scenario.cells, trials.scenario.keys, plain.own_abr)
            tried.append(model.setting(0.25, 0.0625))
            settings |= dict(zip(tried, (0.5, 1.0, 0.25), strict=True))
        for setting, wanted in settings.items():
            network = ResolvedScenario.of(trials.laboratory.job(setting, 1).scenario()).cells
            assert {flow.abr.rif for flow in network.flows if flow.abr} == {wanted}


def test_parameters_that_are_alike_vary_as_one() -> None:
    both = Range("a.x", "integer", 1, 2, "linear", alike=("b.x",))
    other = Choices("c", "choice", ("p", "q"))
    assert [one.values for one in everything((both, other))] == [
        (("a.x", x), ("b.x", x), ("c", c)) for x in ("1", "2") for c in ("p", "q")
    ]
    assert both.words() == "1 to 2, with b.x alike"
