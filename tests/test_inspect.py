"""`cellrate new`, `validate`, `schema`, `list`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from cellrate import _core
from cellrate.language.measures import all_measures
from cellrate.simulation.purposes import KEYS, PURPOSES
from conftest import HERE, Command

LISTS = (
    "experiments",
    "measures",
    "schemes",
    "credit",
    "policies",
    "aqm",
    "roce",
    "schedules",
    "sources",
    "recoveries",
    "templates",
)
TEMPLATES = [entry["name"] for entry in json.loads(_core.registry())["templates"]]
OF_CELLS = [name for name in TEMPLATES if "link_layer" not in _core.template(name)]


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_template_is_commented_valid_and_runs(command: Command, template: str) -> None:
    text = command("new", template).stdout
    assert text.count("#") > 10
    done = command("validate", "-", stdin=text)
    assert done.returncode == 0, done.stderr
    assert "is a valid scenario" in done.stdout
    done = command("run", "-", "--json", stdin=text)
    assert done.returncode == 0, done.stderr
    hops_of = "cell_hops" if template in OF_CELLS else "packet_hops"
    ran = json.loads(done.stdout)[hops_of]
    assert ran > 0
    if template not in {*OF_CELLS, "router"}:
        # At most 5 % more than estimated, and a third fewer where hosts merge acknowledgements.
        least = 2 / 3 if template == "all-reduce" else 1 / 1.05
        assert least <= ran / _core.Scenario(text, template, []).cost()["hops"] <= 1.05


@pytest.mark.parametrize("what", LISTS)
def test_lists_are_json_arrays_of_names_and_readable_text(command: Command, what: str) -> None:
    names = json.loads(command("list", what, "--json").stdout)
    assert names
    assert all(isinstance(name, str) for name in names)
    assert len(set(names)) == len(names)
    lines = command("list", what).stdout.splitlines()
    assert [line.split()[0] for line in lines] == names


def test_without_a_name_every_component_is_listed_with_its_purpose(command: Command) -> None:
    printed = command("list").stdout
    assert [line for line in printed.splitlines() if len(line) > 80] == []
    lines = re.findall(r"^    (\S+) +(\S.*)$", printed, re.MULTILINE)
    listed = json.loads(command("list", "--json").stdout)
    assert lines == [
        (name, why)
        for kinds in listed.values()
        for names in kinds.values()
        for name, why in names.items()
    ]


@pytest.mark.parametrize("what", [what for what in LISTS if what != "templates"])
def test_every_component_of_a_kind_has_its_source(command: Command, what: str) -> None:
    lines = command("list", what).stdout.splitlines()
    assert [line for line in lines if not re.search(r" \[.+\]$", line)] == []


SCHEMAS = [json.loads(_core.schema(ethernet=over)) for over in (False, True)]
SECTIONS = {"topology", "switch", "flow"}
SETTINGS = {"run", "measure", "tcp", "abr", "aal5", "ethernet", "changes", "atm"}
"""Tables of a scenario that hold settings and choose nothing."""


def parts(node: dict[str, Any], definitions: dict[str, Any]) -> list[dict[str, Any]]:
    """A schema, and all that it refers to: by name, as an alternative or as an item of a list."""
    found = [node]
    if "$ref" in node:
        found += parts(definitions[node["$ref"].rpartition("/")[2]], definitions)
    for inner in (
        *node.get("oneOf", ()),
        *node.get("anyOf", ()),
        *filter(None, [node.get("items")]),
    ):
        found += parts(inner, definitions)
    return found


def at(key: str) -> list[dict[str, Any]]:
    """Schemas of a key of the scenario over both link layers."""
    found = []
    for schema in SCHEMAS:
        nodes = [schema]
        for name in filter(None, key.split(".")):
            nodes = [
                inner["properties"][name]
                for node in nodes
                for inner in parts(node, schema["$defs"])
                if name in inner.get("properties", ())
            ]
        found += [inner for node in nodes for inner in parts(node, schema["$defs"])]
    return found


def values(key: str) -> set[str]:
    """Values among which a key chooses: texts, or tables with a name in their first key."""
    tables = [one for part in at(key) for one in part.get("properties", {}).values()]
    return {one["const"] for one in [*at(key), *tables] if "const" in one}


def test_no_component_is_without_a_purpose() -> None:
    known = {kind: names for kinds in PURPOSES.values() for kind, names in kinds.items()}
    known["keys"] = {
        key: why for kinds in PURPOSES.values() for key, why in kinds.get("keys", {}).items()
    }
    registry = json.loads(_core.registry())
    listed = {kind: [one["name"] for one in entries] for kind, entries in registry.items()}
    assert {kind: list(known[kind]) for kind in listed} == listed
    assert set(KEYS) == set(registry)
    tables_of_measures = {one.table for one in all_measures().values()}
    assert set(known["measures"]) == tables_of_measures
    for kind in known.keys() - registry.keys() - {"keys", "measures"}:
        assert set(known[kind]) - {"atm"} == values(kind), kind
    for kind, key in KEYS.items():
        assert not key or values(key) | {"none"} >= set(known[kind]), kind
    assert [key for key in known["keys"] if not at(key)] == []
    # A table of a scenario that is neither settings nor a choice among components is a mechanism.
    chosen = {*known, *known["keys"], *KEYS.values(), *known["credit"], *known["pauses"]}
    for section in ("", "switch.", "flow."):
        for name in {name for part in at(section) for name in part.get("properties", ())}:
            key = f"{section}{name}"
            is_table = any("properties" in part for part in at(key))
            if is_table and name not in SECTIONS | SETTINGS:
                assert any(f"{one}.".startswith(f"{key}.") for one in chosen), key


def test_lists_hold_what_the_field_expects(command: Command) -> None:
    def listed(what: str) -> set[str]:
        return set(json.loads(command("list", what, "--json").stdout))

    assert {"none", "efci", "erica"} <= listed("schemes")
    assert listed("credit") == {"fcvc"}
    assert {"tail-drop", "ppd", "epd", "intelligent-tail-drop"} <= listed("policies")
    assert {"tahoe", "reno", "timeout-only", "sack", "jacobson88"} <= listed("recoveries")
    assert {
        "greedy",
        "transfer",
        "cbr",
        "on-off",
        "exponential-on-off",
        "mmdp",
        "mpeg2",
        "transport-stream",
        "rate-trace",
        "messages",
        "www",
    } <= listed("sources")
    assert {"n-source", "parking-lot", "gfc-1", "gfc-2", "satellite", "graph"} <= listed(
        "templates"
    )


def test_a_measure_is_listed_with_all_that_it_is(command: Command) -> None:
    done = command("list", "measures", "flows.tcp_throughput_bits_per_second")
    assert done.returncode == 0, done.stderr
    for word in ("bit/s", "8 delivered_bytes / window", "Kalyanaraman 97 section 8.8"):
        assert word in done.stdout
    # A key without its table is looked for in all of them, and in the language of measures.
    found = json.loads(command("list", "measures", "cell_loss_ratio", "--json").stdout)
    tables = {one["table"] for one in found}
    assert tables == {"run", "classes", "ports", "atm_ports", "expressions"}
    wrong = command("list", "measures", "trougput_mbit")
    assert wrong.returncode == 2
    assert "did you mean 'throughput_mbit'?" in wrong.stderr
    assert len(wrong.stderr) < 1000


def test_one_of_a_list_can_be_asked_for(command: Command) -> None:
    assert command("list", "schemes", "erica").stdout.startswith("erica ")
    assert command("list", "schemes", "--json", "erica").stdout == '["erica"]\n'
    wrong = command("list", "policies", "edp")
    assert wrong.returncode == 2
    assert "did you mean" in wrong.stderr
    of_paper = json.loads(command("list", "experiments", "fmmra", "--json").stdout)
    assert "fmmra-fig4" in of_paper
    assert all(name.startswith("fmmra-") for name in of_paper)


def test_the_schema_is_a_json_schema_of_every_section(command: Command) -> None:
    schema = json.loads(command("schema").stdout)
    assert schema["$schema"].startswith("https://json-schema.org/")
    names = "run measure topology switch fcvc link_errors tcp abr aal5 flow changes"
    assert " ".join(schema["properties"]) == names


def test_validate_prints_json(command: Command) -> None:
    text = command("new", "n-source").stdout
    found = json.loads(command("validate", "-", "--json", stdin=text).stdout)
    assert found["warnings"] == []
    estimate = found["estimate"]
    assert 0 < estimate["memory_bytes"] < estimate["available_bytes"]
    assert sum(need["bytes"] for need in estimate["needs"]) == estimate["memory_bytes"]
    assert estimate["seconds"] == pytest.approx(
        estimate["cell_hops"] * estimate["nanoseconds_per_cell_hop"] * 1e-9, rel=1e-6
    )


WARNED = [
    ("--set", "measure.from=60 ms", "--set", "run.duration=100 ms"),
    ("--set", "abr.pcr=200 Mbit/s"),
    ("--set", "tcp.min_rto=1.234567891 ms"),
    ("--set", "flow.tcp.start=5 s"),
    ("--set", "topology.bottleneck=123456.789 km", "--set", "measure.from=1 ms"),
]


@pytest.mark.parametrize("settings", WARNED, ids=["window", "pcr", "rto", "late", "far"])
def test_validate_warns_as_run_does(command: Command, settings: tuple[str, ...]) -> None:
    """Of all that run warns of, only what it has seen itself is missing."""
    text = command("new", "n-source").stdout
    checked = command("validate", "-", *settings, stdin=text)
    done = command("run", "-", *settings, stdin=text)
    assert checked.returncode == done.returncode == 0, checked.stderr
    warnings = [line for line in checked.stderr.splitlines() if line.startswith("warning[")]
    assert warnings
    seen = "buffer-never-filled", "window-empty", "events-omitted"
    told = [line for line in done.stderr.splitlines() if line.startswith("warning[")]
    assert warnings == [
        line for line in told if not line.startswith(tuple(f"warning[{s}" for s in seen))
    ]
    assert not re.search(r"\d{5,} ps", checked.stderr + done.stderr)


def test_a_warning_of_many_flows_is_one(command: Command) -> None:
    text = command("new", "n-source").stdout
    settings = ("--set", "flow.tcp.count=15", "--set", "abr.icr=10 cells/s")
    late = ("--set", "flow.tcp.start=5 s")
    told = command("validate", "-", "--set", "flow.tcp.count=15", *late, stdin=text).stderr
    assert re.search(
        r"never-starts\]: all 15 flows of group tcp start at the earliest at 5 s", told
    ), told
    short = (
        "--set",
        "run.duration=30 ms",
        "--set",
        "measure.from=0 s",
        "--set",
        "abr.tcr=1 Gbit/s",
    )
    told = command("run", "-", *settings, *short, stdin=text).stderr
    empty = [line for line in told.splitlines() if "window-empty" in line]
    assert len(empty) == 1, told


def test_what_validate_says_fits_the_terminal_and_the_files(
    command: Command, tmp_path: Path
) -> None:
    """The bounds of files and of cell-hops against those of a run."""
    text = command("new", "n-source").stdout
    events = ("--set", 'measure.events=["loss", "timeout", "retransmission", "mark"]')
    checked = command("validate", "-", *events, stdin=text)
    table = checked.stdout.partition("\n\n    ")[0]
    assert max(map(len, table.splitlines())) <= 80, table
    estimate = json.loads(command("validate", "-", "--json", *events, stdin=text).stdout)[
        "estimate"
    ]
    done = command("run", "-", "--json", *events, "--out", tmp_path / "out", stdin=text)
    assert json.loads(done.stdout)["cell_hops"] <= estimate["most_cell_hops"]
    # A file of Parquet has some kilobytes of names and schema, too.
    for name, key in (("traces", "most_trace_bytes"), ("events", "most_event_bytes")):
        size = (tmp_path / "out" / f"{name}.parquet").stat().st_size
        assert 0 < size < estimate[key] + 20_000, name


PEAK = """
import sys
from cellrate import _core

