"""A misbehaving ABR source takes the link, unless a policer holds it to its contract."""

from __future__ import annotations

import cellrate
import pytest
from cellrate import Result
from cellrate.advice.sizing import Answer
from cellrate.common.document import Paragraph
from cellrate.simulation.at_a_glance import at_a_glance, run_parts
from conftest import HERE

EXAMPLE = (HERE.parent / "examples" / "abr-misbehaves.toml").read_text(encoding="utf-8")
ACTION = "flow.exceeds.policer.action"


def ran(action: str, **settings: object) -> Result:
    """The example with another action of its policer."""
    named = {key.replace("__", "."): value for key, value in settings.items()}
    return cellrate.run(EXAMPLE, overrides={ACTION: action, **named})


def mbit(result: Result, group: str) -> float:
    """Mean payload rate of a flow of the group in Mbit/s."""
    flows = [flow for flow in result.summary["flows"] if flow["group"] == group]
    rates = [flow["arrived_throughput_bits_per_second"] for flow in flows]
    return float(sum(rates) / len(rates) / 1e6)


def policed(result: Result, measure: str) -> int:
    [vc] = [vc for vc in result.summary["vcs"] if vc["name"] == "exceeds.1/forward"]
    return int(vc[measure] or 0)


def test_the_source_takes_the_link_without_a_policer_and_not_with_one() -> None:
    obeying = ran("pass", flow__exceeds__abr__excess_factor=1.0)
    alone, dropped = ran("pass"), ran("drop")
    # 0.95 of 149.76 Mbit/s among five: 28.5 Mbit/s of cells each, 25 Mbit/s of payload.
    assert mbit(obeying, "obeys") == pytest.approx(25.0, rel=0.01)
    assert mbit(alone, "exceeds") > 3 * mbit(obeying, "exceeds")
    assert mbit(alone, "obeys") < 0.5 * mbit(obeying, "obeys")
    # At most PCR passes the policer: 30 x 48/53 x 31/32 = 26.32 Mbit/s of payload.
    assert mbit(dropped, "exceeds") < 26.33
    assert mbit(dropped, "obeys") == pytest.approx(mbit(obeying, "obeys"), rel=0.01)
    assert policed(dropped, "cells_policed") > 1_000
    assert f"cells dropped by policers {policed(dropped, 'cells_policed'):,}, " in totals(dropped)
    assert "polic" not in totals(ran("tag"))


def totals(result: Result) -> str:
    [*_, line] = run_parts(at_a_glance(result.outcome))
    assert isinstance(line, Paragraph)
    return str(line.text)


def test_totals_name_policers_whose_drops_are_all_outside_the_window() -> None:
    """Each segment, at the rate of the line, loses cells; the first timeout comes after 3 s."""
    settings = {
        "flow.tcp.service": "ubr",
        "switch.control": {"scheme": "none"},
        "flow.tcp.policer": {"pcr": "10 Mbit/s"},
        "run.duration": "1 s",
    }
    result = cellrate.run(cellrate.template("n-source"), overrides=settings)
    assert "policers drop cells outside the measuring window alone" in totals(result)


def test_a_policer_drops_nothing_of_a_source_that_obeys() -> None:
    result = ran("drop", flow__exceeds__abr__excess_factor=1.0)
    assert policed(result, "cells_conforming") > 1_000
    assert policed(result, "cells_nonconforming") == 0


def test_the_dynamic_gcra_holds_a_source_to_its_rate_where_pcr_is_that_of_the_line() -> None:
    before = EXAMPLE.rpartition("policer =")[0].replace(
        "{ excess", '{ pcr = "155.52 Mbit/s", excess'
    )
    static = 'pcr = "155.52 Mbit/s", cdvt = "20 us", action = "drop"'
    dynamic = f'{static}, dynamic = {{ tau_2 = "0.4 ms", tau_3 = "0.09 ms" }}'
    alone, held = (
        cellrate.run(f"{before}policer = {{ {contract} }}\n") for contract in (static, dynamic)
    )
    obeying = cellrate.run(
        f"{before}policer = {{ {dynamic} }}\n".replace("excess_factor = 8.0", "excess_factor = 1.0")
    )
    assert policed(alone, "cells_policed") == 0
    assert mbit(alone, "obeys") < 0.6 * mbit(held, "obeys")
    assert policed(held, "cells_policed") > 1_000
    assert mbit(held, "obeys") > 0.95 * mbit(obeying, "obeys")
    assert policed(obeying, "cells_nonconforming") == 0


def test_switches_drop_tagged_cells_first() -> None:
    tagged, first = ran("tag"), ran("tag", switch__clp_threshold="100 cells")
    assert policed(tagged, "cells_tagged") > 1_000
    # Tagged cells take the link as others do, unless switches drop them first.
    assert mbit(tagged, "obeys") < 0.5 * mbit(first, "obeys")
    obeying = [vc for vc in first.summary["vcs"] if vc["name"].startswith("obeys")]
    assert sum(vc["cells_dropped"] for vc in obeying) == 0


