"""Schemes in Python: twins, hooks, what the port measures, permission, and other processes."""

from __future__ import annotations

import ast
import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import cellrate
import pytest
from cellrate import _core
from cellrate.schemes import Cells, Port, Queue, RmCell, SchemeError, allowing, watching
from cellrate.schemes.classes import NoScheme
from cellrate.schemes.examples.reno import Reno
from cellrate.schemes.finding import find, packed
from cellrate.simulation import apart
from cellrate.simulation.runner import Job, run_each, run_many
from conftest import COMMAND, HERE, Command
from message_inputs import GAIN

CLASSES = HERE / "schemes"
EXAMPLES = Path(cellrate.__file__).parent / "schemes" / "examples"
TWINS = {"erica": "erica:Erica", "rrm-p": "p:P", "fmmra": "fmmra:Fmmra"}
TRACED = (HERE / "scenarios" / "traced.toml").read_text("utf-8")


@pytest.fixture(autouse=True)
def _allowed() -> Iterator[None]:
    names = ("Seen", "EveryCell", "AtDeparture", "Endless", "EndlessStart")
    with (
        allowing(*(f"seen.py:{name}" for name in names), "bad.py:Fine", "bad.py:Raises"),
        allowing(
            *(f"seen.py:{name}" for name in ("Drops", "RefusesAll", "Early", "Sets", "Waits")),
            *(f"state.py:{name}" for name in (*LEAKS, "Cached")),
        ),
    ):
        yield


def table(scheme: str, **parameters: object) -> str:
    keys = [f"{key}={json.dumps(value)}" for key, value in parameters.items()]
    return f"switch.control={{{', '.join([f'scheme={json.dumps(scheme)}', *keys])}}}"


def job(text: str, *settings: str, seed: int = 1, place: Path = CLASSES) -> Job:
    return Job(text, str(place / "scenario.toml"), settings, seed)


def outcome(one: Job) -> dict[str, object]:
    found: dict[str, object] = json.loads(one.scenario().run().summary())
    return found


def counted(one: Job, port: str) -> dict[str, float]:
    ports = outcome(one)["ports"]
    assert isinstance(ports, list)
    found: dict[str, float] = next(p["control"] for p in ports if p["name"] == port)
    return found


LEAKS = {
    "Global": "the module variable `count`",
    "Attribute": "the class attribute `Base.noted`",
    "New": "the class attribute `New.made`",
    "Nested": "the module variable `tables`",
    "Default": "a default value of `deep`",
    "Draws": "the module variable `generator`",
    "Yields": "the module variable `numbers`",
}
SHORT = ("run.duration=0.2 s", "measure.from=0 s")
NETWORKS = {
    "background": ("n-source-vbr", SHORT),
    "small buffer": ("n-source", (*SHORT, "switch.buffer=200 cells")),
    "parking lot": ("parking-lot", ("run.duration=0.1 s", "measure.from=0 s")),
    "GFC-2": ("gfc-2", ("run.duration=0.1 s", "measure.from=0 s")),
    "losses of links": ("n-source", (*SHORT, "link_errors.cell_loss_ratio=0.001")),
}
PARAMETERS: dict[str, list[dict[str, object]]] = {
    "erica": [
        {},
        {"target_utilisation": 0.8, "interval": "3 ms", "interval_cells": "700 cells", "delta": 0},
    ],
    "rrm-p": [{}, {"sampling": "33 cells", "low": "20 cells", "high": "90 cells"}],
    "fmmra": [{}, {"qt": "20 cells", "dqt": "40 cells", "interval": "2 ms", "er_max_weight": 0.5}],
}


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("scheme", TWINS)
def test_twins_give_the_same_digest(scheme: str, network: str) -> None:
    template, settings = NETWORKS[network]
    text = cellrate.template(template)
    found = set()
    for parameters in PARAMETERS[scheme]:
        names = (scheme, f"cellrate.schemes.examples.{TWINS[scheme]}")
        digests = {
            outcome(job(text, *settings, table(name, **parameters)))["digest"] for name in names
        }
        assert len(digests) == 1
        found |= digests
    assert len(found) > 1  # the parameters matter


RENO = "cellrate.schemes.examples.reno:Reno"
PRCA = "cellrate.schemes.examples.prca:Prca"


@pytest.mark.parametrize("network", ["traced", "single-switch", "losses of links"])
def test_reno_is_its_twin(network: str) -> None:
    template, settings = NETWORKS.get(network, (network, SHORT if network != "traced" else ()))
    text = TRACED if network == "traced" else cellrate.template(template)
    ways = ("reno", RENO, f'{{policy="{RENO}"}}', "tahoe")
    found = [outcome(job(text, *settings, f"tcp.recovery={way}"))["digest"] for way in ways]
    assert found[0] == found[1] == found[2] != found[3]


