"""cargo-mutants over the engine: each mutant is built and tested in a copy of the workspace."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from proof.mutants import stages, tree
from proof.mutants.campaign import Mutant
from proof.mutants.drawing import digest
from proof.mutants.verdicts import CAUGHT, SURVIVED, TIMED_OUT, UNVIABLE, Verdict

PACKAGE = "cellrate-engine"
TESTS = ["--lib", "--tests"]
FOUND = tree.OUTPUT / "mutants.out"
WALL_SECONDS = 3600
"""For a machine so loaded that processor time hardly passes; `stages` has the real bounds."""

OPTIONS = [
    *("-p", PACKAGE, "-o", str(tree.OUTPUT), "--in-place", "--iterate", "--shuffle"),
    *("--baseline=skip", f"--timeout={WALL_SECONDS}", f"--build-timeout={WALL_SECONDS}"),
    *("--caught", "--unviable", "--no-times"),
]

FATES = {
    "CaughtMutant": CAUGHT,
    "MissedMutant": SURVIVED,
    "Timeout": TIMED_OUT,
    "Unviable": UNVIABLE,
}


class CargoMutants:
    """The mutants of the engine, all of its sources, none left out."""

    def __init__(self, cargo_mutants: Path) -> None:
        self.command = [str(cargo_mutants), "mutants"]
        self.version = self._output("--version").strip()

    def prepare(self) -> None:
        """Makes the copy equal to the workspace."""
        tree.refresh()

    def mutants(self) -> dict[str, Mutant]:
        """Every mutant that the tool would make."""
        listed = json.loads(self._output("--list", "--json", "-p", PACKAGE))
        return {one["name"]: described(one) for one in listed}

    def tests(self) -> str:
        """The digest of the engine, its tests, how they are run, and what versions it needs."""
        names = [name for name in tree.files() if name.startswith(("crates/engine/", "Cargo."))]
        names.append(str(Path(stages.__file__).relative_to(tree.ROOT)))
        return digest(f"{name} {(tree.ROOT / name).read_bytes()!r}" for name in names)

    def check(self) -> None:
        """Builds the copy and runs its tests once without a mutant."""
        command = ["cargo", "test", "--quiet", "--config", runner(), "-p", PACKAGE, *TESTS]
        subprocess.run(command, cwd=tree.TREE, env=environment(), check=True)  # noqa: S603

    def run(self, names: list[str]) -> None:
        """Builds and tests these mutants, in random order."""
        # Exact names, which `--examine-re` does not honour for deleted fields: of all others the
        # tool believes that an earlier run has caught them.
        shutil.rmtree(FOUND, ignore_errors=True)
        FOUND.mkdir()
        others = sorted(self.mutants().keys() - set(names))
        (FOUND / "caught.txt").write_text("".join(f"{name}\n" for name in others))
        child = subprocess.Popen(  # noqa: S603
            [*self.command, *OPTIONS, "-C=--config", f"-C={runner()}", "--", *TESTS],
            cwd=tree.TREE,
            env=environment(),
        )
        try:
            child.wait()
        except KeyboardInterrupt:
            child.wait()  # it was interrupted as well, and puts its source file back
            raise

    def found(self) -> dict[str, Verdict]:
        """Reads the tool's own list, which it writes after each mutant."""
        outcomes = FOUND / "outcomes.json"
        if not outcomes.exists():
            return {}
        listed = json.loads(outcomes.read_text())["outcomes"]
        outcomes.unlink()
        return {
            one["scenario"]["Mutant"]["name"]: judged(one)
            for one in listed
            if one["scenario"] != "Baseline" and one["summary"] in FATES
        }

    def _output(self, *arguments: str) -> str:
        tree.TREE.mkdir(parents=True, exist_ok=True)
        run = subprocess.run(  # noqa: S603
            [*self.command, *arguments], cwd=tree.TREE, check=True, capture_output=True, text=True
        )
        return run.stdout


def described(one: dict[str, Any]) -> Mutant:
    """A mutant as the tool lists it."""
    file, line = one["file"], one["span"]["start"]["line"]
    code = (tree.TREE / file).read_text().splitlines()[line - 1].strip()
    return Mutant(file, line, code, one["name"].split(": ", 1)[1])


def judged(one: dict[str, Any]) -> Verdict:
    """The tool's verdict, and from the log which tests it rests on."""
    fate = FATES[one["summary"]]
    log = (FOUND / one["log_path"]).read_text(errors="replace")
    ended = re.findall(stages.ENDED, log, re.MULTILINE)
    stage, why = ended[-1] if ended else ("", "")
    return Verdict(TIMED_OUT if fate == CAUGHT and why == stages.LATE else fate, stage)


def runner() -> str:
    """Makes cargo run the test binaries in `stages`."""
    return f"target.'cfg(all())'.runner=[{sys.executable!r}, {stages.__file__!r}]"


def environment() -> dict[str, str]:
    """No debug information, no shrinking of failures, no snapshots written: only the verdict."""
    return os.environ | {
        "CARGO_PROFILE_DEV_DEBUG": "0",
        "CARGO_TARGET_DIR": str(tree.TREE / "target"),
        "INSTA_UPDATE": "no",
        "PROPTEST_MAX_SHRINK_ITERS": "0",
    }
