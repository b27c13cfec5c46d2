"""`cellrate theory max-min`, through the command."""

from __future__ import annotations

import json

import pytest
from cellrate.cli.app import BAD_INPUT, run_command
from conftest import HERE, Command


def test_command_with_flows_and_links(command: Command) -> None:
    links = "--links", "L1=150 Mbit/s, L2=50 Mbit/s"
    flows = "--flows", "A=L1+L2, B=L1, C=L2", "--weights", "C=4", "--pcr", "B=100 Mbit/s"
    found = json.loads(command("theory", "max-min", *links, *flows, "--json").stdout)
    assert found["rates_bits_per_second"] == pytest.approx({"A": 10e6, "B": 100e6, "C": 40e6})
    assert found["bottlenecks"] == {"A": "L2", "B": None, "C": "L2"}
    assert "rates: A 10 Mbit/s; B 100 Mbit/s" in command("theory", "max-min", *links, *flows).stdout


def test_command_with_a_scenario(command: Command) -> None:
    scenario = HERE / "scenarios" / "graph.toml"
    found = json.loads(command("theory", "max-min", scenario, "--json").stdout)
    # 1 Mbit/s of CBR before it on a link of 5 Mbit/s.
    assert found["rates_bits_per_second"] == pytest.approx({"tcp.1": 4e6})
    assert found["bottlenecks"] == {"tcp.1": "X->Y"}


def test_command_says_what_schemes_do_with_mcr(command: Command) -> None:
    """The default of a scenario stays MCR plus a share; no scheme gives it."""
    scenario = HERE / "scenarios" / "graph.toml"
    settings = "--set", "abr.mcr=1 Mbit/s", "--set", "abr.icr=1 Mbit/s"
    said = " ".join(command("theory", "max-min", scenario, *settings).stdout.split())
    assert "The control schemes do not read MCR" in said
    other = "--fairness", "max-of-mcr-and-share"
    for quiet in (settings[:0], (*settings, *other)):
        assert "do not read MCR" not in command("theory", "max-min", scenario, *quiet).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "needs --links and --flows"),
        (["--links", "L1=1 Mbit/s"], "needs --links and --flows"),
        (["--links", "L1=1 Mbit/s, L2", "--flows", "A=L1"], "must have the form NAME=VALUE"),
        (["--links", "L1=1 Mbit/s, L1=2 Mbit/s", "--flows", "A=L1"], "L1 is named twice"),
        (["--links", "L1=1", "--flows", "A=L1"], "--links: `1` is not a rate"),
        (["--links", "L1=1 Mbit/s", "--flows", "A=L3"], "there is no such link; there are L1"),
        (["nowhere.toml"], "cannot read nowhere.toml"),
        ([HERE / "scenarios" / "endless.toml"], "no ABR flow"),
        ([HERE / "scenarios" / "graph.toml", "--flows", "A=L1"], "has its own links and flows"),
        ([HERE / "scenarios" / "graph.toml", "--set", "flow.cbr.source.rate=6 Mbit/s"], "X->Y"),
    ],
)
def test_command_refuses(
    capsys: pytest.CaptureFixture[str], arguments: list[object], message: str
) -> None:
    assert run_command(["theory", "max-min", *map(str, arguments)]) == BAD_INPUT
    said = capsys.readouterr()
    assert said.out == ""
    assert message in said.err