def test_prca_is_its_twin() -> None:
    control = table("efci", threshold="50 cells")
    for air, mdf in (("1 Mbit/s", 6), ("0.2 Mbit/s", 3)):
        ways = (
            ("abr.rules=prca", f"abr.air={air}", f"abr.mdf={mdf}"),
            (f'abr.law={{law="{PRCA}", air="{air}", mdf={mdf}}}',),
            (),
        )
        for text, short in ((TRACED, ()), (cellrate.template("n-source"), SHORT)):
            found = [outcome(job(text, control, *short, *way))["digest"] for way in ways]
            assert found[0] == found[1] != found[2]


DISCARDS: dict[str, tuple[str, list[dict[str, object]]]] = {
    "epd": (
        "epd:Epd",
        [{}, {"threshold": "60 cells"}, {"threshold": "150 cells", "forward_end": False}],
    ),
    "selective-drop": (
        "selective_drop:SelectiveDrop",
        [{}, {"threshold": "20 cells", "z": 0.5}, {"threshold": "60 cells", "z": 1.5}],
    ),
}
QUEUES = {
    "UBR": ("single-switch", ("run.duration=0.5 s", "measure.from=0 s")),
    "background": ("n-source-vbr", SHORT),
    "two ways": ("two-way", ("run.duration=0.3 s", "measure.from=0 s")),
    "losses of links": ("n-source", ("run.duration=0.4 s", *NETWORKS["losses of links"][1][1:])),
}


def discard(policy: str, **parameters: object) -> str:
    return table(policy, **parameters).replace("control={scheme", "discard={policy", 1)


@pytest.mark.parametrize("network", QUEUES)
@pytest.mark.parametrize("policy", DISCARDS)
def test_discard_policies_are_their_twins(policy: str, network: str) -> None:
    template, settings = QUEUES[network]
    text = cellrate.template(template)
    own, sets = DISCARDS[policy]
    found = []
    for parameters in sets:
        names = (policy, f"cellrate.schemes.examples.{own}")
        runs = [
            outcome(job(text, *settings, "switch.buffer=171 cells", discard(name, **parameters)))
            for name in names
        ]
        assert runs[0]["digest"] == runs[1]["digest"]
        found.append(runs[0]["digest"])
    tail = outcome(job(text, *settings, "switch.buffer=171 cells", discard("tail-drop")))["digest"]
    # The policy and its parameters matter wherever the queue grows.
    assert len({*found, tail}) > 2


def test_a_queue_tells_what_it_holds(tmp_path: Path) -> None:
    """The cells of a channel never exceed the queue, nor do active channels; both occur."""
    notes = tmp_path / "notes"
    text = cellrate.template("single-switch")
    settings = ("switch.buffer=171 cells", "run.duration=0.3 s", "measure.from=0 s")
    outcome(job(text, *settings, discard("seen.py:Drops", file=str(notes))))
    rows = [ast.literal_eval(line) for line in notes.read_text("utf-8").splitlines()]
    rows = [row for row in rows if row[6] > 1]  # without the ways back
    times = [row[0] for row in rows]
    assert times == sorted(times)
    assert times[-1] > 0.2
    assert {row[6] for row in rows} == {10}
    assert {row[1] for row in rows} == set(range(10))
    assert any(0 < row[3] < row[2] for row in rows)
    for _, _, length, cells, active, buffer, channels in rows:
        assert buffer == 171
        assert cells <= length <= buffer
        assert active <= min(channels, length)
        assert (active == 1) == (cells == length > 0) or cells == 0


def test_a_refused_pdu_is_refused_as_a_whole(tmp_path: Path) -> None:
    text = cellrate.template("single-switch")
    settings = ("run.duration=0.3 s", "measure.from=0 s")
    none = outcome(job(text, discard("seen.py:RefusesAll"), *settings))
    flows = none["flows"]
    assert isinstance(flows, list)
    assert {flow["delivered_bytes"] for flow in flows} == {0}
    (tmp_path / "net.toml").write_text(text, "utf-8")
    run = cellrate.run(
        tmp_path / "net.toml",
        overrides={"switch.discard": RefusesAll(), "run.duration": "0.3 s", "measure.from": "0 s"},
    )
    assert run.summary["digest"] == none["digest"]


def test_random_numbers_follow_the_seed_of_the_run() -> None:
    text = cellrate.template("single-switch")
    settings = (discard("seen.py:Early"), "run.duration=0.3 s", "measure.from=0 s")
    digests = [outcome(job(text, *settings, seed=seed))["digest"] for seed in (1, 1, 2)]
    assert digests[0] == digests[1] != digests[2]


