"""A layer of the package imports only layers below it."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import cellrate
import pytest

PACKAGE = Path(cellrate.__file__).parent


# The packages from below: each may import those before it, and the compiled module.
LAYERS = (
    "common",
    "schemes",
    "theory",
    "simulation",
    "language",
    "studies",
    "papers",
    "advice",
    "battery",
    "functions",
    "gym",
    "lab",
    "cli",
)
# Within a package: files that must not import others of it.
WITHIN = {
    "advice/formulas": ("advice.explain", "advice.sizing", "advice.tuning"),
    "advice/explain": ("advice.sizing", "advice.tuning"),
    "advice/sizing": ("advice.explain", "advice.tuning"),
    "advice/tuning": ("advice.explain", "advice.sizing"),
}


def imported(file: Path) -> Iterator[str]:
    """Modules of the package that a file imports, without the package's name."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "cellrate":
            module = (node.module or "").partition(".")[2]
            yield from [module] if module else (alias.name for alias in node.names)


def imports(folder: str) -> dict[str, set[str]]:
    """Modules that each file of a folder imports."""
    files = (PACKAGE / folder).rglob("*.py")
    return {str(file.relative_to(PACKAGE)): set(imported(file)) for file in files}


def test_the_layers_are_all_packages() -> None:
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders == set(LAYERS)
    loose = {path.name for path in PACKAGE.glob("*.py")}
    assert loose == {"__init__.py", "__main__.py"}


@pytest.mark.parametrize("number", range(len(LAYERS)), ids=LAYERS)
def test_a_layer_imports_only_layers_below(number: int) -> None:
    files = imports(LAYERS[number])
    assert len(files) > 1
    above = set(LAYERS[number + 1 :])
    guilty = {
        file: found
        for file, modules in files.items()
        if (found := {m for m in modules if m.split(".")[0] in above})
    }
    assert guilty == {}


@pytest.mark.parametrize(("folder", "above"), WITHIN.items())
def test_a_layer_within_a_package_imports_nothing_above(
    folder: str, above: tuple[str, ...]
) -> None:
    files = imports(folder)
    assert len(files) > 1
    guilty = {file for file, modules in files.items() if any(m.startswith(above) for m in modules)}
    assert guilty == set()


def test_a_command_starts_without_what_takes_its_time() -> None:
    """Scipy alone takes longer to load than all the rest of `cellrate validate`."""
    slow = (
        "distributed",
        "gymnasium",
        "matplotlib",
        "optuna",
        "pandas",
        "polars",
        "scipy",
        "xarray",
    )
    assert loaded_with("cellrate.cli.app", *slow) == set()


def test_names_of_experiments_are_read_without_pictures() -> None:
    assert loaded_with("cellrate.papers.collection", "matplotlib") == set()


def loaded_with(module: str, *names: str) -> set[str]:
    """Those of some modules that the import of a module loads."""
    code = f"import sys, {module}; print(*sys.modules.keys() & {set(names)})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())
