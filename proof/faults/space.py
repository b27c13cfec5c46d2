"""Disks that are full, at random points; directories that nothing can be written to."""

import resource
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from proof.faults.ground import Files, Ground, at_most, is_root_with, leftovers, study

REPLICATIONS = 3
ENOUGH = "64m"


def lacks() -> dict[str, str]:
    """Faults that cannot be caused here, each with the reason."""
    needs = {"full and read-only file systems": "mount", "permissions": "setpriv"}
    return {
        what: f"only root can cause them, by {program}"
        for what, program in needs.items()
        if not is_root_with(program)
    }


def campaign(ground: Ground, faults: int) -> None:
    """Fills `faults` disks, and tries every reason for which a directory may refuse files."""
    file = ground.write("short.toml", study(REPLICATIONS))
    whole, _ = ground.undisturbed(file)
    used = sum(path.stat().st_size for path in (ground.place / "undisturbed").rglob("*"))
    mounts = is_root_with("mount")
    for number in range(faults):
        _limited(ground, file, number, whole)
        if mounts:
            _full(ground, file, number, whole, round(ground.source.uniform(0.02, 1.3) * used))
    _pages(ground, file)
    _refusals(ground, file)
    if is_root_with("setpriv"):
        _forbidden(ground, file)
    if mounts:
        _read_only(ground, file)


def _checked(ground: Ground, what: str, ended: subprocess.CompletedProcess[str], out: Path) -> None:
    """Checks that a study on a full disk says so, and leaves nothing half written."""
    if ended.returncode == 0:
        ground.counts["had room enough"] += 1
        return
    ground.counts["full"] += 1
    ground.refused(what, ended, "space")
    ground.expect(not leftovers(out), f"{what}: left {leftovers(out)}")
    halves = [path for path in (out / "studies").glob("*") if not (path / "study.json").is_file()]
    ground.expect(not halves, f"{what}: {halves}")


def _full(ground: Ground, file: Path, number: int, whole: Files, size: int) -> None:
    what = f"file system of {size} bytes"
    with _mounted(ground.place / f"full-{number}", f"size={size}") as disk:
        out = disk / "out"
        _checked(ground, what, ground.run(what, "study", file, "--out", out), out)
        subprocess.run(["mount", "-o", f"remount,size={ENOUGH}", disk], check=True)
        ground.resumes(f"{what}, room again", file, out, whole)


def _limited(ground: Ground, file: Path, number: int, whole: Files) -> None:
    """Runs a study under a random limit on the length of files, as with a quota."""
    size = round(10 ** ground.source.uniform(2.0, 5.0))
    what = f"files of {size} bytes at most"
    out = ground.place / f"limited-{number}"
    limit = at_most(resource.RLIMIT_FSIZE, size)
    _checked(ground, what, ground.run(what, "study", file, "--out", out, limit=limit), out)
    ground.resumes(f"{what}, room again", file, out, whole)
    shutil.rmtree(out)


@contextmanager
def _mounted(place: Path, options: str) -> Iterator[Path]:
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=True)


def _pages(ground: Ground, file: Path) -> None:
    """Checks that a page or table for which the disk has no room leaves the old file in place."""
    data = ground.place / "undisturbed" / "studies" / file.stem
    asked = {
        "report": ("report", data, "-o"),
        "table": ("table", data, "--rows", "flow.tcp.count,control.scheme", "-o"),
        "plot": ("plot", data, "--x", "flow.tcp.count", "--y", "throughput", "-o"),
    }
    limit = at_most(resource.RLIMIT_FSIZE, 300)
    for name, arguments in asked.items():
        page = ground.write(f"{name}.svg", "old")
        ended = ground.run(name, *arguments, page, limit=limit)
        ground.refused(f"no room for a {name}", ended, str(page), "space")
        ground.expect(page.read_text() == "old", f"no room for a {name}: half of it is there")
        ground.counts["pages without room"] += 1
    left = [path.name for path in ground.place.glob(".*")]
    ground.expect(not left, f"pages: left {left}")


def _refusals(ground: Ground, file: Path) -> None:
    """Checks errors for directories that cannot be written, and scenarios that cannot be read."""
    long, longer = "n" * 300, "d/" * 3000
    data = str(ground.place / "undisturbed" / "studies" / file.stem / "runs.parquet")
    cases: dict[str, tuple[tuple[str, ...], str]] = {
        "--out is a file": (("--out", str(file)), "short.toml"),
        "--out in a file": (("--out", f"{file}/below"), "short.toml"),
        "--output is a file": (("--output", data), "not a directory"),
        "--output is the working directory": (("--output", "."), "working directory"),
        "--out too long": (("--out", long), "too long"),
        "--output too long": (("--output", long), "too long"),
        "--output too deep": (("--output", longer), "too long"),
    }
    for what, (arguments, word) in cases.items():
        out = () if "--out" in arguments else ("--out", "refused")
        ground.refused(what, ground.run(what, "study", file, *arguments, *out), word)
        ground.counts["refusals"] += 1


def _forbidden(ground: Ground, file: Path) -> None:
    """Checks errors for files and directories that permissions forbid the user to use."""
    # Permission bits hold for root, too, without these capabilities.
    humble = "setpriv", "--bounding-set=-all", "--inh-caps=-all"
    secret = ground.write("secret.toml", study(1))
    secret.chmod(0)
    for command in "study", "run", "validate", "explain":
        ended = ground.run(command, command, secret, through=humble)
        ground.refused(f"{command} of a secret file", ended, "secret.toml", "Permission denied")
        ground.counts["refusals"] += 1
    closed = ground.place / "closed"
    closed.mkdir(mode=0o555)
    for option in "--out", "--output":
        ended = ground.run(option, "study", file, option, closed / "x", through=humble)
        ground.refused(f"{option} below a closed directory", ended, "closed", "Permission denied")
        ground.counts["refusals"] += 1


def _read_only(ground: Ground, file: Path) -> None:
    with _mounted(ground.place / "read-only", "size=1m,ro") as disk:
        for option in "--out", "--output":
            ended = ground.run(option, "study", file, option, disk / "x")
            ground.refused(f"{option} on a read-only disk", ended, "ead-only")
            ground.counts["refusals"] += 1
