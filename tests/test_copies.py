"""Work that copies of a process share: results and errors as in a loop, and no copy is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import signs
from cellrate.common.forks import shared_out

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="copies are made on Linux only")

BEGIN = """
import os, sys, threading, time
from cellrate.common.forks import shared_out

here = os.getpid()
def after(seconds, result):
    time.sleep(seconds)
    return result
"""


def script(lines: str) -> subprocess.CompletedProcess[str]:
    """Runs lines in a process of their own, as copies are made only of one without threads."""
    command = [sys.executable, "-c", BEGIN + lines]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_results_are_in_order_whoever_ends_first() -> None:
    done = script(
        "parts = [lambda n=n: after(0.3 * (n % 3 == 0), (n, os.getpid())) for n in range(7)]\n"
        "found = shared_out(parts, 3)\n"
        "assert [number for number, _ in found] == list(range(7))\n"
        "places = {place for _, place in found}\n"
        "assert len(places) == 3 and here not in places, (here, found)\n"
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("parts", "workers"), [(3, 1), (1, 9), (0, 9)])
def test_what_need_not_be_shared_stays_in_one_process(parts: int, workers: int) -> None:
    done = script(f"assert shared_out([os.getpid] * {parts}, {workers}) == [here] * {parts}")
    assert (done.returncode, done.stderr) == (0, "")


def test_no_copy_is_made_of_a_process_with_threads() -> None:
    over = threading.Event()
    other = threading.Thread(target=over.wait)
    other.start()
    try:
        assert shared_out([os.getpid] * 3, 3) == [os.getpid()] * 3
    finally:
        over.set()
        other.join()


def test_the_error_is_that_of_the_first_that_fails() -> None:
    done = script(
        "def failing(number):\n"
        "    time.sleep(0.5 - 0.1 * number)\n"
        "    raise LookupError(f'part {number} in {here == os.getpid()}')\n"
        "shared_out([lambda: 0, *(lambda n=n: failing(n) for n in (1, 2, 3))], 3)\n"
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "LookupError: part 1 in True"


def test_what_a_copy_loses_is_done_again() -> None:
    done = script(
        "ends = lambda n: os._exit(3) if n == 2 and os.getpid() != here else n\n"
        "found = shared_out([lambda n=n: ends(n) for n in range(6)], 2)\n"
        "assert found == list(range(6)), found\n"
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_an_interrupt_ends_the_copies_without_a_word_of_theirs(tmp_path: Path) -> None:
    lines = (
        "def wait(number):\n"
        "    open(f'{number}-{os.getpid()}', 'w').close()\n"
        "    time.sleep(600)\n"
        "shared_out([lambda n=n: wait(n) for n in range(2)], 2)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", BEGIN + lines],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    signs.wait_for(lambda: len(list(tmp_path.iterdir())) == 2, process)
    # As a terminal does it: to all processes of the group.
    os.killpg(process.pid, signal.SIGINT)
    told = signs.end_of(process)
    assert told.count("Traceback") == told.count("KeyboardInterrupt") == 1
    for name in tmp_path.iterdir():
        copy = int(name.name.partition("-")[2])
        with pytest.raises(ProcessLookupError):
            os.kill(copy, 0)


@pytest.mark.long
def test_pages_do_not_depend_on_the_number_of_processes(tmp_path: Path) -> None:
    """Figures, values, claims, errata, checks, and what is printed; runs are made once."""
    count = (
        "import os, sys\n"
        "made = []\n"
        "os.register_at_fork(after_in_parent=lambda: made.append(1))\n"
        "from cellrate.cli import main\n"
        "try:\n"
        "    sys.exit(main())\n"
        "finally:\n"
        "    sys.stderr.write(f'{len(made)} copies')\n"
    )
    found = []
    for workers, copies in (("1", 0), ("2", 6)):
        names = ["ohsaki95-fig8b", "ohsaki95-text-cells", "kalyan97-fig8.2", "kalyan97-text-cells"]
        done = subprocess.run(
            [sys.executable, "-c", count, "reproduce", *names, "--check", "--workers", workers],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr.endswith(f"{copies} copies")
        pages = {path.name: path.read_bytes() for path in (tmp_path / "out").glob("*.html")}
        found.append((done.stdout, pages))
    assert found[0] == found[1]
    assert any(b"<svg" in page for page in found[0][1].values())
