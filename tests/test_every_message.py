"""Every message that the sources can make is in a golden that somebody has read.

The sources are walked, not run. What no input can reach is in `messages/unreachable.toml`, with
why.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache

from conftest import HERE
from message_patterns import Pattern, python_patterns, rust_patterns

ROOT = HERE.parent
EXCEPTIONS = tomllib.loads((HERE / "messages" / "unreachable.toml").read_text("utf-8"))
GOLDENS = ["tests/messages/*.txt", "tests/bad_input/*.txt", "crates/**/snapshots/*.snap"]


@cache
def messages() -> list[Pattern]:
    """Of Python, and of Rust but for its tests."""
    found: set[Pattern] = set()
    for path in (ROOT / "python" / "cellrate").rglob("*.py"):
        found.update(python_patterns(ROOT, path))
    for path in (ROOT / "crates").glob("*/src/**/*.rs"):
        if "tests" not in path.relative_to(ROOT).parts and path.name != "tests.rs":
            found.update(rust_patterns(ROOT, path))
    return sorted(found)


def is_excepted(message: Pattern) -> Iterator[str]:
    """The reasons why a message needs no golden."""
    for one in EXCEPTIONS["file"]:
        if any(message.path.startswith(path) for path in one["paths"]):
            yield one["why"]
    for one in EXCEPTIONS["message"]:
        if message.path == one["path"] and message.text in one["texts"]:
            yield one["why"]


def test_every_message_is_in_a_golden() -> None:
    corpus = "\n".join(
        path.read_text("utf-8") for pattern in GOLDENS for path in sorted(ROOT.glob(pattern))
    )
    missing = [
        f"{message.path}: {message.text}"
        for message in messages()
        if not any(is_excepted(message)) and not message.found_in(corpus)
    ]
    assert missing == [], f"no golden in tests/messages has {missing}"


def test_exceptions_are_messages_that_exist() -> None:
    known = {(message.path, message.text) for message in messages()}
    named = {(one["path"], text) for one in EXCEPTIONS["message"] for text in one["texts"]}
    assert named <= known, named - known
    paths = [path for one in EXCEPTIONS["file"] for path in one["paths"]]
    assert [path for path in paths if not any(m.path.startswith(path) for m in messages())] == []


def test_the_walk_sees_messages_wherever_they_are_made() -> None:
    texts = {message.text for message in messages()}
    assert "`{}` has a value twice" in texts  # a literal of a raise
    assert "must be at most high_cells: congestion ends below where it begins" in texts  # by name
    assert "a buffer of {} does not hold a PDU of {} cells" in texts  # a Rust format!
    assert len(texts) > 800
