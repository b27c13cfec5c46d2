"""A Python class that a scenario names as scheme: its hooks, parameters, statistics and files."""

from __future__ import annotations

import ast
import dataclasses
import json
import sys
import sysconfig
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Literal, TypeAlias

from cellrate.common.input_file import read_regular
from cellrate.common.problems import BadInput
from cellrate.schemes.loaded_code import changed
from cellrate.schemes.loaded_code import names as names_in
from cellrate.schemes.parameter_schema import WrongParameter, schema_of
from cellrate.schemes.state import State

PRODUCT = Path(__file__).resolve().parents[1]
STANDARD_LIBRARY = Path(sysconfig.get_path("stdlib")).resolve()
LIBRARIES = frozenset({"site-packages", "dist-packages"})
"""Directories of libraries that are not of Python itself."""

Kind: TypeAlias = Literal["control", "discard", "recovery", "law"]
"""Kinds of component that a class can be.

These are: control scheme of a switch, discard policy of a queue, recovery of TCP, rate law of an
ABR source."""

HOOKS: Mapping[Kind, tuple[str, ...]] = {
    "control": ("on_forward_rm", "on_backward_rm", "on_interval", "on_cell", "on_dequeue"),
    "discard": ("on_pdu",),
    "recovery": (
        "on_new_ack",
        "on_third_duplicate",
        "on_further_duplicate",
        "on_recovered",
        "on_timeout",
    ),
    "law": ("on_backward_rm",),
}
"""Names of the hooks, methods that a run calls, by kind; each kind also has `on_start`."""

CHANGING: frozenset[Kind] = frozenset({"control", "discard"})
"""Kinds whose parameters can change during a run; their classes then have `on_change`."""

NEEDED: Mapping[Kind, str] = {"recovery": "on_new_ack", "law": "on_backward_rm"}
"""The hook that a class of each kind must have."""


class NoScheme(BadInput):
    """A name in a scenario does not lead to a class that can be a component.

    Attributes:
        help: Advice; may be empty.
    """

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(message)
        self.help = advice


@dataclass(frozen=True)
class Definition:
    """A class in the form that the engine needs.

    Attributes:
        factory: Makes an object from values of parameters.
        schema: JSON schema of the class's parameters, as text.
        hooks: Names of the hooks that the class has.
        statistics: Names of the statistics that the class counts.
        root: Directory of the files.
        files: Source of the class, of the modules beside it that it uses, and its `FILES`.
        fingerprint: SHA-256 over these files; for a class of a notebook or script also over the
            values and functions outside its objects, which may change between runs.
        reads_queue: False if the class states that it never reads `port.queue`.
        queue_at_every_cell: True if the class states that it needs the queue length at every cell.
        state: State that the code of the class keeps outside its objects.
    """

    factory: Callable[..., object]
    schema: str
    hooks: tuple[str, ...]
    statistics: tuple[str, ...]
    root: Path
    files: tuple[Path, ...]
    fingerprint: str
    reads_queue: bool
    queue_at_every_cell: bool
    state: State


def definition_of(kind: Kind, name: str, cls: object, module: ModuleType, root: Path) -> Definition:
    """The definition of a class.

    Args:
        kind: Kind of component that the class is to be.
        name: Name by which a scenario names it.
        cls: The class.
        module: The module in which the class was found.
        root: Directory of the modules that belong to the class.

    Raises:
        NoScheme: The class cannot be a component of this kind.
    """
    if not (isinstance(cls, type) and dataclasses.is_dataclass(cls)):
        raise NoScheme(f"`{name}` is not a dataclass", "write `@dataclass` above the class")
    known = HOOKS[kind]
    hooks = tuple(hook for hook in known if callable(getattr(cls, hook, None)))
    named = ", ".join(f"`{hook}`" for hook in known)
    needed = NEEDED.get(kind)
    if needed is not None and needed not in hooks:
        optional = ", ".join(f"`{hook}`" for hook in ("on_start", *known) if hook != needed)
        raise NoScheme(
            f"`{name}` has no `{needed}`",
            f"define `{needed}`; all other hooks are optional: {optional}",
        )
    if not hooks:
        raise NoScheme(
            f"`{name}` has no hook, so it reacts to nothing", f"define at least one of {named}"
        )
    others = ("on_start", "on_change") if kind in CHANGING else ("on_start",)
    strange = [one for one in vars(cls) if one.startswith("on_") and one not in (*others, *known)]
    if strange:
        listed = ", ".join(f"`{hook}`" for hook in (*others, *known))
        raise NoScheme(f"`{name}` has an unknown hook `{min(strange)}`", f"allowed: {listed}")
    hooks += tuple(hook for hook in others if callable(getattr(cls, hook, None)))
    try:
        schema = schema_of(cls, _documentation(cls))
    except WrongParameter as error:
        raise NoScheme(f"`{name}`: {error}") from error
    statistics = tuple(getattr(cls, "STATISTICS", ()))
    if bool(statistics) != callable(getattr(cls, "statistics", None)):
        there, missing = (
            ("STATISTICS", "statistics") if statistics else ("statistics", "STATISTICS")
        )
        raise NoScheme(
            f"`{name}` has `{there}` but no `{missing}`",
            "`statistics()` returns a dictionary, whose keys are in the tuple `STATISTICS`",
        )
    files = files_of(cls, module, root)
    state = _state(cls, module, root)
    if changed := state.changed_from_outside():
        raise NoScheme(
            f"`{name}`: {changed} has changed since its module was loaded",
            "worker processes load the module anew; make the value a parameter of the class",
        )
    _require_as_written(name, state, module, root)
    if "on_interval" in hooks and not _mentions_every(cls):
        raise NoScheme(
            f"`{name}` has `on_interval`, which is never called: no method calls `port.every`",
            "`port.every(seconds=1e-3)` in `on_start` begins intervals of 1 ms",
        )
    return Definition(
        factory=cls,
        schema=json.dumps(schema),
        hooks=hooks,
        statistics=statistics,
        root=root,
        files=files,
        fingerprint=fingerprint(cls, files, state),
        reads_queue=bool(getattr(cls, "reads_queue", True)),
        queue_at_every_cell=bool(getattr(cls, "queue_at_every_cell", False)),
        state=state,
    )


