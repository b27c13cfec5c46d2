"""Golden tables change only with an entry under "Changed results" of the changelog.

The changelog lists the SHA-256 of every golden table, and the entry under which results in it last
changed; a test holds the list against the tables. `python -m proof.fingerprints` writes it anew:
lines that were added need nothing, lines that changed or went need an entry that is new. So does
a table that was committed while the list told of another one.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
CHANGELOG = "CHANGELOG.md"
HEADING = "### Changed results"
TABLES = "papers/*/golden.txt", "crates/engine/tests/suite/snapshots/*golden*.snap"
FIRST = "first blessed"
"""Stands for the entry of a table in which nothing has changed since it was first committed."""
NO_RESULTS = "#", "---", "source:", "expression:"
DIGITS = 16
ROW = re.compile(r"^\| `(?P<table>[^`]+)` \| `(?P<hash>[0-9a-f]+)` \| (?P<entry>.+) \|$")
HEAD = "| Golden table | SHA-256 | Changed last under |\n|---|---|---|\n"


class Refused(Exception):
    """Results changed, and the changelog does not say so."""


@dataclass(frozen=True)
class Row:
    """A table's line in the changelog: first digits of its SHA-256, beginning of the entry."""

    fingerprint: str
    entry: str


def tables(root: Path = ROOT) -> list[str]:
    """Golden tables, by their paths."""
    found = (path for pattern in TABLES for path in root.glob(pattern))
    return sorted(path.relative_to(root).as_posix() for path in found)


def fingerprint(text: str) -> str:
    """First digits of the SHA-256 of a table."""
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def section(changelog: str) -> str:
    """Text under the latest heading of changed results.

    Raises:
        Refused: There is no such heading.
    """
    _, heading, rest = changelog.partition(f"\n{HEADING}\n")
    if not heading:
        raise Refused(f"{CHANGELOG} has no heading `{HEADING}`")
    return re.split(r"\n##", rest, maxsplit=1)[0]


def entries(changelog: str) -> list[str]:
    """Entries of changed results, each on one line."""
    parts = re.split(r"\n- ", f"\n{section(changelog)}")[1:]
    # An entry ends where its indentation does.
    return [" ".join(re.split(r"\n(?=\S|\n)", part)[0].split()) for part in parts]


def rows(changelog: str) -> dict[str, Row]:
    """The list of fingerprints, by table."""
    found = (ROW.match(line) for line in section(changelog).splitlines())
    return {row["table"]: Row(row["hash"], row["entry"]) for row in found if row}


def has_entry(changelog: str, beginning: str) -> bool:
    """True if an entry begins with these words."""
    return any(one.startswith(beginning) for one in entries(changelog))


def changed(before: str, after: str) -> list[str]:
    """Lines of a table that are no longer there, but for comments."""
    gone = Counter(before.splitlines()) - Counter(after.splitlines())
    return [line for line in gone if not line.startswith(NO_RESULTS)]


def renewed(
    changelog: str, before: Mapping[str, str], after: Mapping[str, str], entry: str | None
) -> str:
    """The changelog with the list of fingerprints of the tables as they are now.

    Args:
        changelog: As it is.
        before: Tables as they were committed, by path; the changelog, too.
        after: Tables as they are.
        entry: Beginning of the entry that tells what changed.

    Raises:
        Refused: Results changed and there is no such entry, or it is an old one.
    """
    known, committed = rows(changelog), _committed_rows(before)
    found: dict[str, Row] = {}
    for table, text in after.items():
        row = known.get(table, Row("", FIRST))
        old = before.get(table, "")
        gone = changed(old, text)
        # A table that was committed without its fingerprint may have changed in any way.
        passed = table in committed and fingerprint(old) != committed[table].fingerprint
        if gone or passed:
            # A change that has its entry needs no other one before it is committed.
            blessed = fingerprint(text) == row.fingerprint and row.entry != FIRST
            told = entry or (row.entry if blessed else None)
            _require(changelog, before.get(CHANGELOG, ""), told, _lost(table, gone))
            row = Row("", str(told))
        found[table] = Row(fingerprint(text), row.entry)
    body = section(changelog)
    kept = [line for line in body.splitlines() if not line.startswith("|")]
    listed = [f"| `{table}` | `{row.fingerprint}` | {row.entry} |" for table, row in found.items()]
    fresh = "\n".join(kept).rstrip("\n") + "\n\n" + HEAD + "\n".join(listed) + "\n"
    return changelog.replace(body, fresh, 1)


def _committed_rows(before: Mapping[str, str]) -> dict[str, Row]:
    """The list of fingerprints as it was committed; empty if there was none."""
    changelog = before.get(CHANGELOG, "")
    return rows(changelog) if f"\n{HEADING}\n" in changelog else {}


def _lost(table: str, gone: list[str]) -> str:
    if not gone:
        return f"{table}: it was committed without its line of the list, so anything may be new\n"
    return f"{table}: {len(gone)} results changed, the first one is\n  {gone[0]}\n"


def _require(changelog: str, old: str, entry: str | None, what: str) -> None:
    if entry is None:
        raise Refused(
            f"{what}Write an entry under `{HEADING}` of {CHANGELOG} that says what changed and "
            "why, then name its beginning: make fingerprints ENTRY='...'"
        )
    if not has_entry(changelog, entry):
        raise Refused(f"{what}No entry under `{HEADING}` begins with {entry!r}")
    if old and has_entry(old, entry):
        raise Refused(f"{what}The entry that begins with {entry!r} was there before")


def _committed(path: str) -> str:
    """A file as it was committed last; empty if it was not."""
    found = subprocess.run(  # noqa: S603
        ["git", "show", f"HEAD:{path}"],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return found.stdout if found.returncode == 0 else ""


def main() -> int:
    """Writes the list; returns 1 if results changed and no entry says so."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entry", help="Beginning of the entry that tells what changed.")
    entry = parser.parse_args().entry or None
    place = ROOT / CHANGELOG
    now = {table: (ROOT / table).read_text("utf-8") for table in tables()}
    old = {path: _committed(path) for path in [CHANGELOG, *now]}
    try:
        place.write_text(renewed(place.read_text("utf-8"), old, now, entry), "utf-8")
    except Refused as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
