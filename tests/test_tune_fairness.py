"""The fairness by which `tune` ranks: relative to max-min shares, without files beside others."""

from __future__ import annotations

import cellrate
import pytest
from cellrate import BadInput
from cellrate.advice.tuning.laboratory import Laboratory, Setting
from cellrate.advice.tuning.options import TuneOptions
from cellrate.advice.tuning.report import report
from cellrate.advice.tuning.shares import LEFT_OUT, NO_SHARES, RELATIVE
from cellrate.advice.tuning.tune import tune
from cellrate.common.document import Paragraph
from cellrate.language.functions import jain
from cellrate.simulation.runner import Job, run_many

# There `there` flows share a line, and one flow has the way back alone.
TWO_WAYS = """
[run]
duration = "60 ms"
[measure]
from = "20 ms"
[topology]
template = "n-source"
link_rate = "100 Mbit/s"
bottleneck_rate = "30 Mbit/s"
access = "0.1 ms"
bottleneck = "0.1 ms"
egress = "0.1 ms"
[tcp]
granularity = "10 ms"
[[flow]]
name = "there"
count = 3
service = "ubr"
[[flow]]
name = "back"
service = "ubr"
reverse = true
"""
FILES = """
link_layer = "ethernet"
[run]
duration = "3 ms"
[measure]
from = "1 ms"
[topology]
template = "single-switch"
link_rate = "10 Gbit/s"
access = "1 us"
bottleneck = "1 us"
[switch.aqm]
algorithm = "threshold"
k = "20 packets"
[tcp]
recovery = "dctcp"
min_rto = "1 ms"
granularity = "1 ms"
[[flow]]
name = "long"
count = 3
[[flow]]
name = "short"
count = 2
start = "1.5 ms"
source = { kind = "transfer", size = "20 kB" }
"""


@pytest.mark.parametrize("count", [3, 1])
def test_shares_are_those_of_each_setting(count: int) -> None:
    base = Job(TWO_WAYS, "two-ways.toml")
    laboratory = Laboratory(base, (1,), frozenset(), run_many, lambda _: False, by_shares=True)
    setting = Setting((("flow.there.count", str(count)),))
    laboratory.ports = frozenset({"A->B", "B->A"})
    laboratory.measure([setting], 1)
    run = cellrate.run(TWO_WAYS, overrides=setting.overrides, seed=1)
    rates = {one["name"]: one["tcp_throughput_bits_per_second"] for one in run.summary["flows"]}
    assert len(rates) == count + 1
    # The flow back has `count` times the share of each flow there.
    relative = [rate / (count if name.startswith("back") else 1) for name, rate in rates.items()]
    [measured] = laboratory.trials[setting]
    assert measured.values["fairness"] == pytest.approx(jain(relative))
    plain = run.summary["totals"]["jain_index"]
    assert (plain == pytest.approx(jain(relative))) == (count == 1)


def test_files_beside_endless_flows_do_not_count() -> None:
    options = TuneOptions(vary=("switch.aqm.k=10 packets,20 packets",), seeds=1)
    answer = tune(Job(FILES, "files.toml"), options)
    run = cellrate.run(FILES, seed=1)
    rates = [
        one["throughput_bits_per_second"]
        for one in run.summary["flows"]
        if one["source"] == "greedy"
    ]
    assert len(rates) == 3
    assert answer.as_it_is.means["fairness"] == pytest.approx(jain(rates))
    assert run.summary["totals"]["jain_index"] < 0.9 * jain(rates)
    assert LEFT_OUT in [one.text for one in report(answer).parts if isinstance(one, Paragraph)]


def test_files_alone_have_no_fairness() -> None:
    files = FILES.replace(
        'name = "long"', 'name = "long"\nsource = { kind = "transfer", size = "9 kB" }'
    )
    job, vary = Job(files, "files.toml"), ("switch.aqm.k=10 packets,20 packets",)
    answer = tune(job, TuneOptions(vary=vary, seeds=1, objective="completion,fairness"))
    assert answer.as_it_is.means["fairness"] is None
    assert answer.as_it_is.means["completion"] is not None
    assert answer.fairness_notes == (NO_SHARES,)
    with pytest.raises(BadInput, match="a run of the scenario has no value of it"):
        tune(job, TuneOptions(vary=vary, seeds=1, objective="fairness"))


def test_unequal_shares_are_said() -> None:
    options = TuneOptions(vary=("tcp.window=8 KiB,16 KiB",), seeds=1)
    answer = tune(Job(TWO_WAYS, "two-ways.toml"), options)
    assert answer.fairness_notes == (RELATIVE,)
