"""A study is killed at random moments and resumed until it is done."""

import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from cellrate import _core

from proof.faults import processes
from proof.faults.ground import Files, Ground, contents, files, leftovers, store_of, study

REPLICATIONS = 25
MOST_IN_A_ROW = 12
CLUSTER_EVERY = 10
"""One in so many attempts uses a cluster; few, since a cluster starts slowly."""
MOST_ATTEMPTS = 5
"""Most attempts for each requested kill."""
EARLY, WRITING = 0.1, 0.25
"""Shares of kills at any moment from the start, and of kills while the data set is written."""
KILLED = "SIGKILL of the whole command, its study under way"
POLITE = {how: 128 + how for how in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}


@dataclass
class Instance:
    """A study that is killed and resumed several times.

    `store` is a reader of the results that is open all the time, and `kept` has the finished
    results that it has found.
    """

    out: Path
    store: _core.Store
    kept: dict[str, bytes]
    kills: int = 0

    def look(self, ground: Ground, what: str) -> None:
        """Checks that every finished run is still there and unchanged."""
        found = contents(self.store)
        lost = [key for key, data in self.kept.items() if found.get(key) != data]
        ground.expect(not lost, f"{what}: {len(lost)} finished runs are lost or others")
        self.kept = found


def campaign(ground: Ground, kills: int) -> None:
    """Attempts kills until `kills` SIGKILLs of the whole command met a study under way.

    The numbers of other signals, of clusters, and of kills that come too early or too late are
    random.
    """
    file = ground.write("killed.toml", study(REPLICATIONS, "60 ms"))
    whole, _ = ground.undisturbed(file)
    seconds = _takes(ground, file)
    instance: Instance | None = None
    while ground.counts[KILLED] < kills and ground.counts["attempts"] < MOST_ATTEMPTS * kills:
        number = ground.counts["attempts"]
        ground.counts["attempts"] += 1
        if instance is None:
            out = ground.place / f"out-{number}"
            instance = Instance(out, store_of(out), {})
        what = f"kill {number}"
        if number % CLUSTER_EVERY == CLUSTER_EVERY - 1:
            done = _kill_cluster(ground, file, instance, what, seconds)
        else:
            done = _kill(ground, file, instance, what, seconds)
        instance.kills += 1
        instance.look(ground, what)
        ground.counts["ended before they were killed"] += done
        # The machine may be busier, or less so, than when `seconds` was measured.
        seconds *= 0.9 if done else 1.03
        if done or instance.kills >= MOST_IN_A_ROW or ground.source.random() < 0.15:
            _resume(ground, file, instance, what, whole)
            instance = None
    if instance is not None:
        _resume(ground, file, instance, "last", whole)
    met = ground.counts[KILLED]
    ground.expect(met >= kills, f"only {met} of {kills} kills met a study under way")
    _kill_reports(ground, max(kills // 10, 1))


def _takes(ground: Ground, file: Path) -> float:
    """Seconds from the moment at which a study has opened its store to its end."""
    process = ground.start("study", file, "--out", "paced", "--workers", "3")
    _wait_until_under_way(process, ground.place / "paced")
    began = time.monotonic()
    ended = ground.end(process, "paced")
    ground.expect(ended.returncode == 0, f"paced: {ended.stderr[-300:]!r}")
    return time.monotonic() - began


def _kill(ground: Ground, file: Path, instance: Instance, what: str, seconds: float) -> bool:
    """Sends a random signal to the command; returns True if the study had ended before."""
    source, before = ground.source, leftovers(instance.out)
    process = ground.start("study", file, "--out", instance.out, "--workers", "3")
    moment = source.random()
    if moment < EARLY:
        time.sleep(source.random() * seconds)
    elif moment < EARLY + WRITING:
        _wait_for_writing(process, instance.out)
        time.sleep(source.random() * 0.05)
        ground.counts["while the data set is written"] += 1
    else:
        _wait_until_under_way(process, instance.out)
        time.sleep(source.random() * seconds)
    instance.look(ground, f"{what}, before")
    how = source.choices(
        [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGSTOP],
        [80, 5, 5, 3, 7],
    )[0]
    if how == signal.SIGSTOP:
        # After a stop the command continues, or is killed while stopped.
        ground.strike(process, how)
        time.sleep(0.3)
        instance.look(ground, f"{what}, stopped")
        how = source.choice([signal.SIGCONT, signal.SIGKILL])
    under_way = processes.opened_below(process.pid, instance.out)
    ground.strike(process, how)
    ended = ground.end(process, f"{what}, {how.name}")
    code = ended.returncode
    # The study ended or went on, Python ended it early, or it reported the signal.
    ground.expect(code in (0, -how, POLITE.get(how, 0)), f"{what}, {how.name}: {ended}")
    if code == -signal.SIGKILL:
        ground.counts[KILLED if under_way else "SIGKILL before the study began"] += 1
    elif code != 0:
        ground.counts[how.name] += 1
    if how in POLITE and code not in (0, -how):
        # A study that has begun reports the signal and removes its files. Files of studies that
        # were killed before may stay until a later study ends.
        last = ended.stderr.rstrip().rpartition("\n")[2]
        said = last.startswith(("interrupted", "terminated"))
        ground.expect(code == POLITE[how] and (said or not under_way), f"{what}: {ended}")
        left = set(leftovers(instance.out)).difference(before) if said else ()
        ground.expect(not left, f"{what}, {how.name}: left {left}")
    return code == 0


def _wait_until_under_way(process: subprocess.Popen[str], out: Path) -> None:
    """Waits until the command has its store open, or has ended."""
    while process.poll() is None and not processes.opened_below(process.pid, out):
        time.sleep(0.01)


def _wait_for_writing(process: subprocess.Popen[str], out: Path) -> None:
    """Waits until the data set's files are being written, or the command has ended."""
    while process.poll() is None and not list(out.glob("studies/.*/fresh")):
        time.sleep(0.002)


def _kill_cluster(
    ground: Ground, file: Path, instance: Instance, what: str, seconds: float
) -> bool:
    """Kills the parent of a cluster, or all its processes; True if the study had ended before."""
    cluster = "--scheduler", "local-cluster", "--workers", "2"
    process = ground.start("study", file, "--out", instance.out, *cluster)
    known = len(instance.kept)
    while process.poll() is None and len(instance.store.keys()) <= known:
        time.sleep(0.01)
    time.sleep(ground.source.random() * seconds / 2)
    victim = ground.source.choice(["the parent", "all"])
    if process.poll() is None:
        ground.counts[f"cluster: SIGKILL of {victim}"] += 1
    if victim == "all":
        ground.strike(process, signal.SIGKILL)
    else:
        process.kill()
    ended = ground.end(process, f"{what}, cluster, {victim}")
    deadline = time.monotonic() + 60
    while processes.members(process.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    left = processes.members(process.pid)
    ground.expect(not left, f"{what}: {victim}: {len(left)} processes outlive the command")
    return ended.returncode == 0


def _resume(ground: Ground, file: Path, instance: Instance, what: str, whole: Files) -> None:
    """Checks that a resumed study ends, with all finished results and with the same bytes."""
    ground.resumes(f"{what}, resumed", file, instance.out, whole)
    instance.look(ground, f"{what}, resumed")
    ground.expect(not instance.store.problems(), f"{what}: {instance.store.problems()}")
    ground.counts["studies resumed to the end"] += 1


def _kill_reports(ground: Ground, kills: int) -> None:
    """Checks that a kill while a page is written leaves the old page or the whole new page."""
    out = ground.place / "undisturbed" / "studies" / "killed"
    page = ground.place / "page.html"
    began = time.monotonic()
    ground.succeeds("report", "report", out, "-o", page)
    seconds, new = time.monotonic() - began, page.read_bytes()
    for number in range(kills):
        page.write_bytes(b"old")
        process = ground.start("report", out, "-o", page)
        time.sleep(seconds * (0.6 + 0.5 * ground.source.random()))
        process.kill()
        ground.end(process, f"report {number}")
        ground.expect(page.read_bytes() in (b"old", new), f"report {number}: half a page")
        ground.counts["reports killed"] += 1
    ground.run("report", "report", out, "-o", page)
    left = [name for name in files(ground.place) if name.startswith(".page.html")]
    ground.expect(page.read_bytes() == new and not left, f"report: {left} left")
