"""Interpreter of the language of measures and claims: a subset of Python expressions over runs.

The language has no statements, assignments or imports. Only views of a run have attributes, which
never begin with an underscore. `papers/README.md` lists the names.

A short expression can ask for more memory or time than any computer has. So steps and items are
counted (`Budget`), not time: an expression has the same result on every machine.
"""

# ruff: noqa: ANN401 - values of the language are of any type
from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar


class ExpressionError(Exception):
    """An expression cannot be evaluated; the message quotes it and says what is wrong."""


MOST_STEPS = 20_000_000
"""Greatest number of steps of an expression: evaluated parts, and items that are visited.

The longest claim of the papers takes 3.5 million.
"""
MOST_ITEMS = 5_000_000
"""Greatest number of items in all lists that an expression makes.

The claim of the papers with the most items has 1.1 million.
"""
MOST_CHARACTERS = 100_000
"""Greatest number of characters of an expression and of each text in it."""
MOST_BITS = 4096
"""Greatest number of bits of a whole number in an expression."""

_CHARACTERS_OF_AN_ITEM = 8
_BITS_OF_AN_ITEM = 64
_SEQUENCES = (list, tuple, str, range)
_ANY_SEQUENCE = frozenset(_SEQUENCES)


class Budget:
    """Counts the steps and list items of an expression; too many raise an error."""

    def __init__(self) -> None:
        self._steps = MOST_STEPS
        self._items = MOST_ITEMS

    def step(self, count: int = 1) -> None:
        """Counts `count` steps.

        Raises:
            ExpressionError: Too few steps are left.
        """
        self._steps -= count
        if self._steps < 0:
            raise ExpressionError(
                f"an expression takes at most {MOST_STEPS:,} steps, and this one needs more"
            )

    def make(self, count: int) -> None:
        """Counts `count` list items, before they are made.

        Raises:
            ExpressionError: Too few items are left.
        """
        self._items -= count
        if self._items < 0:
            raise ExpressionError(
                f"the lists of an expression have at most {MOST_ITEMS:,} items together, and this "
                "one needs more"
            )

    def go_through(self, value: Any) -> int:
        """Counts a step for each item of a value, and for each item of sequences in it.

        Returns:
            Number of the items.

        Raises:
            ExpressionError: Too few steps are left.
        """
        if not isinstance(value, _SEQUENCES):
            return 0
        total = 0
        waiting = [value]
        while waiting:
            one = waiting.pop()
            count = _length(one)
            self.step(count + 1)
            total += count
            if isinstance(one, list | tuple) and not _ANY_SEQUENCE.isdisjoint(map(type, one)):
                waiting += [item for item in one if isinstance(item, _SEQUENCES)]
        return total

    def join(self, a: Any, b: Any) -> None:
        """Counts the items of two texts or lists before they are joined.

        Raises:
            ExpressionError: Too few items are left.
        """
        if isinstance(a, str) and isinstance(b, str):
            _check_text(len(a) + len(b))
        elif isinstance(a, list | tuple) and isinstance(b, list | tuple):
            self.make(len(a) + len(b))

    def made(self, value: Any) -> Any:
        """Counts the items of a new text or long number.

        Returns:
            The value.

        Raises:
            ExpressionError: The value is too long, or too few items are left.
        """
        if isinstance(value, str):
            _check_text(len(value))
            self.make(len(value) // _CHARACTERS_OF_AN_ITEM)
        elif isinstance(value, int):
            bits = value.bit_length()
            check_bits(bits)
            if bits > _BITS_OF_AN_ITEM:
                self.make(bits // _BITS_OF_AN_ITEM)
        return value


def check_bits(bits: int) -> None:
    """Refuses whole numbers that are too long.

    Raises:
        ExpressionError: There are more than `MOST_BITS` bits.
    """
    if bits > MOST_BITS:
        raise ExpressionError(
            f"a whole number has at most {MOST_BITS:,} bits, and this one needs more"
        )


def _check_text(characters: int) -> None:
    if characters > MOST_CHARACTERS:
        raise ExpressionError(
            f"a text has at most {MOST_CHARACTERS:,} characters, and this one needs more"
        )


def _length(sequence: Any) -> int:
    try:
        return len(sequence)
    except OverflowError:
        # The length of a range may exceed a machine's integer.
        return MOST_STEPS


class Readable:
    """Base of the objects whose attributes an expression may read."""


@dataclass(frozen=True)
class Deferred:
    """A value that is computed when an expression uses its name."""

    get: Callable[[], Any]


Maker = TypeVar("Maker", bound=Callable[..., list[Any]])
_MAKERS: set[Callable[..., Any]] = set()
"""Functions that make lists with the items of their arguments."""


def makes_lists(function: Maker) -> Maker:
    """Decorator of a function whose result is a list with the items of its arguments."""
    _MAKERS.add(function)
    return function


def _times(a: Any, b: Any) -> Any:
    for factor in (a, b):
        if isinstance(factor, Sequence):
            raise ExpressionError("texts and lists cannot be multiplied")
    if isinstance(a, int) and isinstance(b, int):
        check_bits(a.bit_length() + b.bit_length())
    return a * b


_WIDE = re.compile(r"%[^%a-zA-Z]*(\*|\d{3})")
"""Matches a format with a width of 100 characters or more, or with a width from a value."""


def _modulo(a: Any, b: Any) -> Any:
    # `%(name)s` would look values up by key, as in a `Row` of runs, with any width.
    if isinstance(a, str) and "%(" in a:
        raise ExpressionError(f"the format {a!r} names values; list them: '%s, %s' % (1, 2)")
    if isinstance(a, bytes) or (isinstance(a, str) and _WIDE.search(a)):
        raise ExpressionError(f"the format {a!r} is too wide: at most 99 characters, such as '%2d'")
    return a % b


def _power(a: Any, b: Any) -> Any:
    # Greater powers are computed with floating-point numbers.
    if isinstance(a, int) and isinstance(b, int) and a.bit_length() * b > MOST_BITS:
        return float(a) ** b
    return a**b


_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: _times,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: _modulo,
    ast.Pow: _power,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}


@lru_cache(maxsize=4096)
def parse(text: str) -> ast.expr:
    """Syntax tree of an expression.

    Raises:
        ExpressionError: The text is not an expression.
    """
    if "\0" in text:
        raise ExpressionError(f"{text!r} is not an expression: it has a null character")
    if len(text) > MOST_CHARACTERS:
        raise ExpressionError(
            f"`{text[:40]} ...` has {len(text):,} characters; an expression has at most "
            f"{MOST_CHARACTERS:,} characters"
        )
    try:
        # Brackets let an expression have several lines.
        tree = ast.parse(f"({text})", mode="eval").body
    except SyntaxError as error:
        raise ExpressionError(f"`{text}` is not an expression: {error.msg}") from error
    except ValueError as error:  # a lone surrogate
        raise ExpressionError(f"{text!r} is not an expression: {error}") from error
    except (MemoryError, RecursionError) as error:
        # The parser raises these for expressions that are nested too deeply.
        raise _too_deep(text) from error
    try:
        # The expression is parsed within brackets of two kinds; a text such as `1)+(1` fails in one
        # of them.
        inside = ast.parse(f"[{text}]", mode="eval").body
    except SyntaxError as error:
        raise ExpressionError(
            f"`{text}` is not an expression: it closes brackets that it does not open"
        ) from error
    if isinstance(inside, ast.List) and not inside.elts:
        raise ExpressionError(f"`{text.strip()}` is not an expression: it is empty")
    return tree


def _too_deep(text: str) -> ExpressionError:
    return ExpressionError(f"`{text[:40]} ...` is nested too deeply")


def names(text: str) -> frozenset[str]:
    """Free names of an expression."""
    nodes = list(ast.walk(parse(text)))
    bound = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return frozenset(n.id for n in nodes if isinstance(n, ast.Name)) - bound


def attributes(text: str) -> dict[str, set[str]]:
    """Attributes that an expression reads from each name, as `prca` of `fig3` in `fig3.prca[5]`."""
    read: dict[str, set[str]] = {}
    for node in ast.walk(parse(text)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            read.setdefault(node.value.id, set()).add(node.attr)
    return read


def columns_of_groups(text: str) -> set[str]:
    """Columns of statistics over flows, as `goodput` of `tcp.mean("goodput")`."""
    found = set[str]()
    for node in ast.walk(parse(text)):
        match node:
            case ast.Call(
                func=ast.Attribute(
                    value=ast.Name(id="tcp")
                    | ast.Attribute(attr="tcp")
                    | ast.Call(func=ast.Name(id="group") | ast.Attribute(attr="group"))
                ),
                args=[ast.Constant(value=str(column))],
            ):
                found.add(column)
    return found


def constant_subscripts(text: str) -> dict[str, set[tuple[Any, ...]]]:
    """Subscripts of each name that has only constant subscripts, as in `abr[300]`."""
    nodes = list(ast.walk(parse(text)))
    uses = [node.id for node in nodes if isinstance(node, ast.Name)]
    keys: dict[str, list[tuple[Any, ...]]] = {}
    for node in nodes:
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            try:
                key = ast.literal_eval(node.slice)
            except ValueError:
                continue
            keys.setdefault(node.value.id, []).append(key if isinstance(key, tuple) else (key,))
    return {name: set(found) for name, found in keys.items() if len(found) == uses.count(name)}


def evaluate(text: str, scope: Mapping[str, Any]) -> Any:
    """Value of an expression.

    Args:
        text: The expression.
        scope: Values of the names in the expression.

    Raises:
        ExpressionError: If a name or key is missing, an operation is impossible, or the expression
            uses what the language does not have or takes more than a `Budget`.
    """
    try:
        return _Interpreter(dict(scope), Budget()).visit(parse(text))
    except ExpressionError as error:
        raise ExpressionError(f"in `{_shown(text)}`: {error}") from error
    except (ArithmeticError, TypeError, ValueError, LookupError, AttributeError) as error:
        # The message of a KeyError is only the key.
        detail = f"there is no {error}" if isinstance(error, KeyError) else error
        raise ExpressionError(f"in `{_shown(text)}`: {detail}") from error
    except RecursionError as error:
        raise _too_deep(text) from error
    except MemoryError as error:
        raise ExpressionError(f"in `{_shown(text)}`: there is not enough memory for it") from error


def _shown(text: str) -> str:
    return " ".join(text.split())


class _Interpreter:
    def __init__(self, scope: dict[str, Any], budget: Budget) -> None:
        self._scope = scope
        self._budget = budget

    def visit(self, node: ast.expr) -> Any:
        self._budget.step()
        method = _NODES.get(type(node))
        if method is None:
            raise ExpressionError(f"{type(node).__name__} is not allowed in an expression")
        return method(self, node)

    def constant(self, node: ast.Constant) -> Any:
        if isinstance(node.value, bytes):
            raise ExpressionError("bytes are not allowed in an expression")
        if isinstance(node.value, int):
            check_bits(node.value.bit_length())
        return node.value

    def look_up(self, node: ast.Name) -> Any:
        if node.id not in self._scope:
            raise ExpressionError(f"unknown name `{node.id}`")
        value = self._scope[node.id]
        return value.get() if isinstance(value, Deferred) else value

    def attribute(self, node: ast.Attribute) -> Any:
        owner = self.visit(node.value)
        if node.attr.startswith("_") or not isinstance(owner, Readable):
            raise ExpressionError(f"`{ast.unparse(node)}` cannot be read")
        return getattr(owner, node.attr)

    def subscript(self, node: ast.Subscript) -> Any:
        value, key = self.visit(node.value), self.visit(node.slice)
        if isinstance(key, slice) and isinstance(value, list | tuple | str):
            self._budget.make(len(range(*key.indices(len(value)))))
        return value[key]

    def slices(self, node: ast.Slice) -> slice:
        parts = (node.lower, node.upper, node.step)
        return slice(*(None if part is None else self.visit(part) for part in parts))

    def call(self, node: ast.Call) -> Any:
        function = self.visit(node.func)
        arguments = [self.visit(argument) for argument in node.args]
        named = {k.arg: self.visit(k.value) for k in node.keywords if k.arg is not None}
        items = sum(map(self._budget.go_through, [*arguments, *named.values()]))
        if items and function in _MAKERS:
            self._budget.make(items)
        return self._budget.made(function(*arguments, **named))

    def binary(self, node: ast.BinOp) -> Any:
        function = _BINARY.get(type(node.op))
        if function is None:
            raise ExpressionError(
                f"operator {type(node.op).__name__} is not allowed in an expression"
            )
        left, right = self.visit(node.left), self.visit(node.right)
        if isinstance(node.op, ast.Add):
            self._budget.join(left, right)
        elif isinstance(node.op, ast.Mod):
            self._budget.go_through(right)
        return self._budget.made(function(left, right))

    def unary(self, node: ast.UnaryOp) -> Any:
        function = _UNARY.get(type(node.op))
        if function is None:
            raise ExpressionError(
                f"operator {type(node.op).__name__} is not allowed in an expression"
            )
        return function(self.visit(node.operand))

    def logic(self, node: ast.BoolOp) -> Any:
        wanted = isinstance(node.op, ast.Or)
        value: Any = not wanted
        for part in node.values:
            value = self.visit(part)
            if bool(value) is wanted:
                break
        return value

    def compare(self, node: ast.Compare) -> bool:
        left = self.visit(node.left)
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            function = _COMPARE.get(type(op))
            if function is None:
                raise ExpressionError(
                    f"operator {type(op).__name__} is not allowed in an expression"
                )
            right = self.visit(comparator)
            self._budget.go_through(left)
            self._budget.go_through(right)
            if not function(left, right):
                return False
            left = right
        return True

    def choice(self, node: ast.IfExp) -> Any:
        return self.visit(node.body if self.visit(node.test) else node.orelse)

    def sequence(self, node: ast.List | ast.Tuple) -> Any:
        self._budget.make(len(node.elts))
        items = [self.visit(item) for item in node.elts]
        return tuple(items) if isinstance(node, ast.Tuple) else items

    def comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> list[Any]:
        return list(self.generate(node.elt, node.generators))

    def generate(self, element: ast.expr, generators: list[ast.comprehension]) -> Iterator[Any]:
        if not generators:
            self._budget.make(1)
            yield self.visit(element)
            return
        first, *rest = generators
        inner = _Interpreter(dict(self._scope), self._budget)
        for item in self.visit(first.iter):
            inner.bind(first.target, item)
            if all(inner.visit(condition) for condition in first.ifs):
                yield from inner.generate(element, rest)

    def bind(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self._scope[target.id] = value
        elif isinstance(target, ast.Tuple):
            for part, item in zip(target.elts, value, strict=True):
                self.bind(part, item)
        else:
            raise ExpressionError(f"`{ast.unparse(target)}` cannot be the variable of a loop")


_NODES: dict[type[ast.expr], Callable[[_Interpreter, Any], Any]] = {
    ast.Constant: _Interpreter.constant,
    ast.Name: _Interpreter.look_up,
    ast.Attribute: _Interpreter.attribute,
    ast.Subscript: _Interpreter.subscript,
    ast.Slice: _Interpreter.slices,
    ast.Call: _Interpreter.call,
    ast.BinOp: _Interpreter.binary,
    ast.UnaryOp: _Interpreter.unary,
    ast.BoolOp: _Interpreter.logic,
    ast.Compare: _Interpreter.compare,
    ast.IfExp: _Interpreter.choice,
    ast.List: _Interpreter.sequence,
    ast.Tuple: _Interpreter.sequence,
    ast.ListComp: _Interpreter.comprehension,
    ast.GeneratorExp: _Interpreter.comprehension,
}
