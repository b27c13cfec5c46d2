"""Every expression ends soon and in little memory, whatever it says."""

from __future__ import annotations

import pytest
from cellrate.language import expressions
from cellrate.language.expressions import (
    MOST_BITS,
    MOST_CHARACTERS,
    ExpressionError,
    evaluate,
    parse,
)
from cellrate.language.functions import builtins

ENDLESS = {
    "sum(range(10**13))": "steps",
    "max(range(10**12))": "steps",
    "min(range(10**30))": "steps",
    "any(range(10**13))": "steps",
    "mean(range(10**12))": "steps",
    "hurst(range(10**12))": "steps",
    "0.5 in range(10**13)": "steps",
    "sum(x for x in range(10**13))": "items",
    "[x for x in range(10**12) for y in range(10**6) if False]": "steps",
    "[0 for x in range(10**12)]": "items",
    "sorted(range(10**9))": "steps",
    "sorted(range(10**5 + 1))": "items",
    "sorted([range(10**13)], key=sum)": "steps",
    "pairs(range(10**5 + 1))": "items",
    "zip(range(10**5), range(10**5))": "items",
    "[1 for x in range(10**6)][:] + [2 for x in range(10**6)][1:] + "
    "[3 for x in range(10**6)][2:]": "items",
    "round(10**300, -10**9)": "round",
    "sum([[1]], [])": "numbers",
    "float(10**300 * 10**300 * 10**300 * 10**300 * 10**300)": "bits",
    "0x" + "f" * 5000: "bits",
    "b'a' + b'a'": "bytes",
}
"""Expressions that would take all time or memory, and what their errors name."""


@pytest.fixture(autouse=True)
def a_small_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """A budget that is soon spent."""
    monkeypatch.setattr(expressions, "MOST_STEPS", 300_000)
    monkeypatch.setattr(expressions, "MOST_ITEMS", 100_000)


def nested(inside: str, around: str, times: int) -> str:
    """An expression that does to a value what `around` says, and does so again and again."""
    for _ in range(times):
        inside = f"[{around} for x in {inside}]"
    return inside


@pytest.mark.parametrize(("text", "named"), ENDLESS.items(), ids=[*ENDLESS])
def test_what_would_not_end_is_an_error_that_says_what_is_allowed(text: str, named: str) -> None:
    with pytest.raises(ExpressionError, match=named):
        evaluate(text, builtins())


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (nested("[3]", "x * x", 40), f"at most {MOST_BITS:,} bits"),
        (nested("['ab']", "x + x", 60), f"at most {MOST_CHARACTERS:,} characters"),
        (nested("[[1, 2]]", "x + x", 60), "at most 100,000 items"),
        # Lists that hold the same list twice are small, and endless once they are looked through.
        (f"'%s' % {nested('[[1]]', '[x, x]', 60)}", "at most 300,000 steps"),
        (f"[{0}] == {nested('[[1]]', '[x, x]', 60)}".replace("0", nested("[[1]]", "[x, x]", 60)),
         "steps"),
        (f"max({nested('[[1]]', '[x, x]', 60)})", "steps"),
        (f"theory.cells_per_pdu({nested('[[1]]', '(x, x)', 60)}[0])", "steps"),
    ],
)  # fmt: skip
def test_growth_by_doubling_ends(text: str, named: str) -> None:
    with pytest.raises(ExpressionError, match=named):
        evaluate(text, builtins())


def test_a_range_costs_nothing_until_it_is_gone_through() -> None:
    assert evaluate("range(10**13)[10**12]", builtins()) == 10**12
    assert evaluate("5 in range(100)", builtins()) is True
    assert evaluate("sum(range(10**5))", builtins()) == sum(range(10**5))


def test_each_expression_has_a_budget_of_its_own() -> None:
    for _ in range(3):
        assert evaluate("sum(range(180_000))", builtins()) > 0


def test_the_budget_is_enough_for_the_longest_claim_of_the_papers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The gaps between changes of scene of a video of 60,000 frames: 3.5 million steps.

    Steps and items grow with the frames, so that a tenth of all three says the same.
    """
    monkeypatch.undo()
    for name in ("MOST_STEPS", "MOST_ITEMS"):
        monkeypatch.setattr(expressions, name, getattr(expressions, name) // 10)
    gaps = (
        "[b - a for (a, b) in pairs([k for (k, (a, b)) in zip(range(0, 5999), "
        "pairs(values[:6000])) if abs(a - b) * 149.76e6 / 424 * 0.001 > 1.5]) if b - a > 2]"
    )
    values = [float(frame % 20 == 0) for frame in range(6_000)]
    claim = f"min({gaps}) >= 18 and sorted({gaps})[1] >= 18 and max({gaps}) <= 20"
    assert evaluate(claim, builtins() | {"values": values}) is True


@pytest.mark.parametrize("text", ["1)+(1", "1]+[1", "1), (2", ")(", "1)\n+\n(1"])
def test_an_expression_is_whole(text: str) -> None:
    with pytest.raises(ExpressionError, match="is not an expression"):
        parse(text)


@pytest.mark.parametrize("text", ["", "  ", "\n\t\n", "# nothing\n"])
def test_an_empty_text_is_no_expression(text: str) -> None:
    with pytest.raises(ExpressionError, match="empty"):
        parse(text)


@pytest.mark.parametrize("text", ["1 \0", "'\ud800'"])
def test_characters_that_no_source_has_are_an_error(text: str) -> None:
    with pytest.raises(ExpressionError, match="is not an expression"):
        parse(text)


def test_a_text_that_is_too_long_is_not_read() -> None:
    with pytest.raises(ExpressionError, match=f"at most {MOST_CHARACTERS:,} characters"):
        parse("1 + " * MOST_CHARACTERS + "1")


def test_a_tuple_and_a_generator_need_no_brackets() -> None:
    assert evaluate("1, 2", {}) == (1, 2)
    assert evaluate("x for x in [3]", {}) == [3]
    assert evaluate("()", {}) == ()
