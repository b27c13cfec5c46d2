"""The report on a choice."""

from __future__ import annotations

import math

from cellrate import __version__
from cellrate.advice.choosing import sentences
from cellrate.advice.choosing.answer import Answer, Elsewhere
from cellrate.advice.choosing.judging import best_of_each
from cellrate.advice.choosing.option import Option
from cellrate.common.document import (
    Column,
    Command,
    Detail,
    Document,
    Figure,
    Listing,
    Paragraph,
    Row,
    Section,
    Table,
)
from cellrate.common.numbers import seconds


def report(answer: Answer) -> Document:
    """The recommendation, each control's best, other circumstances, the commands."""
    best, second = answer.judgement.best, answer.judgement.runner_up
    words = (Paragraph(text) for text in sentences.verdict(answer))
    settings = answer.base.overrides
    commands = [one.command(answer.base.path, settings) for one in (best, second) if one]
    commands += [
        one.best.command(answer.base.path, (*settings, *one.circumstance.overrides))
        for one in sentences.crossings(answer)
        if one.best is not None
    ]
    return Document(
        sentences.asked(answer),
        (
            Section("", (Paragraph(sentences.goals(answer.goals), "faint"), *words)),
            Section(
                "The best of each control, by buffer",
                (_controls(answer), *_missed(answer), *_picture(answer)),
            ),
            *_elsewhere(answer),
            Section("Commands", (Command(tuple(commands)),) if commands else ()),
            Section("", (Paragraph(f"cellrate {__version__}", "faint"),)),
        ),
    )


def _controls(answer: Answer) -> Table:
    """The best option of each control, by buffer; the policy matters only where cells are lost."""
    has_policies = answer.goals.loss > 0
    found = (
        Row(
            (
                one.candidate.name,
                f"{one.buffer_cells:,}",
                f"{one.throughput_bits_per_second / 1e6:.2f}",
                "0" if one.loss == 0 else f"{one.loss:.1e}",
                seconds(one.mean_delay_seconds),
                "-" if one.fairness is None else f"{one.fairness:.3f}",
                "never" if math.isinf(one.settling_seconds) else seconds(one.settling_seconds),
                *((one.policy,) if has_policies else ()),
                _parameters(one, len(answer.seeds)),
            )
        )
        for one in best_of_each(answer.options, answer.goals)
    )
    return Table(
        (
            Column("control"),
            Column("buffer\ncells", "right"),
            Column("throughput\nMbit/s", "right"),
            Column("loss", "right"),
            Column("mean\nwait", "right", optional=True),
            Column("fairness", "right"),
            Column("settles\nin", "right", optional=True),
            *((Column("policy", optional=True),) if has_policies else ()),
            Column("with", detail=True),
        ),
        tuple(found),
    )


def _parameters(one: Option, seeds: int) -> str:
    usual = "the scenario's parameters" if one.candidate.is_own else "defaults"
    found = one.setting.label if one.setting.values else usual
    return found if one.seeds == seeds else f"{found}; {one.seeds} of {seeds} seeds"


def _missed(answer: Answer) -> tuple[Listing, ...]:
    items = [f"{name} {', '.join(why)}" for name, why in answer.judgement.missed.items()]
    items += [f"{name} is not possible here: {why}" for name, why in answer.refused.items()]
    return (Listing(tuple(items)),) if items else ()


def _picture(answer: Answer) -> tuple[Detail, ...]:
    def drawn() -> str:
        from cellrate.advice.choosing.figure import front_figure  # slow to import
        from cellrate.simulation.figures import svg

        return svg(front_figure(answer))

    about = (
        "Throughput over buffer of the best option of each control; the area of a point grows with "
        "the mean wait, hollow points miss a goal, and the recommended one is circled"
    )
    return (Detail((Figure(drawn, about),)),)


def _by_factor(one: Elsewhere) -> tuple[str, float]:
    return one.circumstance.about, one.circumstance.factor


def _elsewhere(answer: Answer) -> tuple[Section, ...]:
    if not answer.elsewhere:
        return ()
    found = (
        Row(
            (
                one.circumstance.about,
                f"{one.circumstance.factor:.3g}",
                "none" if one.best is None else one.best.candidate.name,
                "-" if one.best is None else f"{one.best.buffer_cells:,}",
                f"{one.recommended.buffer_cells:,}",
            )
        )
        for one in sorted(answer.elsewhere, key=_by_factor)
    )
    titles = (
        Column("changed"),
        Column("times", "right"),
        Column("choice there"),
        Column("its buffer\ncells", "right"),
        Column("the recommended\none needs", "right"),
    )
    return (Section("Elsewhere", (Table(titles, tuple(found)),)),)
