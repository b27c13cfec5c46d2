"""Docstrings of the package, and the openings of all docstrings and doc comments."""

import ast
import re
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import cellrate

PACKAGE = Path(cellrate.__file__).parent
ROOT = Path(__file__).parents[1]

QUESTION = re.compile(r"(What|Whether|Who|Where|How|When|Why|Which)\b")
"""Opening of a text that names a question, and not what the thing is or does."""
DOC_COMMENT = re.compile(r"\s*(//[/!])(?!/) ?(.*)")


def is_text(node: ast.stmt) -> bool:
    """True if a statement is nothing but a text, as a docstring is."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def doubled(source: str) -> list[int]:
    """Lines of texts that follow another text: the second docstring of one thing."""
    bodies = (getattr(node, "body", None) for node in ast.walk(ast.parse(source)))
    return [
        second.lineno
        for body in bodies
        if isinstance(body, list)
        for first, second in pairwise(body)
        if is_text(first) and is_text(second)
    ]


def docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Docstrings of Python, those of attributes too, with their lines."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield node.lineno, text.lstrip()


def doc_comments(source: str) -> Iterator[tuple[int, str]]:
    """First lines of Rust's doc comments, with their numbers."""
    before = ""
    for number, line in enumerate(source.splitlines(), 1):
        found = DOC_COMMENT.match(line)
        marker, text = found.groups() if found else ("", "")
        if marker and marker != before:
            yield number, text
        before = marker


def questions(name: str, source: str) -> list[int]:
    """Lines of a file at which a docstring or doc comment opens with a question."""
    texts = docstrings(source) if name.endswith(".py") else doc_comments(source)
    return sorted(line for line, text in texts if QUESTION.match(text))


def tracked() -> list[str]:
    """Names of the sources in Python and Rust that git tracks and that are there."""
    listed = subprocess.run(
        ["git", "ls-files", "*.py", "*.rs"],  # noqa: S607
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def test_nothing_has_two_docstrings() -> None:
    files = PACKAGE.rglob("*.py")
    found = {str(file.relative_to(PACKAGE)): doubled(file.read_text("utf-8")) for file in files}
    assert {file: lines for file, lines in found.items() if lines} == {}


def test_a_second_docstring_is_seen() -> None:
    assert doubled('class A:\n    """One."""\n\n    """Two."""\n') == [4]
    assert doubled('a = 1\n"""Of a."""\nb = 2\n"""Of b."""\n') == []


def test_no_docstring_opens_with_a_question() -> None:
    names = tracked()
    assert {name.partition("/")[0] for name in names} >= {"crates", "proof", "python", "tests"}
    found = {name: questions(name, (ROOT / name).read_text("utf-8")) for name in names}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_a_question_is_seen() -> None:
    module = '"""What a file has."""\n\na = 1\n"""Where a is."""\n\n\n'
    function = 'def f():\n    """\n    Whether it holds.\n    """\n    return "How"\n'
    assert questions("a.py", module + function) == [1, 4, 8]
    assert questions("a.py", '"""Whatever.\n\nWhat else."""\nprint("Who")\n# When\n') == []
    assert questions("a.rs", "//! How.\n\n/// Who.\nfn f() {\n    /// Why.\n") == [1, 3, 5]
    assert questions("a.rs", "//! Text.\n/// When.\n") == [2]
    assert questions("a.rs", "/// A text.\n/// What follows.\n// Where\n//// How\n") == []
