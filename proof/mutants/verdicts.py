"""Verdicts on the mutants so far, kept in a file so that a campaign can be killed and go on."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

CAUGHT = "caught"
TIMED_OUT = "timed out"
UNVIABLE = "unviable"
SURVIVED = "survived"


@dataclass
class Verdict:
    """One mutant's fate."""

    fate: str
    """One of the four above."""

    by: str = ""
    """The stage of tests that caught it."""

    change: str = ""
    """The changed line, where the mutation's name does not say what it is."""

    tests: str = ""
    """The digest of the tests that were tried."""

    once_survived: bool = False
    """True if it survived the tests as they were when it was drawn."""


@dataclass
class Verdicts:
    """All verdicts on the mutants whose digest is `mutants`."""

    file: Path
    mutants: str
    tests: str = ""
    """The digest of the tests that are being tried."""

    passed: str = ""
    """The digest of the tests that are known to pass without a mutant."""

    by_name: dict[str, Verdict] = field(default_factory=dict)
    costs: list[list[float]] = field(default_factory=list)
    """Of each run that was not killed: how many mutants it tried, and its processor time in s."""

    @classmethod
    def read(cls, file: Path, mutants: str) -> "Verdicts":
        """Verdicts kept in `file`, none if they are of other mutants."""
        if file.exists():
            kept = json.loads(file.read_text())
            if kept["mutants"] == mutants:
                found = {name: Verdict(**one) for name, one in kept["verdicts"].items()}
                return cls(file, mutants, kept["tests"], kept["passed"], found, kept["costs"])
        return cls(file, mutants)

    def write(self) -> None:
        """Replaces the file at once, so that a kill leaves the old or the new."""
        kept = {
            "mutants": self.mutants,
            "tests": self.tests,
            "passed": self.passed,
            "costs": self.costs,
            "verdicts": {name: asdict(one) for name, one in self.by_name.items()},
        }
        new = self.file.with_suffix(".new")
        new.write_text(json.dumps(kept, indent=1))
        new.replace(self.file)

    def add(self, found: dict[str, Verdict]) -> None:
        """More verdicts; a mutant that ever survived is remembered to have done so."""
        for name, verdict in found.items():
            before = self.by_name.get(name)
            verdict.tests = self.tests
            verdict.once_survived = verdict.fate == SURVIVED or (
                before is not None and before.once_survived
            )
            self.by_name[name] = verdict

    def wanting(self, names: Iterable[str]) -> list[str]:
        """Of `names` the survivors of other tests than the present, and those never tried."""
        again = [
            name
            for name in names
            if name in self.by_name
            and self.by_name[name].fate == SURVIVED
            and self.by_name[name].tests != self.tests
        ]
        return again + [name for name in names if name not in self.by_name]
