"""Golden tables change only with an entry under "Changed results" of the changelog."""

from __future__ import annotations

import pytest

from proof import fingerprints
from proof.fingerprints import FIRST, ROOT, Refused, Row, fingerprint, renewed, rows

CHANGELOG = """# Changelog

## Unreleased

### Added

- Something.

### Changed results

- `erica`: the queue is
  counted at dequeue.
- `efci`: marks before.

## 0.1

### Changed results

- Long ago.
"""
OLD = "# digests\nrun a 1\nrun b 2\n"


def test_the_changelog_knows_every_golden_table() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    tables = fingerprints.tables()
    assert len(tables) >= 6
    expected = {table: fingerprint((ROOT / table).read_text("utf-8")) for table in tables}
    found = rows(text)
    assert {table: row.fingerprint for table, row in found.items()} == expected, (
        "golden tables changed: `make fingerprints` says what is to be done"
    )
    for row in found.values():
        assert row.entry == FIRST or fingerprints.has_entry(text, row.entry), row.entry


def test_entries_are_those_of_the_latest_heading() -> None:
    first, second = fingerprints.entries(CHANGELOG)
    assert first == "`erica`: the queue is counted at dequeue."
    assert second == "`efci`: marks before."
    assert not fingerprints.has_entry(CHANGELOG, "Long ago")
    with pytest.raises(Refused, match="no heading"):
        fingerprints.section("# Changelog\n")


def test_what_is_added_needs_no_entry_and_what_changes_needs_a_new_one() -> None:
    first = renewed(CHANGELOG, {}, {"t": OLD}, None)
    assert rows(first) == {"t": Row(fingerprint(OLD), FIRST)}
    assert first.endswith("\n## 0.1\n\n### Changed results\n\n- Long ago.\n")
    before = {"t": OLD, "CHANGELOG.md": first}
    more = OLD + "run c 3\n"
    assert rows(renewed(first, before, {"t": more}, None))["t"] == Row(fingerprint(more), FIRST)
    assert renewed(first, before, {"t": OLD}, None) == first
    other = OLD.replace("run b 2", "run b 9")
    with pytest.raises(Refused, match=r"run b 2\nWrite an entry"):
        renewed(first, before, {"t": other}, None)
    with pytest.raises(Refused, match="begins with 'nothing'"):
        renewed(first, before, {"t": other}, "nothing")
    with pytest.raises(Refused, match="was there before"):
        renewed(first, before, {"t": other}, "`efci`: marks")
    told = first.replace("- `efci`", "- `tcp`: a timer.\n- `efci`")
    done = renewed(told, before, {"t": other}, "`tcp`: a timer")
    assert rows(done)["t"] == Row(fingerprint(other), "`tcp`: a timer")
    # A change that has its entry needs no other one before it is committed.
    assert renewed(done, before, {"t": other}, None) == done
    gone = renewed(told, before, {}, None)
    assert rows(gone) == {}


def test_no_second_commit_and_no_edited_hash_renew_a_table_without_an_entry() -> None:
    first = renewed(CHANGELOG, {}, {"t": OLD}, None)
    other = OLD.replace("run b 2", "run b 9")
    # The table was committed before, and the list did not follow.
    passed = {"t": other, "CHANGELOG.md": first}
    with pytest.raises(Refused, match=r"without its line.*\nWrite an entry"):
        renewed(first, passed, {"t": other}, None)
    # The list follows by hand, in a commit of its own or in the same one.
    edited = first.replace(fingerprint(OLD), fingerprint(other))
    for before in passed, {"t": OLD, "CHANGELOG.md": first}:
        with pytest.raises(Refused, match="Write an entry"):
            renewed(edited, before, {"t": other}, None)
        old_entry = edited.replace(FIRST, "`efci`: marks")
        with pytest.raises(Refused, match="was there before"):
            renewed(old_entry, before, {"t": other}, None)
        told = first.replace("- `efci`", "- `tcp`: a timer.\n- `efci`")
        done = renewed(told, before, {"t": other}, "`tcp`: a timer")
        assert rows(done)["t"] == Row(fingerprint(other), "`tcp`: a timer")
        assert renewed(done, before, {"t": other}, None) == done
