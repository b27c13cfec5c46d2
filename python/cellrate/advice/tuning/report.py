"""A tuning in sentences, as a document, as JSON and as files."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from cellrate import __version__
from cellrate.advice.formulas.growth import LONGER
from cellrate.advice.tuning.answer import METHODS, Answer, differences, estimates
from cellrate.advice.tuning.holding import Check
from cellrate.advice.tuning.laboratory import AS_IT_IS, Setting, same_with_each_seed, shown
from cellrate.advice.tuning.measures import BAND, TOO_SHORT, Criterion, Measures
from cellrate.advice.tuning.objective import Means, means_of
from cellrate.advice.tuning.other_runs import OTHER_STARTS
from cellrate.advice.tuning.proposal import ModelResults
from cellrate.advice.tuning.race import Ranked
from cellrate.advice.tuning.search_history import LEAST_SETTINGS, deciding, importance
from cellrate.advice.tuning.shares import KEPT_MCR, kept_mcrs
from cellrate.common import whole_file
from cellrate.common.document import (
    Column,
    Command,
    Detail,
    Document,
    Figure,
    Folded,
    Paragraph,
    Row,
    Section,
    Table,
    columns,
    rows,
)
from cellrate.common.document.web_page import web_page
from cellrate.common.estimates import Estimate
from cellrate.common.numbers import counted, estimate_text, number
from cellrate.common.to_json import to_json
from cellrate.simulation.runner import Job
from cellrate.studies.parameters.ranges import Choices, Range

BESIDE = "throughput"
"""Criterion that a table of settings always shows, whatever the objective."""
LOSS_OF_RUN = "loss-of-run"
"""Criterion of the losses that a measuring window leaves out."""
STATED = 3
"""Number of criteria whose values a sentence states."""


def columns_of(answer: Answer) -> list[Criterion]:
    """Columns of a table of settings: the criteria of the objective, and throughput."""
    criteria = list(answer.objective.criteria)
    names = {criterion.name for criterion in criteria}
    measured = [
        criterion
        for criterion in answer.objective.known
        if criterion.name == BESIDE and BESIDE not in names
    ]
    return criteria + [one for one in measured if answer.chosen.means[one.name]]


def ranked_by(answer: Answer) -> str:
    """The criteria in their order, with their tolerances."""
    parts = []
    for criterion in answer.objective.criteria:
        tolerance = (
            f"{100 * criterion.tolerance:g} %"
            if criterion.relative
            else f"{criterion.tolerance:.3g}"
        )
        parts.append(f"{criterion.name} (within {tolerance})")
    return ", then ".join(parts)


def titles_of(answer: Answer) -> dict[str, str]:
    """Column titles of the parameters of all settings, by path."""
    found = answer.paths
    short = [path.rpartition(".")[2] for path in found]
    return {p: name if short.count(name) == 1 else p for p, name in zip(found, short, strict=True)}


def cells_of(setting: Setting, columns: Mapping[str, str]) -> list[str]:
    """Table cells of a setting, one for each parameter; the unchanged scenario is "as it is"."""
    values = dict(setting.values)
    found = [shown(values[path]) if path in values else "" for path in columns]
    return found if values else ["as it is", *found[1:]]


def value_text(criterion: Criterion, found: float | None) -> str:
    """A value as text, in the unit in which it is shown."""
    if found is None:
        return "-"
    return number(found / criterion.divisor)


def measured_text(ranked: Ranked, criterion: Criterion) -> str:
    """Mean and half of the confidence interval over the seeds of a setting."""
    return _scaled(estimates(ranked.runs)[criterion.name], criterion)


def difference_text(one: Ranked, other: Ranked, criterion: Criterion) -> str:
    """Text of the paired difference of two settings, its interval, and whether it may be chance."""
    found = differences(one, other)[criterion.name]
    if found is None:
        return "-"
    text = _scaled(found, criterion)
    text = text if found.mean < 0 else f"+{text}"
    return text if found.contains(0.0) is not True or not found.mean else f"{text}, may be chance"


def shortfall_text(answer: Answer, ranked: Ranked) -> tuple[str, str]:
    """The criterion in which a setting is worse than the best, and by how much.

    A setting within all tolerances of the best one is compared with the best of all settings, and
    then by fresh seeds. The second text says so if the difference may be chance. Both texts are
    empty for the best setting.
    """
    fall = answer.fall_of(ranked.setting)
    if fall is not None and answer.holds:
        return "longer run" if fall.grows else "other starts", _why(answer, fall)
    if ranked == answer.chosen:
        return "", ""
    if answer.same_runs(ranked):
        return "same runs", "the same runs as the best setting"
    of_search, fresh = ranked.shortfall or ranked.dropped, answer.fresh_runs_of(ranked.setting)
    short = of_search or (fresh.shortfall if fresh else None)
    if short is None:
        return "nothing", "within all tolerances"
    criterion, where = short.criterion, "" if of_search else " (fresh seeds)"
    found, best = (value_text(criterion, one) for one in (short.value, short.best))
    than = "the best of all settings" if short is ranked.dropped else "the best setting"
    text = f"{found}, {than} {best} {criterion.shown_unit}".rstrip()
    chance = "; may be chance" if answer.may_be_chance(ranked) else ""
    return f"{criterion.name}{where}", f"{text}{chance}"


def headline(answer: Answer) -> list[str]:
    """The result in sentences."""
    sentences = list(_fallen(answer))
    sentences += [answer.modelled.region()] if answer.modelled else []
    fresh = answer.fresh_runs_of(answer.chosen.setting)
    sentences += _warnings((*answer.chosen.runs, *(fresh.runs if fresh else ())))
    if answer.infeasible:
        sentences += _compromises(answer)
    else:
        best = "Best" if answer.holds or not answer.checks else "Best in the measuring window"
        sentences.append(
            f"{best}: {answer.chosen.setting.label}{_how_good(answer, answer.chosen)}."
        )
    sentences += _below_mcr(answer)
    sentences += _passed_over(answer)
    sentences += _same_runs(answer)
    if answer.rise > BAND:
        sentences.append(
            f"With this setting the utilisation still rises by {answer.rise:.0%} within the "
            "measuring window: in longer runs another setting may be best."
        )
    sentences += _shrinking(answer)
    sentences += _with_drawn_starts(answer)
    if answer.chosen.setting != AS_IT_IS:
        sentences.append(f"The scenario as it is{_how_good(answer, answer.as_it_is)}.")
    sentences += answer.modelled.pace(answer.chosen.setting) if answer.modelled else []
    second = answer.runner_up
    if second is not None and second.setting != AS_IT_IS:
        sentences.append(f"Runner-up: {second.setting.label}{_how_good(answer, second)}.")
    unmeasured = answer.objective.unmeasured([ranked.means for ranked in answer.ranked])
    sentences += [
        f"No run measures {one.name}, so {one.name} does not affect the ranking."
        for one in unmeasured
    ]
    if all(ranked.means["unfinished"] for ranked in answer.ranked):
        sentences.insert(0, TOO_SHORT)
    alike = all(same_with_each_seed(ranked.runs) for ranked in answer.ranked)
    if alike and len(answer.seeds) > 1:
        sentences.append("All seeds give equal results.")
        if answer.simulated + answer.known < sum(len(ranked.runs) for ranked in answer.ranked):
            sentences.append(
                "So two seeds of each setting were run; the column `seeds` counts more as equal."
            )
    return sentences


def _fallen(answer: Answer) -> Iterator[str]:
    """Sentences on the settings that do not hold in other runs."""
    fallen = [one for one in answer.checks if not one.holds]
    if fallen and not answer.holds:
        yield "No setting that was checked holds in other runs."
    for one in fallen:
        yield f"Not recommended: {one.setting.label}; {_why(answer, one)}."


def _why(answer: Answer, fall: Check) -> str:
    """The reason for which a setting does not hold."""
    if fall.grows:
        return f"its queue has no steady state and still grows: the mean is {_queues(answer, fall)}"
    assert fall.worse is not None  # noqa: S101  a setting falls by its queue or by drawn starts
    criterion = fall.worse.criterion
    own, usual = (value_text(criterion, one) for one in (fall.worse.value, fall.worse.best))
    return (
        f"with starts drawn within 20 ms its {criterion.name} is {own}, and {usual} "
        f"{criterion.shown_unit}".rstrip()
        + " with the scenario as it is"
    )


def _queue(answer: Answer) -> Criterion:
    return next(one for one in answer.objective.known if one.name == "queue")


def _queues(answer: Answer, check: Check) -> str:
    queue = _queue(answer)
    before, after = (value_text(queue, one) for one in (check.queue, check.later_queue))
    return (
        f"{before} {queue.shown_unit} in the measuring window, and {after} at the end of a run "
        f"{LONGER} times as long"
    )


def _shrinking(answer: Answer) -> Iterator[str]:
    """Sentence on a queue of the best setting that is shorter in the longer run."""
    for one in answer.checks:
        if one.setting == answer.chosen.setting and one.shrinks:
            yield f"With this setting the mean queue still shrinks: {_queues(answer, one)}."


def _with_drawn_starts(answer: Answer) -> Iterator[str]:
    """Sentence on the best setting with drawn starts, beside the scenario as it is."""
    for one in answer.checks:
        if one.setting != answer.chosen.setting or not one.drawn:
            continue
        found = f"{_values(answer, means_of(one.drawn))}, {counted(len(one.drawn), 'seed')}"
        usual = _values(answer, means_of(answer.usual))
        beside = "" if one.setting == AS_IT_IS else f"; the scenario as it is: {usual}"
        again = " ".join(f"--set {shlex.quote(override)}" for override in OTHER_STARTS.overrides)
        yield f"With starts drawn within 20 ms ({again}): {found}{beside}."


def _below_mcr(answer: Answer) -> Iterator[str]:
    """Sentence on flow groups with a GFR contract that get less than their MCR."""
    best = answer.fresh_runs_of(answer.chosen.setting) or answer.chosen
    usual = kept_mcrs(answer.as_it_is.means)
    low = [
        f"{group} gets {share:.0%} of its MCR in payload, and {usual[group]:.0%} with the scenario "
        "as it is"
        for group, share in kept_mcrs(best.means).items()
        if share < KEPT_MCR
    ]
    if low:
        yield f"This setting does not keep a GFR contract: {'; '.join(low)}."


def _passed_over(answer: Answer) -> Iterator[str]:
    """Sentence on the best setting of the search, if another one is recommended."""
    if answer.of_search is None:
        return
    found = answer.fresh or answer.of_search
    best, chosen = found.of(answer.of_search.chosen.setting), found.of(answer.chosen.setting)
    named = _named(best.setting)
    if found.rival is None:
        assert best.shortfall is not None  # noqa: S101  the setting falls behind with fresh seeds
        criterion = best.shortfall.criterion
        chance = "; this difference may be chance" if found.may_be_chance(best) else ""
        yield (
            f"{named} was best with the seeds of the search, but {_unused(found)} it has "
            f"{_instead(criterion, best, chosen)}{chance}."
        )
        return
    rival, criterion = found.rival
    assert rival.shortfall is not None  # noqa: S101  a rival falls behind
    behind = rival.shortfall.criterion
    by = difference_text(found.chosen, rival, behind)
    yield (
        f"{named} is not clearly better in {behind.name} (difference {by}), and has "
        f"{_instead(criterion, found.chosen, rival)}. Take it (the second command below) only if a "
        f"difference in {behind.name} of that size matters; more --seeds would decide."
    )


def _same_runs(answer: Answer) -> Iterator[str]:
    """Sentence on settings that give the same runs as the best one, so that any of them will do."""
    same = [one for one in answer.ranked[1:] if answer.same_runs(one)]
    if not same:
        return
    runs = answer.chosen.runs
    paths = {path for one in answer.ranked for path, _ in one.setting.values}
    by_marks = any(path.startswith("switch.aqm") or ".roce.control" in path for path in paths)
    acts = by_marks and answer.objective.link_layer == "ethernet" and not any(r.acts for r in runs)
    why = "; queue management drops and marks no packet in the measuring window" if acts else ""
    usual = (
        ", the scenario as it is among them,"
        if any(one.setting == AS_IT_IS for one in same)
        else ""
    )
    give = "gives" if len(same) == 1 else "give"
    yield (
        f"{counted(len(same), 'other setting')}{usual} {give} the same runs as the best one, so "
        f"nothing depends on the parameters in which the settings differ{why}."
    )


def _named(setting: Setting) -> str:
    return "The scenario as it is" if setting == AS_IT_IS else setting.label


def _instead(criterion: Criterion, one: Ranked, other: Ranked) -> str:
    """The values of two settings in a criterion, as "queue 92 instead of 74 cells"."""
    own, others = (value_text(criterion, each.means[criterion.name]) for each in (one, other))
    return f"{criterion.name} {own} instead of {others} {criterion.shown_unit}".rstrip()


def _unused(fresh: Answer) -> str:
    """Words for the seeds of a check."""
    return f"with {len(fresh.seeds)} seeds that the search did not use"


def _warnings(runs: Sequence[Measures]) -> Iterator[str]:
    """Each warning of the best setting's runs, with the first of its messages."""
    first: dict[str, str] = {}
    for run in reversed(runs):
        first |= run.warnings
    for code, message in first.items():
        warned = sum(code in run.warnings for run in runs)
        yield f"Warning of the best setting, in {warned} of {len(runs)} runs: {message}."


