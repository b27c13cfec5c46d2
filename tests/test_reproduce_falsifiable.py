"""Claims that cannot fail are found, those that can are not."""

import pytest
from cellrate.papers.check import unfailing
from cellrate.papers.paper import Paper
from cellrate.papers.reading import read_paper
from cellrate.papers.results import result_of
from cellrate.papers.runs import Outcomes, job_of, run_ids
from cellrate.simulation.runner import run_many
from conftest import SCENARIOS
from small_paper import write_paper

PUBLISHED = """
[[experiment]]
id = "x-one"
kind = "text"
title = "t"
where = "w"
[[experiment.variant]]
name = "base"
scenario = "a.toml"
[[experiment.variant]]
name = "more"
scenario = "a.toml"
set = ["flow.tcp.count=3"]
"""
CAN_FAIL = {
    "loses-nothing": "base.totals.cells_dropped >= 0 and base.bottleneck.queue_max_cells < 1e5",
    "loses-no-cell": "base.totals.cells_sent > 0 and more.vc('tcp.1/forward').cells_dropped < 1e4",
    "spares-random": "base.port('B->A').queue('abr').cells_dropped == 0",
    "longer": "more.bottleneck.queue_max_cells > base.bottleneck.queue_max_cells",
    "differ": "base.bottleneck.queue_max_cells != more.bottleneck.queue_max_cells",
    "delivers": "base.throughput_mbit > 1",
    "grows": "base.series('cwnd', 'tcp.1').max(0, 0.05) > base.series('cwnd', 'tcp.1').at(0)",
    "uneven": "max(more.tcp.values('delivered_bytes')) > min(more.tcp.values('delivered_bytes'))",
}
CANNOT_FAIL = {
    "counts": "base.totals.cells_dropped >= 0",
    "twice": "base.throughput_mbit == base.throughput_mbit",
    "input": "base.scenario.duration_seconds > 0",
    "either": "base.throughput_mbit > 1 or base.throughput_mbit <= 1",
    "vacuous": "all(x > 3 for x in [1] if base.throughput_mbit < 0)",
}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Paper, Outcomes]:
    """A paper of one experiment with claims of both kinds, and its runs."""
    claims = "".join(
        f'[[experiment.claim]]\nid = "{name}"\ntext = "t"\nholds_if = """{predicate}"""\n'
        for name, predicate in (CAN_FAIL | CANNOT_FAIL).items()
    )
    scenario = (SCENARIOS / "traced.toml").read_text("utf-8")
    directory = tmp_path_factory.mktemp("papers") / "x"
    paper = read_paper(write_paper(directory, PUBLISHED + claims, scenario))
    (experiment,) = paper.experiments
    outcomes = Outcomes()
    jobs = [job_of(paper, variant, point, 1) for _, variant, point in run_ids(experiment)]
    outcomes.add(jobs, run_many)
    return paper, outcomes


def test_just_those_that_cannot_fail_are_found(ran: tuple[Paper, Outcomes]) -> None:
    paper, outcomes = ran
    result = result_of(paper, paper.experiments[0], outcomes, (1,))
    found = {claim.id for claim in unfailing(result, outcomes, 1)}
    assert found == set(CANNOT_FAIL)
