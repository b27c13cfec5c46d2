"""The lab's server and its page of one file; the page itself is tested in a real browser."""

from __future__ import annotations

import json
import random
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path

import pytest
from cellrate.common.problems import BadInput
from cellrate.lab import pages
from cellrate.lab.pages import Given, given, single_page
from cellrate.lab.server import HOST, LabServer
from conftest import Command

SCENARIO = Given("x </script><script>", "[run]\n", (("run.seed", "2"),))


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page in the form that `make lab` gives it, beside a file that it must not serve."""
    place = tmp_path / "pages"
    place.mkdir()
    for name in pages.TYPES:
        (place / name).write_text(f"the {name} of the lab")
    (place / pages.SINGLE).write_text("<body><!--given--><script></script>")
    (place / "secret").write_text("secret")
    (tmp_path / "secret").write_text("secret")
    monkeypatch.setattr(pages, "PLACE", place)
    return place


@pytest.fixture
def server(built: Path) -> Iterator[LabServer]:
    assert built.is_dir()
    with LabServer(SCENARIO) as serving:
        thread = threading.Thread(target=serving.serve_forever, args=(0.01,))
        thread.start()
        yield serving
        serving.shutdown()
        thread.join()


def asked(server: LabServer, path: str, **headers: str) -> tuple[int, bytes, dict[str, str]]:
    connection = HTTPConnection(HOST, server.server_port, timeout=10)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    found = answer.status, answer.read(), dict(answer.getheaders())
    connection.close()
    return found


def test_it_serves_its_files_and_the_scenario_and_says_what_they_are(server: LabServer) -> None:
    for name, kind in pages.TYPES.items():
        status, content, headers = asked(server, f"/{name}")
        assert (status, content) == (200, f"the {name} of the lab".encode())
        assert headers["Content-Type"] == kind
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert asked(server, "/?given")[1] == b"the index.html of the lab"
    given_json = json.loads(asked(server, "/given.json")[1])
    assert given_json["set"] == [["run.seed", "2"]]


def test_it_listens_to_this_machine_alone(server: LabServer) -> None:
    assert server.server_address[0] == "127.0.0.1"
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?given", server.address)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "[::1]:80", ""])
def test_another_host_is_refused(server: LabServer, host: str) -> None:
    status, content, _ = asked(server, "/", Host=host)
    assert (status, content) == (421, b"")


PARTS = ["..", ".", "%2e%2e", "%2E.", "secret", "pages", "index.html", "engine.wasm", "given.json"]
PARTS += [
    "~",
    "%00",
    "\\..\\",
    "etc",
    "passwd",
    "C:",
    "http://127.0.0.1",
    "?given",
    "#x",
    "//",
    ";",
]


def path_of(numbers: random.Random) -> bytes:
    """A path of parts that may lead out of a folder, or of any bytes of a request line."""
    if numbers.random() < 0.2:
        return b"/" + bytes(numbers.choice(range(0x21, 0xFF)) for _ in range(numbers.randrange(40)))
    return ("/" + "/".join(numbers.choices(PARTS, k=numbers.randrange(1, 7)))).encode()


@pytest.mark.parametrize("count", [5_000, pytest.param(100_000, marks=pytest.mark.long)])
def test_no_random_path_reaches_another_file(server: LabServer, count: int) -> None:
    numbers = random.Random(7)  # noqa: S311
    own = {content for _, content in server.served.values()}
    batch, left = 500, count
    found = 0
    while left:
        head = f" HTTP/1.1\r\nHost: {server.hosts[0]}\r\n\r\n".encode()
        # The last asks for the end of the connection.
        last = head.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
        paths = [path_of(numbers) for _ in range(batch)]
        answers, is_reset = asked_at_once(
            server,
            b"".join(b"GET " + path + (last if path is paths[-1] else head) for path in paths),
        )
        assert b"secret" not in answers
        read = list(read_answers(answers, is_reset=is_reset))
        assert read
        for status, content in read:
            assert status in (200, 400, 404)
            assert content in own if status == 200 else b"root:" not in content
            found += status == 200
        # A request that cannot be read ends its connection; others take the place of its batch.
        left -= min(len(read), left)
    assert found > 100


def asked_at_once(server: LabServer, requests: bytes) -> tuple[bytes, bool]:
    """All that came back until the server closed the connection; True if that was reset.

    A request that it cannot read makes it close with the later ones unread; TCP then resets the
    connection (RFC 9293, section 3.6.1), and what had not been read by then may be lost.
    """
    answers, is_reset = bytearray(), True
    with socket.create_connection((HOST, server.server_port), timeout=30) as connection:
        with suppress(ConnectionResetError, BrokenPipeError):
            connection.sendall(requests)
        with suppress(ConnectionResetError):
            while more := connection.recv(1 << 20):
                answers += more
            is_reset = False
    return bytes(answers), is_reset


def read_answers(stream: bytes, *, is_reset: bool) -> Iterator[tuple[int, bytes]]:
    """Status and content of each answer; the last may be cut only if the connection was reset."""
    while stream:
        head, _, rest = stream.partition(b"\r\n\r\n")
        lengths = re.findall(rb"Content-Length: (\d+)", head)
        if not lengths or len(rest) < int(lengths[0]):
            assert is_reset
            return
        length = int(lengths[0])
        yield int(head.split(b" ")[1]), rest[:length]
        stream = rest[length:]


def test_a_page_of_one_file_has_the_scenario_and_no_name_breaks_out_of_it(built: Path) -> None:
    assert built.is_dir()
    page = single_page(SCENARIO)
    data = re.fullmatch(
        r'<body><script type="application/json" id="given">(.*)</script><script></script>', page
    )
    assert data is not None
    assert json.loads(data[1])["name"] == SCENARIO.name


def test_overrides_become_pairs_and_a_seed_is_one(tmp_path: Path, command: Command) -> None:
    text = command("new", "n-source").stdout
    settings = ("flow.tcp.count=3", 'switch.control={scheme="efci"}')
    found = given("x.toml", text, settings, 7)
    assert found.set == (
        ("flow.tcp.count", "3"),
        ("switch.control", '{scheme="efci"}'),
        ("run.seed", "7"),
    )
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(text.replace("link_rate", "link_rat"))
    done = command("lab", str(wrong), "--no-browser")
    assert done.returncode == 2
    assert "did you mean `link_rate`?" in done.stderr


def test_a_scenario_over_ethernet_is_given_as_one_of_cells(command: Command) -> None:
    text = command("new", "leaf-spine").stdout
    settings = ("topology.leaves=2",)
    assert given("x.toml", text, settings, None) == Given(
        "x.toml", text, (("topology.leaves", "2"),)
    )


def test_options_that_need_a_scenario_say_so(command: Command) -> None:
    for options in (["--export", "x.html"], ["--set", "a=1"], ["--seed", "2"]):
        done = command("lab", *options)
        assert done.returncode == 2
        assert "--set, --seed and --export need a scenario" in done.stderr


def test_an_experiment_of_formulas_has_no_run_to_watch(command: Command) -> None:
    done = command("lab", "gerla95-eq2-bound")
    assert done.returncode == 2
    assert "gerla95-eq2-bound is computed by formulas, so the lab has no run to show" in done.stderr


def test_a_page_that_is_not_built_says_how(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(pages, "PLACE", tmp_path)
    with pytest.raises(BadInput, match="`make lab`, which needs node and npm; wheels have it"):
        LabServer(None)


def test_a_port_that_is_taken_is_told(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cellrate.cli.lab import lab

    assert built.is_dir()
    monkeypatch.setattr("webbrowser.open", lambda _: True)
    with LabServer(None) as first:
        taken = first.server_port
        with pytest.raises(BadInput, match=rf"--port {taken}: cannot serve at 127\.0\.0\.1"):
            lab(port=taken)
