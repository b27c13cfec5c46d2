"""Distributions of chaotic values: single events decide them, and a printed value is one draw.

`draws.toml` of a paper holds them, measured over many seeds and start jitters.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cellrate.common import whole_file
from cellrate.reproduce.toml_reader import Reader, read_toml

LEAST, MOST = 2.5, 97.5
"""Percentiles between which a printed value is consistent with a distribution."""
HEADER = """\
# What single events decide, over many seeds; written by `cellrate reproduce --draws`.
# A value is listed seed by seed; of a claim it says in how many seeds it holds. The start jitters
# of the runs take turns: the first seed has the first of them, and so on.
"""


@dataclass(frozen=True)
class Drawn:
    """A quantity or claim measured over many seeds."""

    experiment: str
    of: str
    """The quantity, or the claim's id."""
    values: tuple[float, ...] = ()
    """Measured values of a quantity, seed by seed, in its unit; empty for a claim."""
    holding: int = 0
    """Number of seeds in which a claim holds; 0 for a quantity."""
    seeds: int = 0
    """Number of seeds measured."""

    @property
    def key(self) -> tuple[str, str]:
        """Experiment, and quantity or claim's id."""
        return self.experiment, self.of

    def percentile(self, printed: float, place: float) -> float:
        """Percentile of a printed value among the measured ones, 0 to 100.

        `place` is one unit of the last printed place. Of the measured values that round to the
        printed one, half count as smaller.
        """
        below = sum(value < printed - place / 2 for value in self.values)
        equal = sum(abs(value - printed) <= place / 2 for value in self.values)
        return 100 * (below + equal / 2) / len(self.values)

    def consistent_with(self, printed: float, place: float) -> bool:
        """True if a printed value is within the middle 95 % of the measured ones."""
        return LEAST <= self.percentile(printed, place) <= MOST

    @property
    def share(self) -> float:
        """Share of the seeds in which a claim holds."""
        return self.holding / self.seeds

    @property
    def happens(self) -> bool:
        """True if a claim holds in at least 2.5 % of the seeds."""
        return 100 * self.share >= LEAST


def draws_path(directory: Path) -> Path:
    """Path of the distributions of the paper in a directory."""
    return directory / "draws.toml"


def read_draws(directory: Path) -> tuple[Drawn, ...]:
    """Reads the distributions of the paper in a directory; empty if they were not measured.

    Raises:
        ReproduceError: The file is not as `papers/README.md` says.
    """
    path = draws_path(directory)
    if not path.exists():
        return ()
    reader = Reader(read_toml(path), f"{directory.name}/{path.name}")
    reader.texts("jitters")
    found = []
    for each in reader.tables("draw"):
        drawn = Drawn(
            each.text("experiment"),
            each.text("of"),
            tuple(float(value) for value in each.take("values", list, [])),
            each.take("holding", int, 0),
            each.take("seeds", int),
        )
        each.done()
        found.append(drawn)
    reader.done()
    return tuple(found)


def write_draws(directory: Path, jitters: Sequence[str], draws: Sequence[Drawn]) -> None:
    """Writes the distributions of the paper in a directory and replaces those there."""
    turns = ", ".join(f'"{jitter}"' for jitter in jitters)
    lines = [HEADER, f"jitters = [{turns}]"]
    for drawn in draws:
        lines += ["", "[[draw]]", f'experiment = "{drawn.experiment}"', f'of = "{drawn.of}"']
        lines.append(f"seeds = {drawn.seeds}")
        if drawn.values:
            lines.append(f"values = [{', '.join(f'{value:.6g}' for value in drawn.values)}]")
        else:
            lines.append(f"holding = {drawn.holding}")
    whole_file.write_text(draws_path(directory), "\n".join(lines) + "\n")
