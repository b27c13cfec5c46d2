"""Paths that all campaigns use, the files that campaigns write, and exit codes."""

import functools
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Never, TypeAlias

from cellrate import _core
from cellrate.simulation.run_types import Runner
from cellrate.simulation.runner import default_store, run_many

ROOT = Path(__file__).parents[1]
EVIDENCE = ROOT / "docs" / "evidence"
COMMAND = Path(sys.executable).parent / "cellrate"
"""The installed command."""
TABLE = re.compile(r"(^\|.*\n\|[-:| ]+\|\n)((?:\|.*\n)*)", re.MULTILINE)
"""A table of Markdown: its head, and its rows."""
Rows: TypeAlias = Iterable[Sequence[str]]
"""The cells of each row of a table."""


def results(name: str) -> Path:
    """The file with the results of the last whole run of a campaign."""
    return ROOT / "proof" / "results" / f"{name}.json"


def keep(name: str, found: Any) -> None:  # noqa: ANN401  any value of JSON
    """Writes the results of a campaign."""
    text = json.dumps(found, indent=2) + "\n"
    results(name).write_text(text, encoding="utf-8", newline="\n")


def kept(name: str) -> Any:  # noqa: ANN401  any value of JSON
    """Reads the results of the last whole run of a campaign."""
    return json.loads(results(name).read_text("utf-8"))


def write_evidence(file: str, text: str) -> None:
    """Writes a page or picture of docs/evidence."""
    (EVIDENCE / file).write_text(text, encoding="utf-8", newline="\n")


def write_rows(file: str, *tables: Rows) -> None:
    """Replaces the rows of the first tables of a page of docs/evidence; its text stays."""
    fresh = iter(tables)

    def replaced(found: re.Match[str]) -> str:
        rows = next(fresh, None)
        if rows is None:
            return found[0]
        return found[1] + "".join(f"| {' | '.join(row)} |\n" for row in rows)

    page = (EVIDENCE / file).read_text(encoding="utf-8")
    write_evidence(file, TABLE.sub(replaced, page))


def runner() -> Runner:
    """Runs jobs whose results `out/results` lacks, and keeps the results there."""
    return functools.partial(run_many, store=default_store(Path("out") / "results"))


def run_template(
    template: str, settings: Iterable[str], *options: str, through: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    """Runs a template with settings by the installed command, with the words `through` before it.

    Raises:
        RuntimeError: The command failed.
    """
    line = [*through, str(COMMAND), "run", "-", *options]
    line += [word for setting in settings for word in ("--set", setting)]
    text = _core.template(template)
    done = subprocess.run(line, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{template}: {done.stderr}")
    return done


def end_with(main: Callable[[], int]) -> Never:
    """Ends the process with the exit code of a campaign; after Ctrl-C with 130."""
    try:
        code = main()
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        code = 130
    sys.exit(code)
