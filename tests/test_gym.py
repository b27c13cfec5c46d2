"""Environments of Gymnasium: numbers worked by hand, equal and different runs, errors, learning."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import cellrate
import cellrate.gym
import gymnasium
import numpy as np
import pytest
from cellrate.schemes import Port, RmCell, Source, allowing
from conftest import HERE
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import RescaleAction
from numpy.typing import NDArray

LEARNED = HERE.parent / "examples" / "learned"
PORT, SOURCE = "cellrate/AbrPort-v0", "cellrate/AbrSource-v0"
# Two ABR sources that always send, a fifth of the link taken by CBR before them. Rates are exact:
# 32 cells of a link of 42.4 Mbit/s, 100,000 cells/s, last 320 us.
TWO = """
[run]
duration = "64 ms"
[topology]
template = "single-switch"
link_rate = "42.4 Mbit/s"
access = "1 us"
bottleneck = "1 us"
[switch]
buffer = "infinite"
[abr]
rif = 1
icr = "0.424 Mbit/s"
quantise_rates = false
[[flow]]
name = "own"
count = 2
service = "abr"
source = { kind = "persistent" }
"""
CBR = """
[[flow]]
name = "cbr"
service = "cbr"
source = { kind = "cbr", rate = "8.48 Mbit/s" }
"""
VARIED = str(LEARNED / "background.toml")
SHORT = {"run.duration": "60 ms", "measure.from": "0 s"}


def steps(
    env: gymnasium.Env[Any, Any], actions: Iterable[float], seed: int = 1
) -> list[tuple[np.ndarray, float, dict[str, Any]]]:
    """The steps of an episode, until it or the actions end."""
    env.reset(seed=seed)
    found = []
    for action in actions:
        seen, reward, terminated, truncated, info = env.step(np.array([action]))
        assert not terminated
        found.append((seen, float(reward), info))
        if truncated:
            break
    return found


def forever(action: float) -> Iterator[float]:
    while True:
        yield action


def summary(env: gymnasium.Env[Any, Any]) -> dict[str, Any]:
    """All measures of the episode that has ended."""
    found: dict[str, Any] = env.get_wrapper_attr("summary")()
    return found


def drawn(number: int, low: float, high: float) -> list[float]:
    return [float(one) for one in np.random.default_rng(7).uniform(low, high, number)]


@pytest.mark.parametrize("name", [PORT, SOURCE])
@pytest.mark.parametrize("scenario", ["n-source", VARIED])
def test_the_checker_of_gymnasium_passes(name: str, scenario: str) -> None:
    check_env(gymnasium.make(name, scenario=scenario, overrides=SHORT).unwrapped)


def test_a_port_sees_what_the_sources_send() -> None:
    """Two sources with a quarter of the link each, and CBR with a fifth: 16 and 6.4 of 32 cells."""
    env = gymnasium.make(PORT, scenario=TWO + CBR)
    assert env.get_wrapper_attr("rate") == 100_000
    assert env.get_wrapper_attr("interval") == pytest.approx(320e-6)
    assert (env.get_wrapper_attr("port"), env.get_wrapper_attr("channels")) == ("A->sink", 2)
    # The sources learn their rate with their second RM cell, which at ICR leaves after 32 ms.
    later = steps(env, forever(0.25))[120:199]
    seen = np.array([one for one, _, _ in later])
    assert seen[:, 0] == pytest.approx(0.5)
    assert seen[:, 1].mean() == pytest.approx(0.2, abs=0.001)
    assert seen[:, 2].max() <= 3 * 0.01  # three cells of 10 us at once, at most
    assert (seen[:, 3:] == [1.0, 0.25]).all()
    used = [info["utilisation"] for _, _, info in later]
    assert np.mean(used) == pytest.approx(0.7, abs=0.001)


def test_too_high_a_rate_fills_the_queue_and_then_loses_cells() -> None:
    """Two sources with the whole rate bring 64 cells in the time of 32: 32 wait, or are lost."""
    env = gymnasium.make(PORT, scenario=TWO, delay_weight=0.5, loss_weight=3)
    later = steps(env, forever(1.0))[120:199]
    growth = np.diff([seen[2] for seen, _, _ in later])
    assert growth == pytest.approx(0.32)  # ms: the queue grows by one interval in each
    limited = gymnasium.make(
        PORT,
        scenario=TWO,
        overrides={"switch.buffer": "100 cells"},
        delay_weight=0.5,
        loss_weight=3,
    )
    for seen, reward, info in steps(limited, forever(1.0))[120:199]:
        assert (info["utilisation"], info["lost"]) == pytest.approx((1.0, 1.0))
        assert seen[2] == pytest.approx(1.0, abs=0.011)  # 100 cells of 10 us
        assert reward == pytest.approx(1 - 0.5 * seen[2] - 3 * 1)


def test_a_source_sends_what_it_is_told() -> None:
    """A quarter of PCR: 8 cells in the time of 32, one in 32 of which is an RM cell."""
    alone = {"flow.own.count": 1}
    env = gymnasium.make(SOURCE, scenario=TWO, overrides=alone, delay_weight=0.5, loss_weight=0)
    assert (env.get_wrapper_attr("flow"), env.get_wrapper_attr("pcr")) == ("own.1", 100_000)
    later = steps(env, forever(0.25))[120:199]
    seen = np.array([one for one, _, _ in later])
    assert (seen[:, :2] == [0.25, 1.0]).all()
    assert seen[:, 2].mean() == pytest.approx(0.25, abs=0.01)  # an RM cell in four intervals
    assert not seen[:, 3].any()
    assert seen[:, 4] == pytest.approx(0.25)
    assert np.mean([info["delivered"] for *_, info in later]) == pytest.approx(
        0.25 * 31 / 32, abs=0.002
    )
    for _, reward, info in later:
        assert reward == pytest.approx(info["delivered"] - 0.5 * info["in_flight_ms"])


def test_a_source_knows_its_losses() -> None:
    """The link behind the switch carries 0.7 of what the source sends; three of ten are lost."""
    settings = {
        "flow.own.count": 1,
        "topology.bottleneck_rate": "29.68 Mbit/s",
        "switch.buffer": "20 cells",
    }
    env = gymnasium.make(SOURCE, scenario=TWO, overrides=settings, loss_weight=2)
    later = steps(env, forever(1.0))[120:199]
    lost = np.array([info["lost"] for *_, info in later])
    assert lost.mean() == pytest.approx(0.3 * 31 / 32, abs=0.01)
    # 20 cells wait at most, and between them are lost ones that nobody knows of: 20 / 0.7.
    assert max(info["in_flight_ms"] for *_, info in later) == pytest.approx(0.286, abs=0.01)
    for _, reward, info in later:
        assert reward == pytest.approx(
            info["delivered"] - 0.01 * info["in_flight_ms"] - 2 * info["lost"]
        )


def test_a_source_sees_congestion_and_explicit_rates() -> None:
    marks = {"switch.control.scheme": "efci", "switch.control.threshold": "10 cells"}
    marked = steps(gymnasium.make(SOURCE, scenario=TWO, overrides=marks), forever(1.0))
    assert max(seen[3] for seen, *_ in marked) == 1.0
    erica = {"switch.control.scheme": "erica", "switch.control.target_utilisation": 0.8}
    seen = [
        seen
        for seen, *_ in steps(gymnasium.make(SOURCE, scenario=TWO, overrides=erica), forever(1.0))
    ]
    # ERICA tells each of two sources two fifths of the link, and no source may send more.
    assert seen[-2][:2] == pytest.approx([0.4, 0.4], rel=0.05)


@pytest.mark.parametrize("name", [PORT, SOURCE])
def test_equal_episodes_are_equal_in_every_bit_and_others_differ(name: str) -> None:
    """An episode after another one in the same object is that of a fresh object."""
    overrides = {**SHORT, "flow.vbr.source.mean_on": "5 ms", "flow.vbr.source.mean_off": "5 ms"}
    env = gymnasium.make(name, scenario=VARIED, overrides=overrides)
    again = gymnasium.make(name, scenario=VARIED, overrides=overrides)
    actions = drawn(1000, 0.05, 0.2)
    digests = []
    for seed in (5, 6):
        one, two = steps(env, actions, seed), steps(again, actions, seed)
        assert [(seen.tobytes(), reward, info) for seen, reward, info in one] == [
            (seen.tobytes(), reward, info) for seen, reward, info in two
        ]
        digests.append(one[-1][2]["digest"])
        assert one[-1][2]["seconds"] == 0.06
        again = gymnasium.make(name, scenario=VARIED, overrides=overrides)
    other = steps(env, [0.5 * action for action in actions], 5)[-1][2]["digest"]
    assert len({*digests, other}) == 3


def test_seeds_are_drawn_from_the_environments_own_stream() -> None:
    env = gymnasium.make(PORT, overrides=SHORT)
    assert env.reset(seed=9)[1]["seed"] == 9
    after = [env.reset()[1]["seed"] for _ in range(2)]
    env.reset(seed=9)
    assert [env.reset()[1]["seed"] for _ in range(2)] == after
    assert len(set(after)) == 2


@dataclass
class Played:
    """Advertises rates that were drawn, at the port that all sources share."""

    shares: ClassVar[list[float]] = []
    interval: float = 0.0

    def on_start(self, port: Port) -> None:
        """Asks for the intervals of the environment."""
        port.every(seconds=self.interval)
        self.number = 0

    def on_interval(self, _port: Port) -> None:
        """Goes on to the next rate."""
        self.number += 1

    def on_backward_rm(self, port: Port, rm: RmCell) -> None:
        """Advertises the rate."""
        if port.channels > 1:
            rm.er = self.shares[self.number] * port.rate


@dataclass
class PlayedLaw:
    """Sends at rates that were drawn."""

    shares: ClassVar[list[float]] = []
    interval: float = 0.0

    def on_backward_rm(self, source: Source, rm: RmCell) -> None:
        """Takes the rate of the interval."""
        # In whole picoseconds, which floats of seconds do not divide exactly.
        number = round(source.now * 1e12) // round(self.interval * 1e12)
        source.acr = min(self.shares[number] * source.pcr, rm.er)


RATES = cellrate.template("explicit-rate")
TWO_HOSTS = {
    "flow.flow.count": 2,
    "flow.flow.stagger": "0 s",
    "flow.flow.source": {"kind": "persistent"},
    "measure.from": "0 s",
}


@pytest.mark.parametrize(
    ("scenario", "overrides", "unit"),
    [
        (VARIED, {**SHORT, "switch.buffer": "60 cells"}, "cells"),
        (
            RATES,
            {"run.duration": "2 ms", "measure.from": "0 s", "switch.buffer": "9 kB"},
            "packets",
        ),
    ],
    ids=["atm", "ethernet"],
)
def test_a_scheme_in_python_that_does_the_same_gives_the_same_run(
    scenario: str, overrides: dict[str, Any], unit: str
) -> None:
    """An action acts from the very instant at which a scheme's interval begins."""
    Played.shares = drawn(1000, 0.02, 0.4)
    env = gymnasium.make(PORT, scenario=scenario, overrides=overrides)
    interval = env.get_wrapper_attr("interval")
    digest = steps(env, Played.shares, 3)[-1][2]["digest"]
    control = {"switch.control": Played(interval)}
    run = cellrate.run(scenario, overrides={**overrides, **control}, seed=3)
    assert run.digest == digest
    assert summary(env)["totals"] == run.summary["totals"]
    assert run.summary["totals"][f"{unit}_dropped"] > 0


