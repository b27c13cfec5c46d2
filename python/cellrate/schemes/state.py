"""Detects state that the Python code of a scheme keeps outside its objects from run to run.

A run must not depend on the runs before it. So a class must keep its state in its objects, which
are made anew for every run. Values that outlive a run are compared before and after it. These are
module variables that the code names, attributes of classes, and default values and attributes of
functions.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Mapping
from types import BuiltinFunctionType, CellType, FunctionType, GeneratorType, ModuleType

from cellrate.schemes.loaded_code import instructions
from cellrate.schemes.loaded_code import names as names_in

Places = dict[str, object]
"""Values that outlive a run, by the description of their place in a message."""

ABSENT = "nothing"
CODE = (ModuleType, FunctionType, BuiltinFunctionType, type)
"""Types of code, such as functions and modules, which are not compared as values."""
WITHIN = ("__func__", "__wrapped__", "fget", "fset", "func")
"""Attributes of methods and caches that hold the wrapped function."""


class StateChanged(Exception):
    """A run has changed a value that the next run can read."""


class State:
    """The values outside a class's objects, as they were when the class's modules were loaded.

    The user may change values of a notebook or script between runs, so `begin` reads them again.
    """

    def __init__(self, cls: type, modules: Iterable[ModuleType]) -> None:
        self.cls = cls
        self.modules = {module.__name__ for module in modules}
        self.is_main = cls.__module__ == "__main__"
        self.before = _pictures(self._places())

    def begin(self) -> None:
        """Begins a run: reads the values of a notebook or script again."""
        if self.is_main:
            self.before = _pictures(self._places())

    def of_main(self) -> bytes:
        """Bytes that represent the values and the functions of a notebook or script."""
        return repr(sorted(_pictures(self._places()).items())).encode() if self.is_main else b""

    def changed_from_outside(self) -> str | None:
        """The place of a module's value that has changed since it was loaded; None if none has."""
        return None if self.is_main else self._changed()

    def reached(self) -> Iterator[object]:
        """The class, and the classes and functions that its code can reach by names."""
        yield self.cls
        for value in self._places().values():
            yield from (value, *_within(value))

    def change(self) -> StateChanged | None:
        """The error to raise if the run changed a value that the next run can read; else None."""
        if place := self._changed():
            return StateChanged(
                f"{place} has changed: a run must not depend on the runs before it, so state "
                "belongs into the object, as in `self.count`"
            )
        return None

    def _changed(self) -> str | None:
        for place, value in self._places().items():
            before = self.before.get(place, _picture(ABSENT))
            if not isinstance(value, CODE) and not _is_equal(before, value):
                return place
        return None

    def _places(self) -> Places:
        """Values that the code of the class can reach by names, except its objects."""
        found: Places = {}
        seen: set[int] = set()
        waiting: list[object] = [self.cls]
        while waiting:
            one = waiting.pop()
            if id(one) in seen or getattr(one, "__module__", None) not in self.modules:
                continue
            seen.add(id(one))
            if isinstance(one, type):
                waiting += one.__mro__
                new = dict(_of_class(one))
            elif isinstance(one, FunctionType):
                new = dict(self._of_function(one))
            else:
                new = {}
            found |= new
            for value in new.values():
                waiting += [value, type(value), *_within(value)]
        return found

    def _of_function(self, function: FunctionType) -> Iterator[tuple[str, object]]:
        name = function.__qualname__
        kept = (function.__defaults__, function.__kwdefaults__)
        yield f"a default value of `{name}`", kept
        own = {key: value for key, value in vars(function).items() if key != "__wrapped__"}
        yield f"an attribute of `{name}`", own
        for key, cell in zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=True
        ):
            yield f"the variable `{key}` of `{name}`", _content(cell)
        names = names_in(function.__code__)
        modules: list[tuple[str, Mapping[str, object]]] = [("", function.__globals__)]
        for key in names:
            value = function.__globals__.get(key)
            if isinstance(value, ModuleType) and value.__name__ in self.modules:
                modules.append((f"{key}.", vars(value)))
        for before, variables in modules:
            for key in names:
                if not key.startswith("__"):
                    yield f"the module variable `{before}{key}`", variables.get(key, ABSENT)


def _content(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # not yet bound
        return ABSENT


def _of_class(cls: type) -> Iterator[tuple[str, object]]:
    for key, value in list(vars(cls).items()):
        if not key.startswith(("__", "_abc_")):
            yield f"the class attribute `{cls.__qualname__}.{key}`", value
    # Special methods that the class itself defines, such as `__post_init__`.
    for key, value in list(vars(cls).items()):
        if key.startswith("__") and isinstance(value, FunctionType):
            yield f"the method `{cls.__qualname__}.{key}`", value


def _within(value: object) -> Iterator[object]:
    """The functions that a method, property or cache wraps."""
    for key in WITHIN:
        function = getattr(value, key, None)
        if callable(function):
            yield function


def _pictures(places: Places) -> dict[str, bytes]:
    return {place: _picture(value) for place, value in places.items()}


def _picture(value: object) -> bytes:
    """Bytes that represent a value, to detect changes: its pickle, or else its `repr`.

    Code has its name, and a function also its instructions. A generator has the place that it has
    reached, with its variables.
    """
    if isinstance(value, GeneratorType):
        frame = value.gi_frame
        if frame is None:
            return b"ended"
        variables = sorted((key, _picture(one)) for key, one in frame.f_locals.items())
        return repr((frame.f_lasti, variables)).encode()
    if isinstance(value, FunctionType):
        return repr(instructions(value.__code__)).encode()
    if isinstance(value, CODE):
        return getattr(value, "__name__", "").encode()
    try:
        return pickle.dumps(value)
    except Exception:  # noqa: BLE001  of any class
        return repr(value).encode(errors="replace")


def _is_equal(before: bytes, value: object) -> bool:
    if before == _picture(value):
        return True
    # Equal values can have several pickles.
    try:
        return bool(pickle.loads(before) == value)  # noqa: S301  made by this module
    except Exception:  # noqa: BLE001  of any class
        return False