def command(answer: Answer, setting: Setting | None = None) -> str:
    """The command that runs a setting, by default the chosen one."""
    setting = setting or answer.chosen.setting
    base = [part for override in answer.base.overrides for part in ("--set", shlex.quote(override))]
    parts = ["cellrate run", shlex.quote(answer.base.path), *base, setting.flags]
    return " ".join(part for part in parts if part)


def effort(answer: Answer) -> str:
    """Numbers of settings and runs, and of the runs that were already stored."""
    kept = f", {answer.known} of them kept from earlier commands" if answer.known else ""
    runs = answer.simulated + answer.known
    settings = counted(len(answer.ranked), "setting")
    checks = f", and {counted(answer.check_runs, 'run')} as a check" if answer.check_runs else ""
    return f"{settings}, {counted(runs, 'run')}{kept} (--budget allows {answer.budget}){checks}"


def _compromises(answer: Answer) -> list[str]:
    """The two compromises if no pair is feasible: least loss, or most throughput."""
    found = [f"Least loss: {answer.chosen.setting.label}{_how_good(answer, answer.chosen)}."]
    full = answer.most_throughput
    if full is not None and full.setting != answer.chosen.setting:
        allowed = ", if loss is allowed" if full.means["loss"] else ""
        found.append(f"Most throughput{allowed}: {full.setting.label}{_how_good(answer, full)}.")
    return [*found, _with_more_throughput(answer, full or answer.chosen)]