def test_a_port_over_ethernet_by_hand() -> None:
    """Two hosts that always send at a share of a line of 100 Gbit/s, in frames of 1,538 bytes."""
    env = gymnasium.make(PORT, scenario=RATES, overrides=TWO_HOSTS | {"run.duration": "1 ms"})
    assert env.get_wrapper_attr("interval") == pytest.approx(32 * 1538 * 8 / 100e9)
    seen = steps(env, forever(0.25))
    # A frame is a 32nd of what the line carries in a step.
    for (arrived, others, _, active, share), _, info in seen[30:-1]:
        assert abs(arrived - 0.5) <= 2.1 / 32
        assert (others, active, share) == (0.0, 1.0, 0.25)
        assert abs(info["utilisation"] - 0.5) <= 2.1 / 32
    assert np.mean([info["utilisation"] for _, _, info in seen[30:-1]]) == pytest.approx(
        0.5, abs=2e-3
    )
    # Three quarters each are half of a line too much: the buffer is full, and the rest is lost.
    little = TWO_HOSTS | {"run.duration": "1 ms", "switch.buffer": "30360 bytes"}
    env = gymnasium.make(PORT, scenario=RATES, overrides=little)
    late = steps(env, forever(0.75))[-60:-1]
    assert np.mean([info["utilisation"] for _, _, info in late]) == pytest.approx(1.0, abs=2e-3)
    assert np.mean([info["lost"] for _, _, info in late]) == pytest.approx(0.5, abs=2e-2)
    longest = max(observed[2] for observed, _, _ in late)
    assert longest == pytest.approx(20 * 1538 * 8 / 100e9 * 1e3)
    check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("changes", [[], [{"at": "32 ms", "set": {"flow.own.sends": False}}]])