def _require_as_written(name: str, state: State, module: ModuleType, root: Path) -> None:
    """Refuses code that was loaded before its file changed: results are kept by the file.

    Raises:
        NoScheme: A function or value that the class uses differs from its file.
    """
    if root == PRODUCT:
        return
    sources = {
        one: read_regular(Path(one.__file__))
        for one in _own_modules(module, root)
        # Other loaders, such as that of pytest, change code.
        if type(getattr(one, "__loader__", None)) is SourceFileLoader
        and one.__name__ != "__main__"
        and one.__file__ is not None
    }
    if sources and (found := changed(sources, state.reached())):
        of, place = found
        raise NoScheme(
            f"`{name}`: `{place}` of {Path(of.__file__ or '').name} has changed since the file was "
            "loaded",
            "start Python anew, or load the module again by `importlib.reload`",
        )


def _mentions_every(cls: type) -> bool:
    """True if a method names `every`, the timer of intervals, or uses a function that names it.

    The search follows functions and classes that methods name as globals or as attributes of
    modules.
    """
    waiting: list[object] = [cls]
    seen: set[int] = set()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, type):
            waiting += (value for base in one.__mro__ for value in vars(base).values())
        elif isinstance(one, FunctionType):
            names = names_in(one.__code__)
            if "every" in names:
                return True
            used = [one.__globals__.get(name) for name in names]
            modules = (vars(module) for module in used if isinstance(module, ModuleType))
            waiting += used
            waiting += (module.get(name) for module in modules for name in names)
        elif isinstance(one, (property, classmethod, staticmethod)):
            waiting.append(getattr(one, "fget", None) or getattr(one, "__func__", None))
    return False


_states: dict[type, State] = {}


def _state(cls: type, module: ModuleType, root: Path) -> State:
    """Values outside a class's objects, as they were when a scenario first named the class."""
    found = _states.get(cls)
    if found is None:
        found = _states[cls] = State(cls, _own_modules(module, root))
    return found


def files_of(cls: type, module: ModuleType, root: Path) -> tuple[Path, ...]:
    """Files of a class: the modules that it uses, without libraries, and its `FILES`, in order.

    Imports count wherever they stand, and also if they only bring numbers or texts.
    """
    own = (getattr(one, "__file__", None) for one in _own_modules(module, root))
    # What is typed or comes from standard input has no file.
    waiting = [path for file in own if file and (path := Path(file).resolve()).is_file()]
    beside = Path(getattr(module, "__file__", None) or "x").resolve().parent
    files = {beside / path for path in _named_files(cls, beside)}
    while waiting:
        one = waiting.pop()
        if one not in files:
            files.add(one)
            # The version of the product stands for its own files.
            if root != PRODUCT:
                for level, names in _imports(read_regular(one)):
                    found = _imported(level, names, one, root)
                    waiting += (file for file in found if _is_own(file, root))
    # Other processes have other roots, so files elsewhere come last.
    return tuple(sorted(files, key=lambda one: (not one.is_relative_to(root), one)))