def _with_more_throughput(answer: Answer, full: Ranked) -> str:
    """Sentence on the setting with the most throughput over its own seeds, beside `full`."""
    name = BESIDE if full.means[BESIDE] else "utilisation"
    criterion = next(one for one in answer.objective.known if one.name == name)

    def gain(one: Ranked) -> float:
        before = means_of(full.runs[: len(one.runs)])[name]
        return (one.means[name] or 0.0) / (before or 1.0) - 1

    most = max(answer.ranked, key=gain)
    if gain(most) <= criterion.tolerance:
        by = f"{100 * criterion.tolerance:g} % more" if gain(most) > 0 else "more"
        return f"No other setting that was run has {by} {name}."
    runs = full.runs[: len(most.runs)]
    beside = replace(full, runs=runs, means=means_of(runs))
    return (
        f"{_named(most.setting)} has {100 * gain(most):.2g} % more: "
        f"{_instead(criterion, most, beside)}, {counted(len(runs), 'seed')}."
    )


def _how_good(answer: Answer, ranked: Ranked) -> str:
    """The values of a setting in the first `STATED` criteria, and its number of seeds.

    Fresh seeds, if the setting was run with them, give the values.
    """
    fresh = answer.fresh_runs_of(ranked.setting)
    if answer.fresh and fresh:
        return f": {_values(answer, fresh.means)}, {_unused(answer.fresh)}"
    return f": {_values(answer, ranked.means)}, {counted(len(ranked.runs), 'seed')}"


