"""Cosmic Ray over the closed forms: each mutant is tried in a copy of the package."""

import json
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from proof.mutants import stages, theory_tests
from proof.mutants.campaign import Mutant
from proof.mutants.drawing import digest
from proof.mutants.operators import meaningful
from proof.mutants.tree import OUTPUT, ROOT
from proof.mutants.verdicts import CAUGHT, SURVIVED, TIMED_OUT, UNVIABLE, Verdict

TREE = OUTPUT / "theory"
ALL = OUTPUT / "theory-all.sqlite"
"""Every mutation."""
SESSION = OUTPUT / "theory.sqlite"
"""The mutations that are being tried."""
CONFIG = "cosmic-ray.toml"
TESTS = (sys.executable, "-m", theory_tests.__name__)
THEORY = "python/cellrate/theory"
WALL_SECONDS = 3600.0
"""For a machine so loaded that processor time hardly passes; `theory_tests` has the real bound."""

COPIED = ("python", "tests", "proof")
LINKED = ("pyproject.toml", "papers", "examples", "docs", "crates", "README.md")
FATES = {"KILLED": CAUGHT, "SURVIVED": SURVIVED, "INCOMPETENT": UNVIABLE}
NAMED = """
    select job_id, module_path || ':' || start_pos_row || ':' || start_pos_col || ': '
    || replace(operator_name, 'core/', '') || ' ' || occurrence as name, module_path as file,
    start_pos_row as line, start_pos_col as col, replace(operator_name, 'core/', '') as operator
    from mutation_specs
"""
LISTED = f"select name, file, line, col, operator from ({NAMED})"  # noqa: S608
RESULTS = f"""
    select name, test_outcome, output, diff from work_results join ({NAMED}) using (job_id)
"""  # noqa: S608


class CosmicRay:
    """The mutants of the theory that `operators` calls meaningful."""

    def __init__(self, binary: Path) -> None:
        self.command = str(binary)
        version = subprocess.run([binary, "--version"], check=True, capture_output=True, text=True)  # noqa: S603
        self.version = version.stdout.strip()

    def prepare(self) -> None:
        """Copies the package and its tests, compiled, and lists all mutations in a session."""
        shutil.rmtree(TREE, ignore_errors=True)
        left_out = shutil.ignore_patterns("__pycache__")
        for part in COPIED:
            shutil.copytree(ROOT / part, TREE / part, ignore=left_out)
        for part in LINKED:
            (TREE / part).symlink_to(ROOT / part)
        self._run(sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "checked-hash",
                  "python", "tests")  # fmt: skip
        options = {"module-path": THEORY, "timeout": WALL_SECONDS, "excluded-modules": []}
        lines = [f"{name} = {json.dumps(value)}" for name, value in options.items()]
        lines += [f"test-command = {json.dumps(shlex.join(TESTS))}", "[cosmic-ray.distributor]"]
        (TREE / CONFIG).write_text("\n".join(["[cosmic-ray]", *lines, 'name = "local"', ""]))
        self._run(self.command, "init", "--force", CONFIG, str(ALL))

    def mutants(self) -> dict[str, Mutant]:
        """The mutations that count."""
        listed = {}
        for name, file, row, column, operator in rows(LISTED, ALL):
            if meaningful(TREE / file, row, column, operator):
                code = (TREE / file).read_text().splitlines()[row - 1].strip()
                listed[name] = Mutant(file, row, code, operator)
        return listed

    def tests(self) -> str:
        """The digest of the package's Python, of all tests, and of which are run."""
        files = [*(ROOT / "python").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
        files += [Path(__file__).with_name(name) for name in ("stages.py", "theory_tests.py")]
        return digest(f"{file.relative_to(ROOT)} {file.read_text()}" for file in files)

    def check(self) -> None:
        """Runs the tests once without a mutant."""
        self._run(*TESTS)

    def run(self, names: list[str]) -> None:
        """Tries these mutants, in random order."""
        shutil.copyfile(ALL, SESSION)
        jobs, chosen = rows(f"select job_id, name from ({NAMED})", SESSION), set(names)  # noqa: S608
        others = [(job,) for job, name in jobs if name not in chosen]
        with closing(sqlite3.connect(SESSION)) as session:
            session.executemany("delete from mutation_specs where job_id = ?", others)
            session.executemany("delete from work_items where job_id = ?", others)
            session.commit()
        child = subprocess.Popen([self.command, "exec", CONFIG, SESSION], cwd=TREE)  # noqa: S603
        try:
            reported(child, len(names))
        except KeyboardInterrupt:
            child.wait()  # it was interrupted as well, and puts its source file back
            raise

    def found(self) -> dict[str, Verdict]:
        """Reads the session's results, and takes them out of it."""
        if not SESSION.exists():
            return {}
        verdicts = {name: judged(*result) for name, *result in rows(RESULTS, SESSION)}
        with closing(sqlite3.connect(SESSION)) as session:
            session.execute("delete from work_results")
            session.commit()
        return verdicts

    def _run(self, *command: str) -> None:
        subprocess.run(command, cwd=TREE, check=True)  # noqa: S603


def rows(query: str, session_file: Path) -> list[tuple[Any, ...]]:
    """Rows with which a session answers a query."""
    with closing(sqlite3.connect(session_file)) as session:
        return list(session.execute(query))


def judged(outcome: str, output: str | None, difference: str | None) -> Verdict:
    """The tool's verdict, and from the tests' output which they are."""
    ended = re.findall(stages.ENDED, output or "", re.MULTILINE)
    stage, why = ended[-1] if ended else ("", "")
    fate = TIMED_OUT if why == stages.LATE else FATES[outcome]
    new = re.findall(r"^\+(?!\+\+ )(.*)$", difference or "", re.MULTILINE)
    return Verdict(fate, stage, " ".join(line.strip() for line in new))


def reported(child: subprocess.Popen[bytes], count: int) -> None:
    """Shows how many mutants are tried until all are."""
    shown = 0
    while child.poll() is None:
        time.sleep(2)
        [(done,)] = rows("select count(*) from work_results", SESSION)
        if done != shown:
            shown = done
            print(f"  {done} of {count}", flush=True)  # noqa: T201
    if child.returncode in (130, -signal.SIGINT):
        raise KeyboardInterrupt
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, "cosmic-ray exec")
