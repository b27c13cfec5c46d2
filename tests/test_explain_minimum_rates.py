"""MCR in `explain`: no scheme reads MCR, so a rate is the greater of MCR and a share."""

from __future__ import annotations

import pytest
from cellrate import _core
from cellrate.advice.explain import Explanation
from explained import LINK, find, measured, number, one, template, well_formed

PERSISTENT = 'source={kind="persistent"}'
# Share of the cells of a channel that are data: one in Nrm is an RM cell.
DATA = 7 / 8


def flows(mcr: str, more: str = "") -> str:
    """Three flows without MCR, and `m` with an MCR."""
    held = f'abr={{icr="{mcr}", mcr="{mcr}"{more}}}'
    plain = f'{{name="s", count=3, service="abr", abr={{icr="5 Mbit/s"}}, {PERSISTENT}}}'
    return f'flow=[{plain}, {{name="m", service="abr", {held}, {PERSISTENT}}}]'


def under(scheme: str, mcr: str, *, more: str = "", control: str = "") -> tuple[str, ...]:
    return (
        f'switch.control={{scheme="{scheme}"{control}}}',
        "abr={rif=1.0, nrm=8}",
        flows(mcr, more),
        "topology.link_rate=155.52 Mbit/s",
        "topology.bottleneck=50 km",
        "switch.buffer=infinite",
        "run.duration=800 ms",
        "measure.from=400 ms",
    )


def shares(said: Explanation) -> dict[str, float]:
    """Share of a flow of each group in Mbit/s."""
    return {
        str(found.values["group"]): number(found.values["least_cells_per_second"]) * 424 / 1e6
        for found in find(said, "fair shares", "least_cells_per_second")
    }


def failing(said: Explanation) -> str:
    return " ".join(
        reason
        for found in said.statements
        if found.topic == "fair shares"
        for reason in found.fails
    )


@pytest.mark.parametrize("scheme", ["capc", "eprca", "phantom", "smith-predictor"])
def test_flows_share_what_mcrs_leave_where_rates_follow_the_load(scheme: str) -> None:
    """By hand: m has 60 Mbit/s, and three flows share the rest of what the scheme allocates."""
    settings = under(scheme, "60 Mbit/s")
    said = template("n-source", *settings)
    well_formed(said)
    target = 0.95 if scheme == "capc" else 1.0
    # Phantom's imaginary flow has a fifth of the rate of each of the three.
    part = 15 / 16 if scheme == "phantom" else 1.0
    by_hand = {"s": part * (target * 155.52 - 60) / 3, "m": 60.0}
    assert shares(said) == pytest.approx(by_hand)
    assert not failing(said)
    run = measured(_core.template("n-source"), *settings)
    for flow in run["flows"]:
        sent = flow["arrived_throughput_bits_per_second"] * 53 / 48 / DATA / 1e6
        assert sent == pytest.approx(by_hand[flow["group"]], rel=0.1)


def test_a_share_above_mcr_is_that_without_mcr() -> None:
    """By hand: four flows share 0.9 of the link, 34.99 Mbit/s each, which is above MCR."""
    said = template("n-source", *under("erica", "30 Mbit/s"))
    assert shares(said) == pytest.approx({"s": 0.9 * 155.52 / 4, "m": 0.9 * 155.52 / 4})
    assert not failing(said)


@pytest.mark.parametrize("scheme", ["erica", "charny", "ucsc"])
def test_an_mcr_takes_nothing_from_others_where_the_scheme_counts_flows(scheme: str) -> None:
    """By hand: a scheme that allocates 0.8 of the link gives 31.104 Mbit/s to each of four flows.

    With an MCR of 40 Mbit/s the sum is 133.3 Mbit/s, which the link carries.
    """
    target = ", target_utilisation=0.8"
    more = ", max_alloc=false" if scheme == "erica" else ""
    settings = under(scheme, "40 Mbit/s", control=target + more)
    said = template("n-source", *settings)
    by_hand = {"s": 0.8 * 155.52 / 4, "m": 40.0}
    assert shares(said) == pytest.approx(by_hand)
    assert not failing(said)
    run = measured(_core.template("n-source"), *settings)
    for flow in run["flows"]:
        sent = flow["arrived_throughput_bits_per_second"] * 53 / 48 / DATA / 1e6
        assert sent == pytest.approx(by_hand[flow["group"]], rel=0.03)


@pytest.mark.parametrize("keys", ["max_alloc=false", "delta=0"])
def test_no_formula_says_who_gets_what_pcr_leaves_without_greatest_allocations(keys: str) -> None:
    """By hand: the target is 139.97 Mbit/s, so the plain shares are 5 and 33.74 Mbit/s.

    With `max_alloc` and `delta` all have them, and 5 + 3 x 33.74 + 60 overload the link.
    """
    slow = f'{{name="p", service="abr", abr={{icr="5 Mbit/s", pcr="5 Mbit/s"}}, {PERSISTENT}}}'
    more = f"{flows('60 Mbit/s')[:-1]}, {slow}]"
    said = template("n-source", *under("erica", "60 Mbit/s", control=f", {keys}"), more)
    assert "nothing here says how `erica` at A->B divides" in failing(said)
    assert not find(said, "bottleneck", "asked_cells_per_second")
    default = template("n-source", *under("erica", "60 Mbit/s"), more)
    asked = number(one(default, "bottleneck", "asked_cells_per_second"))
    assert asked * 424 / 1e6 == pytest.approx(5 + 3 * 33.742 + 60, rel=1e-4)


