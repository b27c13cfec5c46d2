"""Finds the class that a scenario names, if its code is allowed; packs it for other processes."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from cellrate.common.input_file import read_regular
from cellrate.common.whole_file import make_directory
from cellrate.schemes import permission
from cellrate.schemes.classes import Definition, Kind, NoScheme, definition_of

_loaded: dict[Path, tuple[bytes, ModuleType]] = {}
"""Modules loaded from files, with the source text of each."""
_found: dict[str, Definition] = {}
_one_at_a_time = threading.RLock()
"""Lock for finding a class: Python 3.11 cannot parse in two threads (SystemError of `ast`)."""
_moved: dict[Path, Path] = {}
"""Directories with class files from other processes, by the directory in the other process."""


def found(name: str) -> Definition | None:
    """The class that was last found under this name in this process."""
    return _found.get(name)


def find(kind: Kind, name: str, scenario: str) -> Definition | None:
    """The class that a scenario names.

    Args:
        kind: Kind of component that the class is to be.
        name: `FILE.py:CLASS`, with the file relative to the scenario's, or `PACKAGE.MODULE:CLASS`.
        scenario: Path of the scenario.

    Returns:
        Definition of the class; None if the name does not have this form.

    Raises:
        NoScheme: The class is not allowed, does not exist, or cannot be a component.
    """
    place, colon, class_name = name.rpartition(":")
    if not colon or not place or not class_name.isidentifier():
        return None
    if not permission.is_allowed(name):
        raise NoScheme(
            f"the scenario names code of yours, `{name}`, which needs your permission",
            permission.HELP,
        )
    with _one_at_a_time:
        return _defined(kind, name, scenario)


def _defined(kind: Kind, name: str, scenario: str) -> Definition:
    """The definition of a class, if the user has allowed its code to run."""
    place, _, class_name = name.rpartition(":")
    if place.endswith(".py"):
        path = (Path(scenario).parent / place).resolve()
        path = _moved.get(path.parent, path.parent) / path.name
        module, root = _module_of_file(name, path), path.parent
    else:
        module = _module_of_package(name, place)
        root = _root(module)
    cls = getattr(module, class_name, None)
    if cls is None:
        known = [one for one, value in vars(module).items() if isinstance(value, type)]
        own = [one for one in known if getattr(module, one).__module__ == module.__name__]
        raise NoScheme(
            f"`{place}` has no class `{class_name}`",
            f"classes of the file: {', '.join(own) or 'none'}",
        )
    _found[name] = definition_of(kind, name, cls, module, root)
    return _found[name]


def _module_of_file(name: str, path: Path) -> ModuleType:
    """The module of a file; loaded again if the file has changed."""
    try:
        source = read_regular(path)
    except OSError as error:
        why = error.strerror or str(error)
        raise NoScheme(
            f"`{name}`: {path}: {why}",
            "a relative path begins at the scenario's directory, without a scenario at the working "
            "directory",
        ) from error
    known = _loaded.get(path)
    if known is not None and known[0] == source:
        return known[1]
    import hashlib  # only scenarios that name a class need it

    # Files of the same name in different directories are different modules.
    unique = hashlib.sha256(bytes(path)).hexdigest()[:8]
    spec = importlib.util.spec_from_file_location(f"{path.stem}_{unique}", path)
    if spec is None or spec.loader is None:
        raise NoScheme(f"`{name}`: {path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    # A file may import modules beside it.
    sys.path.insert(0, str(path.parent))
    try:
        exec(compile(source, str(path), "exec"), module.__dict__)  # noqa: S102  allowed by the user
    except Exception as error:
        sys.modules.pop(spec.name, None)
        raise NoScheme(f"`{name}` cannot be read: {_where(error, path)}") from error
    finally:
        sys.path.remove(str(path.parent))
    _loaded[path] = (source, module)
    return module


def _module_of_package(name: str, place: str) -> ModuleType:
    try:
        return importlib.import_module(place)
    except Exception as error:
        raise NoScheme(f"`{name}` cannot be imported: {type(error).__name__}: {error}") from error


def _root(module: ModuleType) -> Path:
    """Directory of the package to which a module belongs."""
    file = Path(getattr(module, "__file__", None) or "x").resolve()
    depth = module.__name__.count(".")
    return file.parents[depth] if file.name == "__init__.py" else file.parents[max(depth - 1, 0)]


def _where(error: Exception, path: Path) -> str:
    """Text of an error with the line of the user's file that raised it."""
    line = error.lineno if isinstance(error, SyntaxError) else None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    at = f"{path.name}:{line}: " if line else ""
    return f"{at}{type(error).__name__}: {error}"


_places: dict[str, Path] = {}
"""Directories with unpacked class files, by the contents of their parcel."""


@dataclass(frozen=True)
class Parcel:
    """A class that the user allows, and its files, as sent to another process.

    Attributes:
        name: Name of the class in scenarios.
        root: Directory of the files; empty for a class of an installed package.
        files: Paths relative to the directory, with their contents.
    """

    name: str
    root: str
    files: tuple[tuple[str, bytes], ...]


def packed(names: Iterable[str]) -> tuple[Parcel, ...]:
    """Packs the files of classes that this process has found, for other processes."""
    return tuple(map(_packed, dict.fromkeys(names)))


def _packed(name: str) -> Parcel:
    definition = found(name)
    if definition is None or not name.partition(":")[0].endswith(".py"):
        return Parcel(name, "", ())
    root = definition.root
    files = tuple((str(path.relative_to(root)), read_regular(path)) for path in definition.files)
    return Parcel(name, str(root), files)


def unpack(parcel: Parcel) -> None:
    """Writes the files of a parcel to a place where `find` finds them, and allows their class."""
    permission.allow(parcel.name)
    if not parcel.files:
        return
    import atexit  # only scenarios that name a class need them
    import hashlib
    import shutil
    import tempfile

    digest = hashlib.sha256(repr(parcel.files).encode()).hexdigest()[:16]
    if digest not in _places:
        # Other users cannot write to this directory.
        place = _places[digest] = Path(tempfile.mkdtemp(prefix="cellrate-code-"))
        atexit.register(shutil.rmtree, place, ignore_errors=True)
        for path, content in parcel.files:
            file = place / path
            make_directory(file.parent)
            file.write_bytes(content)
    _moved[Path(parcel.root)] = _places[digest]