def test_a_law_in_python_that_does_the_same_gives_the_same_cells(
    changes: list[dict[str, Any]],
) -> None:
    """The law governs the way back as well, which the environment leaves to ER."""
    PlayedLaw.shares = drawn(1000, 0.02, 0.9)
    settings = {"flow.own.count": 1, "changes": changes}
    env = gymnasium.make(SOURCE, scenario=TWO, overrides=settings)
    steps(env, PlayedLaw.shares, 3)
    law = PlayedLaw(env.get_wrapper_attr("interval"))
    run = cellrate.run(TWO, overrides={**settings, "abr.law": law}, seed=3)
    ways = [
        next(one for one in found["vcs"] if one["name"] == "own.1/forward")
        for found in (summary(env), run.summary)
    ]
    assert ways[0] == ways[1]
    assert ways[0]["acr_max_cells_per_second"] > 2 * ways[0]["acr_mean_cells_per_second"]


def test_other_ports_keep_the_scenarios_scheme() -> None:
    """Without backward RM cells that pass it, a port under command changes nothing."""
    overrides = {**SHORT, "switch.control.scheme": "erica"}
    env = gymnasium.make(PORT, scenario="gfc-2", overrides=overrides, port="SW1->SW2")
    steps(env, forever(1.0))
    schemes = {
        port["name"]: port["control"]["scheme"] for port in summary(env)["ports"] if port["control"]
    }
    assert schemes.pop("SW1->SW2") == "commanded"
    assert len(schemes) > 5
    assert set(schemes.values()) == {"erica"}


