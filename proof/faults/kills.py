"""A study is killed at random moments and resumed until it is done."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from cellrate import _core

from proof.faults.ground import Files, Ground, contents, files, leftovers, store_of, study

REPLICATIONS = 25
MOST_IN_A_ROW = 12
CLUSTER_EVERY = 20
"""Every so many kills are on a cluster, which takes its time to start."""
POLITE = {signal.SIGTERM: 128 + signal.SIGTERM, signal.SIGHUP: 128 + signal.SIGHUP}
POLITE[signal.SIGINT] = 130


@dataclass
class Instance:
    """A study that is killed now and then.

    Attributes:
        out: Where it writes.
        store: A reader of its results, open all the time.
        kept: Results that were finished: a second process found them in the store.
    """

    out: Path
    store: _core.Store
    kept: dict[str, bytes]
    kills: int = 0

    def look(self, ground: Ground, what: str) -> None:
        """What was finished is still there, and is what it was."""
        found = contents(self.store)
        lost = [key for key, data in self.kept.items() if found.get(key) != data]
        ground.expect(not lost, f"{what}: {len(lost)} finished runs are lost or others")
        self.kept = found


def campaign(ground: Ground, kills: int) -> None:
    """So many kills."""
    file = ground.write("killed.toml", study(REPLICATIONS, "60 ms"))
    whole, seconds = ground.undisturbed(file)
    instance: Instance | None = None
    for number in range(kills):
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
        ground.counts["kills"] += not done
        ground.counts["ended before they were killed"] += done
        if done or instance.kills >= MOST_IN_A_ROW or ground.source.random() < 0.15:
            _resume(ground, file, instance, what, whole)
            instance = None
    if instance is not None:
        _resume(ground, file, instance, "last", whole)
    _kill_reports(ground, kills // 10)


def _kill(ground: Ground, file: Path, instance: Instance, what: str, seconds: float) -> bool:
    """Ends one process in one way; whether it had ended before."""
    source = ground.source
    process = ground.start("study", file, "--out", instance.out, "--workers", "3")
    if source.random() < 0.3:
        _wait_for_writing(process, instance.out)
        time.sleep(source.random() * 0.05)
        ground.counts["while the data set is written"] += 1
    else:
        time.sleep(source.random() * seconds)
    instance.look(ground, f"{what}, before")
    how = source.choices(
        [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGSTOP],
        [80, 5, 5, 3, 7],
    )[0]
    if how == signal.SIGSTOP:
        # Stopped for a while it goes on, or is killed as it stands.
        os.killpg(process.pid, how)
        time.sleep(0.3)
        instance.look(ground, f"{what}, stopped")
        how = source.choice([signal.SIGCONT, signal.SIGKILL])
    if process.poll() is None:
        os.killpg(process.pid, how)
        ground.counts[how.name] += 1
    ended = ground.end(process, f"{what}, {how.name}")
    code = ended.returncode
    if how in POLITE and code not in (0, -how):
        # It had begun, so it ends as after Ctrl-C.
        said = ended.stderr.rstrip().endswith(("interrupted", "terminated"))
        ground.expect(code == POLITE[how] and (said or how == signal.SIGINT), f"{what}: {ended}")
        left = [one for one in leftovers(instance.out) if how != signal.SIGINT or said]
        ground.expect(not left, f"{what}, {how.name}: left {left}")
    return code == 0


def _wait_for_writing(process: subprocess.Popen[str], out: Path) -> None:
    """Waits until the data set's files are being written, or the end."""
    while process.poll() is None and not list(out.glob("studies/.*/fresh")):
        time.sleep(0.002)


def _kill_cluster(
    ground: Ground, file: Path, instance: Instance, what: str, seconds: float
) -> bool:
    """On a cluster: one worker, only the parent, or all of it; whether it had ended before."""
    cluster = "--scheduler", "local-cluster", "--workers", "2"
    process = ground.start("study", file, "--out", instance.out, *cluster)
    victim = ground.source.choice(["worker", "parent", "all"])
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline and len(_children(process)) < 3:
        time.sleep(0.05)
    time.sleep(ground.source.random() * seconds)
    children = _children(process)
    ground.counts[f"cluster: {victim}"] += 1
    if victim == "all":
        os.killpg(process.pid, signal.SIGKILL)
    elif victim == "parent":
        process.kill()
    elif children:
        try:
            os.kill(ground.source.choice(children), signal.SIGKILL)
        except ProcessLookupError:
            ground.counts["a worker had ended"] += 1
    ended = ground.end(process, f"{what}, cluster, {victim}")
    if victim == "worker":
        ground.expect(ended.returncode == 0, f"{what}: {victim}: {ended.stderr[-300:]!r}")
    deadline = time.monotonic() + 60
    while _members(process.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    ground.expect(not _members(process.pid), f"{what}: {victim}: processes outlive the command")
    return ended.returncode == 0


def _stat(pid: str) -> tuple[int, int, str]:
    """Parent, session and state of a process."""
    text = Path("/proc", pid, "stat").read_text(encoding="utf-8", errors="replace")
    state, parent, _, session = text.rpartition(")")[2].split()[:4]
    return int(parent), int(session), state


def _processes() -> dict[int, tuple[int, int, str]]:
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                found[int(entry.name)] = _stat(entry.name)
            except (OSError, ValueError):
                continue
    return found


def _children(process: subprocess.Popen[str]) -> list[int]:
    return sorted(pid for pid, (parent, _, _) in _processes().items() if parent == process.pid)


def _members(session: int) -> list[int]:
    alive = _processes().items()
    return [pid for pid, (_, of, state) in alive if of == session and state != "Z"]


def _resume(ground: Ground, file: Path, instance: Instance, what: str, whole: Files) -> None:
    """Undisturbed it ends, with what was finished before and with the same bytes."""
    ended = ground.run(f"{what}, resumed", "study", file, "--out", instance.out, "--json")
    ground.expect(ended.returncode == 0, f"{what}, resumed: {ended.stderr[-300:]!r}")
    if ended.returncode == 0:
        told = json.loads(ended.stdout)
        held = told["known"] == len(instance.kept)
        ground.expect(held, f"{what}: {len(instance.kept)} finished, {told['known']} known")
    ground.same(f"{what}, resumed", instance.out, whole)
    instance.look(ground, f"{what}, resumed")
    ground.expect(not instance.store.problems(), f"{what}: {instance.store.problems()}")
    ground.counts["studies resumed to the end"] += 1


def _kill_reports(ground: Ground, kills: int) -> None:
    """A page that is killed while it is written is the old one or the new one."""
    out = ground.place / "undisturbed" / "studies" / "killed"
    page = ground.place / "page.html"
    began = time.monotonic()
    ended = ground.run("report", "report", out, "-o", page)
    ground.expect(ended.returncode == 0, f"report: {ended.stderr[-300:]!r}")
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
