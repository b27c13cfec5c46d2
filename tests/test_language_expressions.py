"""The language of measures and claims."""

import ast
import tomllib
from collections.abc import Iterator

import pytest
from cellrate.language.expressions import (
    Deferred,
    ExpressionError,
    Readable,
    constant_subscripts,
    evaluate,
    names,
)
from cellrate.language.runs import Row, run_of
from cellrate.papers.runs import fill, vocabulary
from conftest import HERE
from test_language_runs import HandMade

PAPERS = HERE.parent / "papers"


class Thing(Readable):
    """Something with an attribute to read and one to leave alone."""

    size = 3
    _hidden = 4


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3 - 7 // 2", 4),
        ("-x ** 2 / 4", -2.25),
        ("1 < x <= 3 and not x == 4", True),
        ("1 < x < 3 or x != 3", False),
        ("'big' if x > 2 else 'small'", "big"),
        ("[a * b for a, b in zip([1, 2, 3], [4, 5, 6]) if a != 2]", [4, 18]),
        ("sum(x * y for y in range(3))", 9),
        ("max([1, 5, 2][1:])", 5),
        ("2 in [1, 2]", True),
        ("thing.size", 3),
        ("cells_of_kib(300)", 5796),
        ("cells_of_kib(10)", 193),
        ("floor(300 * 1000 / 53)", 5660),
        ("increasing([1, 2, 3]) and decreasing([3, 1])", True),
        ("increasing([1, 1])", False),
        ("jain([1, 1, 4])", 36 / 54),
        ("theory.cells_per_pdu(512)", 12),
        (
            """1
            + 1""",
            2,
        ),
    ],
)
def test_what_the_language_has(text: str, value: object) -> None:
    assert evaluate(text, vocabulary() | {"x": 3, "thing": Thing()}) == value


@pytest.mark.parametrize(
    "lengths",
    [
        "exponential_lengths(2500)",
        "uniform_lengths(1, 2000)",
        "discrete_lengths([100, 2000], [0.5, 0.5])",
    ],
)
def test_a_result_of_a_formula_is_an_argument_of_another(lengths: str) -> None:
    """A distribution has more than its fields."""
    found = evaluate(f"theory.message_efficiency(theory.{lengths}, 1024)", vocabulary())
    assert 0 < found < 48 / 53


@pytest.mark.parametrize(
    "text",
    [
        "x = 1",
        "thing._hidden",
        "thing.__class__",
        "'text'.upper()",
        "(1).real",
        "lambda: 1",
        "{1: 2}",
        "__import__('os')",
        "open('file')",
        "f'{x}'",
        "unknown",
        "1 / 0",
        "[1][2]",
        "mean([])",
        "theory.os",
    ],
)
def test_what_it_has_not(text: str) -> None:
    with pytest.raises(ExpressionError):
        evaluate(text, vocabulary() | {"x": 3, "thing": Thing()})


def test_an_error_shows_the_expression() -> None:
    with pytest.raises(ExpressionError, match=r"in `1 \+ z`: unknown name `z`"):
        evaluate("1 + z", {})


def test_a_bound_name_hides_nothing_outside() -> None:
    assert evaluate("[x for x in [1]] + [x]", {"x": 5}) == [1, 5]


def test_both_sides_of_and_are_not_evaluated_in_vain() -> None:
    assert evaluate("False and 1 / 0", {}) is False


@pytest.mark.parametrize(
    "text", ["-" * 2000 + "1", "'a' * 10**12", "10**12 * [0]", "'%999999999d' % 1", "9**9**9"]
)
def test_what_would_fill_the_memory_is_an_error(text: str) -> None:
    with pytest.raises(ExpressionError):
        evaluate(text, {})


def test_a_format_takes_no_values_by_name() -> None:
    """A row of runs has keys; a width behind one would be as wide as any other."""
    row = Row("row", {("a",): lambda: run_of(HandMade(), "a")})
    for text in ("'%(a)999999999s' % row", "'%(a)s' % row"):
        with pytest.raises(ExpressionError, match="names values"):
            evaluate(text, {"row": row})


def test_powers_of_integers_are_exact_until_they_are_long() -> None:
    assert evaluate("3**40 % 1000", {}) == 3**40 % 1000
    assert evaluate("10**300 + 1 - 10**300", {}) == 1
    assert evaluate("1.5**2", {}) == 2.25


def test_deferred_values_are_asked_for_only_when_used() -> None:
    asked: list[int] = []

    def ask() -> int:
        asked.append(1)
        return 7

    scope = {"a": Deferred(ask), "b": 1}
    assert evaluate("b", scope) == 1
    assert asked == []
    assert evaluate("a + b", scope) == 8
    assert asked == [1]


def test_names_are_those_from_outside() -> None:
    assert names("sum(abr[b].x for b in abr.axis) + epd") == {"sum", "abr", "epd"}


def test_constant_subscripts() -> None:
    assert constant_subscripts("abr[10].x + abr[300].x - row[2, 64].y") == {
        "abr": {(10,), (300,)},
        "row": {(2, 64)},
    }
    assert constant_subscripts("abr[10].x + sum(abr[b].x for b in abr.axis)") == {}


def test_templates() -> None:
    values = {"buffer": 300, "tau": 0.02}
    assert fill("switch.buffer={buffer} KiB", values) == "switch.buffer=300 KiB"
    assert fill("t={tau * 0.05} ms", values) == "t=0.001 ms"
    assert fill("threshold={cells_of_kib(buffer) // 2} cells", values) == "threshold=2898 cells"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("fair(0.98)", True),
        ("fair(0.979)", False),
        ("slightly_below(0.95, 1.0)", True),
        ("slightly_below(0.94, 1.0)", False),
        ("slightly_below(1.01, 1.0)", False),
        ("slightly_above(1.05, 1.0)", True),
        ("about_equal(95, 100)", True),
        ("about_equal(94, 100)", False),
        ("much_smaller(1, 2)", True),
        ("much_smaller(1.1, 2)", False),
        ("much_larger(2, 1)", True),
        ("much_smaller(0, 0)", False),
        ("high(0.9)", True),
        ("high(0.89)", False),
        ("small(0.1)", True),
        ("small(0.11)", False),
    ],
)
def test_words(text: str, *, value: bool) -> None:
    assert evaluate(text, vocabulary()) is value


def texts(value: object) -> Iterator[str]:
    """All texts in a TOML document."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts(part)


def formats() -> Iterator[ast.BinOp]:
    """Expressions of the papers that put values into a literal text."""
    for file in sorted(PAPERS.rglob("*.toml")):
        for text in texts(tomllib.loads(file.read_text("utf-8"))):
            try:
                tree = ast.parse(text.strip(), mode="eval")
            except (SyntaxError, ValueError):
                continue
            for node in ast.walk(tree):
                match node:
                    case ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod()):
                        yield node


def test_the_language_has_the_formats_that_the_papers_use() -> None:
    found = {ast.unparse(node.left) for node in formats()}
    assert "'tcp.%d/*'" in found
    for text in found:
        assert evaluate(f"{text} % 7", {}) == ast.literal_eval(text) % 7