def test_rates_beyond_any_link_change_nothing() -> None:
    for rate in (1e9, 1e300):
        set_once = outcome(job(TRACED, table("seen.py:Sets", rate=rate)))["digest"]
        assert set_once == outcome(job(TRACED, table("none")))["digest"]


CHANGES = """
[[changes]]
at = "100 ms"
set = { %s }
"""


@pytest.mark.parametrize(
    ("kind", "names", "settings", "change"),
    [
        (
            table,
            ("rrm-p", "cellrate.schemes.examples.p:P"),
            {"sampling": "33 cells", "low": "5 cells", "high": "20 cells"},
            '"switch.control.sampling" = "70 cells", "switch.control.high" = "9 cells"',
        ),
        (
            discard,
            ("epd", "cellrate.schemes.examples.epd:Epd"),
            {"threshold": "150 cells"},
            '"switch.discard.threshold" = "30 cells"',
        ),
        (
            discard,
            ("selective-drop", "cellrate.schemes.examples.selective_drop:SelectiveDrop"),
            {"threshold": "150 cells"},
            '"switch.discard.threshold" = "30 cells", "switch.discard.z" = 0.4',
        ),
    ],
)
def test_parameters_change_during_a_run_as_those_of_the_twin(
    kind: Callable[..., str], names: tuple[str, str], settings: dict[str, object], change: str
) -> None:
    text = cellrate.template("n-source" if kind is table else "single-switch")
    common = ("run.duration=0.5 s", "measure.from=0 s", "switch.buffer=171 cells")
    found = [
        [
            outcome(job(one, *common, kind(name, **settings)))["digest"]
            for one in (text, text + CHANGES % change)
        ]
        for name in names
    ]
    assert found[0] == found[1]
    assert found[0][0] != found[0][1]


@pytest.mark.parametrize("name", LEAKS)
def test_state_that_would_reach_the_next_run_is_an_error(name: str) -> None:
    place = LEAKS[name]
    with pytest.raises(SchemeError) as raised:
        outcome(job(TRACED, table(f"state.py:{name}")))
    assert f"state.py:{name} at 300 ms: StateChanged: {place} has changed" in str(raised.value)


def test_caches_imports_and_equal_values_are_no_state() -> None:
    digests = {outcome(job(TRACED, table("state.py:Cached")))["digest"] for _ in range(2)}
    assert len(digests) == 1


