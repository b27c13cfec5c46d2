"""Docstrings of the package."""

import ast
from itertools import pairwise
from pathlib import Path

import cellrate

PACKAGE = Path(cellrate.__file__).parent


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


def test_nothing_has_two_docstrings() -> None:
    files = PACKAGE.rglob("*.py")
    found = {str(file.relative_to(PACKAGE)): doubled(file.read_text("utf-8")) for file in files}
    assert {file: lines for file, lines in found.items() if lines} == {}


def test_a_second_docstring_is_seen() -> None:
    assert doubled('class A:\n    """One."""\n\n    """Two."""\n') == [4]
    assert doubled('a = 1\n"""Of a."""\nb = 2\n"""Of b."""\n') == []
