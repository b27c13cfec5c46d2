"""Captures: the same run, real octets, there whole or not at all."""

from __future__ import annotations

import json
import shlex
import struct
from collections.abc import Iterator
from pathlib import Path

import cellrate
import pytest
from cellrate.cli.app import BAD_INPUT, run_command
from cellrate.cli.one_run import ALONE, SET_UP
from cellrate.simulation.network import Network
from conftest import SCENARIOS, Command, Finished, shell

from proof.oracles.tshark.cases import lossy

LOSSY = lossy(seconds=3.0, size="60 kB").text
# With this seed many segments are sent again.
LOSSIER = lossy(seconds=3.0, size="60 kB", seed=2).text


def packets(path: Path) -> Iterator[tuple[float, bytes]]:
    """Time and octets of each packet of a pcap file with nanoseconds."""
    data = path.read_bytes()
    assert struct.unpack_from("<IHH", data) == (0xA1B23C4D, 2, 4)
    at = 24
    while at < len(data):
        seconds, nanoseconds, length, whole = struct.unpack_from("<4I", data, at)
        assert length == whole
        yield seconds + nanoseconds * 1e-9, data[at + 16 : at + 16 + length]
        at += 16 + length


@pytest.mark.parametrize("scenario", ["efci", "graph", "credit", "single-switch", "traced"])
def test_the_captured_run_is_the_measured_one(scenario: str, tmp_path: Path) -> None:
    path = SCENARIOS / f"{scenario}.toml"
    nodes = Network.of(path.read_text("utf-8"), str(path)).nodes
    taps = [f"{node.name}:erf" for node in nodes]
    settings = {"run.duration": "20 ms", "measure.from": "0 s"}
    taken = cellrate.capture(path, taps, tmp_path / "result", overrides=settings)
    # `capture` raises an error if the two engines end differently.
    assert taken.index["digest"] == taken.result.digest
    assert sum(file.stat().st_size for file in taken.files) > 10_000
    assert (tmp_path / "result" / "summary.json").exists()


