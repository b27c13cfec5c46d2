"""Promises as `promises/*.toml` write them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
FOLDER = HERE / "promises"
KINDS = ("pytest", "rust", "make")


@dataclass(frozen=True)
class Trial:
    """A test or target that tries to break a promise.

    Attributes:
        kind: `pytest`, `rust` or `make`.
        name: `tests/FILE.py[::TEST]`, `FILE.rs[::TEST]`, or a target of the Makefile.
        tries: Description of the attempt.
        finds: Its findings; `{campaign[key]}` is a figure of `results/campaign.json`.
    """

    kind: str
    name: str
    tries: str
    finds: str

    @property
    def command(self) -> str:
        """The name as the page shows it."""
        return f"make {self.name}" if self.kind == "make" else self.name


@dataclass(frozen=True)
class Promise:
    """A promise of README.

    Attributes:
        quote: Words of README that make it.
        means: What exactly is promised.
        trials: What tries to break it, at least one.
        unproved: What nothing proves as yet, if anything.
    """

    quote: str
    means: str
    trials: tuple[Trial, ...]
    unproved: str


@dataclass(frozen=True)
class Bug:
    """A fault that a campaign found in the product.

    Attributes:
        by: The campaign.
        was: What was wrong.
        fix: What was done about it.
    """

    by: str
    was: str
    fix: str


@dataclass(frozen=True)
class Area:
    """A file of promises.

    Attributes:
        title: Heading.
        figures: Names of pictures beside the page, with their captions.
        promises: In the order of the file.
        bugs: What its campaigns found.
    """

    title: str
    figures: dict[str, str]
    promises: tuple[Promise, ...]
    bugs: tuple[Bug, ...]


def areas() -> list[Area]:
    """Every area, in the order of the files' names.

    Raises:
        KeyError: A file lacks a field.
        TypeError: A file has a field that is none.
    """
    return [_area(path) for path in sorted(FOLDER.glob("*.toml"))]


def _area(path: Path) -> Area:
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    area = Area(
        title=table.pop("title"),
        figures=table.pop("figures", {}),
        promises=tuple(_promise(one) for one in table.pop("promise")),
        bugs=tuple(Bug(**one) for one in table.pop("bug", [])),
    )
    if table:
        message = f"{path.name}: {', '.join(table)} is no field; title, figures, promise, bug are"
        raise TypeError(message)
    return area


def _promise(table: dict[str, str | list[dict[str, str]]]) -> Promise:
    fields = {"unproved": "", **table}
    trials = tuple(Trial(**one) for one in fields.pop("trial"))  # type: ignore[arg-type]
    return Promise(trials=trials, **fields)  # type: ignore[arg-type]
