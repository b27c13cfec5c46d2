"""A choice in sentences, as a document, as JSON and as files."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from cellrate import __version__
from cellrate.advice.choosing.answer import Answer, Elsewhere, left_out, sides
from cellrate.advice.choosing.candidates import TAIL_DROP, Option, OwnControl, own_policy
from cellrate.advice.choosing.checking import (
    MORE_TRIES,
    means_only,
    missing,
    none_meets,
    rejected,
    unchecked,
    unequal,
    unused,
)
from cellrate.advice.choosing.circumstances import times
from cellrate.advice.choosing.goals import (
    COSTLY,
    KEEPS_BACKGROUND,
    KEEPS_MCR,
    OF_FRAMES,
    Goals,
    counted_mean,
    rising,
    settled,
)
from cellrate.advice.choosing.packet_choice import PacketChoice, PacketOption
from cellrate.advice.choosing.roce_alternatives import without
from cellrate.advice.choosing.waits import Waits
from cellrate.advice.formulas.growth import LONGER
from cellrate.advice.locked_phases import doubt
from cellrate.advice.sizing.confidence import covered
from cellrate.advice.tuning.declared import ResolvedScenario
from cellrate.advice.tuning.measures import TOO_SHORT, bottleneck
from cellrate.advice.tuning.other_runs import OTHER_STARTS, Circumstance, longer
from cellrate.advice.tuning.shares import (
    WITHOUT_FILES,
    gfr_mcrs,
    leaves_out_files,
    notes,
)
from cellrate.common import whole_file
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
from cellrate.common.document.web_page import web_page
from cellrate.common.numbers import counted, seconds, settling_time
from cellrate.common.to_json import to_json
from cellrate.simulation.network import Network


def asked(answer: Answer) -> str:
    """The title of the report: the question which control to choose."""
    return f"{answer.base.path}: which control, and how much buffer?"


def wanted(goals: Goals) -> str:
    """The goals as text."""
    switches = ", ".join(goals.abilities)
    return (
        f"Goals: {'; '.join(goals.texts('cells'))}. Of the controls that meet the goals the one "
        f"with the least buffer is recommended. The switches can do: {switches}."
    )


def verdict(answer: Answer) -> list[str]:
    """Sentences on the recommendation, on the runner-up, and on what is uncertain."""
    return [
        *_recommendation(answer),
        *_reserve(answer),
        *_depends(answer),
        *_policies(answer),
        *left_out(answer.not_tried),
    ]


def _policies(answer: Answer) -> Iterator[str]:
    """Sentence on the scenario's own discard policy, and on the contracts that rest on it."""
    scenario = ResolvedScenario.of(answer.base.scenario())
    policy = own_policy(scenario)
    if not policy:
        return
    is_run = any(one.candidate.is_own and one.policy == policy for one in answer.options)
    alone = "in its own buffer, with the scenario's own control alone" if is_run else "in no option"
    promised = ", ".join(gfr_mcrs(scenario.cells))
    contracts = f", which know no GFR contract ({promised})" if promised else ""
    yield (
        f"The scenario's own discard policy, {policy}, is tried {alone}; all other options replace "
        f"it by tail drop or EPD with its defaults{contracts}."
    )


