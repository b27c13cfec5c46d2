"""Effects of open assumptions, where an alternative leaves nothing to measure."""

from math import isnan
from pathlib import Path

from cellrate.common.document.markdown import markdown
from cellrate.papers.evidence import sensitivity_evidence
from cellrate.papers.reading import read_paper
from cellrate.papers.results import result_of
from cellrate.papers.runs import Outcomes, job_of, run_ids
from cellrate.papers.sensitivity import sensitivity_jobs, sensitivity_of
from cellrate.simulation.runner import run_many
from conftest import SCENARIOS
from small_paper import write_paper

# Of two sources one or none is listed: of nothing there is no least value.
PUBLISHED = """
[[assumption]]
id = "sources"
parameter = "number of sources"
assumed = "2"
why = "(3) It has to be some number."
alternatives = [{ label = "3", set = ["flow.tcp.count=3"] }]

[[experiment]]
id = "x-one"
kind = "text"
title = "t"
where = "w"
assumptions = ["sources"]

[[experiment.variant]]
name = "base"
scenario = "a.toml"
set = ["flow.tcp.count=2"]

[[experiment.published]]
quantity = "sources"
printed = "2"
value = 2
unit = ""
where = "w"
kind = "measured"
score = "whole"
measure = "min(n for n in [len(base.tcp.values('delivered_bytes'))] if n < 3)"

[[experiment.claim]]
id = "two"
text = "There are two sources."
holds_if = "min(n for n in [len(base.tcp.values('delivered_bytes'))] if n < 3) == 2"
"""


def test_what_cannot_be_measured_with_an_alternative_is_said(tmp_path: Path) -> None:
    scenario = (SCENARIOS / "traced.toml").read_text("utf-8")
    paper = read_paper(write_paper(tmp_path / "x", PUBLISHED, scenario))
    [experiment] = paper.experiments
    outcomes = Outcomes()
    outcomes.add([job_of(paper, v, point, 1) for _, v, point in run_ids(experiment)], run_many)
    result = result_of(paper, experiment, outcomes, (1,))
    assert result.values[0].met
    assert result.claims[0].always
    outcomes.add(sensitivity_jobs(paper, experiment, (1,)), run_many)
    found = sensitivity_of(result, outcomes)
    [moved] = found.moved
    assert isnan(moved.values["sources"][1].mean)
    assert moved.claims == {"two": (1, 0)}
    page = markdown(sensitivity_evidence(paper, [found]))
    assert "| number of sources: 3 | sources | 2 | not measurable |" in page
    assert "| number of sources: 3 | claim `two` | 1 | 0 |" in page