def test_a_process_that_cannot_be_interrupted_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hook sleeps in C, where an exception of Python does not reach it; other runs go on."""
    monkeypatch.setattr(watching, "LIMIT_SECONDS", 0.5)
    monkeypatch.setattr(watching, "TICK_SECONDS", 0.1)
    monkeypatch.setattr(apart, "GRACE_SECONDS", 0.5)
    jobs = [job(TRACED, table(f"seen.py:{name}")) for name in ("Waits", "Seen")]
    waits, seen = run_each(jobs, workers=2)
    assert "could not be interrupted; its process was ended" in waits.error
    assert "a hook after 0 s: it has not returned for 1 s" in waits.error
    assert seen.outcome is not None


def test_erica_takes_at_most_sixty_lines() -> None:
    assert len((EXAMPLES / "erica.py").read_text("utf-8").splitlines()) <= 60


@pytest.mark.parametrize(("name", "at"), [("EveryCell", "enqueue"), ("AtDeparture", "dequeue")])
def test_hooks_of_every_cell_are_those_of_efci(name: str, at: str) -> None:
    own = outcome(job(TRACED, table(f"seen.py:{name}")))
    built_in = outcome(job(TRACED, table("efci", threshold="50 cells", mark_at=at)))
    assert own["digest"] == built_in["digest"]
    assert own["digest"] != outcome(job(TRACED, table("none")))["digest"]


CBR = """
[run]
duration = "10.5 ms"
[measure]
from = "0 s"
[topology]
template = "single-switch"
link_rate = "84.8 Mbit/s"
bottleneck_rate = "42.4 Mbit/s"
access = "1 us"
bottleneck = "1 us"
[[flow]]
name = "a"
service = "abr"
source = { kind = "persistent" }
abr = { pcr = "10.6 Mbit/s", icr = "10.6 Mbit/s" }
[[flow]]
name = "b"
service = "cbr"
source = { kind = "cbr", rate = "4.24 Mbit/s" }
"""


def test_a_port_measures_what_passes_it() -> None:
    """By hand: 25 ABR cells in each ms (10.6 Mbit/s, RM cells included), 10 of CBR, one channel."""
    seen = counted(job(CBR, table("seen.py:Seen")), "A->sink")
    assert seen["intervals"] == 10
    assert abs(seen["cells"] - 25) <= 1
    assert seen["of_first"] == seen["cells"]
    assert abs(seen["background"] - 10) <= 1
    assert (seen["active"], seen["channels"], seen["seconds"]) == (1, 1, 1e-3)
    assert seen["left"] == 100_000 - seen["background"] / 1e-3
    # An RM cell after every 31 others, of 262 cells in all.
    assert seen["forward"] in {8, 9}
    assert seen["forward"] - 1 <= seen["backward"] <= seen["forward"]
    assert seen["queue"] <= 2


def test_every_cell_is_counted_by_its_hook() -> None:
    seen = counted(job(CBR, table("seen.py:EveryCell")), "A->sink")
    assert 260 <= seen["cells"] <= 264
    # 9 forward RM cells, and the answer to the only one of the other direction.
    assert seen["rm"] == 10
    assert seen["ends"] == 0


def test_an_edited_class_is_another_scenario(tmp_path: Path) -> None:
    shutil.copy(CLASSES / "bad.py", tmp_path)
    one = job(TRACED, table("bad.py:Fine"), place=tmp_path)
    before, digest = one.key(), outcome(one)["digest"]
    resolved = one.resolved()
    source = tmp_path / "bad.py"
    source.write_text(source.read_text("utf-8").replace("> self.high", "> 2 * self.high"), "utf-8")
    assert one.key() != before
    assert outcome(one)["digest"] != digest
    with pytest.raises(cellrate.ScenarioError, match="has changed"):
        job(resolved, place=tmp_path).scenario()


def test_intervals_that_nothing_begins_are_refused(tmp_path: Path) -> None:
    own = "from dataclasses import dataclass\nimport begins\n@dataclass\nclass Own:\n"
    own += (
        "    def on_start(self, port): begins.begin(port)\n    def on_interval(self, port): ...\n"
    )
    (tmp_path / "begins.py").write_text("def begin(port): port.every(1e-3)\n", "utf-8")
    (tmp_path / "own.py").write_text(own, "utf-8")
    (tmp_path / "alone.py").write_text(own.replace("begins.begin(port)", "..."), "utf-8")
    place = str(tmp_path / "scenario.toml")
    with allowing("own.py:Own", "alone.py:Own"):
        assert find("control", "own.py:Own", place) is not None
        with pytest.raises(NoScheme, match="`on_interval`, which is never called"):
            find("control", "alone.py:Own", place)


def test_a_module_beside_the_class_is_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("FACTOR = 1\n")
    text = (CLASSES / "bad.py").read_text("utf-8")
    uses = text.replace("from cellrate.schemes", "import helper\nfrom cellrate.schemes", 1)
    (tmp_path / "bad.py").write_text(uses, "utf-8")
    definition = find("control", "bad.py:Fine", str(tmp_path / "scenario.toml"))
    assert definition is not None
    assert [path.name for path in definition.files] == ["bad.py", "helper.py"]


def test_numbers_and_packages_that_a_class_imports_are_part_of_it(tmp_path: Path) -> None:
    """A number has no module, and a name within a function is imported when the function runs."""
    (tmp_path / "lib" / "deep").mkdir(parents=True)
    for name, text in {
        "lib/__init__.py": "",
        "lib/deep/__init__.py": "from .more import *\n",
        "lib/deep/more.py": "GAIN = 1\n",
        "params.py": "from lib.deep import GAIN\nSHARE = 0.1\n",
        "late.py": "",
        "unused.py": "",
        "own.py": """
from dataclasses import dataclass
from params import SHARE
@dataclass
class Own:
    def on_start(self, port):
        import late
    def on_backward_rm(self, port, rm):
        rm.er = SHARE * port.rate
""",
    }.items():
        (tmp_path / name).write_text(text, "utf-8")
    with allowing("own.py:Own"):
        definition = find("control", "own.py:Own", str(tmp_path / "scenario.toml"))
        assert definition is not None
        found = {str(path.relative_to(tmp_path)) for path in definition.files}
        files = {"lib/__init__.py", "lib/deep/__init__.py", "lib/deep/more.py", "params.py"}
        assert found == {*files, "late.py", "own.py"}
        one = job(TRACED, table("own.py:Own"), place=tmp_path)
        before = one.key()
        (tmp_path / "params.py").write_text("SHARE = 0.2\n", "utf-8")
        assert one.key() != before


def test_modules_from_elsewhere_are_part_of_a_class(tmp_path: Path) -> None:
    """Python finds them by a name in a text, or by a directory that the file adds to its path."""
    at = tmp_path / "own"
    (tmp_path / "above").mkdir()
    at.mkdir()
    for path, text in {
        "own/by_name.py": "SHARE = 0.1\n",
        "above/shared_gain.py": "GAIN = 1\n",
        "own/own.py": f"""
