"""Finds the papers' data, and reads the names of experiments without parsing whole files."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

NAME = re.compile(r'^\[\[experiment\]\]\nid = "([^"]+)"', re.MULTILINE)


def papers_root() -> Path | None:
    """Directory that holds `words.toml` and one directory per paper; None if it is missing.

    In a checkout this is `papers` in its root, even if a build has left a copy in the package;
    elsewhere it is the package's copy.
    """
    package = Path(str(resources.files("cellrate")))
    for candidate in (package.parent.parent / "papers", package / "papers" / "data"):
        if (candidate / "words.toml").is_file():
            return candidate
    return None


def experiment_names() -> list[str]:
    """Ids of all experiments, paper after paper."""
    root = papers_root()
    if root is None:
        return []
    files = sorted(root.glob("*/published.toml"))
    return [name for file in files for name in NAME.findall(file.read_text("utf-8"))]
