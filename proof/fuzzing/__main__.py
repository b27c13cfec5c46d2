"""`python -m proof.fuzzing`: fuzzes every reader for a bounded time."""

import argparse
import platform
import subprocess
import sys

from cellrate import _core

from proof.campaign import ROOT, end_with, keep, kept
from proof.fuzzing import dictionary
from proof.fuzzing.targets import TARGETS, WORK, build


def main() -> int:
    """Runs the campaign; 1 if an input broke a reader, 2 if the campaign could not be run."""
    parser = argparse.ArgumentParser(prog="python -m proof.fuzzing", description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="for each target; default: 60")
    names = [target.name for target in TARGETS]
    parser.add_argument("--only", nargs="+", choices=names, help="these; others' results stay")
    options = parser.parse_args()
    chosen = [target for target in TARGETS if target.name in (options.only or names)]
    runs = {run["target"]: run for run in kept("fuzz")["targets"]} if options.only else {}
    words = WORK / "words.dict"
    WORK.mkdir(parents=True, exist_ok=True)
    dictionary.write(words)
    try:
        if any(target.language == "rust" for target in chosen):
            build()
        for number, target in enumerate(chosen, start=1):
            print(f"{number}/{len(chosen)} {target.name}, {options.seconds} s", flush=True)
            runs[target.name] = run = target.fuzz(options.seconds, words)
            print(f"  {run['executions']:,} executions", flush=True)
            for name in run["findings"]:
                place = WORK / "findings" / target.name / name
                print(f"  found {place.relative_to(ROOT)}; see fuzz/README.md", flush=True)
            if not run["ended"]:
                print(f"  had to be ended; see {WORK / target.name}.log", flush=True)
    except (FileNotFoundError, RuntimeError, subprocess.CalledProcessError) as error:
        print(f"fuzzing: {error}", file=sys.stderr)
        return 2
    ordered = [runs[name] for name in names if name in runs]
    executions = sum(run["executions"] for run in ordered)
    tools = {"cellrate": _core.__version__, "python": platform.python_version()}
    keep("fuzz", {**tools, "executions": executions, "targets": ordered})
    new = [runs[target.name] for target in chosen]
    return int(any(run["findings"] or not run["ended"] for run in new))


if __name__ == "__main__":
    end_with(main)