def _recommendation(answer: Answer) -> Iterator[str]:
    best, second = answer.recommended, answer.judgement.runner_up
    failed = [
        rejected(_with_buffer(one.option), one.checked.seeds, one.missed) for one in answer.rejected
    ]
    if best is None:
        more = TOO_SHORT if all(one.unfinished for one in answer.options) else MORE_TRIES
        yield (
            f"{none_meets('control')}{_unsearched(answer)}. The table below "
            f"says which goals each control misses. {more}"
        )
        yield from failed
        return
    # The first sentence is without a number, since doubts of the number come before it.
    so_far = _unsearched(answer)
    if so_far:
        yield f"So far, take {_spoken(best)}{_few_seeds(answer, best)}{so_far}."
    yield from failed
    if answer.judgement.is_unfair:
        yield unequal("control", answer.goals.fairness)
    if Network.of_scenario(answer.base.scenario()).links_lose:
        yield "Links lose cells by `link_errors`; losses below are those of buffers."
    yield from doubt(best.locked_runs, best.seeds, f"the buffer of {_spoken(best)}")
    if answer.checked is None:
        yield from unchecked(_spoken(best), best.seeds)
    yield from means_only(best.fairness_by_seed, best.loss_by_seed, answer.goals)
    yield from _of_duration(answer, best)
    yield from _of_starts(answer, best)
    yield from _price(answer, best)
    found = f"{_with_buffer(best)} of buffer: {numbers(best)}{_checked(answer)}."
    yield f"So far: {found}" if so_far else f"Take {found}"
    network = Network.of_scenario(answer.base.scenario())
    yield from Waits.of(network, bottleneck(network)).words()
    over_tcp = any(flow.tcp for flow in network.flows)
    if over_tcp and best.candidate.ability != "none":
        yield (
            "The waits are those of cells at the bottleneck. The control also makes packets wait "
            "in the sources; these waits do not count here, but in the measure "
            "`delay_with_source` of `cellrate compare`."
        )
    if second is None:
        yield "No other control meets the goals."
        return
    yield from doubt(second.locked_runs, second.seeds, f"the buffer of {_spoken(second)}")
    # Other seeds and random starts of flows were run only with the best control.
    where = " with the seeds of the search" if answer.checked else ""
    there = " in these runs" if where else ""
    if answer.has_drawn_buffer:
        where += " and the starts of the scenario"
    said = (
        f"Runner-up{where}: {_with_buffer(second)}"
        f"{_few_seeds(answer, second)}: "
        f"{numbers(second)}. Compared{there} with {_spoken(best)}, {_spoken(second)} needs "
        f"{_cost(answer.judgement.best or best, second)}."
    )
    if answer.judgement.alike:
        speed = "throughput" if second.unfinished is None else "completion time"
        said += f" The two controls do not differ in buffer and {speed}; take the simpler one."
    yield said


def _price(answer: Answer, best: Option) -> Iterator[str]:
    """The sentence on a faster option that misses a goal, if it is faster by `COSTLY`."""
    goals = answer.goals
    fast = max(answer.options, key=goals.speed)
    missed = goals.missed(fast)
    if missed and goals.speed(best) < (1 - COSTLY) * goals.speed(fast):
        yield (
            f"The goals cost speed: {_with_buffer(fast)} has {_speed(fast)}, but "
            f"{' and '.join(missed)}; {_spoken(best)} has {_speed(best)}."
        )


def _unsearched(answer: Answer) -> str:
    """Words on how many controls the time limit left unsearched; empty if it left none."""
    if not answer.unfinished:
        return ""
    return f"; the time limit ended the search of {counted(len(answer.unfinished), 'control')}"


def _few_seeds(answer: Answer, one: Option) -> str:
    """Words on the seeds of an option that was not run with all; empty if it was."""
    asked = len(answer.seeds)
    return f", run with only {one.seeds} of {asked} seeds" if one.seeds < asked else ""


def _checked(answer: Answer) -> str:
    """Words on the runs of the check; empty without a check, or if all its runs are alike."""
    best = answer.checked
    if best is None or _is_alike(answer, best):
        return ""
    chance = chance_of_more(answer)
    lost = "; a further seed loses cells in this buffer, and may deliver far less, with a chance of"
    said = "" if chance is None else f"{lost} {chance}"
    return f", {unused(best.seeds)}{said}"


def chance_of_more(answer: Answer) -> str | None:
    """Greatest chance that a further seed needs more buffer than all seeds of the check.

    The longest of n + 1 queues is as likely with each of n + 1 seeds. None if the buffer is not the
    longest queue of independent runs.
    """
    best = answer.checked
    if best is None or _is_alike(answer, best) or not _has_longest(best):
        return None
    return f"1 in {best.seeds + 1} at most"


def _has_longest(one: Option) -> bool:
    """True if the buffer of an option is the longest queue that its runs had."""
    return one.loss == 0 and not one.is_reserved and one.policy == TAIL_DROP


def _is_alike(answer: Answer, one: Option) -> bool:
    """True if each seed needs the same buffer, and the scenario draws no starts of flows."""
    draws = Network.of_scenario(answer.base.scenario()).start_jitter_seconds > 0
    return one.same_with_each_seed and not draws


