"""Replaces the assumed values of a paper's open parameters by others."""

from collections.abc import Sequence
from dataclasses import replace

from cellrate.reproduce.paper_data import Alternative, Assumption, Experiment, Paper, Variant

Choice = tuple[Assumption, Alternative]
"""An open parameter, and the value that replaces the assumed one."""


def read_as(paper: Paper, choices: Sequence[Choice]) -> Paper:
    """The paper with other values of some open parameters, in every experiment that lists them.

    The draws are left out, because they were measured with the parameters as assumed.
    """
    if not choices:
        return paper
    experiments = tuple(experiment_as(each, choices) for each in paper.experiments)
    return replace(paper, experiments=experiments, draws=())


def experiment_as(experiment: Experiment, choices: Sequence[Choice]) -> Experiment:
    """An experiment with other values of the open parameters that it lists."""
    listed = {assumption.id for assumption in experiment.assumptions}
    own = [choice for choice in choices if choice[0].id in listed]
    if not own:
        return experiment
    return replace(
        experiment, variants=tuple(_variant(variant, own) for variant in experiment.variants)
    )


def _variant(variant: Variant, choices: Sequence[Choice]) -> Variant:
    more = tuple(
        text
        for assumption, alternative in choices
        if not assumption.scenarios or variant.scenario in assumption.scenarios
        for text in alternative.settings(variant.scenario)
    )
    return replace(variant, set=variant.set + more) if more else variant