@pytest.mark.parametrize("scheme", ["erica", "charny", "ucsc"])
def test_shares_and_mcrs_above_the_link_are_named_before_the_number(scheme: str) -> None:
    """By hand, for ERICA: 90 Mbit/s and three times 0.9 x 155.52 / 4 are 194.976 Mbit/s."""
    settings = under(scheme, "90 Mbit/s")
    said = template("n-source", *settings)
    assert f"`{scheme}` at A->B gives shares as if there were no MCR" in failing(said)
    asked = number(one(said, "bottleneck", "asked_cells_per_second"))
    assert number(one(said, "bottleneck", "carried_cells_per_second")) == pytest.approx(LINK)
    target = {"erica": 0.9, "charny": 0.95, "ucsc": 0.95}[scheme]
    assert asked * 424 / 1e6 == pytest.approx(90 + 3 * target * 155.52 / 4)
    run = measured(_core.template("n-source"), *settings)
    [port] = [port for port in run["ports"] if port["name"] == "A->B"]
    # The excess of more than 0.7 s waits; the half of it allows for the time in which rates settle.
    assert port["queues"][0]["queue_max_cells"] > 0.5 * 0.7 * (asked - LINK)


@pytest.mark.parametrize("scheme", ["dmrca", "efci", "becn", "rrm-p", "osu", "fmmra"])
def test_schemes_of_which_nothing_is_known_are_named(scheme: str) -> None:
    said = template("n-source", *under(scheme, "60 Mbit/s"))
    assert f"nothing here says how `{scheme}` at A->B divides" in failing(said)


@pytest.mark.parametrize(("scheme", "is_known"), [("osu", True), ("fmmra", True), ("dmrca", False)])
def test_an_mcr_below_the_share_matters_only_to_some(scheme: str, is_known: bool) -> None:
    said = template("n-source", *under(scheme, "20 Mbit/s"))
    assert (not failing(said)) is is_known


def test_equal_mcrs_leave_equal_shares() -> None:
    every = f'flow=[{{name="s", count=4, service="abr", abr={{mcr="20 Mbit/s"}}, {PERSISTENT}}}]'
    said = template("n-source", *under("dmrca", "20 Mbit/s")[:2], every, "topology.link_rate=OC-3c")
    assert not failing(said)
    assert shares(said) == pytest.approx({"s": 149.76 / 4})


def test_an_er_below_mcr_that_is_ignored_is_named() -> None:
    """A run gives the whole link to m: its ACR rises to PCR."""
    settings = under("capc", "60 Mbit/s", more=', er_below_mcr="ignore"')
    assert "by `er_below_mcr` their ACR rises to PCR, as that of m.1" in failing(
        template("n-source", *settings)
    )
    run = measured(_core.template("n-source"), *settings)
    most = max(flow["arrived_throughput_bits_per_second"] for flow in run["flows"])
    assert most * 53 / 48 / DATA / 1e6 > 140


def test_shares_as_if_without_mcr_over_several_bottlenecks_are_named() -> None:
    said = template(
        "parking-lot",
        'switch.control={scheme="erica"}',
        f'flow=[{{name="s", count=6, service="abr", {PERSISTENT}}}, '
        f'{{name="m", service="abr", abr={{icr="60 Mbit/s", mcr="60 Mbit/s"}}, {PERSISTENT}}}]',
    )
    assert "follows such shares over several bottlenecks" in failing(said)


def test_mcrs_that_overbook_a_link_are_named_and_no_loop_settles() -> None:
    """By hand: two MCRs of 60 Mbit/s and 40 Mbit/s of background book 160 of 155.52."""

    def explained(mcr: str) -> tuple[Explanation, str]:
        abr = f'abr={{icr="{mcr}", mcr="{mcr}"}}'
        held = f'{{name="m", count=2, service="abr", {abr}, {PERSISTENT}}}'
        other = '{name="v", service="cbr", source={kind="cbr", rate="40 Mbit/s"}}'
        said = template("n-source", *under("erica", mcr), f"flow=[{held}, {other}]")
        well_formed(said)
        [loop] = find(said, "oscillation", "oscillates")
        return said, " ".join(loop.fails)

    said, fails = explained("60 Mbit/s")
    booked = number(one(said, "bottleneck", "booked_cells_per_second"))
    assert booked * 424 / 1e6 == pytest.approx(160)
    assert "a link carries the MCRs over it, but those over A->B" in fails
    said, fails = explained("57 Mbit/s")
    assert not find(said, "bottleneck", "booked_cells_per_second")
    assert "a link carries the MCRs" not in fails


def test_a_scheme_allocates_no_less_than_nothing() -> None:
    """Background of 150 Mbit/s leaves less than the tenth that ERICA keeps free."""
    plain = f'{{name="s", count=2, service="abr", {PERSISTENT}}}'
    other = '{name="v", service="cbr", source={kind="cbr", rate="150 Mbit/s"}}'
    form = ', target_utilisation=0.9, capacity_form="of-link"'
    settings = under("erica", "1 Mbit/s", control=form)
    said = template("n-source", *settings, f"flow=[{plain}, {other}]")
    assert one(said, "bottleneck", "handed_out_cells_per_second") == 0.0
