"""Detects code that was loaded before its file changed, and so is not the code of the file."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import CodeType, FunctionType, ModuleType

PLAIN = (
    *(ast.Constant, ast.UnaryOp, ast.BinOp, ast.operator, ast.unaryop, ast.expr_context),
    *(ast.Tuple, ast.List, ast.Dict, ast.Set),
)
"""Parts of expressions whose values depend on nothing else."""


PLAIN_TYPES = (int, float, complex, str, bytes, bool, type(None), tuple, list, dict, set)


@dataclass(frozen=True)
class Written:
    """A source text.

    Attributes:
        functions: The instructions of each function, by its qualified name.
        values: Plain values by the name of their class, empty for a module, and their own name;
            without the variables that functions set.
        imports: The module and the name there, by the name under which a module imports it.
    """

    functions: Mapping[str, list[object]]
    values: Mapping[tuple[str, str], object]
    imports: Mapping[str, tuple[str, str]]


def changed(
    sources: Mapping[ModuleType, bytes], reached: Iterable[object]
) -> tuple[ModuleType, str] | None:
    """The first function or value that a module's file has in another form; None if there is none.

    Args:
        sources: Modules with the source texts of their files, as they are now.
        reached: Functions and classes that are compared. Of the variables of modules, those are
            compared that these functions name.
    """
    written = {module.__name__: (module, _written(source)) for module, source in sources.items()}
    for one in reached:
        if getattr(one, "__module__", None) not in written:
            continue
        module, text = written[one.__module__]
        if isinstance(one, FunctionType):
            code = one.__code__
            known = text.functions.get(code.co_qualname)
            if known is not None and instructions(code) not in known:
                return module, one.__qualname__
            for other, name, live in _variables(one, text, written):
                if _differs(written[other.__name__][1], "", name, live):
                    return other, name
        elif isinstance(one, type):
            for name, live in vars(one).items():
                if _differs(text, one.__qualname__, name, live):
                    return module, f"{one.__qualname__}.{name}"
    return None


def _variables(
    function: FunctionType, text: Written, written: Mapping[str, tuple[ModuleType, Written]]
) -> Iterator[tuple[ModuleType, str, object]]:
    """The module variables that a function names: the module that sets each, its name there, value.

    They are those of its own module, those that its module imports, and attributes of modules.
    """
    used, variables = names(function.__code__), function.__globals__
    own, _ = written[function.__module__]
    for name in used & variables.keys():
        yield own, name, variables[name]
        place, there = text.imports.get(name, ("", ""))
        for module, _ in written.values():
            if place and module.__name__.endswith(place):
                yield module, there, variables[name]
        module = variables[name]
        if isinstance(module, ModuleType) and module.__name__ in written:
            yield from ((module, key, vars(module)[key]) for key in used & vars(module).keys())


def _differs(text: Written, place: str, name: str, live: object) -> bool:
    """True if a file gives a plain value to a name, and the loaded module another one."""
    # Others, such as members of enumerations, are made from the values.
    is_plain = type(live) in PLAIN_TYPES and (place, name) in text.values
    return is_plain and live != text.values[place, name]


@cache
def _written(source: bytes) -> Written:
    try:
        tree = ast.parse(source)
        code = compile(tree, "", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):  # told where the file is loaded next
        return Written({}, {}, {})
    functions: dict[str, list[object]] = {}
    for one in _within(code):
        functions.setdefault(one.co_qualname, []).append(instructions(one))
    # Functions may set these variables, and `state` compares them from run to run.
    own = {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
    found = {place: value for place, value in _values(tree.body, "") if place[1] not in own}
    imports = {
        name.asname or name.name: (node.module or "", name.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    return Written(functions, found, imports)


def _within(code: CodeType) -> Iterator[CodeType]:
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield one
            yield from _within(one)


def _values(body: list[ast.stmt], place: str) -> Iterator[tuple[tuple[str, str], object]]:
    """Plain values of names that a module or class sets once, and under no condition."""
    counts = Counter(name for statement in body for name in _set_by(statement))
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            inner = f"{place}.{statement.name}" if place else statement.name
            yield from _values(statement.body, inner)
        value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
        if value is not None and all(isinstance(one, PLAIN) for one in ast.walk(value)):
            for name in _set_by(statement):
                if counts[name] == 1:
                    yield (place, name), _value(value)


def _set_by(node: ast.AST) -> Iterator[str]:
    """Names that a statement sets in its scope, with those of the statements within it."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        yield node.name
        return
    if isinstance(node, ast.alias):
        yield node.asname or node.name.partition(".")[0]
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    for inner in ast.iter_child_nodes(node):
        yield from _set_by(inner)


def _value(node: ast.expr) -> object:
    return eval(compile(ast.Expression(node), "", "eval"), {})  # noqa: S307  plain values


def instructions(code: CodeType) -> tuple[object, ...]:
    """The instructions of a function, without the lines on which it stands."""
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
