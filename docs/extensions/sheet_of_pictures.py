"""Draws the sheet of all pictures anew: runs the commands of docs/pictures.md, keeps the pictures.

`python docs/extensions/sheet_of_pictures.py` takes about a minute on two cores.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

# A palette keeps the files small.
COLOURS = 128
DOCS = Path(__file__).parents[1]
PAGE = DOCS / "pictures.md"
BLOCK = re.compile(r"^```console\n(?P<commands>.*?)^```$", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(
    r"^!\[[^]]+\]\((?P<image>images/sheet/[\w.-]+)\)\n<!-- (?P<file>\S+)( (?P<number>\d+))? -->$",
    re.MULTILINE,
)
# Matches pictures of matplotlib only: the small bars of shares on a page have no name space.
SVG = re.compile(r"<svg\b[^>]*xmlns.*?</svg>", re.DOTALL)


@dataclass(frozen=True)
class Picture:
    """A picture of the page.

    Attributes:
        image: File of the picture, from the documentation's directory.
        file: The file that a command writes, from the directory where the commands run.
        number: Number of the picture in the web page `file`, from 1; 0 if `file` is the picture.
    """

    image: str
    file: str
    number: int


def commands(text: str) -> str:
    """The page's commands, one after the other, as a shell reads them."""
    lines = "".join(block["commands"] for block in BLOCK.finditer(text)).splitlines()
    return "".join(f"{line.removeprefix('$ ')}\n" for line in lines)


def pictures(text: str) -> list[Picture]:
    """The page's pictures that its commands draw."""
    found = PICTURE.finditer(text)
    return [Picture(one["image"], one["file"], int(one["number"] or 0)) for one in found]


def keep(picture: Picture, directory: Path, target: Path) -> None:
    """Copies a picture, with fewer colours, from the directory where the commands ran.

    Raises:
        ValueError: The web page in `directory` has fewer pictures than `picture.number`.
    """
    source = directory / picture.file
    if picture.number == 0:
        with Image.open(source) as drawn:
            drawn.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(target)
        return
    svgs = SVG.findall(source.read_text(encoding="utf-8"))
    if len(svgs) < picture.number:
        raise ValueError(f"{picture.file}: it has {len(svgs)} pictures, not {picture.number}")
    target.write_text(f"{svgs[picture.number - 1]}\n", encoding="utf-8")


def main() -> int:
    """Runs all commands in a directory of their own, and keeps the pictures."""
    text = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as directory:
        script = f"set -e\n{commands(text)}"
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        done = subprocess.run(  # noqa: S603  the commands of the page
            ["/bin/sh", "-x", "-c", script],
            cwd=directory,
            check=False,
            env={**os.environ, "PATH": path},
        )
        if done.returncode:
            return done.returncode
        for picture in pictures(text):
            keep(picture, Path(directory), DOCS / picture.image)
    return 0


if __name__ == "__main__":
    sys.exit(main())