def _longer(answer: Answer) -> Circumstance:
    """Settings of a longer run, which checks what was recommended."""
    return longer(ResolvedScenario.of(answer.base.scenario()))


def _of_duration(answer: Answer, best: Option) -> Iterator[str]:
    """Sentences on a run that is too short for the recommendation, with a longer run."""
    if best.rises:
        yield (f"The run is too short to show a steady state of {_spoken(best)}: {rising(best)}.")
    there = answer.longer
    loses = there is not None and (
        there.buffer_cells > best.buffer_cells or there.loss > answer.goals.loss
    )
    if not loses and not best.rises:
        return
    again = " ".join(f"--set {shlex.quote(one)}" for one in _longer(answer).overrides)
    found = ""
    if there is not None:
        found = f"In a run {LONGER} times as long it has {numbers(there)}"
        if there.loss == 0:
            found += f", with {cells(there.buffer_cells)} of buffer"
        if loses:
            found += (
                f"; with the buffer recommended below it loses {'more' if best.loss else 'cells'}"
            )
        found += ". "
    yield f"{found}To choose for a longer run, ask again with {again}."


def _of_starts(answer: Answer, best: Option) -> Iterator[str]:
    """Sentence on the buffer with random starts of flows, if all seeds need the same buffer."""
    if not _is_alike(answer, best):
        return
    drawn = answer.other_starts
    if drawn is None:
        found = "other starts were not run, with which sources can meet and need more"
    elif drawn.buffer_cells > best.by_seed_cells[0]:
        is_allowed = drawn.buffer_cells == best.buffer_cells
        found = (
            f"with starts drawn within 20 ms {_spoken(best)} needs up to "
            f"{cells(drawn.buffer_cells)} in {drawn.seeds} runs, "
            + ("and this buffer is recommended" if is_allowed else "which the goals do not allow")
        )
    else:
        found = f"{drawn.seeds} runs with starts drawn within 20 ms need no more"
    again = " ".join(f"--set {shlex.quote(one)}" for one in OTHER_STARTS.overrides)
    yield (
        f"Each seed needs the same {cells(best.by_seed_cells[0])} of buffer; {found}. To choose "
        f"for such starts, ask again with {again}."
    )


def cells(count: int) -> str:
    """Text of a number of cells."""
    return counted(count, "cell")


def _spoken(one: Option) -> str:
    """Name of an option for a sentence: "no control" for `none`."""
    none = one.candidate.ability == "none"
    return f"no control{one.label.removeprefix(one.candidate.name)}" if none else one.label


def _with_buffer(one: Option) -> str:
    """Name of an option for a sentence, with its buffer."""
    return f"{_spoken(one)} with {cells(one.buffer_cells)}"


def numbers(one: Option) -> str:
    """Text of the measures of an option."""
    parts = [_speed(one)]
    parts.append("no loss" if one.loss == 0 else f"loss {one.loss:.2g}")
    parts.append(f"mean wait {seconds(one.mean_delay_seconds)}")
    parts.append(f"longest wait {seconds(one.longest_delay_seconds)}")
    if one.fairness is not None:
        parts.append(f"fairness {one.fairness:.3f}")
    if one.background_bits_per_second is not None:
        parts.append(f"background {one.background_bits_per_second / 1e6:.2f} Mbit/s")
    # The line settles when the last file ends.
    if one.unfinished is None:
        parts.append(settled(one.settling_seconds))
    return ", ".join(parts)


def _speed(one: Option) -> str:
    """The speed of an option: its throughput, or the completion time of its files."""
    if one.unfinished is None:
        return f"{one.throughput_bits_per_second / 1e6:.2f} Mbit/s"
    if one.completion_seconds is None:
        return f"unfinished {counted_mean(one.unfinished)}"
    return f"completion {seconds(one.completion_seconds)}"


