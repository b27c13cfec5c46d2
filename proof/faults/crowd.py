"""Several processes on one store and one study at the same time."""

import shutil
import signal
import time
from pathlib import Path

from proof.faults.ground import Files, Ground, study

REPLICATIONS = 6


def campaign(ground: Ground, crowds: int) -> None:
    """Runs `crowds` groups of processes on one study; in most groups a process is killed."""
    file = ground.write("crowd.toml", study(REPLICATIONS, "60 ms"))
    whole, seconds = ground.undisturbed(file)
    for number in range(crowds):
        _crowd(ground, file, number, whole, seconds)


def _crowd(ground: Ground, file: Path, number: int, whole: Files, seconds: float) -> None:
    out = ground.place / f"crowd-{number}"
    members = ground.source.choice([2, 2, 4])
    what = f"crowd {number} of {members}"
    started = [ground.start("study", file, "--out", out, "--workers", "1") for _ in range(members)]
    victim = ground.source.choice(started) if ground.source.random() < 0.8 else None
    time.sleep(ground.source.random() * seconds * 2)
    if victim is not None:
        victim.send_signal(signal.SIGKILL)
        ground.counts["killed in a crowd"] += 1
    for process in started:
        ended = ground.end(process, what)
        if process is not victim:
            ground.expect(ended.returncode == 0, f"{what}: {ended.stderr[-500:]!r}")
    ended = ground.run(what, "study", file, "--out", out)
    ground.expect("0 simulated" in ended.stdout, f"{what}: {ended.stdout!r}")
    ground.same(what, out, whole)
    ground.counts[f"crowds of {members}"] += 1
    shutil.rmtree(out)
