"""Options of a reproduction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cellrate.reproduce.errors import ReproduceError
from cellrate.reproduce.golden import SEED
from cellrate.reproduce.readings import Choice
from cellrate.reproduce.stored import ASSUMED, INFERRED


@dataclass(frozen=True)
class Options:
    """Experiments to run again, and what to report of them.

    Raises:
        ReproduceError: Two of the options exclude each other.
    """

    out: Path
    """Directory for the web pages; index.html links to all."""
    paper: str | None = None
    """Id of a paper, or of an experiment; all papers if absent."""
    experiments: Sequence[str] | None = None
    """Ids of experiments, with or without the paper's prefix; all if absent."""
    seeds: int = 1
    """Number of seeds."""
    first_seed: int = 1
    """First of the consecutive seeds."""
    sensitivity: bool = False
    """Vary each open assumption too."""
    json: bool = False
    """Print a JSON array with an object per experiment, and nothing else."""
    check: bool = False
    """Compare seed 1 with the committed golden tables, prove the errata, and verify that every
    claim about runs fails for some change of the results."""
    bless: bool = False
    """Write seed 1 into the golden tables."""
    evidence: Path | None = None
    """Directory to write one Markdown page per paper to."""
    inferred: Mapping[str, Sequence[Choice]] | None = None
    """Inferred values of open parameters by paper, used instead of the assumed ones."""
    keep_seeds: bool = False
    """Keep the results beside the papers' data, so that reports over one seed can quote them."""
    draws: int = 0
    """Number of seeds over which chaotic values, those that single events decide, are measured; 0
    to skip this."""
    changes: Sequence[str] = ()
    """Settings that all runs get after those of the paper, as for `--set`. What comes of them is
    marked, and never kept as a result of the paper."""
    workers: int = 1
    """Number of processes that judge results and draw figures, once all runs are done."""

    def __post_init__(self) -> None:
        if (self.check or self.bless) and self.inferred is not None:
            raise ReproduceError(
                "--check and --bless use golden tables, which hold results with parameters as "
                "assumed; leave out --inferred"
            )
        if self.draws and self.inferred is not None:
            raise ReproduceError(
                "--draws measures with parameters as assumed; leave out --inferred"
            )
        if (self.check or self.bless) and SEED not in self.numbers:
            raise ReproduceError(f"golden tables hold seed {SEED}, which is not among the seeds")

        self._require_unchanged()

    def _require_unchanged(self) -> None:
        """Refuses to keep or check changed runs as those of the paper."""
        if not self.changes:
            return
        asked = {
            "--check": self.check,
            "--bless": self.bless,
            "--draws": self.draws,
            "--keep-seeds": self.keep_seeds,
            "--evidence": self.evidence is not None,
            "--inferred": self.inferred is not None,
            "--sensitivity": self.sensitivity,
        }
        wrong = [name for name, is_asked in asked.items() if is_asked]
        if wrong:
            raise ReproduceError(
                f"--set runs something else than the paper; {', '.join(wrong)} is about the paper: "
                "leave out one of them"
            )
        if self.paper is None and self.experiments is None:
            raise ReproduceError("--set changes the experiments that are named: name some")

    @property
    def numbers(self) -> tuple[int, ...]:
        """The seeds."""
        return tuple(range(self.first_seed, self.first_seed + self.seeds))

    @property
    def reading(self) -> str:
        """`ASSUMED` or `INFERRED`: the reading of the open parameters."""
        return ASSUMED if self.inferred is None else INFERRED