def test_a_stream_is_what_was_sent_and_what_is_sent_again_is_the_same(tmp_path: Path) -> None:
    told: list[tuple[float, int]] = []
    taps = ["senders:ip", "receivers:ip"]
    taken = cellrate.capture(
        LOSSIER, taps, tmp_path / "result", progress=lambda *step: told.append(step)
    )
    assert told == sorted(told), "progress goes on"
    assert {total for _, total in told} == {2}, "of two runs"
    [flow] = [flow for flow in taken.index["flows"] if flow["name"] == "newreno.1"]
    number_of_flow = taken.index["flows"].index(flow)
    for path in taken.files:
        stream, again = bytearray(60_000), 0
        for _, packet in packets(path):
            header, number = packet[32] >> 2, int.from_bytes(packet[24:28], "big")
            payload, port = packet[20 + header :], int.from_bytes(packet[20:22], "big")
            if not payload or port != flow["ports"][0]:
                continue
            begin = (number - flow["first_numbers"][0] - 1) % (1 << 32)
            before = stream[begin : begin + len(payload)]
            assert before in (bytes(len(payload)), payload), "what is sent again is the same"
            again += before == payload
            stream[begin : begin + len(payload)] = payload
        assert stream == b"".join(
            b"%05x>%09x\n" % (number_of_flow, line) for line in range(60_000 // 16)
        )
        if path.name.startswith("senders"):
            [summary] = [one for one in taken.result.summary["flows"] if one["name"] == "newreno.1"]
            assert again == summary["segments_retransmitted"] > 20


SHORT = ["run", "lossy.toml", "--json", "--set", "run.duration=0.3 s"]
CAPTURED = [*SHORT, "--capture", "X->receivers:ip", "--out", "result"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Finished, Path]:
    """A capture of all that comes to the receivers, by the command, and where it is."""
    place = tmp_path_factory.mktemp("whole")
    (place / "lossy.toml").write_text(LOSSY)
    return shell(shlex.join(["cellrate", *CAPTURED]), place), place


def test_only_what_passes_within_the_span_is_written(
    whole: tuple[Finished, Path], command: Command, tmp_path: Path
) -> None:
    (tmp_path / "lossy.toml").write_text(LOSSY)
    part = command(*CAPTURED, "--capture-from", "20 ms", "--capture-to", "0.06 s")
    summaries = [json.loads(done.stdout) for done in (whole[0], part)]
    assert summaries[0]["digest"] == summaries[1]["digest"]
    all_of_them, some = (
        list(packets(place / "result" / "captures" / "X-to-receivers.ip.pcap"))
        for place in (whole[1], tmp_path)
    )
    assert some == [packet for packet in all_of_them if 0.02 <= packet[0] < 0.06]
    assert 10 < len(some) < len(all_of_them)


def test_it_is_said_whether_the_captured_run_is_the_one_without(
    whole: tuple[Finished, Path], command: Command, tmp_path: Path
) -> None:
    (tmp_path / "lossy.toml").write_text(LOSSY)
    without = command(*SHORT)
    assert "note:" not in without.stderr
    as_it_is = command(*CAPTURED, "--set", "tcp.connection_setup=false")
    for captured, note in ((whole[0], SET_UP), (as_it_is, ALONE)):
        assert f"note: {note}\n" in captured.stderr
        digests = [json.loads(done.stdout)["digest"] for done in (without, captured)]
        assert (digests[0] == digests[1]) == (note == ALONE)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--capture", "X->me"], "there is no place `X->me` to capture at"),
        (["--capture", "X:pcap"], "there is no capture format `pcap`"),
        (["--capture", "X", "--capture", "X:ip"], "`X` is captured twice"),
        (["--capture-to", "1 s"], "--capture-to has no effect without --capture"),
        (["--capture", "X", "--capture-to", "1 km"], "--capture-to"),
        (
            ["--capture", "X", "--capture-from", "2 s", "--capture-to", "1 s"],
            "is not after --capture-from 2 s",
        ),
        (["--capture", "X", "--capture-from", "20 s"], "--capture-from 20 s: the run ends at"),
        (["--capture", "X", "--capture-to", "90 s"], "--capture-to 90 s: the run ends at"),
        (
            ["--capture", "X", "--set", "tcp.header_bytes=20"],
            "`tcp.header_bytes` of `timeout-only.1`",
        ),
    ],
)
def test_what_cannot_be_captured_is_refused(
    arguments: list[str],
    complaint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lossy.toml").write_text(LOSSY)
    assert run_command(["run", "lossy.toml", *arguments]) == BAD_INPUT
    told = capsys.readouterr().err
    assert told.startswith("error: --capture")
    assert complaint in told
    assert sorted(entry.name for entry in tmp_path.iterdir()) in (
        ["lossy.toml"],
        ["lossy.toml", "out"],
    )


def test_a_directory_of_somebody_else_is_refused_before_anything_runs(
    endless: Path, tmp_path: Path
) -> None:
    (tmp_path / "thesis.tex").touch()
    told: list[float] = []
    with pytest.raises(FileExistsError, match=r"holds thesis\.tex"):
        cellrate.capture(endless, ["A:ip"], tmp_path, progress=lambda done, _: told.append(done))
    assert told == []
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "lossy.toml").write_text(LOSSY)
    # Blocks of 512 bytes: what a full disk does, after 51,200 of them.
    command = "cellrate run lossy.toml --capture X:cells --out result"
    done = shell(f"ulimit -f 100; exec {command}", tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("error: cannot write result: File too large")
    assert "Traceback" not in done.stderr
    assert [entry.name for entry in tmp_path.iterdir()] == ["lossy.toml"]


def test_the_dissector_is_where_the_command_says(command: Command) -> None:
    path = Path(command("dissector").stdout.rstrip("\n"))
    assert "register_postdissector" in path.read_text("utf-8")


def test_the_longest_pdu_is_captured(tmp_path: Path) -> None:
    """65,535 octets with LLC/SNAP: a record of ERF keeps what a length of 16 bits counts."""
    changes = {
        "tcp.mss": "65487 bytes",
        "tcp.window": "1 MiB",
        "run.duration": "100 ms",
        "measure.from": "0 s",
    }
    text, taps = cellrate.template("n-source"), ["A->B:pdus,ip"]
    taken = cellrate.capture(text, taps, tmp_path / "o", overrides=changes)
    [records] = [path.read_bytes() for path in taken.files if path.suffix == ".erf"]
    [ip] = [path for path in taken.files if path.suffix == ".pcap"]
    at, longest = 0, 0
    while at < len(records):
        length = int.from_bytes(records[at + 10 : at + 12], "big")
        longest, at = max(longest, length), at + length
    assert (at, longest) == (len(records), 65_535)
    assert max(len(octets) for _, octets in packets(ip)) == 65_527
