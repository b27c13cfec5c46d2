"""A layer of the package imports only layers below it."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import cellrate

PACKAGE = Path(cellrate.__file__).parent


def imported(file: Path) -> Iterator[str]:
    """Modules of the package that a file imports, without the package's name."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "cellrate":
            module = (node.module or "").partition(".")[2]
            yield from [module] if module else (alias.name for alias in node.names)


def imports(folder: str) -> dict[str, set[str]]:
    """What each file of a folder imports."""
    files = (PACKAGE / folder).rglob("*.py")
    return {str(file.relative_to(PACKAGE)): set(imported(file)) for file in files}


def test_only_the_command_imports_the_command() -> None:
    command = ("cli/", "__main__.py")
    below = {file: found for file, found in imports("").items() if not file.startswith(command)}
    assert len(below) > 100
    guilty = {
        file for file, found in below.items() if any(f"{one}.".startswith("cli.") for one in found)
    }
    assert guilty == set()


def test_theory_needs_nothing_but_theory() -> None:
    theory = imports("theory")
    assert len(theory) > 40
    above = {
        file: found
        for file, found in theory.items()
        if any(not one.startswith("theory") for one in found)
    }
    assert above == {}


def test_what_many_share_knows_none_of_them() -> None:
    shared = imports("language") | imports("parameters")
    assert len(shared) > 8
    users = ("cli", "explain", "inference", "reproduce", "sizing", "tuning")
    guilty = {
        file: found
        for file, found in shared.items()
        if any(one.split(".")[0] in users for one in found)
    }
    assert guilty == {}


def test_results_are_reproduced_without_inference() -> None:
    below = imports("reproduce")
    assert len(below) > 20
    guilty = {
        file for file, found in below.items() if any(one.startswith("inference") for one in found)
    }
    assert guilty == set()


def test_a_command_starts_without_what_takes_its_time() -> None:
    """Scipy alone takes longer to load than all the rest of `cellrate validate`."""
    slow = ("distributed", "matplotlib", "optuna", "pandas", "polars", "scipy", "xarray")
    code = f"import sys, cellrate.cli.app; print(*sys.modules.keys() & {set(slow)})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