import importlib, sys
from dataclasses import dataclass
import numpy
sys.path.append({str(tmp_path / "above")!r})
from shared_gain import GAIN
by_name = importlib.import_module("by_name")
@dataclass
class Own:
    def on_backward_rm(self, port, rm):
        rm.er = GAIN * by_name.SHARE * port.rate
""",
    }.items():
        (tmp_path / path).write_text(text, "utf-8")
    with allowing("own.py:Own"):
        definition = find("control", "own.py:Own", str(at / "scenario.toml"))
        assert definition is not None
        found = [str(path.relative_to(tmp_path)) for path in definition.files]
        assert found == ["own/by_name.py", "own/own.py", "above/shared_gain.py"]
        sys.modules["by_name"].SHARE = 0.2  # type: ignore[attr-defined]
        with pytest.raises(NoScheme, match=r"`by_name\.SHARE` has changed since its module"):
            find("control", "own.py:Own", str(at / "scenario.toml"))


def test_equal_parameters_have_one_spelling() -> None:
    written = [table("bad.py:Fine", pause="2000 us", high="100 cells"), table("bad.py:Fine")]
    assert len({job(TRACED, one).key() for one in written}) == 1


def test_a_resolved_scenario_reads_back_the_same() -> None:
    resolved = job(TRACED, table("bad.py:Fine", high="30 cells")).resolved()
    assert 'high = "30 cells"' in resolved
    assert 'pause = "2 ms"' in resolved
    assert job(resolved).resolved() == resolved


def test_a_result_is_described_without_its_code() -> None:
    resolved = job(TRACED, table("bad.py:Fine")).resolved()
    described = json.loads(_core.Scenario(resolved, "elsewhere.toml", without_code=True).network())
    with pytest.raises(ValueError, match="without its code"):
        _core.Scenario(resolved, "elsewhere.toml", without_code=True).run()
    schemes = {node["switch"]["control"]["scheme"] for node in described["nodes"] if node["switch"]}
    assert schemes == {"bad.py:Fine"}


def test_parallel_runs_are_those_of_one_worker(tmp_path: Path) -> None:
    jobs = [job(TRACED, table("bad.py:Fine"), seed=seed) for seed in (1, 2, 3)]
    alone = [json.loads(one.scenario().run().summary())["digest"] for one in jobs]
    store = cellrate.Store(tmp_path / "store")
    both = run_many(jobs, workers=2, store=store)
    summaries = [json.loads(one.summary())["digest"] for one in both]
    assert summaries == alone


@pytest.mark.usefixtures("undrawn")
def test_an_error_of_one_run_leaves_the_others(tmp_path: Path, command: Command) -> None:
    shutil.copy(CLASSES / "bad.py", tmp_path)
    (tmp_path / "traced.toml").write_text(TRACED, "utf-8")
    done = command(
        "compare", "traced.toml", "--vary", "switch.control.scheme=bad.py:Fine,bad.py:Raises,efci",
        "--measure", "queue", "--seeds", "2",
    )  # fmt: skip
    told = done.stdout + done.stderr
    assert "on_backward_rm at 21.2324 ms: KeyError: 0" in told
    assert "bad.py:Fine" in told
    assert done.returncode == 1


def test_a_class_travels_to_another_machine(tmp_path: Path) -> None:
    """A process that cannot see the original file makes the same run."""
    shutil.copy(CLASSES / "bad.py", tmp_path)
    scenario = job(TRACED, table("bad.py:Fine"), place=tmp_path).scenario()
    [parcel] = packed(scenario.code)
    expected = json.loads(scenario.run().summary())["digest"]
    (tmp_path / "bad.py").unlink()
    asked = (scenario.given(), scenario.key(), (parcel,))
    worker = apart.Worker()
    try:
        found = worker.run(asked, None)
    finally:
        worker.close()
    assert json.loads(_core.Outcome.from_bytes(found).summary())["digest"] == expected


def test_a_run_whose_report_fails_leaves_no_answer_for_the_next(tmp_path: Path) -> None:
    shutil.copy(CLASSES / "bad.py", tmp_path)
    long = job(TRACED, table("bad.py:Fine"), 'run.duration="200 s"', place=tmp_path).scenario()
    other = job(TRACED, table("bad.py:Fine"), place=tmp_path, seed=2).scenario()

    def fail(_now: float, _end: float) -> bool:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        apart.run(long, fail)
    assert apart.run(other, None).key() == other.key()


def test_a_process_that_cannot_start_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise BlockingIOError(errno.EAGAIN, "no further process")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(subprocess, "Popen", refuse)
    with pytest.raises(BlockingIOError):
        apart.Worker()
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_ends_is_told() -> None:
    scenario = job(TRACED, table("seen.py:Endless")).scenario()
    worker = apart.Worker()
    os.kill(worker.process.pid, signal.SIGKILL)
    with pytest.raises(RuntimeError, match="has ended"):
        worker.run((scenario.given(), scenario.key(), packed(scenario.code)), None)


def test_a_hook_that_does_not_return_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "LIMIT_SECONDS", 0.4)
    monkeypatch.setattr(watching, "TICK_SECONDS", 0.1)
    with pytest.raises(SchemeError, match=r"on_backward_rm at 1\.4696 ms: NoReturn"):
        run_many([job(TRACED, table("seen.py:Endless"))])


def test_a_start_that_does_not_return_ends_the_run_at_the_first_port(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(watching, "LIMIT_SECONDS", 0.4)
    monkeypatch.setattr(watching, "TICK_SECONDS", 0.1)
    monkeypatch.setenv("STARTS", str(tmp_path / "starts"))
    with pytest.raises(SchemeError, match="on_start at 0 s: NoReturn"):
        run_many([job(cellrate.template("n-source"), table("seen.py:EndlessStart"))])
    assert (tmp_path / "starts").read_text("utf-8") == "start\n"


def test_progress_can_stop_a_run_with_a_class() -> None:
    scenario = job(cellrate.template("n-source"), table("bad.py:Fine"), "run.duration=1000 s")
    with pytest.raises(cellrate.Cancelled):
        scenario.scenario().run(lambda _now, _end: False)


def test_code_runs_only_if_it_is_allowed(tmp_path: Path, command: Command) -> None:
    """Not by a file, but by an option or its name on the command line, for this command alone.

    The process of a class's runs is killed at the end of the command, and leaves no file.
    """
    (tmp_path / "evil.py").write_text(
        (CLASSES / "bad.py").read_text("utf-8") + 'open("ran", "w").close()\n', "utf-8"
    )
    named = TRACED.replace(
        '{ scheme = "efci", threshold = "50 cells" }', '{ scheme = "evil.py:Fine" }'
    )
    (tmp_path / "traced.toml").write_text(named, "utf-8")
    (tmp_path / "study.toml").write_text(
        'scenario = "traced.toml"\n[factors]\n"switch.control.high" = ["20 cells", "150 cells"]\n'
        '[measures]\nq = "throughput_mbit"\n',
        "utf-8",
    )
    ran = tmp_path / "ran"

    def refused() -> None:
        for arguments in (
            ("run", "traced.toml"),
            ("validate", "traced.toml"),
            ("study", "study.toml"),
            ("explain", "traced.toml"),
            ("lab", "traced.toml", "--export", "page.html"),
            ("run", "traced.toml", "--set", "switch.control.high=3 cells"),
        ):
            assert command(*arguments).returncode, arguments
            assert not ran.exists(), arguments

    refused()
    command("run", "traced.toml", "--set", table("evil.py:Fine"))
    assert ran.exists()
    ran.unlink()
    refused()
    (tmp_path / "temporary").mkdir()
    done = subprocess.run(
        [COMMAND, "study", "study.toml", "--allow-code"],
        cwd=tmp_path, env={**os.environ, "TMPDIR": str(tmp_path / "temporary")}, check=True,
        capture_output=True, text=True,
    )  # fmt: skip
    assert "2 runs at 2 points" in done.stdout + done.stderr
    assert ran.exists()
    assert list((tmp_path / "temporary").iterdir()) == []


def test_the_schema_of_a_file_has_its_classes(tmp_path: Path, command: Command) -> None:
    shutil.copy(CLASSES / "bad.py", tmp_path)
    (tmp_path / "traced.toml").write_text(TRACED, "utf-8")
    done = command("schema", "traced.toml", "--set", table("bad.py:Fine"))
    variants = json.loads(done.stdout)["$defs"]["ControlConfig"]["oneOf"]
    [own] = [one for one in variants if one["properties"]["scheme"]["const"] == "bad.py:Fine"]
    assert own["properties"]["high"]["description"] == "Queue above which sources decrease."
    assert own["properties"]["high"]["default"] == "100 cells"
    assert own["properties"]["pause"]["$ref"] == "#/$defs/Time"


@pytest.mark.usefixtures("undrawn")
def test_a_class_is_tuned(tmp_path: Path, command: Command) -> None:
    shutil.copy(CLASSES / "bad.py", tmp_path)
    named = TRACED.replace('scheme = "efci", threshold = "50 cells"', 'scheme = "bad.py:Fine"')
    (tmp_path / "traced.toml").write_text(named, "utf-8")
    done = command(
        "tune", "traced.toml", "--vary", "switch.control.high=10 cells..150 cells",
        "--seeds", "1", "--budget", "4",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "high" in done.stdout


@dataclass
class Typed:
    """Lowers rates above the threshold, as a notebook would define it."""

    high: Cells = 100
    """Queue above which sources decrease."""

    def on_backward_rm(self, port: Port, rm: RmCell) -> None:
        """Marks by the queue."""
        rm.ci = port.queue > self.high


@dataclass
class RefusesAll:
    """Admits no PDU."""

    def on_pdu(self, _queue: Queue) -> bool:
        """Refuses it."""
        return False


def test_a_class_or_its_object_stands_in_overrides() -> None:
    """Handing it over allows its code; the object brings its parameters."""
    as_file = outcome(job(TRACED, table("bad.py:Fine", high="30 cells")))["digest"]
    as_object = cellrate.run(TRACED, overrides={"switch.control": Typed(high=30)})
    as_class = cellrate.run(
        TRACED, overrides={"switch": {"control": {"scheme": Typed, "high": "30 cells"}}}
    )
    assert as_object.summary["digest"] == as_class.summary["digest"] == as_file
    default, bare = (
        cellrate.run(TRACED, overrides={"switch.control": one}).digest for one in (Typed(), Typed)
    )
    assert default == bare != as_file
    reno = cellrate.run(TRACED, overrides={"tcp.recovery": Reno()}).summary["digest"]
    assert reno == outcome(job(TRACED, "tcp.recovery=reno"))["digest"]


NOTEBOOK = """
from dataclasses import dataclass
import cellrate

