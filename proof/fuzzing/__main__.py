"""`python -m proof.fuzzing`: fuzzes every reader for a bounded time."""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from cellrate import _core

from proof.fuzzing import dictionary, libfuzzer, operations
from proof.fuzzing.targets import INPUTS, ROOT, TARGETS, build

RESULTS = ROOT / "proof" / "results" / "fuzz.json"
WORK = ROOT / "target" / "fuzzing"


def main() -> int:
    """Runs the campaign; 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m proof.fuzzing", description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="for each target; default: 60")
    names = [target.name for target in TARGETS]
    parser.add_argument("--only", nargs="+", choices=names, help="these; others' results stay")
    asked = parser.parse_args()
    if asked.seconds < 1:
        parser.error(f"--seconds {asked.seconds}: must be at least 1")
    try:
        return _campaign(asked.seconds, asked.only or names, whole=asked.only is None)
    except KeyboardInterrupt:
        print("stopped; corpora and findings are in target/fuzzing", file=sys.stderr)  # noqa: T201
        return 130
    except (FileNotFoundError, RuntimeError, subprocess.CalledProcessError) as error:
        print(f"fuzzing: {error}", file=sys.stderr)  # noqa: T201
        return 2


def _campaign(seconds: int, names: Iterable[str], *, whole: bool) -> int:
    chosen = [target for target in TARGETS if target.name in names]
    if any(target.language == "rust" for target in chosen):
        build()
    WORK.mkdir(parents=True, exist_ok=True)
    words = WORK / "words.dict"
    dictionary.write(words)
    known = {} if whole or not RESULTS.exists() else _kept()
    failed = False
    for number, target in enumerate(chosen, start=1):
        print(f"{number}/{len(chosen)} {target.name}, {seconds} s", flush=True)  # noqa: T201
        run = libfuzzer.fuzz(target, seconds, WORK, words)
        known[target.name] = asdict(run)
        if not run.ended:
            failed = True
            print(f"  had to be ended; see {WORK / target.name}.log", flush=True)  # noqa: T201
        for name in run.findings:
            failed = True
            place = WORK / "findings" / target.name / name
            print(f"  found {place.relative_to(ROOT)}; see fuzz/README.md", flush=True)  # noqa: T201
    told = operations.run(seconds) if whole else None
    failed = failed or (told is not None and not told["passed"])
    ordered = [known[target.name] for target in TARGETS if target.name in known]
    _write(ordered, told)
    print(table(ordered))  # noqa: T201
    return int(failed)


def _kept() -> dict[str, dict[str, Any]]:
    return {one["target"]: one for one in json.loads(RESULTS.read_text("utf-8"))["targets"]}


def _write(targets: list[dict[str, Any]], told: dict[str, Any] | None) -> None:
    results = {
        "cellrate": _core.__version__,
        "tools": {
            "cargo-fuzz": _line(
                [str(ROOT / "target" / "tools" / "bin" / "cargo-fuzz"), "--version"]
            ),
            "rustc": _line(["rustc", "+nightly", "--version"]),
            "atheris": _atheris(),
            "python": platform.python_version(),
        },
        "limits": {
            "seconds_per_input": libfuzzer.TIMEOUT_SECONDS,
            "mebibytes": libfuzzer.MOST_MEBIBYTES,
            "seconds_beyond": libfuzzer.GRACE_SECONDS,
        },
        "executions": sum(one["executions"] for one in targets),
        "once_broken": {
            directory.name: len(list(directory.iterdir()))
            for directory in sorted((INPUTS / "regressions").iterdir())
        },
        "targets": targets,
    }
    if told is not None:
        results["operations"] = told
    elif RESULTS.exists():
        results["operations"] = json.loads(RESULTS.read_text("utf-8")).get("operations")
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8", newline="\n")


def _line(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        return "absent"
    return done.stdout.strip()


def _atheris() -> str:
    installed = (ROOT / "target" / "fuzzing-tools").glob("atheris-*.dist-info")
    return next((Path(one).name.split("-")[1].removesuffix(".dist") for one in installed), "absent")


def table(targets: list[dict[str, Any]]) -> str:
    """The results as a short table.

    Args:
        targets: As they are kept.
    """
    heads = ("language", "executions", "seconds", "edges", "corpus")
    lines = [f"{'target':<18}" + "".join(f"{head:>12}" for head in heads) + "  findings"]
    for one in targets:
        cells = "".join(f"{one[head]:>12}" for head in heads)
        lines.append(f"{one['target']:<18}{cells}  {len(one['findings'])}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
