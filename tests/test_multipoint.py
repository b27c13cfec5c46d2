"""Point-to-multipoint ABR: flows of the leaves, one leaf, threads, and the noise of feedback."""

from __future__ import annotations

from functools import cache

import cellrate
import numpy as np
import pytest
from cellrate import Result
from cellrate.simulation.runner import run_one
from cellrate.studies.study.file import read
from conftest import HERE, SCENARIOS

STUDY = HERE.parent / "examples" / "studies" / "consolidation.toml"
PAGE = HERE.parent / "docs" / "explanation" / "multipoint.md"
RULE = "flow.m.multipoint.consolidation"
# The root a sends to b, three links away, and to c, two links away.
GRAPH = (SCENARIOS / "graph.toml").read_text(encoding="utf-8")
CELLS: dict[str, object] = {"flow.tcp.source": {"kind": "persistent"}}


def copied(**multipoint: object) -> dict[str, object]:
    return CELLS | {"flow.tcp.multipoint": multipoint}


@cache
def rates(rule: str, far: str, replication: int) -> tuple[float, float]:
    """Mean of the root's ACR in Mbit/s, and its standard deviation in per cent of the mean."""
    study = read(STUDY)
    [point] = [one for one in study.points if dict(one.values) == {RULE: rule, "far": far}]
    result = Result(run_one(study.job(point, replication).scenario()))
    values = result.series("acr", "m.1/forward").between(0.4, 1).middle
    return float(424e-6 * values.mean()), float(100 * values.std() / values.mean())


def test_feedback_without_all_branches_is_noisy() -> None:
    simple, waiting = (rates(rule, "5 ms", 0) for rule in ("simple", "wait-for-all"))
    # ERICA gives 0.9 of 75 Mbit/s.
    assert waiting[0] == pytest.approx(67.5, rel=0.01)
    assert waiting[1] < 1 < 5 < simple[1]
    assert simple[0] > waiting[0]


@pytest.mark.long
def test_the_documentation_says_what_the_study_gives() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for far in ("1 ms", "5 ms", "20 ms"):
        row = [far]
        for rule in ("simple", "wait-for-all"):
            means = np.mean([rates(rule, far, replication) for replication in range(5)], axis=0)
            row.append(f"{means[0]:.1f} Mbit/s ({means[1]:.1f} %)")
        assert f"| {' | '.join(row)} |" in text


def test_a_flow_to_one_host_is_point_to_point() -> None:
    plain, alone = (cellrate.run(GRAPH, overrides=sets) for sets in (CELLS, copied(also_to=[])))
    assert plain.digest == alone.digest


def test_each_leaf_has_a_flow_with_all_cells() -> None:
    summary = cellrate.run(GRAPH, overrides=copied(also_to=["c"])).summary
    assert [flow["name"] for flow in summary["flows"]] == ["tcp.1", "tcp.2", "cbr.1"]
    vcs = {vc["name"]: vc for vc in summary["vcs"]}
    root, copies = vcs["tcp.1/forward"], vcs["tcp.2/forward"]
    # The last cells of the root have not reached the branch point, 0.1 ms and a cell time away.
    assert 0 < root["cells_sent"] - copies["cells_sent"] <= 6
    assert copies["cells_sent"] == copies["cells_delivered"] + copies["cells_in_flight"]
    assert root["acr_mean_cells_per_second"] > 0
    assert copies["acr_mean_cells_per_second"] is None


def test_threads_change_nothing() -> None:
    one, two = (
        cellrate.run(GRAPH, overrides=copied(also_to=["c"]), threads=threads) for threads in (1, 2)
    )
    assert one.digest == two.digest