def _values(answer: Answer, means: Means) -> str:
    shown_first = answer.objective.criteria[:STATED]
    is_told = any(one.name == LOSS_OF_RUN for one in shown_first)
    parts = []
    for one in shown_first:
        if one.name == LOSS_OF_RUN and means[one.name] is not None:
            parts.append(_lost_in_run(answer, means))
            continue
        parts.append(_achieved(one, means[one.name]))
        is_less = one.name == "loss" and means[LOSS_OF_RUN] and not means["loss"]
        if is_less and not is_told and not answer.has_whole_window:
            parts[-1] += f" but {_lost_in_run(answer, means)}"
    return ", ".join(parts)


def _lost_in_run(answer: Answer, means: Means) -> str:
    """The loss of the whole run, which counts trimmed payload, too."""
    verb = "loses or trims" if answer.may_trim else "loses"
    return f"{verb} {means[LOSS_OF_RUN]:.2g} of the bytes in the whole run"


def _achieved(criterion: Criterion, found: float | None) -> str:
    if criterion.name == "loss":
        lost = f"{criterion.about.partition(' ')[0]}s"
        share = f"{found:.2g} of the {lost}" if found else f"no {lost}"
        return f"loses {share} in the measuring window"
    if criterion.name == "unfinished" and found is not None:
        return f"{number(found)} files do not end in the run" if found else "all files end"
    if found is None:
        return f"no {criterion.name}"
    return f"{criterion.name} {value_text(criterion, found)} {criterion.shown_unit}".rstrip()