def test_the_port_is_that_with_the_least_rate_for_each_channel() -> None:
    env = gymnasium.make(
        PORT, scenario="parking-lot", overrides={"topology.bottleneck_rate": "50 Mbit/s"}
    )
    summary = cellrate.run(cellrate.template("parking-lot"), overrides=SHORT).summary
    assert env.get_wrapper_attr("port") in {port["name"] for port in summary["ports"]}
    assert env.get_wrapper_attr("rate") == pytest.approx(50e6 / 424)


@pytest.mark.parametrize("name", [PORT, SOURCE])
@pytest.mark.parametrize("threads", [1, 2, 8])
def test_environments_on_threads_are_those_one_after_the_other(name: str, threads: int) -> None:
    """All that Gymnasium's own vector gives, over the end of episodes."""
    overrides = {**SHORT, "flow.vbr.source.mean_on": "5 ms", "flow.vbr.source.mean_off": "5 ms"}
    made: Any = {"num_envs": 3, "scenario": VARIED, "overrides": overrides, "interval": 13e-3}
    ours = gymnasium.make_vec(name, threads=threads, **made)
    theirs = gymnasium.make_vec(name, vectorization_mode="sync", **made)
    digests = []
    seeds: Any = [4, 9, 4]
    assert told(ours.reset(seed=seeds)) == told(theirs.reset(seed=seeds))
    for actions in np.array(drawn(60, 0.0, 1.0)).reshape(20, 3, 1):
        # Equal seeds and actions, so that two of them are equal.
        actions[2] = actions[0]
        step, expected = ours.step(actions), theirs.step(actions)
        assert told(step) == told(expected)
        digests += [one for one in step[-1].get("digest", []) if one]
    assert len(digests) == 9  # each ends after five steps, and is begun anew by the sixth
    assert len(set(digests)) == 6
    with pytest.raises(ValueError, match=r"actions must have the shape \(3, 1\), not \(3,\)"):
        ours.step(np.zeros(3))
    ours.reset(seed=1)
    with pytest.raises(ValueError, match=r"an action of 1\.5"):
        ours.step(np.array([[0.1], [1.5], [0.1]]))
    with pytest.raises(ValueError, match="an action of nan"):
        ours.step(np.array([[0.1], [np.nan], [0.1]]))
    with pytest.raises(ValueError, match="2 seeds for 3 environments"):
        ours.reset(seed=[1, 2])  # type: ignore[arg-type]