def told(what):
    lines = open("/proc/self/status").read().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(what))

scenario = _core.Scenario(open(sys.argv[1]).read(), "s.toml", sys.argv[2:])
before = told("VmRSS")
scenario.run()
print(told("VmHWM") - before)
"""
LARGE = {
    "satellite": (),
    "gfc-1": (),
    "parking-lot": ("flow.0.count=50",),
    "n-source": ("abr.tcr=622 Mbit/s", "run.duration=300 ms", "measure.from=100 ms"),
    "n-source-vbr": ("topology.bottleneck=20000 km", "measure.cell_delay=true"),
}


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel tells the peak in /proc")
@pytest.mark.parametrize("template", LARGE)
def test_no_run_takes_more_memory_than_validate_says(
    command: Command, tmp_path: Path, template: str
) -> None:
    """The growth of the process during a run against the bound, which is not absurdly high."""
    path = tmp_path / "large.toml"
    path.write_text(command("new", template).stdout, encoding="utf-8")
    settings = LARGE[template]
    code = [sys.executable, "-c", PEAK, str(path), *settings]
    grown = int(subprocess.run(code, capture_output=True, text=True, check=True).stdout)
    options = [part for setting in settings for part in ("--set", setting)]
    found = json.loads(command("validate", path, "--json", *options).stdout)["estimate"]
    assert grown <= found["memory_bytes"], (grown, found)
    # Rates that begin far too high may fill queues: the bound of gfc-1 is far off.
    assert template == "gfc-1" or grown > found["memory_bytes"] / 20, (grown, found)


@pytest.mark.parametrize(
    ("setting", "meant"),
    [
        ("buffer=5", "switch.buffer"),
        ("mss=512 bytes", "tcp.mss"),
        ("scheme=efci", "switch.control.scheme"),
        ("access=5 km", "topology.access"),
    ],
)
def test_a_bare_key_leads_to_its_path_as_it_does_in_vary(
    command: Command, setting: str, meant: str
) -> None:
    text = command("new", "n-source").stdout
    done = command("validate", "-", "--set", setting, stdin=text)
    assert done.returncode == 2
    assert re.search(rf"did you mean .*`{re.escape(meant)}`", done.stderr), done.stderr


def test_bytes_per_second_are_converted_to_bits(command: Command) -> None:
    text = command("new", "n-source").stdout
    done = command("validate", "-", "--set", "topology.link_rate=155 MB/s", stdin=text)
    assert done.returncode == 2
    assert "did you mean `1240 Mbit/s`?" in done.stderr


def test_measures_are_listed_by_their_path_in_the_summary(command: Command) -> None:
    names = json.loads(command("list", "measures", "--json").stdout)
    assert {"totals.jain_index", "ports[].queues[].queue_max_before_window_cells"} <= set(names)
    for asked in ("ports.queues.queue_max_cells", "queues.queue_max_cells", "queue_max_cells"):
        shown = command("list", "measures", asked).stdout
        assert shown.startswith("ports[].queues[].queue_max_cells"), shown


def test_the_version_is_the_package_s(command: Command) -> None:
    manifest = tomllib.loads((HERE.parent / "Cargo.toml").read_text(encoding="utf-8"))
    assert command("--version").stdout.strip() == manifest["workspace"]["package"]["version"]


@pytest.mark.parametrize(
    ("measure", "meant"),
    [
        ("throughputt", "throughput"),
        ("longest_queue_cell", "longest_queue_cells"),
        ("jain_index", "totals.jain_index"),
        ("2 * totals.jain_indx", "totals.jain_index"),
    ],
)
def test_a_measure_that_no_run_has_is_refused_before_any_run(
    command: Command, tmp_path: Path, measure: str, meant: str
) -> None:
    """By `compare` and by `study`; a run would leave its result."""
    (tmp_path / "mine.toml").write_text(command("new", "n-source").stdout, encoding="utf-8")
    vary = ("--vary", "switch.buffer=500 cells,1000 cells")
    done = command("compare", "mine.toml", *vary, "--measure", measure, cwd=tmp_path)
    assert done.returncode == 2
    assert f"did you mean `{meant}`?" in " ".join(done.stderr.split())
    # The store of results was opened, and is empty.
    assert {path.name for path in (tmp_path / "out").rglob("*") if path.is_file()} <= {"format"}
    study = f'scenario = "mine.toml"\n[measures]\nx = "{measure}"\n'
    (tmp_path / "study.toml").write_text(study, encoding="utf-8")
    if measure != "throughputt":
        done = command("study", "study.toml", cwd=tmp_path)
        assert done.returncode == 2
        assert f"did you mean `{meant}`?" in " ".join(done.stderr.split())