def _scaled(found: Estimate | None, criterion: Criterion) -> str:
    if found is None:
        return "-"
    ends = (found.low, found.high)
    low, high = (None if end is None else end / criterion.divisor for end in ends)
    return estimate_text(Estimate(found.values, found.mean / criterion.divisor, low, high))


MOST_ROWS = 15
"""Greatest number of settings that a terminal shows; the page shows all."""
EARLIER = "earlier-data"
"""Code of the warning that TCP delivered more in the measuring window than a link can carry."""
EARLIER_NOTE = "the throughput counts bytes that crossed the link before the measuring window"
REASONS = 3
"""Number of reasons of refused settings that a terminal shows."""
FIRST = 3
"""Number of criteria that even a narrow terminal shows."""


def report(answer: Answer) -> Document:
    """The result in sentences, the settings that were simulated, and the fluid model's verdicts."""
    return Document(
        f"{answer.base.path}, tuned",
        (
            *_method(answer),
            *map(Paragraph, headline(answer)),
            Command(_commands(answer)),
            *_region(answer),
            *_search(answer),
            Section("Simulated settings", (_settings(answer), *_versus(answer), _refused(answer))),
            *((_all_pairs(answer.modelled),) if answer.modelled else ()),
        ),
    )


def _commands(answer: Answer) -> tuple[str, ...]:
    """Commands that run the chosen setting, and the best of the search if it is another one."""
    other = answer.passed_over
    return (command(answer), *([] if other is None else [command(answer, other)]))


