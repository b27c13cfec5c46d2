"""Open parameters of a paper, the values that are tried, and the results that they concern."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cellrate.inference.laboratory import Laboratory, Unit
from cellrate.inference.subjects import Subject, subjects_of
from cellrate.language.expressions import ExpressionError
from cellrate.reproduce.errors import ReproduceError
from cellrate.reproduce.paper_data import Alternative, Assumption, Paper
from cellrate.reproduce.readings import Choice

AS_ASSUMED = "as assumed"


@dataclass(frozen=True)
class OpenParameter:
    """An open parameter, and the results that some alternative can change."""

    assumption: Assumption
    subjects: tuple[Subject, ...]

    @property
    def choices(self) -> tuple[tuple[Choice, ...], ...]:
        """Choices that make each value: none for the assumed value, which is first."""
        return ((), *(((self.assumption, each),) for each in self.assumption.alternatives))

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the values, the assumed one first."""
        return (AS_ASSUMED, *(each.label for each in self.assumption.alternatives))

    def alternative(self, value: int) -> Alternative | None:
        """Alternative of a value, by its number; None for the assumed value."""
        return self.assumption.alternatives[value - 1] if value else None

    @property
    def experiments(self) -> tuple[str, ...]:
        """Ids of the experiments of the results, in the paper's order."""
        return tuple(dict.fromkeys(subject.experiment for subject in self.subjects))


def assumptions_of(paper: Paper) -> dict[str, Assumption]:
    """Open parameters that have alternatives, in the order of the experiments that list them."""
    listed = {a.id: a for e in paper.experiments for a in e.assumptions}
    return {name: a for name, a in listed.items() if a.alternatives}


def open_parameters(
    laboratory: Laboratory, wanted: Sequence[str], seed: int
) -> list[OpenParameter]:
    """Open parameters with the results they concern, which may be none.

    A parameter concerns a result if an alternative changes one of the result's simulations.

    Args:
        laboratory: Identifies equal simulations of the paper.
        wanted: Ids of assumptions.
        seed: Any seed; the concerned results do not depend on it.

    Raises:
        ReproduceError: An alternative cannot be applied to a run; the message names the place.
    """
    paper = laboratory.paper
    subjects = subjects_of(paper)
    before = {subject: laboratory.keys(Unit((), subject, (seed,))) for subject in subjects}
    parameters = []
    for assumption in (assumptions_of(paper)[name] for name in wanted):
        _check_labels(paper, assumption)
        touched = {e.id for e in paper.experiments if assumption in e.assumptions}
        near = [s for s in subjects if not touched.isdisjoint((s.experiment, *s.uses))]
        concerned: set[Subject] = set()
        for alternative in assumption.alternatives:
            for subject in near:
                unit = Unit(((assumption, alternative),), subject, (seed,))
                try:
                    after = laboratory.keys(unit)
                except ExpressionError as error:
                    place = f"{subject.experiment}, `{subject.name}`"
                    value = f"assumption `{assumption.id}`, alternative {alternative.label!r}"
                    raise ReproduceError(f"{paper.id}: {value}, for {place}: {error}") from error
                if after != before[subject]:
                    concerned.add(subject)
        parameters.append(OpenParameter(assumption, tuple(s for s in subjects if s in concerned)))
    return parameters


def _check_labels(paper: Paper, assumption: Assumption) -> None:
    labels = [AS_ASSUMED, *(each.label for each in assumption.alternatives)]
    for twice in {label for label in labels if labels.count(label) > 1}:
        place = f"{paper.id}, assumption `{assumption.id}`"
        raise ReproduceError(f"{place}: two values are called {twice!r}")