def told(answer: tuple[Any, ...]) -> list[Any]:
    """All that a vector of environments answers, as plain values."""
    *arrays, info = answer
    plain = {key: np.asarray(value).tolist() for key, value in sorted(info.items())}
    return [*(array.tolist() for array in arrays), plain]


def test_environments_side_by_side_are_those_alone() -> None:
    """In processes of their own, which register the environments themselves."""
    made: Any = {"scenario": VARIED, "overrides": SHORT, "interval": 1e-3}
    actions = np.array(drawn(40, 0.05, 0.2)).reshape(20, 2, 1)
    side = gymnasium.make_vec(
        PORT, num_envs=2, vectorization_mode="async", vector_kwargs={"context": "spawn"}, **made
    )
    side.reset(seed=4)
    together = [side.step(action)[:2] for action in actions]
    side.close()
    for index in range(2):
        alone = steps(gymnasium.make(PORT, **made), actions[:, index, 0], 4 + index)
        assert [seen.tolist() for seen, *_ in alone] == [
            seen[index].tolist() for seen, _ in together
        ]
        assert [reward for _, reward, _ in alone] == [rewards[index] for _, rewards in together]


def in_a_process(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_the_package_itself_does_not_need_gymnasium() -> None:
    done = in_a_process(
        "import sys; sys.modules['gymnasium'] = None\n"
        "import cellrate, cellrate.cli.app\n"
        "try: import cellrate.gym\n"
        "except cellrate.MissingExtra as error: print(error)"
    )
    assert done.stdout == (
        "cellrate.gym needs gymnasium, which is not installed: pip install 'cellrate[gym]'\n"
    ), done.stderr


def test_a_name_with_its_module_needs_no_import() -> None:
    done = in_a_process(
        "import gymnasium; env = gymnasium.make('cellrate.gym:cellrate/AbrPort-v0'); print(env)"
    )
    assert "AbrPort" in done.stdout, done.stderr


WRONG: list[tuple[str, dict[str, Any], str]] = [
    (
        PORT,
        {"port": "A->C"},
        "no port `A->C` that forwards a flow over ABR or with `rate_control`; those that do: A->B",
    ),
    (
        PORT,
        {"overrides": {"flow.tcp.service": "ubr"}},
        "no switch forwards a flow over ABR or with `rate_control`",
    ),
    (PORT, {"interval": 0}, "an interval must be at least 1e-12 s, but is 0 s"),
    (PORT, {"interval": float("nan")}, "an interval must be at least 1e-12 s, but is NaN s"),
    (PORT, {"most_share": 1.5}, "most_share must be above 0 and at most 1, but is 1.5"),
    (PORT, {"delay_weight": -1}, "delay_weight must be at least 0 and finite, but is -1"),
    (PORT, {"render_mode": "human"}, "the environment draws nothing"),
    (SOURCE, {"flow": "udp.1"}, "no ABR flow `udp.1`; there are tcp.1, tcp.2"),
    (SOURCE, {"overrides": {"flow.tcp.service": "ubr"}}, "no flow has the class ABR"),
    (
        SOURCE,
        {"loss_weight": float("inf")},
        "loss_weight must be at least 0 and finite, but is inf",
    ),
]


@pytest.mark.parametrize(("name", "arguments", "message"), WRONG)
def test_wrong_arguments_are_refused(name: str, arguments: dict[str, Any], message: str) -> None:
    cls = {PORT: cellrate.gym.AbrPort, SOURCE: cellrate.gym.AbrSource}[name]
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the text is looked at
        cls("n-source", **arguments)
    assert message in str(caught.value)


def test_wrong_scenarios_are_refused() -> None:
    with pytest.raises(cellrate.ScenarioError, match="unknown key"):
        cellrate.gym.AbrPort("n-source", overrides={"run.durations": "1 s"})
    with pytest.raises(OSError, match="n-sources"):
        cellrate.gym.AbrPort("n-sources")


def test_wrong_actions_and_wrong_order_are_refused() -> None:
    env = cellrate.gym.AbrPort("n-source", overrides=SHORT, most_share=0.5, interval=0.05)
    with pytest.raises(RuntimeError, match="call reset"):
        env.step(np.array([0.1]))
    with pytest.raises(ValueError, match="reset has no options, but got from"):
        env.reset(options={"from": 1})
    with pytest.raises(ValueError, match="seed"):
        env.reset(seed=-1)
    env.reset(seed=1)
    for action, message in (
        ([0.6], "an action of 0.6 is not a share from 0 to 0.5"),
        ([float("nan")], "an action of nan"),
        ([-0.1], "an action of -0.1 is not a share from 0 to 0.5"),
        ([0.1, 0.1], "an action must be one number in an array"),
        (0.1, "an action must be one number in an array"),
    ):
        with pytest.raises(ValueError, match=message):
            env.step(np.array(action))
    with pytest.raises(RuntimeError, match="the episode has not ended"):
        env.summary()
    assert not env.step(np.array([0.1]))[3]
    assert env.step(np.array([0.1]))[3]
    with pytest.raises(RuntimeError, match=r"the episode has ended: reset\(\) begins another"):
        env.step(np.array([0.1]))


@pytest.fixture
def training(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script of the example."""
    monkeypatch.syspath_prepend(str(LEARNED))
    return importlib.import_module("train")


def shipped() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((LEARNED / "weights.json").read_text(encoding="utf-8"))
    return found


def test_the_learned_policy_beats_fixed_rates_on_all_seeds_held_out(training: ModuleType) -> None:
    """The best fixed rate in hindsight, too; as a scheme the policy gives the very same runs."""
    policy = importlib.import_module("policy")
    assert not set(training.HELD_OUT) & set(training.TRAINING)
    digests = {}
    for seed in training.HELD_OUT:
        own, digests[seed] = training.episode(policy.Policy(shipped()["weights"]).share, seed)
        # A rate above a fifth of the link for each of five sources is worse than one below.
        fixed = max(training.fixed(share, seed) for share in training.FIXED[1:12:3])
        assert own > fixed + 0.1
    with allowing("policy.py:Learned"):
        scheme = {"switch.control": {"scheme": "policy.py:Learned"}}
        run = cellrate.run(training.SCENARIO, overrides=scheme, seed=training.HELD_OUT[0])
    assert run.digest == digests[training.HELD_OUT[0]]


def test_the_fixed_rate_of_the_comparison_is_the_best_on_the_training_seeds(
    training: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Better than its neighbours and the ends."""
    at = training.FIXED.index(shipped()["fixed_share"])
    tried = (*training.FIXED[:1], *training.FIXED[at - 1 : at + 2], *training.FIXED[-1:])
    monkeypatch.setattr(training, "FIXED", tried)
    with ThreadPoolExecutor(1) as pool:
        share, reward = training.best_fixed(pool)
    assert (share, round(reward, 6)) == (shipped()["fixed_share"], shipped()["fixed_reward"])


def test_training_gets_better(training: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three generations of eight policies on a seed; the shipped curve as well."""
    monkeypatch.setattr(training, "TRAINING", (1,))
    with ThreadPoolExecutor(1) as pool:
        one = training.Training()
        curve = [one.generation(pool, drawn=8, kept=2) for _ in range(3)]
    assert np.median(curve[-1]) > np.median(curve[0]) + 0.1
    assert shipped()["best"][-1] > shipped()["fixed_reward"] + 0.2


def test_the_curve_in_the_manual_is_that_of_the_weights(
    training: ModuleType, tmp_path: Path
) -> None:
    training.draw(shipped(), tmp_path / "curve")
    committed = HERE.parent / "docs" / "images" / "learned-curve.svg"
    assert (tmp_path / "curve.svg").read_bytes() == committed.read_bytes()


@pytest.mark.parametrize("share", [0.41, 0.47, 0.05, 0.5, 1.0])
def test_an_action_at_the_bound_is_taken_as_learners_round_it(share: float) -> None:
    """The ends of the space in float32, and through a wrapper that scales them."""

    def asked(action: NDArray[Any], low: float | None = None, high: float = 1.0) -> float:
        env: gymnasium.Env[Any, Any] = gymnasium.make(
            "cellrate/AbrPort-v0", scenario="n-source", overrides=SHORT, most_share=share
        )
        scaled = env if low is None else RescaleAction(env, np.float64(low), np.float64(high))
        scaled.reset(seed=1)
        return float(scaled.step(action)[0][4])

    assert asked(np.array([share], dtype=np.float32)) == pytest.approx(share, rel=1e-6)
    assert asked(np.array([1.0]), -1.0) == share  # 0.41000000000000003 before it is clipped
    for low, high in ((-0.3, 0.7), (-3.0, 0.1), (-5.5, 2.2)):
        assert asked(np.array([low], dtype=np.float32), low, high) == pytest.approx(0.0, abs=1e-6)
        assert asked(np.array([high], dtype=np.float32), low, high) == pytest.approx(
            share, rel=1e-6
        )
    with pytest.raises(ValueError, match="a share from 0"):
        asked(np.array([share * 1.00001]))


def test_environments_side_by_side_take_seeds_and_actions_as_gymnasiums_own() -> None:
    together = cellrate.gym.AbrPorts(2, scenario="n-source", overrides=SHORT, most_share=0.41)
    seeds: list[Any] = [3, np.int64(3), (3, 4)]
    first = [together.reset(seed=seed)[1]["seed"].tolist() for seed in seeds]
    assert first == [[3, 4]] * 3
    seen = together.step(np.array([[0.41], [0.41]], dtype=np.float32))[0]
    assert seen[:, 4] == pytest.approx([0.41, 0.41], rel=1e-6)