def _cost(best: Option, second: Option) -> str:
    """Buffer and speed of the runner-up beside those of the best option."""
    more = second.buffer_cells - best.buffer_cells
    buffer = f"{cells(more)} more" if more else "no more buffer"
    times = best.completion_seconds, second.completion_seconds
    if times[0] and times[1]:
        change, words = times[1] / times[0] - 1, ("longer", "shorter", "completion time")
    else:
        change = second.throughput_bits_per_second / best.throughput_bits_per_second - 1
        words = ("more", "less", "throughput")
    above, below, measure = words
    if abs(change) < 0.0005:
        return f"{buffer}, with equal {measure}"
    return f"{buffer}, with {abs(change):.1%} {above if change > 0 else below} {measure}"


def _reserve(answer: Answer) -> Iterator[str]:
    best = answer.recommended
    if best is None:
        return
    if best.is_reserved:
        yield "The buffer is what the credits reserve; no queue was longer."
    elif _has_longest(best):
        seeds = f"{best.seeds} seeds" if best.seeds > 1 else "one seed"
        if answer.has_drawn_buffer:
            seeds += " with drawn starts"
        is_random = answer.has_drawn_buffer or chance_of_more(answer) is not None
        share = f" {covered(best.seeds)}" if is_random else ""
        yield (
            f"The buffer equals the longest queue in runs of {seeds}, without a safety "
            f"margin.{share} `cellrate size-buffer` computes the buffer for more seeds."
        )
    network = Network.of_scenario(answer.base.scenario())
    longest = max((flow.tcp.segment_cells for flow in network.flows if flow.tcp), default=0)
    if best.buffer_cells < longest:
        yield f"This buffer does not hold a TCP segment, which has {longest} cells."


def _depends(answer: Answer) -> Iterator[str]:
    best = answer.judgement.best
    if best is None or not answer.elsewhere:
        return
    lost = list(crossings(answer))
    for elsewhere in lost:
        yield _crossing(answer, elsewhere)
    changed = {elsewhere.circumstance.about for elsewhere in lost}
    stays: dict[str, list[float]] = {}
    for there in sorted(answer.elsewhere, key=lambda there: there.circumstance.factor):
        if there.circumstance.about not in changed:
            stays.setdefault(there.circumstance.about, []).append(there.circumstance.factor)
    if stays:
        kept = (f"with {times(factors)} the {about}" for about, factors in stays.items())
        the = "With drawn starts the" if answer.has_drawn_buffer else "The"
        yield f"{the} choice among the best controls does not change {', and '.join(kept)}."


def crossings(answer: Answer) -> Iterator[Elsewhere]:
    """The nearest changed scenarios in which another control is the choice."""
    for about in dict.fromkeys(there.circumstance.about for there in answer.elsewhere):
        for side in sides(about, answer.elsewhere):
            if side.lost is not None:
                yield side.lost


def _crossing(answer: Answer, there: Elsewhere) -> str:
    about, factor = there.circumstance.about, there.circumstance.factor
    changed = f"{factor:.3g} times the {about}"
    if answer.has_drawn_buffer:
        changed += " and drawn starts"
    found = "no control meets the goals"
    if there.excess is not None:
        found = f"no buffer suffices, since background brings more than {there.excess.port} carries"
    if there.best is not None:
        needs = f"{cells(there.best.buffer_cells)} of buffer"
        found = f"the choice is {_spoken(there.best)} with {needs}"
    [kept] = [one.kept for one in sides(about, answer.elsewhere) if one.lost is there]
    stays = "as it is" if kept == 1 else f"with {kept:.3g} times"
    return f"With {changed} {found}; {stays} the choice does not change."


def report(answer: Answer | PacketChoice) -> Document:
    """The recommendation, the best option of each control, changed scenarios, and commands."""
    if isinstance(answer, PacketChoice):
        return answer.document()
    best, second = answer.recommended, answer.judgement.runner_up
    words = (Paragraph(text) for text in verdict(answer))
    network = Network.of_scenario(answer.base.scenario())
    has_background = any(not flow.is_elastic for flow in network.flows)
    background = [KEEPS_BACKGROUND] if has_background else []
    promised = [KEEPS_MCR] if gfr_mcrs(network) else []
    goals = " ".join([wanted(answer.goals), *notes(network), *background, *promised])
    settings = answer.base.overrides
    commands = [one.command(answer.base.path, settings) for one in (best, second) if one]
    commands += [
        there.best.command(answer.base.path, (*settings, *there.circumstance.overrides))
        for there in crossings(answer)
        if there.best is not None
    ]
    return Document(
        asked(answer),
        (
            Section("", (Paragraph(goals, "faint"), *words)),
            Section(
                "The best of each control with the seeds of the search, by buffer",
                (_controls(answer), *_own(answer), *_refused(answer), *_picture(answer)),
            ),
            *_elsewhere(answer),
            Section("Commands", (Command(tuple(commands)),) if commands else ()),
            Section("", (Paragraph(f"cellrate {__version__}", "faint"),)),
        ),
    )


