"""Links that err, and link-level retry, from a scenario file to tables and explanations."""

from __future__ import annotations

import json
from functools import cache

import cellrate
import pytest
from cellrate.advice.explain import Explanation, Statement

LINE = """
link_layer = "ethernet"
run.duration = "60 ms"
topology = { template = "n-source", link_rate = "10 Gbit/s", access = "1 us", \
bottleneck = "1 us", egress = "1 us" }
flow = [{ name = "tcp", source = { kind = "greedy" } }]
"""
ERRORS = "link_errors.bit_error_ratio=1e-6"
TWO = "flow.tcp.count=2"
EVENTS = 'measure.events=["loss"]'
GRAPH = """
link_layer = "ethernet"
run.duration = "20 ms"
topology.template = "graph"
topology.node = [{ kind = "host", name = "a" }, { kind = "switch", name = "s" }, \
{ kind = "host", name = "b" }]
topology.link = [
  { from = "a", to = "s", rate = "10 Gbit/s", delay = "1 us", errors = { bit_error_ratio = 1e-6 } },
  { from = "s", to = "b", rate = "10 Gbit/s", delay = "1 us" },
]
flow = [{ name = "tcp", from = "a", to = "b" }]
"""


@cache
def run(*settings: str, scenario: str = LINE) -> cellrate.Result:
    """The run of a scenario with settings."""
    return cellrate.run(scenario, overrides=settings)


@cache
def explained(*settings: str) -> Explanation:
    """Statements of formulas on the line with settings."""
    return cellrate.explain(LINE, overrides=settings)


def about(topic: str, word: str, *settings: str) -> Statement:
    """The statement of a topic with a word in its text."""
    found = [one for one in explained(*settings).topics()[topic] if word in one.text]
    assert len(found) == 1, found
    return found[0]


def test_lost_frames_are_in_tables_events_and_text() -> None:
    result = run(ERRORS, EVENTS)
    links = {link["name"]: link for link in result.summary["links"]}
    assert len(links) == 6
    assert {link["bit_error_ratio"] for link in links.values()} == {1e-6}
    lost = sum(link["packets_lost"] for link in links.values())
    assert lost > 4
    assert result.summary["totals"]["packets_lost_on_links"] == lost
    assert result.summary["totals"]["packets_dropped"] == 0
    assert result.events["cause"].to_list().count("bit-errors") == lost
    text = str(result.document())
    assert "link that errs" in text
    balance = result.summary["flows"][0]["balance"]
    assert balance["lost_on_links_bytes"] > 0


def test_a_link_of_a_graph_has_errors_of_its_own() -> None:
    result = run(scenario=GRAPH)
    assert [link["name"] for link in result.summary["links"]] == ["a->s", "s->a"]
    assert result.summary["totals"]["packets_lost_on_links"] > 0
    both = run("link_errors.bit_error_ratio=1e-9", scenario=GRAPH)
    ratios = {link["name"]: link["bit_error_ratio"] for link in both.summary["links"]}
    assert ratios == {"a->s": 1e-6, "s->a": 1e-6, "s->b": 1e-9, "b->s": 1e-9}


def test_explain_has_the_closed_form() -> None:
    """A frame of 1,518 bytes crosses three links: 1 - (1 - p)^(3 x 12,144)."""
    said = about("loss", "bit errors", ERRORS)
    expected = 1 - (1 - 1e-6) ** (3 * 12_144)
    assert said.values["least_errored_share"] == pytest.approx(expected, rel=1e-9)
    assert "loses a packet" not in json.dumps([one.text for one in explained(ERRORS).statements])


def test_retry_loses_nothing_and_says_which_buffer_it_needs() -> None:
    """An answer takes 1 + 1.2304 + 0.0064 + 1 us; a frame and its gap take 1.2304 us.

    ceil((3.2368 - 0.0096) / 1.2304) = 3 frames have no answer when another begins: 4 frames.
    """
    result = run(ERRORS, "llr={}")
    assert result.summary["totals"]["packets_lost_on_links"] == 0
    assert result.summary["flows"][0]["segments_retransmitted"] == 0
    assert sum(link["packets_retried"] for link in result.summary["links"]) > 10
    said = about("retry", "A->B", ERRORS, "llr={}")
    assert said.values["needed_bytes"] == said.values["buffer_bytes"] == 4 * 1_518
    assert said.values["retry_seconds"] == pytest.approx(3.2368e-6 + 1.2208e-6)
    small = 'llr.buffer="3.2 kB"'
    few = about("retry", "A->B", ERRORS, small)
    rate = 2 * 1_538 * 8 / (3.2368e-6 + 1.2208e-6)
    assert few.values["retry_bits_per_second"] == pytest.approx(rate)
    throughput = run(small).summary["totals"]["throughput_bits_per_second"]
    assert throughput == pytest.approx(rate * 1_460 / 1_538, rel=0.02)


def test_pauses_may_come_too_late() -> None:
    assert "may lose a pause" in about("loss", "A->B: losses", ERRORS, "pfc={}", TWO).text
    late = about("loss", "A->B: losses", ERRORS, "pfc={}", "llr={}", TWO).text
    assert "waits behind a frame that link-level retry sends again" in late
