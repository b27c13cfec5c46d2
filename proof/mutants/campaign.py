"""A draw of one tool's mutants, tried until each has a verdict."""

import resource
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from proof.mutants.drawing import digest, drawn
from proof.mutants.verdicts import SURVIVED, Verdict, Verdicts

BATCH = 50
"""Mutants for one run of a tool, in the order of the draw: the first ones are a draw, too."""


@dataclass(frozen=True)
class Mutant:
    """A small fault that a tool can put into the program."""

    file: str
    line: int
    code: str
    """The line as it is without the fault."""

    mutation: str
    """The change that the tool makes to it."""


class Tool(Protocol):
    """A tool that makes mutants and tries them, in a copy of the program."""

    version: str

    def prepare(self) -> None:
        """Makes the copy anew; a mutant that a killed run left in it is gone."""

    def mutants(self) -> dict[str, Mutant]:
        """All that it can make, by names that last as long as the source does."""

    def tests(self) -> str:
        """The digest of everything a test's outcome depends on."""

    def check(self) -> None:
        """Raises unless all tests pass where nothing is changed."""

    def run(self, names: list[str]) -> None:
        """Tries some mutants, which takes long and may be killed."""

    def found(self) -> dict[str, Verdict]:
        """Verdicts of the last run, finished or killed; a second call has none of them."""


@dataclass(frozen=True)
class Campaign:
    """A tool's mutants, which of them were drawn, and what became of these."""

    tool: Tool
    seed: int
    mutants: dict[str, Mutant]
    names: list[str]
    verdicts: Verdicts


def processor_seconds() -> float:
    """Processor time of all finished children."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def run(tool: Tool, names: list[str], verdicts: Verdicts) -> None:
    """Tries some mutants, and keeps what is known of them even if that is interrupted."""
    start = processor_seconds()
    try:
        tool.run(names)
    finally:
        found = tool.found()
        verdicts.add(found)
        verdicts.costs.append([len(found), round(processor_seconds() - start, 1)])
        verdicts.write()


def tried(tool: Tool, state: Path, seed: int, *, more: bool = True) -> Campaign:
    """Tries whatever of a draw has no verdict in `state` yet, unless no `more` are wanted."""
    state.parent.mkdir(parents=True, exist_ok=True)
    left = tool.found()
    tool.prepare()
    mutants = tool.mutants()
    names = drawn(mutants, seed=seed)
    parts = (f"{name} {one.code} {one.mutation}" for name, one in mutants.items())
    verdicts = Verdicts.read(state, digest(parts))
    if verdicts.tests:  # a killed run had the same mutants
        verdicts.add(left)
    verdicts.tests = tool.tests()
    verdicts.write()
    wanting = verdicts.wanting(names)
    print(f"{len(mutants)} mutants, {len(names)} drawn, {len(wanting)} to try", flush=True)  # noqa: T201
    if wanting and more:
        if verdicts.passed != verdicts.tests:
            tool.check()
            verdicts.passed = verdicts.tests
            verdicts.write()
        for begin in range(0, len(wanting), BATCH):
            run(tool, wanting[begin : begin + BATCH], verdicts)
            done = sum(name in verdicts.by_name for name in names)
            survived = sum(one.fate == SURVIVED for one in verdicts.by_name.values())
            print(f"{done} of {len(names)} tried, {survived} survived", flush=True)  # noqa: T201
    return Campaign(tool, seed, mutants, names, verdicts)