def _named_files(cls: type, beside: Path) -> Sequence[str]:
    """The `FILES` of a class, which must be there."""
    named = getattr(cls, "FILES", ())
    if isinstance(named, str | Path):
        raise NoScheme(f"`FILES` of `{cls.__name__}` is one path", f'write FILES = ("{named}",)')
    for path in named:
        if not (beside / path).is_file():
            raise NoScheme(f"`FILES` of `{cls.__name__}` names `{path}`, which is no file")
    return tuple(map(str, named))


@cache
def _imports(source: bytes) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """Imports of a module: the number of leading dots, and the parts of the dotted name."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):  # told where it is imported
        return ()
    found: list[tuple[int, tuple[str, ...]]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(0, tuple(one.name.split("."))) for one in node.names]
        elif isinstance(node, ast.ImportFrom):
            parts = node.module.split(".") if node.module else []
            found += [(node.level, (*parts, one.name)) for one in node.names]
        elif isinstance(node, ast.Call) and node.args and _is_import(node.func):
            name = getattr(node.args[0], "value", None)
            if isinstance(name, str):
                plain = name.lstrip(".")
                found.append((len(name) - len(plain), tuple(plain.split("."))))
    return tuple(found)


def _is_import(called: ast.expr) -> bool:
    """True for `importlib.import_module`, `import_module` and `__import__`."""
    name = getattr(called, "attr", None) or getattr(called, "id", None)
    return name in {"import_module", "__import__"}


def _imported(level: int, names: Sequence[str], path: Path, root: Path) -> Iterator[Path]:
    """Files of an import in the module at `path`: those that are loaded, or would be."""
    if level:
        above = list(path.parents)[level - 1 : level]
    else:
        above = [root, root.parent] if (root / "__init__.py").is_file() else [root]
        for depth in range(1, len(names) + 1):
            loaded = sys.modules.get(".".join(names[:depth]))
            if file := getattr(loaded, "__file__", None):
                yield _resolved(file)
    for place in above:
        yield from _files_named(place, names)


@cache
def _resolved(file: str) -> Path:
    return Path(file).resolve()


@cache
def _is_own(file: Path, root: Path) -> bool:
    """True for a file beneath `root`, or anywhere but among libraries and the product's files."""
    if file.is_relative_to(root):
        return True
    is_library = not LIBRARIES.isdisjoint(file.parts) or file.is_relative_to(STANDARD_LIBRARY)
    return file.suffix == ".py" and not is_library and not file.is_relative_to(PRODUCT)


def _files_named(place: Path, names: Sequence[str]) -> Iterator[Path]:
    """Files of the packages and the module that dotted names lead to; none if there are none."""
    for name in names:
        if (package := place / "__init__.py").is_file():
            yield package.resolve()
        place = place / name
        if (module := place.with_name(f"{name}.py")).is_file():
            yield module.resolve()
    if (package := place / "__init__.py").is_file():
        yield package.resolve()


def fingerprint(cls: type, files: Sequence[Path], state: State) -> str:
    """The first digits of the SHA-256 over the files, the state and the name of a class."""
    import hashlib  # only scenarios that name a class need it

    digest = hashlib.sha256()
    for path in files:
        content = read_regular(path)
        digest.update(f"{path.name}\0{len(content)}\0".encode())
        digest.update(content)
    digest.update(state.of_main())
    digest.update(cls.__qualname__.encode())
    return digest.hexdigest()[:16]


def _own_modules(module: ModuleType, root: Path) -> Iterator[ModuleType]:
    """A module and those that it uses, directly or indirectly, without libraries."""
    seen, waiting = {module.__name__}, [module]
    while waiting:
        one = waiting.pop()
        yield one
        for value in list(vars(one).values()):
            other = value if isinstance(value, ModuleType) else _module_of(value)
            file = getattr(other, "__file__", None)
            if other is None or file is None or other.__name__ in seen:
                continue
            if _is_own(_resolved(file), root):
                seen.add(other.__name__)
                waiting.append(other)


def _module_of(value: object) -> ModuleType | None:
    name = getattr(value, "__module__", None)
    return sys.modules.get(name) if isinstance(name, str) else None


def _documentation(cls: type) -> dict[str, str]:
    """The docstrings below the fields of a class, by field."""
    import inspect

    found: dict[str, str] = {}
    for base in reversed(cls.__mro__[:-1]):
        try:
            source = textwrap.dedent(inspect.getsource(base))
        except (OSError, TypeError):  # typed where nothing keeps it
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ClassDef) and node.name == base.__name__:
                found |= _below_fields(node)
    return found


def _below_fields(node: ast.ClassDef) -> dict[str, str]:
    found = {}
    for field, text in zip(node.body, node.body[1:], strict=False):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(text, ast.Expr)
            and isinstance(text.value, ast.Constant)
            and isinstance(text.value.value, str)
        ):
            found[field.target.id] = " ".join(text.value.value.split())
    return found