@dataclass
class Mine:
    gain: float = 1.0

    def on_backward_rm(self, port, rm):
        rm.er = self.gain * port.rate / 10

short = {"run.duration": "50 ms", "measure.from": "0 s"}
for gain in (1.0, 2.0):
    settings = {**short, "switch.control": Mine(gain)}
    run = cellrate.run(cellrate.template("n-source"), overrides=settings)
    print(run.digest)
jobs = [cellrate.Scenario(cellrate.template("n-source"), settings, seed).job for seed in (1, 2)]
print(len(cellrate.run_many(jobs, workers=1)))
"""


def test_a_class_of_a_script_needs_no_file_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(NOTEBOOK, "utf-8")
    done = subprocess.run(
        [sys.executable, tmp_path / "script.py"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    first, second, runs = done.stdout.split()
    assert first != second
    assert runs == "2"


CHANGING = """
from dataclasses import dataclass
import cellrate

settings = {"run.duration": "50 ms", "measure.from": "0 s"}
SHARES = {"first": 0.1}
SHARE = 0.1

def share():
    return SHARE * SHARES["first"]

@dataclass
class Mine:
    floor = 0.01

    def on_backward_rm(self, port, rm):
        rm.er = (share() + self.floor) * port.rate

def run():
    again = cellrate.run(
        cellrate.template("n-source"), overrides={**settings, "switch.control": Mine}, store=store
    )
    print(again.digest, len(store.keys()))

