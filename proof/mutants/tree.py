"""The copy of the workspace in which mutants are made, so that no source file is ever touched."""

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
OUTPUT = ROOT / "target" / "mutants"
TREE = OUTPUT / "tree"


def files() -> list[str]:
    """Paths of the crates' files, those that git tracks and new ones."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "Cargo.toml", "Cargo.lock", "crates"],  # noqa: S607
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def refresh() -> None:
    """Makes the copy equal to the workspace; what is equal keeps its time, and cargo its builds."""
    kept = set(files())
    for name in kept:
        source, copy = ROOT / name, TREE / name
        if not copy.exists() or copy.read_bytes() != source.read_bytes():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)
    for old in (TREE / "crates").rglob("*"):
        if old.is_file() and str(old.relative_to(TREE)) not in kept:
            old.unlink()
