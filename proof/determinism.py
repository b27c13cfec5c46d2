"""The same bytes whatever runs them: workers, hash seeds, locales, clusters, builds.

`python -m proof.determinism` runs a study, every example and every template in each way, through
the installed command, and writes proof/results/determinism.json. Builds are made by cargo in
target/determinism: some minutes each, once.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import cellrate
from cellrate import _core

from proof.faults.ground import COMMAND, study

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "proof" / "results" / "determinism.json"
BUILT = ROOT / "target" / "determinism"
Build: TypeAlias = tuple[tuple[str, ...], dict[str, str]]
"""Arguments and environment of a command."""
WAYS: dict[str, Build] = {
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
BUILDS: dict[str, Build] = {
    "debug": ((), {}),
    "debug, opt-level 0": ((), {"CARGO_PROFILE_DEV_OPT_LEVEL": "0"}),
    "release, target-cpu=native": (("--release",), {"RUSTFLAGS": "-C target-cpu=native"}),
}
"""Builds beside the installed one, as cargo makes them. The debug ones check every overflow."""


def run(arguments: list[str | Path], cwd: Path, environment: Mapping[str, str]) -> str:
    """Standard output of a command.

    Raises:
        CalledProcessError: It failed.
    """
    done = subprocess.run(  # noqa: S603
        [str(one) for one in arguments],
        cwd=cwd,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout


def data_set(place: Path, way: str, environment: Mapping[str, str], *options: str) -> str:
    """SHA-256 over the files of the study's data set, made afresh."""
    out = place / f"out {way}"
    run([COMMAND, "study", "s.toml", "--out", out, "--quiet", *options], place, environment)
    whole = hashlib.sha256()
    for path in sorted((out / "studies").rglob("*.*")):
        whole.update(f"{path.name}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return whole.hexdigest()


def digests(place: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Digest of every example, and of every template in short."""
    found = {}
    listed = json.loads(run([COMMAND, "list", "--json"], place, environment))
    for template in sorted(listed["templates"]):
        path = place / f"{template}.toml"
        path.write_text(run([COMMAND, "new", template], place, environment), encoding="utf-8")
        short = "--set", "run.duration=40 ms", "--set", "measure.from=0 s"
        shown = run([COMMAND, "run", path, "--json", *short], place, environment)
        found[template] = json.loads(shown)["digest"]
    for example in sorted((ROOT / "examples").glob("*.toml")):
        shown = run([COMMAND, "run", example, "--json"], place, environment)
        found[example.stem] = json.loads(shown)["digest"]
    return found


def built(name: str, options: tuple[str, ...], environment: Mapping[str, str]) -> Path:
    """The package with another build of its extension; where Python finds it."""
    target = BUILT / "".join(one if one.isalnum() else "-" for one in name)
    command = ["cargo", "build", "--locked", "--quiet", "-p", "cellrate-python", *options]
    settings = {**environment, "CARGO_TARGET_DIR": str(target), "PYO3_PYTHON": sys.executable}
    run([*command], ROOT, settings)
    profile = "release" if "--release" in options else "debug"
    package = target / "package" / "cellrate"
    shutil.rmtree(package, ignore_errors=True)
    left_out = shutil.ignore_patterns("_core*.so", "__pycache__", "papers")
    shutil.copytree(ROOT / "python" / "cellrate", package, ignore=left_out)
    shutil.copy(target / profile / "lib_core.so", package / "_core.abi3.so")
    return package.parent


def main(arguments: Sequence[str]) -> int:
    """Compares all ways and builds, or no builds; 1 if one gives other bytes."""
    parser = argparse.ArgumentParser(prog="python -m proof.determinism", description=__doc__)
    parser.add_argument("--no-builds", action="store_true", help="only the ways of running")
    builds = {} if parser.parse_args(arguments).no_builds else BUILDS
    try:
        with tempfile.TemporaryDirectory(prefix="determinism-") as name:
            differ = _compare(Path(name), builds)
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")
        return 130
    return 1 if differ else 0


def _compare(place: Path, builds: Mapping[str, Build]) -> list[str]:
    """Ways and builds that give other bytes than the installed package as it is run by default."""
    (place / "s.toml").write_text(study(3, "100 ms"), encoding="utf-8")
    data, expected = data_set(place, "installed", {}), digests(place, {})
    differ: list[str] = []
    for way, (options, environment) in WAYS.items():
        found = data_set(place, way, environment, *options)
        _tell(differ, way, same=found == data)
    for name, (options, environment) in builds.items():
        package = built(name, options, environment)
        path = os.pathsep.join([str(package), os.environ.get("PYTHONPATH", "")])
        used = run(
            [sys.executable, "-c", "from cellrate import _core; print(_core.__file__)"],
            place,
            {"PYTHONPATH": path},
        )
        _tell(differ, f"{name}: its own extension", same=str(package) in used)
        _tell(differ, f"{name}: data set", same=data_set(place, name, {"PYTHONPATH": path}) == data)
        others = digests(place, {"PYTHONPATH": path})
        _tell(differ, f"{name}: {len(expected)} digests", same=others == expected)
    if builds:
        _write(data, expected, differ)
    return differ


def _tell(differ: list[str], what: str, *, same: bool) -> None:
    sys.stdout.write(f"{'same' if same else 'DIFFERS':8} {what}\n")
    sys.stdout.flush()
    if not same:
        differ.append(what)


def _write(data: str, expected: dict[str, str], differ: list[str]) -> None:
    rust = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True)  # noqa: S607
    found: dict[str, Any] = {
        "tools": {
            "cellrate": _core.__version__,
            "python": platform.python_version(),
            "rustc": rust.stdout.split()[1],
        },
        "data_set_sha256": data,
        "digests": expected,
        "ways": list(WAYS),
        "builds": ["as installed", *BUILDS],
        "differ": differ,
    }
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    sys.stdout.write(f"cellrate {cellrate.__version__}\n")
    sys.exit(main(sys.argv[1:]))