def _leaves_out_files(answer: Answer) -> bool:
    return leaves_out_files(Network.of_scenario(answer.base.scenario()).flows)


def _controls(answer: Answer) -> Table:
    """The best option of each control, by buffer; the policy matters only where cells are lost."""
    has_policies = answer.goals.loss > 0
    fairness = f"fairness\n{WITHOUT_FILES}" if _leaves_out_files(answer) else "fairness"
    files = answer.goals.all_files_end
    found = (
        Row(
            (
                f"{option.candidate.name}, own"
                if option.candidate.is_own
                else option.candidate.name,
                f"{option.buffer_cells:,}",
                f"{option.throughput_bits_per_second / 1e6:.2f}",
                *((_completion(option),) if files else ()),
                "0" if option.loss == 0 else f"{option.loss:.1e}",
                seconds(option.mean_delay_seconds),
                *(() if option.fairness is None else (f"{option.fairness:.3f}",)),
                settling_time(option.settling_seconds),
                *((option.policy,) if has_policies else ()),
                _parameters(option, len(answer.seeds)),
            ),
            missing(missed),
        )
        for option, missed in answer.rows.items()
    )
    return Table(
        (
            Column("control"),
            Column("buffer\ncells", "right"),
            Column("throughput\nMbit/s", "right", optional=files),
            *((Column("completion", "right"),) if files else ()),
            Column("loss", "right"),
            Column("mean\nwait", "right", optional=True),
            *(() if files else (Column(fairness, "right"),)),
            Column("settles\nin", "right", optional=True),
            *((Column("policy", optional=True),) if has_policies else ()),
            Column("with", detail=True),
        ),
        tuple(found),
    )


def _completion(one: Option) -> str:
    return "-" if one.completion_seconds is None else seconds(one.completion_seconds)


def _parameters(one: Option, seeds: int) -> str:
    usual = "the scenario's parameters" if one.candidate.is_own else "defaults"
    found = one.setting.label if one.setting.values else usual
    return found if one.seeds == seeds else f"{found}; {one.seeds} of {seeds} seeds"


def _own(answer: Answer) -> tuple[Paragraph, ...]:
    """Sentences on the scenario's own control: its values, and the best setting of its search."""
    options = [one for one in answer.options if one.candidate.is_own]
    own = OwnControl.of(answer.base, ResolvedScenario.of(answer.base.scenario()))
    if own is None or not options:
        return ()
    words = [own.text()]
    [best] = [one for one in answer.rows if one.candidate.is_own]
    if best.setting.values:
        words += [
            f"With these values it needs {cells(one.buffer_cells)}: {numbers(one)}. The table has "
            f"its best setting, {best.setting.label}."
            for one in options
            if not one.setting.values and one.loss == 0 and one.policy == TAIL_DROP
        ]
    return (Paragraph(" ".join([*words, "All other controls begin with their defaults."])),)


def _refused(answer: Answer) -> tuple[Listing, ...]:
    items = [f"{name} cannot run in this scenario: {why}" for name, why in answer.refused.items()]
    return (Listing(tuple(items)),) if items else ()