def _method(answer: Answer) -> Iterator[Paragraph]:
    """Sentences on how the settings were proposed, and on the order of the criteria."""
    seeds = f"seeds {answer.seeds[0]} to {answer.seeds[-1]}"
    yield Paragraph(
        f"Settings are proposed by {METHODS[answer.method]} and ranked by {ranked_by(answer)}; "
        f"{seeds}, {effort(answer)}; cellrate {__version__}.",
        "faint",
    )
    lines = []
    if answer.no_model is not None:
        lines.append(f"The fluid model of EFCI does not apply to the scenario: {answer.no_model}.")
    lines += [f"Varied: {parameter.path}, {parameter.words()}." for parameter in answer.space]
    lines += [f"Not varied: {parameter.why}." for parameter in answer.not_varied]
    cautions = answer.modelled.model.cautions if answer.modelled else ()
    lines += [f"{caution[0].upper()}{caution[1:]}." for caution in cautions]
    if any(criterion.name == "fairness" for criterion in answer.objective.criteria):
        lines += answer.fairness_notes
    yield from (Paragraph(line, "faint") for line in lines)


def _region(answer: Answer) -> tuple[Figure, ...]:
    """The fluid model's feasible region, if the settings were proposed by the model."""
    if answer.modelled is None:
        return ()

    def drawn() -> str:
        from cellrate.advice.tuning.figure import region  # slow to import
        from cellrate.simulation.figures import svg

        figure = region(answer)
        return "" if figure is None else svg(figure)

    about = "Feasible region of RIF and RDF by the fluid model, with the simulated settings"
    return (Figure(drawn, about),)


def _search(answer: Answer) -> tuple[Section, ...]:
    """The picture of the search: history, importance, front and slices."""
    if not deciding(answer):
        return ()

    def drawn() -> str:
        from cellrate.advice.tuning.figure import search_picture  # slow to import
        from cellrate.simulation.figures import svg

        figure = search_picture(answer)
        return "" if figure is None else svg(figure)

    about = "History of the search, importance of the parameters, front of two criteria, slices"
    shares = importance(answer)
    few = (
        f"Fewer than {LEAST_SETTINGS} settings vary two parameters together, so the importance of "
        "parameters is not estimated."
    )
    ranked = sorted(shares.items(), key=lambda one: -one[1])
    words = ", ".join(f"{path} {share:.0%}" for path, share in ranked)
    text = (
        f"Importance of the parameters for being among the best settings: {words}."
        if shares
        else few
    )
    return (Section("The search", (Paragraph(text), Detail((Figure(drawn, about),)))),)


def _settings(answer: Answer) -> Table:
    """The settings, the best first, with means over their seeds."""
    criteria, paths = columns_of(answer), titles_of(answer)
    model = [Column("fluid model", optional=True)] if answer.modelled else []
    measured = [
        Column(f"{one.name}\n{one.shown_unit}".strip(), "right", optional=number >= FIRST)
        for number, one in enumerate(criteria)
    ]
    found = []
    for ranked in answer.ranked:
        judged = [answer.model_verdict(ranked.setting)] if answer.modelled else []
        values = [measured_text(ranked, criterion) for criterion in criteria]
        named = cells_of(ranked.setting, paths)
        behind = shortfall_text(answer, ranked)
        note = EARLIER_NOTE if any(EARLIER in run.warnings for run in ranked.runs) else ""
        found.append(Row((*named, *judged, str(len(ranked.runs)), *values, *behind), note))
    return Table(
        (
            *columns(*(paths.values() or ("setting",))),
            *model,
            Column("seeds", "right"),
            *measured,
            Column("falls\nbehind in"),
            Column("by", detail=True),
        ),
        tuple(found),
        wide=True,
        most=MOST_ROWS,
        more="on the page",
    )


def _versus(answer: Answer) -> tuple[Section, ...]:
    """The chosen setting and the runner-up, and their difference seed by seed."""
    second = answer.runner_up
    if second is None:
        return ()
    found = answer.fresh if answer.fresh and answer.fresh_runs_of(second.setting) else answer
    chosen, second = found.of(answer.chosen.setting), found.of(second.setting)
    lines = [
        [
            f"{one.name} {one.shown_unit}".strip(),
            measured_text(chosen, one),
            measured_text(second, one),
            difference_text(chosen, second, one),
        ]
        for one in columns_of(answer)
    ]
    titles = ("measure", "chosen", "runner-up", "chosen less runner-up")
    table = Table(columns(*titles, numbers=(1, 2, 3)), rows(lines))
    title = "Chosen setting and runner-up: means, and differences seed by seed, 95 % intervals"
    where = "" if found is answer else f", {_unused(found)}"
    return (Section(f"{title}{where}", (table,)),)