def test_the_documentation_says_what_the_run_gives() -> None:
    text = (HERE.parent / "docs" / "explanation" / "contracts.md").read_text(encoding="utf-8")
    first = ran("tag", switch__clp_threshold="100 cells")
    for result in (ran("pass"), ran("drop"), first):
        numbers = [f"{mbit(result, group):.1f}" for group in ("exceeds", "obeys")]
        assert f"| {numbers[0]} | {numbers[1]} |" in text


def test_explain_counts_what_contracts_let_pass() -> None:
    """Five sources of 100 Mbit/s, shaped or policed to 10 Mbit/s, leave 99.76 of 149.76 Mbit/s."""
    text = cellrate.template("n-source")
    contract = {"pcr": "30 Mbit/s", "scr": "10 Mbit/s", "mbs": "20 cells"}
    for limit, left in (
        ({"shaper": contract}, 99.76),
        ({"policer": contract | {"action": "drop"}}, 99.76),
        ({"policer": contract | {"action": "pass"}}, 0.0),
    ):
        steady = {"kind": "cbr", "rate": "100 Mbit/s"}
        loud = {"name": "s", "count": 5, "service": "vbr", "source": steady} | limit
        overrides = {
            "flow": [loud, {"name": "tcp", "service": "abr"}],
            "topology.bottleneck_rate": "149.76 Mbit/s",
        }
        said = cellrate.explain(text, overrides=overrides)
        [statement] = [one for one in said.statements if "left_cells_per_second" in one.values]
        found = float(str(statement.values["left_cells_per_second"])) * 424e-6
        assert abs(found - left) < 0.01


SHAPED = """
run = {{ duration = "100 ms", start_jitter = "{jitter}" }}
switch.buffer = "infinite"
[topology]
template = "single-switch"
link_rate = "155.52 Mbit/s"
access = "1 km"
bottleneck = "1 km"
[[flow]]
name = "x"
count = 8
service = "vbr"
source = {{ kind = "{kind}", rate = "60 Mbit/s" }}
{place} = {{ pcr = "40 Mbit/s", scr = "15 Mbit/s", mbs = "100 cells"{more} }}
"""
# 8 x 100 cells less those that the link sends while one source sends 99 at PCR: 155.52 / 40 x 99.
WORST = 800 - 384


@pytest.mark.parametrize("place", ["shaper", "policer"])
def test_the_bound_of_contracts_is_explained_and_reached(place: str) -> None:
    for kind, jitter in (("cbr", "0 s"), ("cbr", "3 ms"), ("poisson", "0 s")):
        text = SHAPED.format(kind=kind, jitter=jitter, place=place, more="")
        said = cellrate.explain(text)
        assert f"at most {WORST} cells wait, and no buffer loses a cell" in said.verdict[1]
        [bound] = [one for one in said.statements if one.formula == "leaky-bucket-queue"]
        assert (bound.kind, bound.values["queue_cells"]) == ("bound", WORST)
        longest = max(cellrate.run(text).queues["queue_max_cells"])
        # Sources in step come to the bound: a shaper's cells leave in step, a policer's on arrival.
        if (kind, jitter, place) == ("cbr", "0 s", "shaper"):
            assert longest == WORST
            answer = cellrate.size_buffer(text, seeds=1)
            assert isinstance(answer, Answer)
            [formula] = [one for one in answer.formulas if one.formula == "leaky-bucket-queue"]
            assert (answer.buffer_cells, formula.cells) == (WORST, WORST)
        else:
            assert 0 < longest < WORST
    text = SHAPED.format(kind="cbr", jitter="0 s", place=place, more="")
    small = cellrate.explain(text, overrides={"switch.buffer": "300 cells"})
    assert f"admit at once are up to {WORST} cells" in str(small.topics()["loss"])


def test_contracts_that_do_not_bound_the_queue_say_why() -> None:
    def why(
        place: str = "policer", more: str = "", settings: dict[str, object] | None = None
    ) -> str:
        text = SHAPED.format(kind="cbr", jitter="0 s", place=place, more=more)
        said = cellrate.explain(text, overrides=settings or {})
        assert "no formula bounds the queue" in said.verdict[1]
        parts = [one for one in said.statements if one.formula == "leaky-bucket-queue"]
        silent = [one for one in said.without_statement if one.formula == "leaky-bucket-queue"]
        return " ".join(
            [*(fail for one in parts for fail in one.fails), *(s.reason for s in silent)]
        )

    assert "CDVT is above 0" in why(more=', cdvt = "10 us"')
    assert "no bound" in why(settings={"flow.x.count": 11})
    for action in ("tag", "pass"):
        assert "shaper or a policer that drops" in why(more=f', action = "{action}"')
    assert "as fast as its PCR" in why(
        "shaper", settings={"topology.link_rate": "39 Mbit/s", "flow.x.count": 2}
    )
    second = SHAPED.format(kind="cbr", jitter="0 s", place="shaper", more="")
    other = (
        second[second.index("[[flow]]") :].replace('"x"', '"y"').replace("100 cells", "99 cells")
    )
    said = cellrate.explain(second + other.replace("count = 8", "count = 1"))
    reasons = {one.formula: one.reason for one in said.without_statement}
    assert "contracts differ" in reasons["leaky-bucket-queue"]
