"""A misbehaving ABR source takes the link, unless a policer holds it to its contract."""

from __future__ import annotations

import cellrate
import pytest
from cellrate import Result
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
