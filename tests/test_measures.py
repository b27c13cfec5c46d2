"""The dictionary of measures says of every column of every frame what it is."""

from __future__ import annotations

import inspect
import json

import cellrate
import pytest
from cellrate.language import measures
from cellrate.language.runs import run_of
from cellrate.simulation import frames
from cellrate.studies.compare.measures import better_of, is_share

TABLES = ("flows", "classes", "vcs", "ports", "queues")
SHORT = {"run.duration": "30 ms", "measure.from": "0 s"}


def test_every_column_of_every_frame_is_in_the_dictionary() -> None:
    for template in ("n-source-vbr", "satellite"):
        result = cellrate.run(cellrate.template(template), overrides=SHORT)
        for table in TABLES:
            known = {one.column for one in measures.tables()[table]} | {"port", "priority"}
            assert set(frames.table(table, result.summary).columns) <= known
        known = {one.key.partition(".")[0] for one in measures.tables()["run"]}
        assert set(result.summary) <= known | set(measures.tables())


@pytest.mark.parametrize(
    ("template", "queue"), [("n-source-vbr", "queue_max_cells"), ("incast", "queue_max_packets")]
)
def test_a_name_is_the_path_in_the_summary(template: str, queue: str) -> None:
    """Every measure of a run is found under its name, read as a path of jq."""
    summary = cellrate.run(cellrate.template(template), overrides=SHORT).summary

    def keys(value: object, place: str) -> set[str]:
        if isinstance(value, dict):
            return set().union(
                {place}, *(keys(inner, f"{place}.{k}") for k, inner in value.items())
            )
        if isinstance(value, list):
            return set().union({place}, *(keys(inner, f"{place}[]") for inner in value))
        return {place}

    found = {path.removeprefix(".") for path in keys(summary, "")}
    tables = measures.tables(summary.get("link_layer", "atm"))
    every = {one.name: one for table in tables.values() for one in table}
    named = {name for name, one in every.items() if one.table in {"run", *TABLES}}
    assert every.keys() <= measures.all_measures().keys()
    # What some schemes alone report, and parts of what is null here, has no place in this run.
    absent = {name for name in named - found if ".control." not in name}
    assert "totals.jain_index" in named & found
    assert f"ports[].queues[].{queue}" in named & found
    assert len(absent) < len(named) / 10, absent
    assert len(every) == sum(len(table.measures) for table in tables.values())


def test_what_is_computed_says_how_and_from_which_paper() -> None:
    every = measures.all_measures()
    assert len(every) > 130
    assert every["flows[].effective_throughput_ratio"].source == "Ohsaki 95 section III.B"
    assert every["flows[].balance.in_path_bytes"].unit == "bytes"
    assert every["ports[].queues[].queue_mean_cells"].formula
    assert all(one.definition and one.source for one in every.values())


@pytest.mark.parametrize("link_layer", ["atm", "ethernet"])
def test_numbers_of_the_language_are_measures_and_can_be_read(traced: str, link_layer: str) -> None:
    scenario = traced if link_layer == "atm" else cellrate.template("incast")
    run = run_of(cellrate.run(scenario).outcome, "run")
    language = measures.tables(link_layer)[measures.EXPRESSIONS]
    for one in language:
        assert isinstance(getattr(run, one.key), int | float), one.key
        assert one.definition
        assert one.formula
    numbers = {
        name
        for name, member in inspect.getmembers(type(run))
        if isinstance(member, property) and isinstance(getattr(run, name), int | float)
    }
    assert numbers == {one.key for one in language}


def test_the_json_of_the_core_has_the_same_keys_everywhere() -> None:
    for table in json.loads(cellrate._core.measures()):  # noqa: SLF001
        for one in table["measures"]:
            texts = {"key", "kind", "definition", "unit", "formula", "source", "better"}
            assert set(one) == {*texts, "greatest"}


@pytest.mark.parametrize(
    ("expression", "better", "share"),
    [
        ("throughput_mbit", "more", False),
        ("packets_lost", "less", False),
        ("totals.cell_loss_ratio", "less", True),
        ("totals_jain_index", "more", True),
        ('flow("tcp.1").timeouts', "less", False),
        ('port("A->B").utilisation', "more", True),
        ("bottleneck.queue_max_cells", "less", False),
        ("tcp.mean('packet_delay_mean_seconds')", "less", False),
        ("tcp.sum('efficiency')", "more", False),
        # The spread of throughputs, and no throughput.
        ("tcp.jain('tcp_throughput_bits_per_second')", "more", True),
        # Neither end is better.
        ("tcp.mean('rate_limited_share')", None, True),
        ("flow('tcp.1').start_seconds", None, False),
        # Another unit has the same better end; a negative factor, an inverse and a sum are unknown.
        ("1e3 * throughput_mbit", "more", False),
        ("2 * (totals.completion_p99_seconds / 1e-6)", "less", False),
        ("-1 * throughput_mbit", None, False),
        ("1 / throughput_mbit", None, False),
        ("throughput_mbit + 1", None, False),
        ("queue_jitter", None, False),
    ],
)
def test_the_better_end_of_a_measure_is_what_its_definition_says(
    expression: str, better: str | None, share: bool
) -> None:
    assert better_of(expression) == better
    assert is_share(expression) == share


def test_a_link_that_is_never_idle_is_used_to_one() -> None:
    """Cells of 4.24 us on a link that is never idle, in windows that begin and end within one."""
    text = """
run = { duration = "60 ms" }
flow = [{ name = "cbr", count = 2, service = "cbr", source = { kind = "cbr", rate = "60 Mbit/s" } }]
[topology]
template = "single-switch"
link_rate = "150 Mbit/s"
bottleneck_rate = "100 Mbit/s"
access = "10 us"
bottleneck = "10 us"
"""
    readings = []
    for number in range(6):
        begin, length = 20_000 + number, 1_000 + 7 * number
        window = {"measure.from": f"{begin} us", "measure.to": f"{begin + length} us"}
        [port] = cellrate.run(text, overrides=window).summary["ports"]
        readings.append(port["utilisation"])
    assert readings == [1.0] * 6
