"""Every bad scenario: exit code 2, nothing on standard output, one diagnostic that says where."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import HERE, Command, Finished, same_as_golden

BAD = HERE / "bad_input"
# The memory that the machine has left.
MEASURED = re.compile(r"\d+(\.\d+)? ([kKMGT]i?B|bytes)(?= are available)")


def refused(done: Finished) -> str:
    """The diagnostic of a refused scenario."""
    assert done.returncode == 2, done.stdout
    assert done.stdout == ""
    assert len(re.findall(r"^error", done.stderr, re.MULTILINE)) == 1, done.stderr
    return done.stderr


@pytest.mark.parametrize("path", sorted(BAD.glob("*.toml")), ids=lambda path: path.stem)
def test_a_bad_file_is_refused_where_it_is_bad(command: Command, path: Path) -> None:
    diagnostic = refused(command("run", path.name, cwd=BAD))
    assert re.search(rf"{path.name}:\d+:\d+", diagnostic), diagnostic
    same_as_golden(path.with_suffix(".txt"), MEASURED.sub("SIZE", diagnostic))
    checked = refused(command("validate", path.name, cwd=BAD))
    assert MEASURED.sub("SIZE", checked) == MEASURED.sub("SIZE", diagnostic)


def test_a_refusal_for_memory_names_its_cause_with_its_number(
    command: Command, tmp_path: Path
) -> None:
    """Windows of 1 GiB: 2,097,152 segments, each of 12 cells and 2 of its acknowledgement."""
    (tmp_path / "much.toml").write_text(command("new", "n-source").stdout, encoding="utf-8")
    pairs = ("flow.tcp.count=10000", "tcp.window=1 GiB", "run.duration=1000 s")
    settings = [part for pair in pairs for part in ("--set", pair)]
    diagnostic = refused(command("validate", "much.toml", *settings, cwd=tmp_path))
    cells = f"{10_000 * 2_097_152 * (12 + 2):,}"
    assert re.search(rf"are available: 17.1 TiB for {cells} cells in TCP's windows\n", diagnostic)
    assert "--set:1:12" in diagnostic
    assert "traces" not in diagnostic
    run = refused(command("run", "much.toml", *settings, cwd=tmp_path))
    assert MEASURED.sub("SIZE", run) == MEASURED.sub("SIZE", diagnostic)


def test_a_standard_violation_is_a_warning_if_not_strict(command: Command) -> None:
    path = BAD / "rif-no-power-of-two.toml"
    loose = "--set", "run.strict=false"
    done = command("validate", path.name, *loose, cwd=BAD)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^warning: .*RIF|rif", done.stderr, re.MULTILINE)
    assert re.search(rf"{path.name}:\d+:\d+", done.stderr)
    assert command("run", path.name, *loose, cwd=BAD).returncode == 0


def test_a_bad_setting_is_refused(command: Command, traced: Path) -> None:
    for setting, named in [
        ("tcp.mms=512 bytes", "mms"),
        ("tcp.mss=12 ms", "12 ms"),
        ("flow.udp.count=1", "udp"),
        ("flow.7.count=1", "7"),
        ("tcp.mss", "tcp.mss"),
        ("=1", "=1"),
    ]:
        assert named in refused(command("run", traced, "--set", setting))


def test_binary_data_is_no_scenario(command: Command, tmp_path: Path) -> None:
    (tmp_path / "binary.toml").write_bytes(b"[run]\nduration = \xff\xfe\x00\x01")
    diagnostic = refused(command("run", "binary.toml"))
    assert "byte 0xff is not UTF-8 text" in diagnostic
    assert "binary.toml:2:12" in diagnostic
    (tmp_path / "zeros.toml").write_bytes(bytes(1000))
    assert "zeros.toml:1:1" in refused(command("run", "zeros.toml"))


@pytest.mark.parametrize(
    ("head", "repeated"),
    [("a = ", "[["), ("a", "={b"), ("[a", ".a")],
    ids=["arrays", "inline", "keys"],
)
def test_ten_megabytes_of_nesting_are_refused(
    command: Command, tmp_path: Path, head: str, repeated: str
) -> None:
    size = 10_000_000 // len(repeated)
    (tmp_path / "nested.toml").write_text(head + repeated * size, encoding="ascii")
    diagnostic = refused(command("run", "nested.toml"))
    assert re.search(r"nested\.toml:\d+:\d+", diagnostic)
    assert len(diagnostic) < 10_000


def test_many_tables_are_refused(command: Command, tmp_path: Path) -> None:
    lines = "".join(f"[table{number}.a.b.c]\n" for number in range(20_000))
    (tmp_path / "tables.toml").write_text(lines, encoding="ascii")
    done = command("run", "tables.toml")
    assert done.returncode == 2
    assert "tables.toml:1:2" in done.stderr
    assert re.search(r"\d+ more faults are not shown", done.stderr)
    assert len(done.stderr) < 10_000


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["run", "missing.toml"], "missing.toml: No such file"),
        (["run", "."], "Is a directory"),
        (["run"], "FILE"),
        (["run", "x.toml", "--sed", "3"], "--seed"),
        (["run", "x.toml", "--seed", "-1"], "--seed"),
        (["run", "x.toml", "--seed", "some"], "--seed"),
        (["walk"], "walk"),
        (["new", "n-sorce"], "did you mean 'n-source'"),
        (["list", "scheme"], "did you mean 'schemes'"),
        (["reproduce", "osaki95"], "did you mean 'ohsaki95'"),
        (["reproduce", "ohsaki95", "fig99"], "ohsaki95-fig99"),
        (["reproduce", "--seeds", "0"], "--seeds"),
    ],
)
def test_a_bad_command_line_is_refused(command: Command, arguments: list[str], named: str) -> None:
    assert named in refused(command(*arguments))
