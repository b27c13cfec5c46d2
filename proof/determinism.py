"""Checks that results have the same bytes with any workers, hash seed, locale, cluster, build.

`python -m proof.determinism` runs a study, every example and every template under each of these,
by the installed command, and writes proof/results/determinism.json. Cargo makes the builds in
target/determinism, which takes some minutes each, once.
"""

import argparse
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from cellrate import _core

from proof.campaign import COMMAND, ROOT, end_with, keep
from proof.faults.ground import study

Way: TypeAlias = tuple[tuple[str, ...], dict[str, str]]
"""Arguments and environment of a command."""
WAYS: dict[str, Way] = {
    "1 worker": (("--workers", "1"), {}),
    "2 workers": (("--workers", "2"), {}),
    "8 workers": (("--workers", "8"), {}),
    "PYTHONHASHSEED=0": ((), {"PYTHONHASHSEED": "0"}),
    "PYTHONHASHSEED=1": ((), {"PYTHONHASHSEED": "1"}),
    "PYTHONHASHSEED=random": ((), {"PYTHONHASHSEED": "random"}),
    "LANG=C": ((), {"LC_ALL": "C", "LANG": "C"}),
    "TZ=Pacific/Kiritimati": ((), {"TZ": "Pacific/Kiritimati"}),
    "python -OO": ((), {"PYTHONOPTIMIZE": "2"}),
    "a Dask cluster of two": (("--scheduler", "local-cluster", "--workers", "2"), {}),
}
BUILDS: dict[str, Way] = {
    "debug": ((), {}),
    "debug, opt-level 0": ((), {"CARGO_PROFILE_DEV_OPT_LEVEL": "0"}),
    "release, target-cpu=native": (("--release",), {"RUSTFLAGS": "-C target-cpu=native"}),
}
"""Options and environment of cargo for further builds; debug builds check integer overflows."""


def run(arguments: list[str | Path], cwd: Path, environment: Mapping[str, str]) -> str:
    """Standard output of a command."""
    settings = {**os.environ, **environment}
    return subprocess.check_output(arguments, cwd=cwd, env=settings, text=True)


def data_set(place: Path, way: str, environment: Mapping[str, str], *options: str) -> str:
    """Runs the study `s.toml` in one way, and returns a SHA-256 over its data set's files."""
    out = place / f"out {way}"
    run([COMMAND, "study", "s.toml", "--out", out, "--quiet", *options], place, environment)
    whole = hashlib.sha256()
    for path in sorted((out / "studies").rglob("*.*")):
        whole.update(f"{path.name}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return whole.hexdigest()


def digests(place: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Digest of every example, and of a shortened run of every template."""

    def digest(path: Path, *settings: str) -> str:
        shown = run([COMMAND, "run", path, "--json", *settings], place, environment)
        return str(json.loads(shown)["digest"])

    found = {}
    for template in sorted(json.loads(run([COMMAND, "list", "templates", "--json"], place, {}))):
        path = place / f"{template}.toml"
        path.write_text(run([COMMAND, "new", template], place, environment), encoding="utf-8")
        short = "--set", "run.duration=40 ms", "--set", "measure.from=0 s"
        found[template] = digest(path, *short)
    return found | {path.stem: digest(path) for path in sorted((ROOT / "examples").glob("*.toml"))}


def built(name: str, options: tuple[str, ...], environment: Mapping[str, str]) -> Path:
    """Copies the package with another build of its extension; returns the directory to import."""
    target = ROOT / "target" / "determinism" / "".join(c if c.isalnum() else "-" for c in name)
    settings = {**environment, "CARGO_TARGET_DIR": str(target), "PYO3_PYTHON": sys.executable}
    run(["cargo", "build", "-q", "--locked", "-p", "cellrate-python", *options], ROOT, settings)
    profile = "release" if "--release" in options else "debug"
    package = target / "package" / "cellrate"
    shutil.rmtree(package, ignore_errors=True)
    left_out = shutil.ignore_patterns("_core*.so", "__pycache__")
    shutil.copytree(ROOT / "python" / "cellrate", package, ignore=left_out)
    shutil.copy(target / profile / "lib_core.so", package / "_core.abi3.so")
    return package.parent


def main() -> int:
    """Compares all ways, and all builds unless left out; returns 1 if one gives other bytes."""
    parser = argparse.ArgumentParser(prog="python -m proof.determinism", description=__doc__)
    parser.add_argument("--no-builds", action="store_true", help="only the ways of running")
    whole = not parser.parse_args().no_builds
    differ: list[str] = []

    def compare(what: str, *, same: bool) -> None:
        print(f"{'same' if same else 'DIFFERS':8} {what}", flush=True)
        differ.extend([] if same else [what])

    with tempfile.TemporaryDirectory(prefix="determinism-") as directory:
        place = Path(directory)
        (place / "s.toml").write_text(study(3, "100 ms"), encoding="utf-8")
        data, expected = data_set(place, "installed", {}), digests(place, {})
        for way, (options, environment) in WAYS.items():
            compare(way, same=data_set(place, way, environment, *options) == data)
        for name, (options, environment) in BUILDS.items() if whole else ():
            package = str(built(name, options, environment))
            path = {"PYTHONPATH": os.pathsep.join([package, os.environ.get("PYTHONPATH", "")])}
            where = "from cellrate import _core; print(_core.__file__)"
            used = run([sys.executable, "-c", where], place, path)
            compare(f"{name}: its own extension", same=package in used)
            compare(f"{name}: data set", same=data_set(place, name, path) == data)
            compare(f"{name}: {len(expected)} digests", same=digests(place, path) == expected)
    if whole:
        tools = {
            "cellrate": _core.__version__,
            "python": platform.python_version(),
            "rustc": run(["rustc", "--version"], ROOT, {}).split()[1],
        }
        ways = {"ways": list(WAYS), "builds": ["as installed", *BUILDS]}
        found = {"tools": tools, "data_set_sha256": data, "digests": expected, **ways}
        keep("determinism", found | {"differ": differ})
    return int(bool(differ))


if __name__ == "__main__":
    end_with(main)
