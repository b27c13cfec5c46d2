"""`cellrate tune`: what a model or a search proposes, and what simulations make of it."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any, TypeAlias

import cellrate
import pytest
from cellrate.advice.tuning.objective import ALIKE
from conftest import SCENARIOS, Command, Finished

pytestmark = pytest.mark.usefixtures("undrawn")

Report: TypeAlias = dict[str, Any]

EFCI = SCENARIOS / "efci.toml"
PAPERS = Path(__file__).parent.parent / "papers"
OHSAKI = PAPERS / "ohsaki95" / "scenarios" / "abr.toml"
SHORT = ["--set", "run.duration=1500 ms"]
# A round trip of 10 ms holds 125,000 bytes.
WINDOWED = """
[run]
duration = "300 ms"
[measure]
from = "200 ms"
[topology]
template = "single-switch"
link_rate = "100 Mbit/s"
access = "2.5 ms"
bottleneck = "2.5 ms"
[tcp]
granularity = "10 ms"
window = "16 KiB"
[[flow]]
name = "tcp"
service = "ubr"
"""
ERICA = """
[run]
duration = "60 ms"
start_jitter = "1 ms"
[topology]
template = "single-switch"
link_rate = "155.52 Mbit/s"
access = "0.1 ms"
bottleneck = "0.1 ms"
[switch.control]
scheme = "erica"
[tcp]
granularity = "10 ms"
[[flow]]
name = "tcp"
count = 3
service = "abr"
"""


def report(done: Finished) -> Report:
    assert done.returncode == 0, done.stderr
    found: Report = json.loads(done.stdout, parse_constant=pytest.fail)
    return found


def mean(one: Report, measure: str) -> float:
    return float(one["measures"][measure]["mean"])


@pytest.fixture
def windowed(tmp_path: Path) -> Path:
    path = tmp_path / "windowed.toml"
    path.write_text(WINDOWED, encoding="utf-8")
    return path


@pytest.fixture
def erica(tmp_path: Path) -> Path:
    path = tmp_path / "erica.toml"
    path.write_text(ERICA, encoding="utf-8")
    return path


@pytest.mark.drawn
def test_the_model_proposes_and_the_simulator_disposes(command: Command, tmp_path: Path) -> None:
    included = "rif=1/2,rdf=1/32768"
    effort = ("--seeds", "2", "--budget", "8")
    done = report(command("tune", EFCI, *effort, "--include", included, "--json"))
    assert done["method"] == "model"
    assert done["feasible"] is True
    chosen, as_it_is = done["chosen"], done["as_it_is"]
    assert chosen["model"].startswith("feasible")
    assert mean(chosen, "loss") == 0
    assert mean(chosen, "utilisation") >= mean(as_it_is, "utilisation") - ALIKE
    assert chosen["falls_behind"] is None
    # A source that rises fast and hardly falls overflows, in the model and in the simulator.
    [wild] = [one for one in done["settings"] if one["settings"].get("abr.rif") == "0.5"]
    assert len(wild["seeds"]) == 2
    assert "overflows" in wild["model"]
    assert wild["falls_behind"]["criterion"] == "loss"
    assert mean(wild, "loss") > 0
    assert mean(chosen, "fairness") == pytest.approx(1, abs=0.01)
    runs = done["runs"]
    assert runs["simulated"] <= runs["allowed"]
    assert runs["simulated"] == sum(len(one["seeds"]) for one in done["settings"])
    assert len(done["model"]["sets"]) == 16 * 15
    page = (tmp_path / "out" / "efci-tuned.html").read_text(encoding="utf-8")
    assert chosen["flags"].startswith("--set abr.rif=")
    assert chosen["flags"] in page
    assert page.count("<svg") == 2  # the feasible region, and the search
    assert "measured utilisation" in page
    assert "cells lost" in page


def test_the_tuned_scenario_is_the_scenario_with_the_flags(
    command: Command, tmp_path: Path
) -> None:
    done = report(command("tune", EFCI, "--set", "abr.nrm=16", "--seeds", "2", "--json"))
    flags = done["chosen"]["flags"]
    assert done["commands"][0] == f"cellrate run {EFCI} --set abr.nrm=16 {flags}"
    tuned = tmp_path / "out" / "efci-tuned.toml"
    values = done["chosen"]["settings"]
    resolved = tomllib.loads(tuned.read_text(encoding="utf-8"))
    assert {f"abr.{name}": repr(resolved["abr"][name]) for name in ("rif", "rdf")} == values
    overrides = ["abr.nrm=16", *(f"{path}={value}" for path, value in values.items())]
    assert cellrate.run(tuned).digest == cellrate.run(EFCI, overrides=overrides).digest
    assert cellrate.run(tuned).digest != cellrate.run(EFCI).digest


@pytest.mark.drawn
def test_an_unlimited_buffer_is_tuned_for_its_queue(command: Command, tmp_path: Path) -> None:
    done = report(
        command(
            *("tune", EFCI, "--set", "switch.buffer=infinite"),
            *("--seeds", "1", "--budget", "4", "--json"),
        )
    )
    assert done["model"]["buffer_cells"] is None
    assert all(one["measures"]["loss"]["mean"] == 0 for one in done["settings"])
    assert "unlimited buffer" in done["in_words"][0]
    assert "Q_min = 0" in (tmp_path / "out" / "efci-tuned.html").read_text(encoding="utf-8")


def test_a_utilisation_that_still_rises_is_said(command: Command, windowed: Path) -> None:
    tried = ["tune", windowed, "--seeds", "1", "--vary", "tcp.window=16 KiB,24 KiB"]
    rises = "within the measuring window: in longer runs another setting may be best."
    assert rises not in " ".join(command(*tried).stdout.split())
    # Slow start from one segment takes five round trips of 10 ms to 16 KiB.
    started = ["--set", "measure.from=0 s", "--set", "run.duration=80 ms"]
    assert rises in " ".join(command(*tried, *started).stdout.split())


def test_what_was_simulated_is_known_ever_after(command: Command) -> None:
    asked = ("tune", EFCI, "--seeds", "2", "--budget", "6")
    first = report(command(*asked, "--json", "--workers", "1"))
    again = report(command(*asked, "--json"))
    runs = first.pop("runs"), again.pop("runs")
    assert runs[1] == {
        "allowed": runs[0]["allowed"],
        "simulated": 0,
        "kept_from_before": runs[0]["simulated"],
    }
    assert again == first
    spoken = " ".join(command(*asked).stdout.split())
    assert f"{runs[0]['simulated']} of them kept from earlier commands" in spoken
    fresh = report(command(*asked, "--json", "--workers", "2", "--fresh"))
    assert fresh.pop("runs") == runs[0]
    assert fresh == first


def test_it_finds_sets_at_least_as_good_as_the_paper_s(command: Command) -> None:
    """Ohsaki et al. 1995, section III.C.1: 300 Kbyte, tau = 2 ms, ten connections."""
    network = [*SHORT, "--set", "flow.tcp.count=10"]
    effort = ["--include", "rif=1/128,rdf=1/2", "--seeds", "2", "--budget", "8"]
    # The paper wants a full line above all.
    full = ["--objective", "loss,utilisation,queue"]
    found = report(command("tune", OHSAKI, *network, *effort, *full, "--json"))
    assert found["feasible"] is True
    numbers = {"abr.rif": "0.0078125", "abr.rdf": "0.5"}
    [printed] = [one for one in found["settings"] if one["settings"] == numbers]
    assert printed["model"] == "feasible"
    assert mean(found["chosen"], "loss") == mean(printed, "loss") == 0
    throughput = "throughput_bits_per_second"
    assert mean(found["chosen"], throughput) >= 0.999 * mean(printed, throughput)
    assert mean(found["chosen"], "queue_cells") <= mean(printed, "queue_cells")
    assert mean(found["as_it_is"], "loss") > 0


def test_it_says_that_no_set_exists(command: Command) -> None:
    """Section III.C.1: with 10 Kbyte no parameters meet both conditions."""
    small = ["--set", "switch.buffer=10 KiB", "--set", "switch.control.threshold=97 cells"]
    arguments = ["tune", OHSAKI, *SHORT, *small, "--seeds", "1", "--budget", "6"]
    found = report(command(*arguments, "--json"))
    assert found["feasible"] is False
    assert not any(one["feasible"] for one in found["model"]["sets"])
    assert "No pair of RIF and RDF avoids overflow and keeps the link full" in found["in_words"][0]
    assert mean(found["chosen"], "loss") <= mean(found["most_throughput"], "loss")
    best = mean(found["most_throughput"], "throughput_bits_per_second")
    assert best >= mean(found["chosen"], "throughput_bits_per_second")
    assert all(one["model"] != "feasible" for one in found["settings"])
    spoken = command(*arguments)
    assert "No pair of RIF and RDF" in spoken.stdout
    assert "Least loss: " in spoken.stdout
    assert "in the measuring window" in spoken.stdout


def test_no_set_exists_in_buffers_without_a_limit(command: Command, tmp_path: Path) -> None:
    """Windows limit the sources, so that no set of the model fills the link."""
    scenario = tmp_path / "n.toml"
    scenario.write_text(cellrate.template("n-source"), encoding="utf-8")
    efci = ("--set", 'switch.control={scheme="efci", threshold="300 cells"}')
    slow = ("topology.link_rate=50 Mbit/s", "run.duration=1 s", "measure.from=500 ms")
    settings = (part for one in slow for part in ("--set", one))
    spoken = command("tune", scenario, *efci, *settings, "--seeds", "1", "--budget", "4")
    assert "Most throughput: " in spoken.stdout
    assert "Warning" not in spoken.stderr


def test_a_search_finds_the_window_that_fills_the_path(command: Command, windowed: Path) -> None:
    # The throughput is a window per round trip.
    found = report(
        command(
            *("tune", windowed, "--vary", "tcp.window=8..64 KiB:linear", "--seeds", "1"),
            *("--objective", "throughput=0", "--budget", "24", "--json"),
        )
    )
    assert found["method"] == "search"
    assert found["no_model"] is None
    best = int(found["chosen"]["settings"]["tcp.window"].removesuffix(" bytes"))
    assert 60_000 <= best <= 65_536
    rate = mean(found["chosen"], "throughput_bits_per_second")
    assert rate == pytest.approx(8 * best / 10e-3, rel=0.1)
    settings = [one["settings"] for one in found["settings"] if one["settings"]]
    tried = [int(one["tcp.window"].removesuffix(" bytes")) for one in settings]
    assert all(8192 <= window <= 65_536 for window in tried)
    # It looks around first, and then where it is good.
    assert sum(window > 50_000 for window in tried) > len(tried) / 2


def test_few_settings_are_tried_one_and_all(command: Command, erica: Path) -> None:
    found = report(
        command(
            *("tune", erica, "--vary", "abr.nrm=8..64", "--vary", "tcp.delayed_ack"),
            *("--seeds", "2", "--json"),
        )
    )
    assert found["method"] == "all"
    tried = {tuple(one["settings"].values()) for one in found["settings"]}
    # Nrm of 32 without delayed acknowledgements is the scenario as it is.
    assert tried == {(nrm, ack) for nrm in ("8", "16", "32", "64") for ack in ("false", "true")} - {
        ("32", "false")
    } | {()}


def test_the_objective_decides(command: Command, erica: Path) -> None:
    arguments = ["tune", erica, "--vary", "switch.control.target_utilisation=0.5,0.95"]

    def chosen(objective: str) -> str:
        found = report(command(*arguments, "--objective", objective, "--seeds", "2", "--json"))
        return str(found["chosen"]["settings"]["switch.control.target_utilisation"])

    assert chosen("throughput,queue") == "0.95"
    assert chosen("queue,throughput") == "0.5"
    # With so much tolerance both have enough throughput.
    assert chosen("throughput=0.9,queue") == "0.5"


def test_budget_range_and_search_seed_decide_what_is_tried(command: Command, erica: Path) -> None:
    def tried(*more: str) -> list[dict[str, str]]:
        vary = ["--vary", "switch.control.interval=0.2 ms..20 ms"]
        arguments = ["tune", erica, "--seeds", "1", *(more if "--vary" in more else (*vary, *more))]
        return [one["settings"] for one in report(command(*arguments, "--json"))["settings"]]

    usual = tried("--budget", "8")
    assert len(usual) == 8
    assert tried("--budget", "8") == usual
    assert len(tried("--budget", "5")) == 5
    assert tried("--budget", "8", "--search-seed", "2") != usual
    narrow = tried("--budget", "8", "--vary", "switch.control.interval=1..2 ms")
    assert all(one == {} or one["switch.control.interval"][-2:] == "ms" for one in narrow)
    values = [float(one["switch.control.interval"][:-3]) for one in narrow if one]
    assert min(values) >= 1
    assert max(values) <= 2


def test_choices_and_ranges_are_searched_together(command: Command, erica: Path) -> None:
    vary = ["--vary", "tcp.recovery", "--vary", "abr.nrm", "--vary", "tcp.window=4..64 KiB"]
    found = report(command("tune", erica, *vary, "--seeds", "1", "--budget", "20", "--json"))
    tried = [one["settings"] for one in found["settings"] if one["settings"]]
    assert len({tuple(one.values()) for one in tried}) == 19
    recoveries = {one["tcp.recovery"] for one in tried}
    assert recoveries <= {*json.loads(command("list", "recoveries", "--json").stdout)}
    assert len(recoveries) > 1
    assert {one["abr.nrm"] for one in tried} <= {str(2**n) for n in range(1, 9)}


def test_without_a_model_it_varies_what_the_scheme_declares(command: Command, erica: Path) -> None:
    found = report(command("tune", erica, "--seeds", "1", "--budget", "8", "--json"))
    assert found["no_model"] == "the model assumes EFCI marking; A->sink uses 'erica'"
    names = [one["path"].removeprefix("switch.control.") for one in found["varied"]]
    assert names == ["target_utilisation", "interval", "interval_cells", "delta"]
    spoken = command("tune", erica, "--seeds", "1", "--budget", "8").stdout
    assert "The fluid model of EFCI does not apply to the scenario" in spoken
    assert "Varied: switch.control.interval, 0.1 ms to 0.1 s, logarithmic" in spoken


def test_what_a_scenario_refuses_is_reported(command: Command) -> None:
    found = report(
        command(
            *("tune", EFCI, "--vary", "abr.icr=1 Mbit/s,1 Gbit/s", "--seeds", "1", "--json"),
        )
    )
    [refused] = found["refused"]
    assert refused["settings"] == {"abr.icr": "1 Gbit/s"}
    assert "exceeds PCR" in refused["why"]
    nothing = command("tune", EFCI, "--vary", "abr.icr=1 Gbit/s,2 Gbit/s", "--seeds", "1")
    assert nothing.returncode == 2
    assert "ICR of 1000 Mbit/s exceeds PCR" in nothing.stderr
