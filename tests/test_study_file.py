"""Study files: what they expand to, and where those are refused that mean nothing."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import pytest
from cellrate import ScenarioError
from cellrate.common.problems import BadInput
from cellrate.schemes import allowing
from cellrate.studies.study import Study, parse_study, read

HALF = "\"tcp.window\" = \"2 * topology.bottleneck * '8 Mbit/s' + '1 kB'\""
HEAD = 'template = "n-source"\nset = ["run.duration=20 ms", "measure.from=0 s"]\n'


def study(text: str) -> Study:
    return parse_study(HEAD + text, "study.toml")


def values(found: Study, name: str) -> list[object]:
    return [dict(point.values)[name] for point in found.points]


def test_a_grid_is_every_combination_the_first_factor_slowest() -> None:
    found = study('[factors]\n"abr.rif" = ["1/16", "1/64"]\n"flow.tcp.count" = [2, 5, 9]')
    assert values(found, "abr.rif") == [1 / 16] * 3 + [1 / 64] * 3
    assert values(found, "flow.tcp.count") == [2, 5, 9] * 2
    assert found.points[4].settings == ("abr.rif=0.015625", "flow.tcp.count=5")


def test_paired_factors_go_row_by_row() -> None:
    found = study(
        '[factors]\n"flow.tcp.count" = [2, 3]\n'
        '[[paired]]\n"abr.rif" = [0.5, 0.25]\n"abr.rdf" = [0.125, 0.125]'
    )
    rows = [tuple(dict(point.values).values()) for point in found.points]
    assert rows == [(2, 0.5, 0.125), (2, 0.25, 0.125), (3, 0.5, 0.125), (3, 0.25, 0.125)]


def test_alternatives_are_names_with_settings() -> None:
    found = study(
        '[factors]\n"flow.tcp.count" = [2, 3]\n"control.threshold" = ["7 cells"]\n'
        "[alternatives.kind]\n"
        'plain = []\nmarks = ["switch.control={scheme=\\"efci\\"}", "abr.rif=0.25"]'
    )
    # A factor may be a parameter that only an alternative has.
    assert values(found, "kind") == ["plain", "marks"] * 2
    assert found.points[0].settings == ("flow.tcp.count=2", "switch.control.threshold=7 cells")
    assert found.points[3].settings == (
        'switch.control={scheme="efci"}',
        "abr.rif=0.25",
        "flow.tcp.count=3",
        "switch.control.threshold=7 cells",
    )


def test_a_study_without_factors_is_one_point() -> None:
    found = study("[replications]\ncount = 3")
    assert len(found.points) == 1
    assert [found.job(found.points[0], r).seed for r in range(3)] == [1, 2, 3]


def test_ranges_have_the_values_between_their_ends() -> None:
    found = study(
        "[factors]\n"
        '"topology.bottleneck" = { from = "1 ms", to = "100 ms", count = 3, scale = "log" }'
    )
    assert values(found, "topology.bottleneck") == pytest.approx([1e-3, 1e-2, 1e-1])
    found = study('[factors]\n"flow.tcp.count" = { from = 2, to = 8, count = 4 }')
    assert values(found, "flow.tcp.count") == [2, 4, 6, 8]


def test_a_latin_hypercube_uses_each_part_of_each_range_once() -> None:
    found = study(
        '[factors]\n"topology.bottleneck" = { from = "0 ms", to = "16 ms" }\n'
        '"flow.tcp.count" = [1, 2, 3, 4]\n'
        '[design]\nkind = "latin-hypercube"\npoints = 16'
    )
    parts = sorted(
        math.floor(float(str(one)) / 1e-3) for one in values(found, "topology.bottleneck")
    )
    assert parts == list(range(16))
    assert sorted(values(found, "flow.tcp.count")) == [1] * 4 + [2] * 4 + [3] * 4 + [4] * 4  # type: ignore[type-var]


def test_a_name_of_ones_own_may_be_any_quantity_of_a_range() -> None:
    found = study(
        '[factors]\nlong = { from = "1 ms", to = "17 ms" }\n'
        '[derived]\n"switch.buffer" = "long * rate"\n'
        '[design]\nkind = "latin-hypercube"\npoints = 16'
    )
    parts = sorted(math.floor(float(str(one)) / 1e-3) for one in values(found, "long"))
    assert parts == list(range(1, 17))
    assert (found.factors[0].kind, found.factors[0].unit) == ("Time", "s")


def test_a_sobol_design_is_balanced_and_its_seed_matters() -> None:
    text = (
        '[factors]\n"topology.bottleneck" = { from = "0 ms", to = "8 ms" }\n'
        '[design]\nkind = "sobol"\npoints = 8\n'
    )
    found = values(study(text), "topology.bottleneck")
    assert sorted(math.floor(float(str(one)) / 1e-3) for one in found) == list(range(8))
    assert values(study(text), "topology.bottleneck") == found
    assert values(study(text + "seed = 2"), "topology.bottleneck") != found


def test_a_scheme_is_a_factor_and_says_what_it_leaves_out() -> None:
    found = study(
        '[factors]\n"control.scheme" = ["erica", "efci"]\n"control.threshold" = ["100 cells"]'
    )
    assert [point.settings for point in found.points][1][0] == 'switch.control={scheme = "efci"}'
    assert any("leaves out" in note for note in found.notes)


def test_seeds_are_common_unless_it_is_said() -> None:
    text = '[factors]\n"flow.tcp.count" = [2, 5]\n[replications]\ncount = 3\n'
    common, own = (
        study(text),
        parse_study("common_random_numbers = false\n" + HEAD + text, "s.toml"),
    )
    seeds = [[each.seed(point, r) for point in (0, 1) for r in range(3)] for each in (common, own)]
    assert seeds == [[1, 2, 3, 1, 2, 3], [1, 2, 3, 4, 5, 6]]


def test_what_follows_from_others_is_reckoned_with_units() -> None:
    found = study(
        '[factors]\nshare = [0.5, 1]\n[derived]\nproduct = "rtt * rate"\n'
        f'"switch.buffer" = "share * product"\n{HALF}'
    )
    half, one = (dict(point.values) for point in found.points)
    assert float(half["switch.buffer"]) == round(float(one["product"]) / 424 / 2)
    assert float(one["switch.buffer"]) == round(float(one["product"]) / 424)
    assert half["tcp.window"] == one["tcp.window"]


def test_measures_are_properties_of_a_run_and_keys_of_its_summary() -> None:
    found = study(
        '[measures]\na = "packets_lost"\nb = "totals.timeouts"\nc = "flow(\'tcp.1\').name"'
    )
    assert list(found.measures) == ["a", "b", "c"]


def test_a_class_is_a_value_of_a_factor(tmp_path: Path) -> None:
    here = Path(__file__).parent
    shutil.copy(here / "schemes" / "bad.py", tmp_path)
    shutil.copy(here / "scenarios" / "efci.toml", tmp_path / "my.toml")
    text = 'scenario = "my.toml"\n[factors]\n"switch.control.scheme" = ["efci", "bad.py:Fine"]'
    (tmp_path / "loads.toml").write_text(text, encoding="utf-8")
    with allowing("bad.py:Fine"):
        found = read(tmp_path / "loads.toml")
        jobs = [found.job(point, 0) for point in found.points]
        assert [bool(one.scenario().code) for one in jobs] == [False, True]
        (tmp_path / "loads.toml").write_text(text.replace('"efci"', '"ecfi"'), encoding="utf-8")
        with pytest.raises(ScenarioError, match="did you mean 'efci'"):
            read(tmp_path / "loads.toml")


def test_the_scenario_stands_beside_the_study(tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text(
        (Path(__file__).parent / "scenarios" / "efci.toml").read_text()
    )
    (tmp_path / "loads.toml").write_text('scenario = "my.toml"')
    found = read(tmp_path / "loads.toml")
    assert found.name == "loads"
    assert found.base.path == str(tmp_path / "my.toml")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('[factors]\n"flow.tcp.cuont" = [2]', 4, "did you mean 'count'"),
        ('[factors]\n"control.scheme" = ["ercia"]', 4, "did you mean 'erica'"),
        ('[factors]\n"flow.tcp.count" = [2, 2]', 4, "has a value twice"),
        ('[factors]\n"flow.tcp.count" = ["two"]', 4, "must be a finite number such"),
        ('[factors]\n"topology.bottleneck" = ["3 Mbit/s"]', 4, "is not"),
        ('[factors]\n"flow.tcp.count" = { from = 9, to = 2, count = 3 }', 4, "is not below"),
        ('[factors]\n"flow.tcp.count" = { from = 1, to = 3, count = 9 }', 4, "are no 9 values"),
        ('[factors]\n"abr.rif" = { from = 0, to = 1, count = 3, scale = "log" }', 4, "begins at 0"),
        ('[factors]\n"control.scheme" = { from = 1, to = 3, count = 2 }', 4, "is not a number"),
        ("[factors]\nshare = [1]", 4, "no expression uses `share`"),
        ('[factors]\n"a b" = [1]', 4, "neither a parameter nor a name"),
        ('[derived]\n"switch.buffer" = "2 * rtt"', 4, "does not fit"),
        ('[derived]\n"switch.buffer" = "rtt + rate"', 4, "cannot be added"),
        ('[derived]\n"switch.buffer" = "2 * rttt"', 4, "unknown name `rttt`"),
        ('[derived]\n"switch.buffer" = "rtt * (rate"', 4, "is not an expression"),
        ('[derived]\n"switch.buffer" = "1)+(1"', 4, "closes brackets that it does not open"),
        ('[derived]\n"switch.buffer" = ""', 4, "it is empty"),
        ('[measures]\nx = ""', 4, "it is empty"),
        ('[derived]\n"switch.buffer" = "rtt * rate / 0"', 4, "division by zero"),
        ('[derived]\n"control.scheme" = "2"', 4, "is not a number"),
        ('[derived]\n"abr.rif" = "(-2) ** 0.5"', 4, "it is negative"),
        (f'[derived]\n"abr.rif" = "{"-" * 20_000}1"', 4, "nested too deeply"),
        ('[measures]\n"a b" = "throughput_mbit"', 4, "is not a name"),
        ('[measures]\nstatus = "packets_lost"', 4, "data set already has a column `status`"),
        ('[[paired]]\n[measures]\nx = "packets_lost"', 3, "the table is empty"),
        ("[alternatives.kind]", 3, "`kind` has no values"),
        ("[alternatives]\nkind = 3", 4, "is an integer"),
        ('[alternatives.kind]\na = "switch.control=efci"', 4, "is no list of texts"),
        ('[alternatives.kind]\na = ["run.seed=3"]', 4, "has no effect in a study"),
        ('[alternatives."a b"]\na = []', 3, "`a b` is not a name"),
        ('[factors]\nx = [1]\n[alternatives.x]\na = []', 5, "`x` is set twice"),
        (
            '[factors]\n"control.scheme" = ["efci"]\n"switch.control.scheme" = ["erica"]',
            5,
            "is the same parameter as `control.scheme`",
        ),
        (
            '[factors]\nx = [2]\n[derived]\n"switch.buffer" = "x*rtt*rate"\n[measures]\nx="events"',
            8,
            "data set already has a column `x`",
        ),
        ('[measures]\nx = "throughput_mbt"', 4, "unknown name `throughput_mbt`"),
        (
            '[measures]\nx = "packets_lost"\n[replications.until]\nmeasure = "x"\nhalf_width = "w"',
            7,
            "half_width",
        ),
        ('[design]\nkind = "sobol"\npoints = 4\n[factors]\nx = ["a"]', 7, "no expression uses `x`"),
    ],
)  # fmt: skip
def test_what_means_nothing_is_refused_where_it_stands(text: str, line: int, message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        study(text)
    [found] = caught.value.diagnostics
    assert (found["path"], found["line"]) == ("study.toml", line)
    assert message in caught.value.rendered


def test_seeds_are_those_of_the_study_and_there_are_enough() -> None:
    with pytest.raises(ScenarioError, match="4 seeds are needed"):
        parse_study(f"seed = {2**63 - 3}\n{HEAD}[replications]\ncount = 4", "s.toml")
    parse_study(f"seed = {2**63 - 3}\n{HEAD}[replications]\ncount = 3", "s.toml")
    with pytest.raises(BadInput, match="it has no effect in a study"):
        parse_study(HEAD, "s.toml", ["run.seed=7"])


def test_what_is_set_and_varied_is_said() -> None:
    text = HEAD + '[factors]\n"abr.rif" = [0.5, 0.25]'
    found = parse_study(text, "s.toml", ["abr.rif=0.125", "abr.rdf=0.125"])
    assert found.notes == ("`abr.rif=0.125` has no effect: the study varies it",)


def test_a_missing_scenario_is_located(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text('name = "x"\nscenario = "nowhere.toml"')
    with pytest.raises(ScenarioError) as caught:
        read(tmp_path / "s.toml")
    assert caught.value.diagnostics[0]["line"] == 2
    assert "nowhere.toml: No such file" in caught.value.rendered
    with pytest.raises(ScenarioError, match="cannot read"):
        parse_study('scenario = "a\\u0000b"', "s.toml")