with cellrate.Store("results") as store:
    run()
    run()
    SHARE = 0.5
    run()
    SHARES["first"] = 0.5
    run()
    Mine.floor = 0.1
    run()
    def share():
        return 0.02
    run()
"""


def test_values_of_a_script_are_part_of_its_class(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(CHANGING, "utf-8")
    script = [sys.executable, "script.py"]
    subprocess.run(script, cwd=tmp_path, check=True)
    done = subprocess.run(script, cwd=tmp_path, capture_output=True, text=True, check=True)
    # The second process finds all five results in the store.
    digests, stored = zip(*(line.split() for line in done.stdout.splitlines()), strict=True)
    assert len(set(digests)) == 5
    assert digests[0] == digests[1]
    assert set(stored) == {"5"}


DEFAULTS_AND_TIMERS = '''
from dataclasses import dataclass
from typing import Annotated
from cellrate.schemes import Range, Seconds

@dataclass
class Beyond:
    gain: Annotated[float, Range(0.1, 1)] = 5.0
    def on_backward_rm(self, port, rm): pass

@dataclass
class Below:
    gain: Annotated[Seconds, Range(1e-3, 1)] = 1e-4
    def on_backward_rm(self, port, rm): pass

@dataclass
class AtTheEnd:
    gain: Annotated[float, Range(0.1, 1)] = 1
    def on_backward_rm(self, port, rm): pass

@dataclass
class Timed:
    def on_start(self, port): port.every(seconds=1e-3)
    def on_interval(self, port): pass

@dataclass
class Untimed:
    """It never calls port.every(), which only another class of the module does."""
    def on_interval(self, port): pass
'''


@pytest.mark.parametrize(
    ("name", "refused"),
    [
        ("Beyond", "the default 5 of `gain` is outside its range; allowed: 0.1 to 1"),
        ("Below", "the default 0.0001 of `gain` is outside its range; allowed: 0.001 to 1"),
        ("AtTheEnd", ""),
        ("Timed", ""),
        ("Untimed", "no method calls `port.every`"),
    ],
)
def test_a_class_that_contradicts_itself_is_refused(
    name: str, refused: str, tmp_path: Path
) -> None:
    (tmp_path / "own.py").write_text(DEFAULTS_AND_TIMERS, "utf-8")
    (tmp_path / "s.toml").write_text(cellrate.template("single-switch"), "utf-8")
    with allowing(f"own.py:{name}"):
        settings = {"switch.control": {"scheme": f"own.py:{name}"}}
        if not refused:
            cellrate.validate(tmp_path / "s.toml", overrides=settings)
            return
        with pytest.raises(cellrate.ScenarioError, match=re.escape(refused)):
            cellrate.validate(tmp_path / "s.toml", overrides=settings)


IN_UNITS = """
from dataclasses import dataclass
from cellrate.schemes import CellsPerSecond

