"""Detects code that was loaded before its file changed, and so is not the code of the file."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import CodeType, FunctionType, ModuleType
from typing import Any

PLAIN = (
    *(ast.Constant, ast.UnaryOp, ast.BinOp, ast.operator, ast.unaryop, ast.expr_context),
    *(ast.Tuple, ast.List, ast.Dict, ast.Set),
)
"""Parts of expressions whose values depend on nothing else."""


@dataclass(frozen=True)
class Written:
    """A source text.

    Attributes:
        functions: The instructions of each function, by its qualified name.
        values: Plain values by the name of their class, empty for a module, and their own name;
            without the variables that functions set.
    """

    functions: Mapping[str, list[object]]
    values: Mapping[tuple[str, str], object]


def changed(module: ModuleType, source: bytes, reached: Iterable[object]) -> str | None:
    """The function or value of a module that its file has in another form; None if there is none.

    Args:
        module: The module.
        source: Source text of its file, as it is now.
        reached: Functions and classes that are compared. Of the module's variables, those are
            compared that these functions name.
    """
    written = _written(source)
    for one in reached:
        if getattr(one, "__module__", None) != module.__name__:
            continue
        if isinstance(one, FunctionType):
            code = one.__code__
            known = written.functions.get(code.co_qualname)
            if known is not None and instructions(code) not in known:
                return one.__qualname__
            for name in names(code):
                if _differs(written, "", name, vars(module)):
                    return name
        elif isinstance(one, type):
            for name in vars(one):
                if _differs(written, one.__qualname__, name, vars(one)):
                    return f"{one.__qualname__}.{name}"
    return None


def _differs(written: Written, place: str, name: str, live: Mapping[str, object]) -> bool:
    """True if a file gives a plain value to a name, and the loaded module another one."""
    if (place, name) not in written.values or name not in live:
        return False
    try:
        return bool(live[name] != written.values[place, name])
    except Exception:  # noqa: BLE001  of any class
        return False


@cache
def _written(source: bytes) -> Written:
    try:
        tree = ast.parse(source)
        code = compile(tree, "", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):  # told where the file is loaded next
        return Written({}, {})
    functions: dict[str, list[object]] = {}
    for one in _within(code):
        functions.setdefault(one.co_qualname, []).append(instructions(one))
    # Functions may set these variables, and `state` compares them from run to run.
    own = {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
    found = {place: value for place, value in _values(tree.body, "") if place[1] not in own}
    return Written(functions, found)


def _within(code: CodeType) -> Iterator[CodeType]:
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield one
            yield from _within(one)


def _values(body: list[ast.stmt], place: str) -> Iterator[tuple[tuple[str, str], object]]:
    """Plain values of names that a module or class sets once."""
    targets = [one for statement in body for one in _targets(statement)]
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            inner = f"{place}.{statement.name}" if place else statement.name
            yield from _values(statement.body, inner)
        value = getattr(statement, "value", None)
        if not isinstance(value, ast.expr):
            continue
        if all(isinstance(one, PLAIN) for one in ast.walk(value)):
            for name in _targets(statement):
                if targets.count(name) == 1:
                    yield (place, name), _value(value)


def _targets(statement: ast.stmt) -> list[str]:
    """Names that an assignment sets, and no parts of tuples."""
    if isinstance(statement, ast.Assign):
        found: list[Any] = statement.targets
    elif isinstance(statement, ast.AnnAssign | ast.AugAssign):
        found = [statement.target]
    else:
        found = []
    return [one.id for one in found if isinstance(one, ast.Name)]


def _value(node: ast.expr) -> object:
    return eval(compile(ast.Expression(node), "", "eval"), {})  # noqa: S307  plain values


def instructions(code: CodeType) -> tuple[object, ...]:
    """What a function does, without the lines on which it stands."""
    constants = (
        instructions(one)
        if isinstance(one, CodeType)
        else (frozenset.__name__, *sorted(map(repr, one)))
        if isinstance(one, frozenset)
        else one
        for one in code.co_consts
    )
    return code.co_code, code.co_names, code.co_varnames, *constants


def names(code: CodeType) -> set[str]:
    """Names of globals and attributes in a function and in the functions inside it."""
    inner = (one for one in code.co_consts if isinstance(one, CodeType))
    return set(code.co_names).union(*map(names, inner))