def _picture(answer: Answer) -> tuple[Detail, ...]:
    def drawn() -> str:
        from cellrate.advice.choosing.figure import front_figure  # slow to import
        from cellrate.simulation.figures import svg

        return svg(front_figure(answer))

    speed = "Completion time" if answer.goals.all_files_end else "Throughput"
    about = (
        f"{speed} over buffer of the best option of each control; the area of a point grows with "
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
                there.circumstance.about,
                f"{there.circumstance.factor:.3g}",
                _choice_there(there),
                "-" if there.choice is None else f"{there.choice.buffer_cells:,}",
                "-" if there.excess is not None else f"{there.recommended.buffer_cells:,}",
            ),
            f"the recommended one {', '.join(there.missed)}" if there.missed else "",
        )
        for there in sorted(answer.elsewhere, key=_by_factor)
    )
    titles = (
        Column("changed"),
        Column("times", "right"),
        Column("choice there"),
        Column("its buffer\ncells", "right"),
        Column("the recommended\none needs", "right"),
    )
    starts = "starts drawn within 20 ms" if answer.has_drawn_buffer else "the scenario's starts"
    about = (
        f"Each row has {counted(len(answer.seeds), 'seed')} and {starts}. Its buffers are lower "
        "limits: other seeds and starts may need more."
    )
    return (Section("Elsewhere", (Paragraph(about), Table(titles, tuple(found)))),)


def _choice_there(there: Elsewhere) -> str:
    if there.excess is not None:
        return "no buffer suffices"
    return "no control meets the goals" if there.choice is None else there.choice.candidate.name


def as_json(answer: Answer | PacketChoice) -> dict[str, Any]:
    """The output of `cellrate choose --json`."""
    if isinstance(answer, PacketChoice):
        return answer.as_json()
    judgement = answer.judgement
    return {
        "scenario": answer.base.path,
        "settings": list(answer.base.overrides),
        "goals": answer.goals.as_json(OF_FRAMES),
        "seeds": list(answer.seeds),
        "check": {
            "seeds": list(answer.check_seeds),
            "is_complete": answer.checked is not None,
            "chance_of_more_buffer": chance_of_more(answer),
            "rejected": [
                {"option": _option(answer, one.checked), "missed": list(one.missed)}
                for one in answer.rejected
            ],
        },
        "recommended": _option(answer, answer.recommended),
        "runner_up": _option(answer, judgement.runner_up),
        "alike": judgement.alike,
        "missed": judgement.missed,
        "front": [_option(answer, one) for one in answer.front],
        "options": [_option(answer, option) for option in answer.options],
        "other_starts": _option(answer, answer.other_starts, OTHER_STARTS.overrides),
        "longer_run": _option(answer, answer.longer, _longer(answer).overrides),
        "elsewhere": [
            {
                **to_json(there.circumstance, {"about": "circumstance", "overrides": "settings"}),
                "best": _option(answer, there.best, there.circumstance.overrides),
                "recommended": _option(answer, there.recommended, there.circumstance.overrides),
                "excess": None if there.excess is None else to_json(there.excess),
            }
            for there in answer.elsewhere
        ],
        "refused": dict(answer.refused),
        "unfinished": list(answer.unfinished),
        "not_tried": list(answer.not_tried),
        "words": verdict(answer),
    }


def _option(
    answer: Answer, option: Option | None, there: tuple[str, ...] = ()
) -> dict[str, Any] | None:
    """JSON object of an option; `there` has the settings of a changed scenario."""
    if option is None:
        return None
    left = ("candidate", "setting", "overrides", "mcr_shares")
    return {
        "control": option.candidate.name,
        "ability": option.candidate.ability,
        "values": dict(option.setting.values),
        **to_json(option, {"loss": "loss_ratio"}, without=left),
        "mcr_shares": dict(option.mcr_shares),
        "settles": math.isfinite(option.settling_seconds),
        "command": option.command(answer.base.path, (*answer.base.overrides, *there)),
    }


def write(answer: Answer | PacketChoice, paths: Sequence[Path]) -> list[Path]:
    """Writes the page and, if an option meets the goals, the scenario with the recommended control.

    Args:
        answer: The answer.
        paths: Files for the page and for the scenario, in a directory that exists.

    Raises:
        OSError: A file cannot be written.
    """
    base = answer.base
    best = answer.best if isinstance(answer, PacketChoice) else answer.recommended
    texts = [web_page(report(answer))]
    if best is not None:
        base = without(base, best.removed) if isinstance(best, PacketOption) else base
        texts.append(replace(base, overrides=(*base.overrides, *best.overrides)).resolved())
    written = list(paths[: len(texts)])
    for path, text in zip(written, texts, strict=True):
        whole_file.write_text(path, text)
    return written