def _refused(answer: Answer) -> Section:
    """Number of refused settings and the reasons of the first; a page lists all."""
    if not answer.refused:
        return Section("Refused by the scenario", ())
    found = rows([setting.label, why] for setting, why in answer.refused.items())
    reasons = list(dict.fromkeys(answer.refused.values()))
    more = "; and others" if len(reasons) > REASONS else ""
    text = f"{counted(len(found), 'setting')}: {'; '.join(reasons[:REASONS])}{more}. "
    text += "The page and --json have all."
    table = Table(columns("setting", "reason"), found)
    parts = (Paragraph(text), Folded(f"All {len(found)}", (table,)))
    return Section("Refused by the scenario", parts)


def _all_pairs(modelled: ModelResults) -> Folded:
    """The fluid model's results for every pair of RIF and RDF, the feasible ones first."""
    judgement = modelled.judgement
    found = judgement.found
    queues = (found.maximum_queue_bound_cells, found.maximum_queue_cells, found.minimum_queue_cells)
    cells = rows(
        [
            shown(repr(float(judgement.rif[at]))),
            shown(repr(float(judgement.rdf[at]))),
            *(number(round(float(np.asarray(queue)[at]))) for queue in queues),
            judgement.verdict(at),
        ]
        for at in np.argsort(~judgement.feasible, kind="stable")
    )
    titles = columns("RIF", "RDF", "Q_max bound", "Q_max", "Q_min", "verdict", numbers=range(5))
    title = f"Verdict of the fluid model on all {len(cells)} pairs"
    return Folded(title, (Table(titles, cells),))


def as_json(answer: Answer) -> dict[str, Any]:
    """The report as a JSON object: units in the keys, null where nothing was measured."""
    second, most = answer.runner_up, answer.most_throughput
    criterion_of = ("about", "unit", "best", "of")
    return {
        "scenario": answer.base.path,
        "objective": [
            to_json(criterion, {"name": "criterion"}, without=criterion_of)
            for criterion in answer.objective.criteria
        ],
        "method": answer.method,
        "no_model": answer.no_model,
        "rise": answer.rise,
        "feasible": None if answer.modelled is None else not answer.infeasible,
        "seeds": list(answer.seeds),
        "runs": {
            "allowed": answer.budget,
            "simulated": answer.simulated,
            "kept_from_before": answer.known,
        },
        "importance": importance(answer),
        "varied": [_varied(parameter) for parameter in answer.space],
        "not_varied": to_json(answer.not_varied),
        "commands": _commands(answer),
        "chosen": _ranked(answer, answer.chosen),
        "runner_up": None if second is None else _ranked(answer, second),
        "chosen_less_runner_up": None
        if second is None
        else _measures(answer, differences(answer.chosen, second)),
        "as_it_is": _ranked(answer, answer.as_it_is),
        "most_throughput": None if most is None else _ranked(answer, most),
        "settings": [_ranked(answer, ranked) for ranked in answer.ranked],
        "fresh_seeds": None if answer.fresh is None else _fresh(answer.fresh),
        "best_of_search": dict((answer.passed_over or answer.chosen.setting).values),
        "checks": [_check(answer, one) for one in answer.checks],
        "check_runs": answer.check_runs,
        "as_it_is_with_drawn_starts": _drawn(answer, answer.usual),
        "refused": [
            {"settings": dict(setting.values), "why": why}
            for setting, why in answer.refused.items()
        ],
        "model": None if answer.modelled is None else _model(answer.modelled),
        "in_words": headline(answer),
    }


def _fresh(fresh: Answer) -> dict[str, Any]:
    settings = [_ranked(fresh, ranked) for ranked in fresh.ranked]
    return {"seeds": list(fresh.seeds), "settings": settings}


