"""`cellrate theory`, through the command, and the catalogue that it is made of."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from cellrate.cli.app import BAD_INPUT, run_command
from cellrate.cli.formula_command import read
from cellrate.theory.catalogue import CATALOGUE
from cellrate.theory.formula import Formula, unit_of
from conftest import Command

NAMES = [formula.name for formula in CATALOGUE]
PEAK = "theory", "peak-throughput", "--link", "155 Mbit/s", "--segment", "512 bytes"


@pytest.mark.parametrize("formula", CATALOGUE, ids=NAMES)
def test_every_formula_is_documented(formula: Formula) -> None:
    assert formula.equation
    assert formula.source
    flags = [parameter.flag for parameter in formula.parameters]
    assert len(set(flags)) == len(flags)
    for parameter in formula.parameters:
        assert parameter.about.endswith("."), f"{formula.name}: {parameter.name} has no line"


def test_names_are_unique_and_in_kebab_case() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert all(name == name.lower() and "_" not in name for name in NAMES)


def test_the_list_has_names_equations_and_sources(command: Command) -> None:
    text = command("theory").stdout
    assert json.loads(command("theory", "--json").stdout) == NAMES
    for formula in CATALOGUE:
        assert f"\n{formula.name} " in text
        assert formula.source.split()[0] in text


def test_results_are_one_object_of_named_numbers(command: Command) -> None:
    done = command(*PEAK, "--target-utilisation", "9/10", "--startup-share", "0.9", "--json")
    found = json.loads(done.stdout)
    assert found["unpadded_throughput_bits_per_second"] == pytest.approx(99.292e6, rel=1e-4)
    assert found["segment_cells"] == 12
    assert list(found) == list(CATALOGUE[NAMES.index("peak-throughput")].results)


@pytest.mark.parametrize("formula", CATALOGUE, ids=NAMES)
def test_every_option_is_read_in_its_unit(formula: Formula) -> None:
    kinds = {"number": "{}", "numbers": "A={}"}
    for parameter in formula.parameters:
        if parameter.kind in kinds:
            written = kinds[parameter.kind].format(f"3 {parameter.unit or ''}")
            expected = {"number": 3, "numbers": {"A": 3}}[parameter.kind]
            assert read((parameter,), {parameter.name: written}) == {parameter.name: expected}


def test_text_shows_results_equation_source_and_inputs(command: Command) -> None:
    text = command(*PEAK, "--target-utilisation", "9/10").stdout
    assert "throughput: 108.792 Mbit/s" in text
    assert "ceil((segment + overhead)/48)" in text
    assert "sections 8.9" in text
    assert "target-utilisation = 0.9\n" in text
    assert "nrm = 32  (by default)" in text


def test_a_distribution_of_lengths_is_given_with_probabilities(command: Command) -> None:
    bound = "theory", "goodput-bound", "--available", "25 Mbit/s", "--segment", "1024 bytes"
    lengths = "--message-lengths", "given", "--probabilities", "40=0.25, 2048 bytes=3/4"
    done = command(*bound, *lengths, "--json")
    # 40 bytes are 2 cells, 1024 with 48 are 23.
    cells, mean = 0.25 * 2 + 0.75 * 46, 0.25 * 40 + 0.75 * 2048
    found = json.loads(done.stdout)
    assert found["mean_message_cells"] == pytest.approx(cells)
    assert found["goodput_bits_per_second"] == pytest.approx(25e6 * mean / (53 * cells))


BOUND = "goodput-bound", "--available", "25 Mbit/s", "--segment", "1024 bytes"
GIVEN = *BOUND, "--message-lengths", "given"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*BOUND], "it is needed unless the lengths of messages are listed"),
        (
            [*BOUND, "--probabilities", "40=1"],
            "must be left out unless the message lengths are `given`",
        ),
        ([*GIVEN], "need their probabilities"),
        ([*GIVEN, "--mean-message", "1 kB"], "have their own mean"),
        ([*GIVEN, "--probabilities", "40=0.5, long=0.5"], "lengths must be numbers of bytes"),
        ([*GIVEN, "--probabilities", "40=0.5, 80=0.4"], "their sum must be 1"),
        (["peek-throughput", "--link", "1 Mbit/s"], "did you mean 'peak-throughput'?"),
        (["peak-throughput", "--segment", "512 bytes"], "needs --link"),
        ([*PEAK[1:], "--segmnt", "1 bytes"], "Did you mean --segment?"),
        ([*PEAK[1:], "--target-utilisation", "2"], "--target-utilisation 2: must be above 0 and"),
        ([*PEAK[1:], "--nrm", "1/0"], "--nrm '1/0': must be a number"),
        ([*PEAK[1:], "--nrm", "nan"], "--nrm 'nan': must be a number"),
        (
            ["pipe", "--link", "1 Mbit/s", "--round-trip", "3"],
            "add a unit: ps, ns, us, ms, s, m, km",
        ),
        (["pipe", "--link", "1e300 bit/s", "--round-trip", "1e300 s"], "--link: `1e300 bit/s`"),
        (["cells-per-pdu", "--segment", "65488 bytes"], "must fit into 65535 bytes of an AAL5 PDU"),
        (["window-sum", "--sources", "2", "--window", "1 kB", "--segment", "9 MB"], "AAL5 PDU"),
        ([*PEAK[1:], "--target-utilisation", "1e300"], "must be above 0 and at most 1"),
        (["pipe", "--link", "155 Mbps", "--round-trip", "1 s"], "did you mean `155 Mbit/s`?"),
        (
            ["pipe", "--link", "1e308 Gbit/s", "--round-trip", "1 s"],
            "--link: `1e308 Gbit/s` is too much: at most 10000000 Mbit/s",
        ),
    ],
)
def test_bad_input_says_where_what_and_what_is_allowed(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert run_command(["theory", *arguments]) == BAD_INPUT
    said = capsys.readouterr()
    assert said.out == ""
    assert message in said.err


def double(length_cells: float) -> float:
    """Twice.

    Args:
        length_cells: A length.
    """
    return 2 * length_cells


def shifted(length_cells: float = 3.0) -> float:
    """One more."""
    return length_cells + 1


def test_a_parameter_has_one_meaning() -> None:
    def formula(*functions: Callable[..., float]) -> Formula:
        return Formula("f", "f", "f", "f", {f.__name__: f for f in functions})

    (parameter,) = formula(double).parameters
    assert (parameter.flag, parameter.unit, parameter.about) == ("--length", "cells", "A length.")
    with pytest.raises(TypeError, match="two meanings of the parameter length_cells"):
        _ = formula(double, shifted).parameters


def test_units_are_those_of_the_longest_suffix() -> None:
    assert unit_of("link_cells_per_second") == "cells/s"
    assert unit_of("round_trip_seconds") == "s"
    assert unit_of("sources") is None
