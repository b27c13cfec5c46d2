"""The store of results from Python: shared by processes, forked, on a full disk."""

from __future__ import annotations

import hashlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest
from cellrate import _core


def key(text: str) -> str:
    """A key, other for each text."""
    return hashlib.sha256(text.encode()).hexdigest()


def child(script: str, *arguments: object) -> subprocess.Popen[str]:
    program = f"import hashlib\n{inspect.getsource(key)}{script}"
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_what_is_no_key_is_refused(tmp_path: Path) -> None:
    store = _core.Store(tmp_path)
    for wrong in ["", "../x", "A" * 64]:
        with pytest.raises(ValueError, match="is not a key"):
            store.get(wrong)
        with pytest.raises(ValueError, match="is not a key"):
            store.put(wrong, b"")
        with pytest.raises(ValueError, match="is not a key"):
            store.contains(wrong)
    assert store.keys() == store.problems() == []


def test_a_directory_of_something_else_and_a_newer_store_are_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(OSError, match=r"thesis\.tex"):
        _core.Store(tmp_path)
    _core.Store(tmp_path / "new")
    (tmp_path / "new" / "format").write_text("cellrate store 2\nwritten by cellrate 9.9.9\n")
    with pytest.raises(OSError, match=r"written by cellrate 9\.9\.9"):
        _core.Store(tmp_path / "new")


def test_a_closed_store_leaves_no_lock_and_can_be_used_on(tmp_path: Path) -> None:
    with _core.Store(tmp_path) as store:
        store.put(key("x"), b"x")
        store.sync()
        assert len(list(tmp_path.rglob("*.lock"))) == 1
    assert not list(tmp_path.rglob("*.lock"))
    assert store.get(key("x")) == b"x"


WRITER = """
import sys
from cellrate import _core
store = _core.Store(sys.argv[1])
for i in range(200):
    store.put(key(f"{sys.argv[2]} {i}"), f"{sys.argv[2]} {i} ".encode() * 1000)
    print(i, flush=True)
"""


def test_two_processes_share_a_store(tmp_path: Path) -> None:
    store = _core.Store(tmp_path)
    writers = {name: child(WRITER, tmp_path, name) for name in "ab"}
    for i in range(200):
        for name, writer in writers.items():
            assert writer.stdout is not None
            assert writer.stdout.readline() == f"{i}\n"
            # Both may be far ahead by now, or just have told this one.
            assert store.get(key(f"{name} {i}")) == f"{name} {i} ".encode() * 1000
    for writer in writers.values():
        writer.communicate()
        assert writer.returncode == 0
    assert (len(store.keys()), store.problems()) == (400, [])


FORKS = """
import os, sys, warnings
from cellrate import _core
warnings.simplefilter("ignore")
store = _core.Store(sys.argv[1])
store.put(key("parent"), b"before")
forked = os.fork()
for i in range(100):
    store.put(key(f"{forked == 0} {i}"), b"x" * i)
if forked == 0:
    store.close()
    os._exit(0)
assert os.waitpid(forked, 0)[1] == 0
store.put(key("parent"), b"after")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="has no fork")
def test_a_fork_writes_a_segment_of_its_own(tmp_path: Path) -> None:
    with child(FORKS, tmp_path) as forking:
        assert forking.wait() == 0
    assert len(list(tmp_path.rglob("*.seg"))) == 2
    store = _core.Store(tmp_path)
    assert store.get(key("parent")) == b"after"
    for forked in (True, False):
        for i in range(100):
            assert store.get(key(f"{forked} {i}")) == b"x" * i
    assert store.problems() == []


FULL = """
import os, random, resource, sys
from cellrate import _core
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
store = _core.Store(sys.argv[1])
source = random.Random(1)
for i in range(100):
    try:
        store.put(key(str(i)), source.randbytes(3000))
    except OSError as error:
        print(i, error)
        break
# The room of the half record is free again.
store.put(key("short"), b"short")
print(sum(store.get(key(str(k))) is not None for k in range(100)))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="has no limit on the size of files")
def test_a_full_disk_is_told_and_costs_nothing_that_was_kept(tmp_path: Path) -> None:
    with child(FULL, tmp_path) as writing:
        out, _ = writing.communicate()
    told, found = out.splitlines()
    # 3000 bytes that cannot be compressed, and a header of 100.
    assert told.startswith("16 ")
    assert f"cannot write {tmp_path / 'segments' / '00000000.seg'}" in told
    assert "free some space" in told
    assert found == "16"
    store = _core.Store(tmp_path)
    assert len(store.keys()) == 17
    assert store.get(key("short")) == b"short"
    assert store.problems() == []