def _varied(parameter: Range | Choices) -> dict[str, Any]:
    if not isinstance(parameter, Range):
        return {"path": parameter.path, "values": list(parameter.values)}
    ends = {"low": parameter.text(parameter.low), "high": parameter.text(parameter.high)}
    return {"path": parameter.path, **ends, "scale": parameter.scale}


def _ranked(answer: Answer, ranked: Ranked) -> dict[str, Any]:
    shortfall = ranked.shortfall or ranked.dropped
    return {
        "settings": dict(ranked.setting.values),
        "flags": ranked.setting.flags,
        "same_runs_as_best": ranked is not answer.chosen and answer.same_runs(ranked),
        "seeds": [run.seed for run in ranked.runs],
        "model": answer.model_verdict(ranked.setting) or None,
        "measures": _measures(answer, estimates(ranked.runs)),
        "falls_behind": None
        if shortfall is None
        else {
            **to_json(shortfall, without=("criterion",)),
            "criterion": shortfall.criterion.name,
            "than": "best setting" if ranked.shortfall else "best of all settings",
            "may_be_chance": answer.may_be_chance(ranked),
        },
    }


def _check(answer: Answer, check: Check) -> dict[str, Any]:
    key = _queue(answer).key
    return {
        "settings": dict(check.setting.values),
        "holds": check.holds,
        "why_not": None if check.holds else _why(answer, check),
        key: check.queue,
        f"{key}_in_longer_run": check.later_queue,
        "queue_grows": check.grows,
        "with_drawn_starts": _drawn(answer, check.drawn),
    }


def _drawn(answer: Answer, runs: tuple[Measures, ...]) -> dict[str, Any] | None:
    if not runs:
        return None
    return {
        "overrides": list(OTHER_STARTS.overrides),
        "seeds": [run.seed for run in runs],
        "measures": _measures(answer, estimates(runs)),
    }


def _measures(answer: Answer, found: Mapping[str, Estimate | None]) -> dict[str, Any]:
    keys = {one.name: one.key for one in answer.objective.known}
    return {keys[name]: to_json(one) for name, one in found.items() if name in keys}


def _model(modelled: ModelResults) -> dict[str, Any]:
    model, judgement, loop = modelled.model, modelled.judgement, modelled.model.loop
    found = judgement.found
    columns = {
        "rif": judgement.rif,
        "rdf": judgement.rdf,
        "maximum_queue_bound_cells": found.maximum_queue_bound_cells,
        "maximum_queue_cells": found.maximum_queue_cells,
        "minimum_queue_cells": found.minimum_queue_cells,
        "utilisation": found.utilisation,
        "utilisation_of_run": judgement.utilisation,
        "feasible": judgement.feasible,
        "feasible_with_continuous_decrease": judgement.continuous.feasible,
    }
    return {
        "port": model.port,
        "sources": int(loop.n),
        "bandwidth_cells_per_second": float(loop.bw),
        "round_trip_seconds": float(loop.tau),
        "high_cells": float(loop.high),
        "low_cells": float(loop.low),
        "buffer_cells": to_json(float(model.buffer_cells)),
        "left_out": list(model.cautions),
        "sets": [
            {
                **{name: np.asarray(values)[at].item() for name, values in columns.items()},
                "verdict": judgement.verdict(at),
            }
            for at in range(judgement.rif.size)
        ],
    }


def write(answer: Answer, paths: Sequence[Path]) -> list[Path]:
    """Writes the page, and the resolved scenario with the chosen setting.

    Args:
        answer: The answer.
        paths: Files for the page and for the scenario, in a directory that exists.

    Raises:
        OSError: A file cannot be written.
    """
    for path, text in zip(paths, (web_page(report(answer)), tuned(answer)), strict=True):
        whole_file.write_text(path, text)
    return list(paths)


def tuned(answer: Answer) -> str:
    """The scenario with the chosen setting, every default written out."""
    base = answer.base
    overrides = (*base.overrides, *answer.chosen.setting.overrides)
    return Job(base.text, base.path, overrides).resolved()