@dataclass
class Told:
    rate: CellsPerSecond = 1e5
    STATISTICS = ("rate", "line")

    def on_start(self, port):
        self.line = port.rate

    def on_backward_rm(self, port, rm):
        pass

    def statistics(self):
        return {"rate": self.rate, "line": self.line}
"""


@pytest.mark.parametrize(("template", "octet_bits"), [("n-source", 424), ("explicit-rate", 8)])
def test_rates_of_a_class_count_what_its_port_counts(
    template: str, octet_bits: int, tmp_path: Path
) -> None:
    """Cells/s over ATM and bytes/s over Ethernet, for a parameter as for the rate of the line."""
    (tmp_path / "own.py").write_text(IN_UNITS, "utf-8")
    (tmp_path / "s.toml").write_text(cellrate.template(template), "utf-8")
    told = 'switch.control={scheme="own.py:Told", rate="100 Mbit/s"}'
    change = 'changes=[{at="1 ms", set={"switch.buffer"="900 kB"}}]'
    if template == "n-source":
        change = change.replace("kB", "cells")
    with allowing("own.py:Told"):
        settings = [told, change, "run.duration=2 ms", "measure.from=0 s"]
        # The change of a buffer changes no parameter, so the class needs no `on_change`.
        summary = cellrate.run(tmp_path / "s.toml", overrides=settings).summary
    controls = [port["control"] for port in summary["ports"] if port["control"]]
    [first, *_] = [one for one in controls if "line" in one]
    assert first["rate"] == pytest.approx(100e6 / octet_bits)
    rates = {155.52e6 / 424, 100e9 / 8}
    assert min(abs(first["line"] / rate - 1) for rate in rates) < 1e-6


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("2 * 10", "2 * 11", "LEAST"),
        ("return port.rate", "return 2 * port.rate", "share"),
        ("float = 0.5", "float = 0.6", "Own.gain"),
        ("self.gain * share", "2 * self.gain * share", "Own.on_backward_rm"),
        ("CONST = 1", "CONST = 2", "CONST"),
        ("if LEAST: MOST = 2", "if LEAST: MOST = 3", ""),
        ("IMPORTED = 1", "IMPORTED = 2", "IMPORTED"),
        ("\n@dataclass", "\n\n# Only lines and comments\n@dataclass", ""),
    ],
)
def test_code_that_was_loaded_before_its_file_changed_is_refused(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    """Its results would be kept as those of the new file."""
    (tmp_path / "before.py").write_text(GAIN)
    (tmp_path / "beside.py").write_text("CONST = 1\nIMPORTED = 1\n")
    file = "beside.py" if told in {"CONST", "IMPORTED"} else "before.py"
    code = f"""
import sys, cellrate, before
from pathlib import Path
from cellrate.schemes.finding import find
cellrate.schemes.allow_all()
find("control", "before:Own", "x.toml")
file = Path({file!r})
file.write_text(file.read_text().replace({old!r}, {new!r}))
find("control", "before:Own", "x.toml")
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert bool(done.returncode) is bool(told), done.stderr
    if told:
        assert f"`{told}` of {file} has changed since the file was loaded" in done.stderr
