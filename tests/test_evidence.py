"""The evidence page speaks of what there is: README's words, existing tests, present figures."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import chain

import pytest
from conftest import HERE

from proof.evidence.__main__ import PAGE
from proof.evidence.page import page, results
from proof.evidence.promises import KINDS, Promise, Trial, areas

ROOT = HERE.parent
PROMISES = list(chain.from_iterable(area.promises for area in areas()))
README = " ".join((ROOT / "README.md").read_text(encoding="utf-8").replace("**", "").split())


def by_macro(test: str, text: str) -> bool:
    """True if a macro of the file makes the test: `#[test] fn $test` of lines `name: ...;`."""
    for macro, arms in re.findall(r"macro_rules! (\w+) \{\n(.*?)\n\}\n", text, re.DOTALL):
        calls = re.findall(rf"^{macro}! \{{\n(.*?)^\}}", text, re.MULTILINE | re.DOTALL)
        if re.search(r"#\[test\]\n\s*fn \$test\(", arms) and any(
            re.search(rf"^    {test}: ", lines, re.MULTILINE) for lines in calls
        ):
            return True
    return False


def exists(trial: Trial) -> bool:
    """True if there is a test or target of that name."""
    if trial.kind == "make":
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        return bool(re.search(rf"^{trial.name}:.*## ", makefile, re.MULTILINE))
    file, _, test = trial.name.partition("::")
    text = (ROOT / file).read_text(encoding="utf-8")
    if not test:
        return "#[test]" in text or "def test_" in text
    if trial.kind == "rust":
        written = re.search(rf"#\[test\]\n(\s*///.*\n)*\s*fn {test}\(", text)
        return bool(written) or by_macro(test, text)
    return test in {node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}


def test_the_page_is_written_from_what_is_committed() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "make evidence"


def of_name(wanted: str, tree: object) -> Iterator[object]:
    """Every value of that name, however deep."""
    if isinstance(tree, dict):
        for name, value in tree.items():
            yield from [value] if name == wanted else of_name(wanted, value)
    elif isinstance(tree, list):
        for value in tree:
            yield from of_name(wanted, value)


def test_no_campaign_ended_with_a_disagreement() -> None:
    listed = [*of_name("disagreements", results()), *of_name("findings", results())]
    assert listed, "tshark's and those of fuzzing, at least"
    assert all(one == [] for one in listed), listed
    assert set(of_name("disagreement_count", results())) == {0}


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.quote[:40])
def test_a_promise_is_in_the_readme_and_is_tried(promise: Promise) -> None:
    assert promise.quote in README
    assert promise.trials
    for trial in promise.trials:
        assert trial.kind in KINDS, trial
        assert exists(trial), trial.name


def test_no_promise_of_the_readme_is_left_out() -> None:
    section = README.split("## What you can rely on", 1)[1]
    section = section.split("## What it does not model", 1)[0]
    for bullet in section.split(" - ")[1:]:
        assert any(promise.quote in bullet for promise in PROMISES), bullet
    said = " ".join(f"{promise.quote} {promise.means}" for promise in PROMISES)
    commands = set(re.findall(r"\$ (cellrate [a-z-]+)", README))
    missing = sorted(command for command in commands if command not in said)
    assert not missing
