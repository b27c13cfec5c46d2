"""Transcripts: what is typed, and what is said of it, in one file that is read as text.

    # a comment
    file my.toml            a file in the working directory, its lines behind bars
    | [run]
    $ cellrate run my.toml  a command; what it writes to standard error follows
    >>> theory.efci(...)    Python with `message_inputs` at hand; its error follows

All else is output, which is made anew.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from cellrate.cli.app import run_command

QUIET = "(nothing is said)"


def play(text: str, names: dict[str, Any], shown: Callable[[str], str]) -> str:
    """The transcript with what is said now.

    Args:
        text: A transcript.
        names: What its Python finds.
        shown: Takes out of an output what differs between machines.
    """
    return "".join(_played(text, names, shown))


def _played(text: str, names: dict[str, Any], shown: Callable[[str], str]) -> Iterator[str]:
    lines = text.splitlines()
    for at, line in enumerate(lines):
        if line.startswith("#") or not line:
            yield f"{line}\n"
        elif line.startswith("file "):
            body = _behind_bars(lines[at + 1 :])
            place = Path(line.removeprefix("file "))
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text("".join(f"{one}\n" for one in body), encoding="utf-8")
            yield "\n".join([line, *(f"| {one}".rstrip() for one in body)]) + "\n"
        elif line.startswith("$ "):
            yield f"{line}\n{_said(_command(line), shown)}"
        elif line.startswith(">>> "):
            said = _python(line.removeprefix(">>> "), names)
            yield f"{line}\n" if said is None else f"{line}\n{_said(said, shown)}"


def _behind_bars(lines: list[str]) -> list[str]:
    body = []
    for line in lines:
        if not line.startswith("|"):
            break
        body.append(line.removeprefix("|").removeprefix(" "))
    return body


def _said(text: str, shown: Callable[[str], str]) -> str:
    """An output, none of whose lines looks like an input or is empty."""
    kept = [line.rstrip() for line in shown(text).splitlines()]
    return "".join(f"{line}\n" for line in kept if line and not line.startswith(("#", "$ ", ">>>")))


def _command(line: str) -> str:
    program, *arguments = shlex.split(line.removeprefix("$ "))
    assert program == "cellrate", line
    error = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(error):
        status = run_command(arguments)
    ended = "" if status == 2 else f"[exit status {status}]"
    return f"{error.getvalue() or QUIET}\n{ended}"


def _python(line: str, names: dict[str, Any]) -> str | None:
    """Text of an expression's error; None for a statement."""
    try:
        code = compile(line, "transcript", "eval")
    except SyntaxError:
        exec(compile(line, "transcript", "exec"), names)  # noqa: S102 -- the test's own text
        return None
    try:
        if eval(code, names) is None:  # noqa: S307 -- the same
            return None
    except Exception as error:  # noqa: BLE001 -- whatever it says is the result
        said = str(error.args[0]) if isinstance(error, KeyError) else str(error)
        said = getattr(error, "rendered", said)
        kind = traceback.format_exception_only(error)[-1].partition(":")[0].rpartition(".")[2]
        return f"{kind.strip()}: {re.sub(r'^error: ', '', said)}"
    return QUIET
