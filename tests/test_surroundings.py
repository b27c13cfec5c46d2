"""The command in poor surroundings, and files that are there whole or not at all."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest
import signs
from cellrate import _core
from cellrate.cli.app import run_command
from cellrate.cli.process import Terminated
from cellrate.common import scratch, whole_file
from cellrate.common.problems import lacking, writing
from cellrate.simulation.output import replacing
from cellrate.simulation.runner import Job, available_cores, kept_outcome, obtained
from cellrate.studies import polars_threads
from cellrate.studies.dataset import writer as data_set_writer
from conftest import COMMAND, shell

from proof.faults.ground import contents, leftovers, store_of, study


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("cellrate list >&-", 0, ""),
        ("cellrate run nothing.toml 2>&-", 2, ""),
        ("cellrate run nothing.toml 2>/dev/full", 2, ""),
        ("cellrate run - <&-", 2, "the scenario is empty"),
        ("cellrate list >/dev/full", 1, "error: standard output: No space left on device; free"),
        ("cellrate list erica --x <&- >&- 2>&-", 2, ""),
        ("cellrate run \"$(printf 'n\\377.toml')\"", 2, "error: n\\xff.toml: this argument is not"),
        ("cellrate new n-source | PYTHONIOENCODING=ascii cellrate explain - | tr '\\' Z", 0, ""),
    ],
)
def test_streams_that_are_closed_full_or_narrow(
    tmp_path: Path, line: str, code: int, said: str
) -> None:
    done = shell(line, tmp_path)
    assert done.returncode == code, done.stderr
    assert done.stderr.startswith(said) if said.startswith("error") else said in done.stderr
    assert "Traceback" not in done.stderr
    assert "PYTHONIOENCODING" not in line or "Zxb5s" in done.stdout


@pytest.mark.skipif(not signs.THREADS_ARE_TOLD, reason="the system does not say which thread works")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_study_that_is_terminated_stops_as_on_ctrl_c(
    endless: Path, tmp_path: Path, number: signal.Signals
) -> None:
    study = tmp_path / "study.toml"
    study.write_text(
        f'scenario = "{endless}"\n[[paired]]\n"run.duration" = ["20 ms", "86400 s"]\n'
        '"measure.sample" = ["1 ms", "60 s"]\n'
    )
    process = subprocess.Popen(
        [COMMAND, "study", study],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        # Under nohup and the like it is ignored, and a study leaves it so.
        preexec_fn=partial(signal.signal, number, signal.SIG_DFL),
    )
    out = tmp_path / "out"
    signs.wait_for(lambda: signs.kept_bytes(out) > 0 and signs.simulates(process), process)
    process.send_signal(number)
    told = signs.end_of(process)
    assert process.returncode == 128 + number
    assert told.splitlines()[-1].startswith("terminated: 1 run finished, 1 kept in ")
    assert "Traceback" not in told
    assert leftovers(out) == []
    assert len(contents(store_of(out))) == 1, "the first run was over"


def test_what_a_store_keeps_and_nobody_can_read_is_told_and_run_again(
    tmp_path: Path, traced: Path
) -> None:
    job = Job.from_file(traced)
    with _core.Store(tmp_path) as store:
        store.put(job.key(), b"of another program")
        assert kept_outcome(store, job.key()) is None
        [problem] = store.problems()
        assert "damaged result" in problem
        _, known = obtained(job.scenario(), job.key(), store)
        assert not known
        assert kept_outcome(store, job.key()) is not None


def test_polars_is_not_begun_with_too_few_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    start, alive = threading.Thread.start, threading.active_count()
    allowed = iter(range(3 * available_cores() + 4))

    def limited(thread: threading.Thread) -> None:
        if next(allowed, None) is None:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", limited)
    monkeypatch.delenv("POLARS_MAX_THREADS", raising=False)
    with pytest.raises(RuntimeError, match="new thread") as refused:
        polars_threads.refuse_too_few.__wrapped__()
    assert lacking(refused.value) == (
        "the system allows no further thread; "
        "allow more threads (ulimit -u), or use fewer (--workers)"
    )
    assert threading.active_count() == alive
    monkeypatch.undo()
    polars_threads.refuse_too_few.__wrapped__()


# ---- Files that are whole or not there


def test_a_file_that_cannot_be_written_stays_what_it_was(tmp_path: Path) -> None:
    place, link = tmp_path / "page.html", tmp_path / "link.html"
    whole_file.write_text(place, "old")
    place.chmod(0o640)
    link.symlink_to(place)
    with pytest.raises(UnicodeEncodeError), whole_file.replacing(link) as fresh:
        fresh.write_text("half \udcff")
    assert place.read_text() == "old"
    whole_file.write_text(link, "new")
    assert (link.is_symlink(), place.read_text()) == (True, "new")
    assert place.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.html", "page.html"]


def test_a_device_is_written_as_it_is() -> None:
    whole_file.write_text(Path("/dev/null"), "text")
    with pytest.raises(OSError, match="cannot write /dev/full: No space left on device; free some"):
        whole_file.write_text(Path("/dev/full"), "text")


def test_writing_names_what_is_written_and_what_helps(tmp_path: Path) -> None:
    with (
        pytest.raises(OSError, match=r"^cannot write thesis: File name too long; name a shorter"),
        writing("thesis"),
    ):
        (tmp_path / ("n" * 300)).touch()


def test_of_writers_of_one_directory_the_last_one_counts(tmp_path: Path) -> None:
    place = tmp_path / "result"
    failures = []

    def write(number: int) -> None:
        for _ in range(20):
            try:
                with replacing(place) as fresh:
                    (fresh / "summary.json").write_text(str(number) * 1000)
            except Exception as error:  # noqa: BLE001  whatever it is
                failures.append(error)

    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert failures == []
    assert len(set((place / "summary.json").read_text())) == 1
    assert list(tmp_path.iterdir()) == [place]


def test_a_dead_writer_with_the_number_of_a_living_process_is_known_to_be_dead(
    tmp_path: Path,
) -> None:
    mine = scratch.beside(tmp_path / "study")
    # As after the restart of a container: the same host, the same number, nobody's lock.
    dead = mine.with_name(f"{mine.name}-before")
    shutil.copytree(mine, dead)
    scratch.clear(tmp_path / "study")
    assert list(tmp_path.iterdir()) == [mine]
    scratch.remove(mine)
    assert list(tmp_path.iterdir()) == []


def test_names_of_any_length_have_scratch_directories(tmp_path: Path) -> None:
    for name in "n" * 254, "µ" * 127:
        with scratch.directory(tmp_path / name) as made:
            assert made.is_dir()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("room", "step"), [(scratch, "_locked"), (data_set_writer, "Parts")])
def test_a_signal_between_any_two_steps_leaves_no_scratch_directory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, room: ModuleType, step: str
) -> None:
    studies = tmp_path / "studies"
    met: list[Path] = []

    def terminated(*_: object) -> None:
        met.extend(studies.iterdir())
        raise Terminated(signal.SIGTERM)

    file = tmp_path / "short.toml"
    file.write_text(study(1))
    monkeypatch.setattr(room, step, terminated)
    assert run_command(["study", str(file), "--out", str(tmp_path)]) == 128 + signal.SIGTERM
    assert len(met) == 1
    assert list(studies.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "code", "word"), [("SIGINT", 130, "interrupted"), ("SIGTERM", 143, "terminated")]
)
@pytest.mark.parametrize(
    ("steps", "told"),
    [
        ("process.prepare_streams = signalled", True),
        # While a command undoes its work, after a first signal.
        ("scratch.remove_all, app._answered = signalled, lambda _: listens_and_is()", False),
    ],
    ids=["before", "after"],
)
def test_a_signal_beside_the_work_of_a_command_has_its_code_too(
    name: str, code: int, word: str, steps: str, *, told: bool
) -> None:
    line = (
        "import signal, cellrate_command; cellrate_command.begin();"
        "from cellrate import cli; from cellrate.cli import app, process;"
        "from cellrate.common import scratch;"
        f"signalled = lambda *_: signal.raise_signal(signal.{name});"
        "listens_and_is = lambda: (process.listen(), signalled());"
        f"{steps}; cli.main()"
    )
    done = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=False)
    said = f"{word}\n" if told else ""
    assert (done.returncode, done.stdout, done.stderr) == (code, "", said)
