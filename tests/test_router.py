"""Networks of both link layers, joined by routers: runs, tables, and the effect of each key."""

from __future__ import annotations

import json
from functools import cache

import cellrate
import pytest
from cellrate import _core
from conftest import HERE, Command

TEXT = (HERE / "scenarios" / "router.toml").read_text("utf-8")


def test_abr_moves_the_queue_from_the_switch_to_the_router() -> None:
    """ERICA lets the router send at 0.9 of 155.52 Mbit/s; UBR sends at four times that rate."""
    text = cellrate.template("router")
    abr = cellrate.run(text)
    ubr = cellrate.run(text, overrides={"atm.service": "ubr", "atm.control": {"scheme": "none"}})

    def longest(result: cellrate.Result) -> tuple[int, int]:
        ports = {port["name"]: port for port in result.summary["atm_ports"]}
        at_router = result.flows["router_queue_max_cells"].max()
        assert isinstance(at_router, int)
        return at_router, ports["atm->server"]["queue_max_cells"]

    (at_edge, at_switch), (_, at_switch_without) = longest(abr), longest(ubr)
    assert at_switch < 500 < at_edge
    assert at_switch_without == 2000
    rates = abr.flows["acr_mean_bits_per_second"].to_list()
    assert rates == pytest.approx([0.9 * 155.52e6 / 3] * 3, rel=0.1)
    assert ubr.flows["acr_mean_bits_per_second"].to_list() == [None] * 3
    # 1,460 of 1,696 octets are payload, 31 cells of 32 data.
    goodput = sum(abr.flows["goodput_bits_per_second"])
    assert goodput == pytest.approx(0.9 * 155.52e6 * 1460 / 1696 * 31 / 32, rel=0.05)


def test_a_run_shows_the_queue_at_the_router_and_the_ports_of_atm(command: Command) -> None:
    path = str(HERE / "scenarios" / "router.toml")
    assert "2 hosts, 2 switches, 1 flow." in command("validate", path).stdout
    shown = command("run", path).stdout
    assert "port of ATM" in shown
    assert "router, cells" in shown
    assert "s->a" in shown


def test_a_study_varies_the_part_over_atm(command: Command) -> None:
    path = str(HERE / "scenarios" / "router.toml")
    done = command("compare", path, "--vary", "atm.buffer=200cells,2000cells", "--seeds", "2")
    assert done.returncode == 0, done.stderr


# Settings under which both runs are made, and the setting that only the second has.
KEYS = {
    "service": ("", 'atm.service="ubr"'),
    "buffer": ('atm.service="ubr"', 'atm.buffer="150 cells"'),
    "channel_queue": ("", 'atm.channel_queue="300 cells"'),
    "discard": ('atm.service="ubr"', 'atm.discard={policy="epd", threshold="100 cells"}'),
    "control": ("", 'atm.control={scheme="erica", interval="2 ms"}'),
    "abr": ("", 'atm.abr.icr="30 Mbit/s"'),
}
OF_NODES = {
    "forwarding_delay": ("", 'topology.node.r.forwarding_delay="20 us"'),
    "a buffer of a switch of ATM": ('atm.service="ubr"', 'topology.node.s.buffer="150 cells"'),
    "a buffer of a router": (
        'flow.file.from="a"; flow.file.to="h"; topology.link.0.rate="10 Mbit/s"',
        'topology.node.r.buffer="30 kB"',
    ),
}


@cache
def digest(*settings: str) -> str:
    """Digest of a run with settings."""
    outcome = _core.Scenario(TEXT, "test", list(filter(None, settings))).run()
    return str(json.loads(outcome.summary())["digest"])


def figures(settings: str) -> tuple[list[float], list[int]]:
    """Throughputs, and cells dropped at the ports of ATM."""
    result = cellrate.run(TEXT, overrides=settings.split("; ") if settings else [])
    dropped = [port["cells_dropped"] for port in result.summary["atm_ports"]]
    return result.flows["throughput_bits_per_second"].to_list(), dropped


EXAMPLES = "cellrate.schemes.examples"
EPD = f"{EXAMPLES}.epd:Epd"
EFCI = 'atm.control={scheme="efci", threshold="50 cells"}'


@pytest.mark.parametrize(
    ("without", "built_in", "own"),
    [
        (
            "",
            'atm.control={scheme="rrm-p", low="5 cells", high="20 cells"}',
            f'atm.control={{scheme="{EXAMPLES}.p:P", low="5 cells", high="20 cells"}}',
        ),
        (
            'atm.service="ubr"',
            'atm.service="ubr"; atm.discard={policy="epd", threshold="100 cells"}',
            f'atm.service="ubr"; atm.discard={{policy="{EPD}", threshold="100 cells"}}',
        ),
        (
            EFCI,
            f'{EFCI}; atm.abr.rules=prca; atm.abr.air="1 Mbit/s"; atm.abr.mdf=3',
            f'{EFCI}; atm.abr.law={{law="{EXAMPLES}.prca:Prca", air="1 Mbit/s", mdf=3}}',
        ),
    ],
)
def test_classes_act_over_atm_as_what_they_repeat(without: str, built_in: str, own: str) -> None:
    assert figures(own) == figures(built_in) != figures(without)


@pytest.mark.parametrize("key", KEYS | OF_NODES)
def test_a_key_changes_a_run(key: str) -> None:
    common, own = (KEYS | OF_NODES)[key]
    before = common.split("; ")
    assert digest(*before) != digest(*before, own)


def test_every_key_is_here() -> None:
    """Keys of schemes, policies and sources of ABR have their effects over ATM."""
    schema = json.loads(_core.schema(ethernet=True))
    assert set(schema["properties"]["atm"]["properties"]) == set(KEYS)


def test_the_template_has_the_digest_that_it_always_had() -> None:
    assert cellrate.run(cellrate.template("router")).digest == "a9b37715f013176a"
