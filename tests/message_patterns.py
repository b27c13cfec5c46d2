"""Patterns of the sources' messages: every text that ends in an error or a warning."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# Calls that take texts for a reader, beside exceptions.
HELPERS = {"refusal", "_refusal", "refuse", "require", "warn", "_complain", "complaint"}
EXCEPTION = re.compile(r"(Error|BadInput|NoModel|DoesNotApply|TooManyPoints|Cancelled)$")
# Calls in Rust whose texts name a broken invariant, or describe what there is.
NO_MESSAGES = re.compile(
    r"^(debug_)?assert|^(panic|unreachable|todo|expect|expect_err|registry|statistics)$"
)


@dataclass(frozen=True, slots=True, order=True)
class Pattern:
    """A message with `{}` for what it is filled with.

    Attributes:
        path: Of the source, from the root of the repository.
        text: The constant parts.
    """

    path: str
    text: str

    def found_in(self, corpus: str) -> bool:
        """True if some line of a corpus is such a message."""
        parts = self.text.split("{}")
        longest = max(parts, key=len)
        whole = re.compile(".*?".join(map(re.escape, parts)))
        at = corpus.find(longest)
        while at >= 0:
            end = corpus.find("\n", at)
            line = corpus[corpus.rfind("\n", 0, at) + 1 : end if end >= 0 else None]
            if whole.search(line):
                return True
            at = corpus.find(longest, at + 1)
        return False


def _prose(text: str) -> bool:
    """True if the constant parts of a text are words for a reader."""
    constant = text.replace("{}", "")
    return " " in constant.strip() and len(re.findall(r"[A-Za-z]{2,}", constant)) > 1


def python_patterns(root: Path, path: Path) -> Iterator[Pattern]:
    """The messages of a Python file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    scopes = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    for scope in [*scopes, tree]:
        nodes = [*ast.walk(scope)]
        calls = [node for node in nodes if isinstance(node, ast.Call) and _complains(node)]
        assigned = _assigned(nodes) if calls else {}
        for call in calls:
            for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
                for text in _texts(argument, assigned):
                    if _prose(text):
                        yield from _lines(str(path.relative_to(root)), text)


def _lines(path: str, text: str) -> Iterator[Pattern]:
    yield from (Pattern(path, line) for line in text.split("\n") if _prose(line))


def _complains(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    name = call.func.id if isinstance(call.func, ast.Name) else name
    return name in HELPERS or EXCEPTION.search(name) is not None


def _assigned(nodes: list[ast.AST]) -> dict[str, list[ast.expr]]:
    """Expressions that the names among the nodes of a scope may stand for."""
    found: dict[str, list[ast.expr]] = {}
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found.setdefault(name, []).append(value)
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                for target, value in zip(names, values, strict=False):
                    if isinstance(target, ast.Name):
                        found.setdefault(target.id, []).append(value)
    return found


def _texts(node: ast.expr, assigned: dict[str, list[ast.expr]]) -> list[str]:
    """The texts that an expression may be; none if it is not a text."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.JoinedStr(values=values):
            parts = [str(v.value) if isinstance(v, ast.Constant) else "{}" for v in values]
            return ["".join(parts)]
        case ast.IfExp(body=body, orelse=orelse):
            return [*_texts(body, assigned), *_texts(orelse, assigned)]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            pairs = [_texts(side, assigned) or ["{}"] for side in (left, right)]
            return [a + b for a in pairs[0] for b in pairs[1]]
        case ast.Name(id=name):
            known = {key: value for key, value in assigned.items() if key != name}
            return [text for value in assigned.get(name, []) for text in _texts(value, known)]
    return []


TOKEN = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | r\#*"(?P<raw>.*?)"\#* | b?"(?P<text>(?:\\.|[^"\\])*)"
    | '(?:\\.[^']*|[^'\\])' | (?P<word>[A-Za-z_]\w*!?) | (?P<open>[(\[{])
    | (?P<close>[)\]}]) | \S""",
    re.VERBOSE | re.DOTALL,
)


TESTS = re.compile(r"^#\[cfg\(test\)\]\nmod ", re.MULTILINE)
"""Start of a file's tests; an attribute for tests may stand on other items, too."""


def rust_patterns(root: Path, path: Path) -> Iterator[Pattern]:
    """The messages of a Rust file: texts of several words but for assertions and descriptions."""
    source = TESTS.split(path.read_text(encoding="utf-8"), maxsplit=1)[0]
    stack: list[str] = []
    before = ""
    for token in TOKEN.finditer(source):
        if token["open"]:
            stack.append(before)
        elif token["close"] and stack:
            stack.pop()
        text = token["text"] if token["raw"] is None else token["raw"]
        if text is not None and not any(
            name == "#" or NO_MESSAGES.match(name.rstrip("!")) for name in stack
        ):
            yield from _lines(str(path.relative_to(root)), _unescaped(text))
        if not token[0].startswith(("//", "/*")):
            before = token["word"] or token[0]


def _unescaped(text: str) -> str:
    text = re.sub(r"\\\n\s*", "", text)
    text = text.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")
    text = re.sub(r"\{[^{}]*\}", "{}", text.replace("{{", "\0").replace("}}", "\1"))
    return text.replace("\0", "{").replace("\1", "}")
