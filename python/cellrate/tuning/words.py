"""What a tuning found, in sentences and cells of tables."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from math import isfinite, log

import numpy as np

from cellrate.estimates import Estimate
from cellrate.numbers import estimate_text, number
from cellrate.tuning.laboratory import AS_IT_IS, Setting, shown
from cellrate.tuning.measures import CRITERIA, Criterion
from cellrate.tuning.model import Judgement
from cellrate.tuning.race import Ranked
from cellrate.tuning.ranges import written
from cellrate.tuning.report import Report, differences, estimates

BESIDE = "throughput"
"""Shown for every setting, whatever the objective."""
MEGA = 1e6
FIRST = 2
"""Criteria that a sentence tells."""


def columns(report: Report) -> list[Criterion]:
    """What is shown of each setting: the criteria of the objective, and throughput."""
    criteria = list(report.objective.criteria)
    names = {one.name for one in criteria}
    measured = [one for one in CRITERIA if one.name == BESIDE and BESIDE not in names]
    return criteria + [one for one in measured if report.chosen.means[one.name]]


def paths(report: Report) -> dict[str, str]:
    """Parameters of the settings that were tried, and what a column of each is called."""
    found = dict.fromkeys(path for one in report.ranked for path, _ in one.setting.values)
    short = [path.rpartition(".")[2] for path in found]
    return {p: name if short.count(name) == 1 else p for p, name in zip(found, short, strict=True)}


def cells(setting: Setting, columns: Mapping[str, str]) -> list[str]:
    """A setting's values, one for each parameter; its first cell says so if it has none."""
    values = dict(setting.values)
    found = [shown(values[path]) if path in values else "" for path in columns]
    return found if values else ["as it is", *found[1:]]


def unit(criterion: Criterion) -> str:
    """Unit in which a criterion is shown; empty for a share."""
    return "Mbit/s" if criterion.unit == "bit/s" else criterion.unit


def value(criterion: Criterion, found: float | None) -> str:
    """A value in the unit of `unit`."""
    if found is None:
        return "-"
    return number(found / MEGA if criterion.unit == "bit/s" else found)


def measured(ranked: Ranked, criterion: Criterion) -> str:
    """Mean and half of the confidence interval over the seeds of a setting."""
    return _scaled(estimates(ranked.runs)[criterion.name], criterion)


def difference(one: Ranked, other: Ranked, criterion: Criterion) -> str:
    """Paired difference of two settings with its interval, and whether that leaves out zero."""
    found = differences(one, other)[criterion.name]
    if found is None:
        return "-"
    text = _scaled(found, criterion)
    text = text if found.mean < 0 else f"+{text}"
    return text if found.contains(0.0) is not True or not found.mean else f"{text}, may be chance"


def why(ranked: Ranked) -> str:
    """Where a setting falls behind the best one over the same seeds."""
    if ranked.shortfall is None:
        return ""
    criterion = ranked.shortfall.criterion
    found, best = (value(criterion, one) for one in (ranked.shortfall.value, ranked.shortfall.best))
    return f"{criterion.name} {found}, the best {best} {unit(criterion)}".rstrip()


def models_word(report: Report, setting: Setting) -> str:
    """What the fluid model says of a setting."""
    if report.modelled is None:
        return ""
    at = place_of(report, setting)
    if at is None:
        return ""
    return verdict(report.modelled.judgement, at)


def place_of(report: Report, setting: Setting) -> int | None:
    """Where a setting stands in the judgement; None if it is no standard set of RIF and RDF."""
    if report.modelled is None:
        return None
    model, judgement = report.modelled.model, report.modelled.judgement
    values = dict(setting.values)
    own = float(np.asarray(model.loop.rif)), float(np.asarray(model.loop.rdf))
    rif, rdf = (
        float(next((values[path] for path in paths if path in values), fallback))
        for paths, fallback in zip(model.paths, own, strict=True)
    )
    if set(values) - {path for paths in model.paths for path in paths}:
        return None
    found = np.flatnonzero((judgement.rif == rif) & (judgement.rdf == rdf))
    return int(found[0]) if found.size else None


def verdict(judgement: Judgement, at: int) -> str:
    """Which conditions a set meets, and by how much it misses the others."""
    parts = []
    if judgement.overflow_cells[at] > 0:
        parts.append(f"overflows by {number(round(float(judgement.overflow_cells[at])))}")
    if judgement.idle_cells[at] >= 0:
        share = float(np.asarray(judgement.found.utilisation)[at])
        parts.append(f"empties, {share:.3f} used")
    return ", ".join(parts) or "feasible"


def headline(report: Report) -> list[str]:
    """What was found, in sentences."""
    sentences = [_region(report)] if report.modelled else []
    if report.infeasible:
        sentences += _compromises(report)
    else:
        sentences.append(f"Best: {report.chosen.setting.label}{_how_good(report, report.chosen)}.")
    if report.chosen.setting != AS_IT_IS:
        sentences.append(f"As it is{_how_good(report, report.as_it_is)}.")
    sentences += _pace(report)
    second = report.runner_up
    if second is not None:
        sentences.append(f"Runner-up: {second.setting.label}{_how_good(report, second)}.")
    unmeasured = report.objective.unmeasured([one.means for one in report.ranked])
    sentences += [f"No run measures {one.name}; it decides nothing." for one in unmeasured]
    alike = all(len({tuple(r.values.items()) for r in one.runs}) == 1 for one in report.ranked)
    if alike and len(report.seeds) > 1:
        sentences.append("The seeds make no difference: nothing in the scenario is random.")
    return sentences


def command(report: Report) -> str:
    """How to run the chosen setting."""
    base = [part for one in report.base.overrides for part in ("--set", shlex.quote(one))]
    parts = ["cellrate run", shlex.quote(report.base.path), *base, report.chosen.setting.flags]
    return " ".join(part for part in parts if part)


def effort(report: Report) -> str:
    """How many runs there were, and how many of them were known."""
    kept = f", {report.known} of them kept from before" if report.known else ""
    runs = report.simulated + report.known
    return f"{len(report.ranked)} settings, {runs} runs{kept}; allowed were {report.budget}"


def _region(report: Report) -> str:
    """How many sets the model finds feasible."""
    if report.modelled is None:
        return ""
    judgement, model = report.modelled.judgement, report.modelled.model
    count, total = int(judgement.feasible.sum()), judgement.rif.size
    continuous = int(np.asarray(judgement.continuous.feasible).sum())
    limited = isfinite(model.buffer_cells)
    network = (
        f"{int(np.asarray(model.loop.n))} sources, "
        f"{number(float(np.asarray(model.loop.bw)))} cells/s, round trip "
        f"{number(1e3 * float(np.asarray(model.loop.tau)))} ms, "
        f"{f'buffer {number(model.buffer_cells)} cells' if limited else 'unlimited buffer'}"
    )
    if count:
        return (
            f"The fluid model finds {count} of {total} sets feasible ({network}), and {continuous} "
            f"with the paper's continuous decrease; {_others(judgement)}."
        )
    return (
        f"No set of RIF and RDF avoids overflow and keeps the link full ({network}): of {total}, "
        f"{int(np.asarray(judgement.found.avoids_overflow).sum())} avoid overflow, "
        f"{int(np.asarray(judgement.found.keeps_link_full).sum())} keep the link full."
    )


def _others(judgement: Judgement) -> str:
    """Why the sets fell that are not feasible."""
    overflows, idles = judgement.overflow_cells > 0, judgement.idle_cells >= 0
    counts = {
        "may overflow": overflows & ~idles,
        "let the queue empty": idles & ~overflows,
        "do both": overflows & idles,
    }
    parts = [f"{int(found.sum())} {what}" for what, found in counts.items() if found.any()]
    return "of the others, " + ", ".join(parts) if parts else "there are no others"


def _compromises(report: Report) -> list[str]:
    """The two ways out: little loss, or a full link."""
    lossless = f"Least loss: {report.chosen.setting.label}{_how_good(report, report.chosen)}."
    full = report.fullest
    if full is None or full.setting == report.chosen.setting:
        return [lossless, "No set that was tried has more throughput either."]
    return [
        lossless,
        f"Most throughput, loss allowed: {full.setting.label}{_how_good(report, full)}.",
    ]


def _pace(report: Report) -> list[str]:
    """How soon freed bandwidth is used: slow sets are only good where little changes."""
    at = place_of(report, report.chosen.setting)
    if report.modelled is None or at is None:
        return []
    judgement = report.modelled.judgement
    loop = report.modelled.model.loop.with_(rif=judgement.rif[at], rdf=judgement.rdf[at])
    seconds = log(2) / float(np.asarray(loop.with_(growth="delayed").lam))
    seconds = float(f"{seconds:.2g}")
    return [f"While the queue is empty, its rates double every {written(seconds, 'Time')}."]


def _how_good(report: Report, ranked: Ranked) -> str:
    """What a setting has of the criteria that come first."""
    shown_first = report.objective.criteria[:FIRST]
    parts = [_achieved(one, ranked.means[one.name]) for one in shown_first]
    return f": {', '.join(parts)}, {len(ranked.runs)} seed{'s' if len(ranked.runs) > 1 else ''}"


def _achieved(criterion: Criterion, found: float | None) -> str:
    if criterion.name == "loss":
        return f"loses {found:.2g} of the cells" if found else "loses nothing"
    return f"{criterion.name} {value(criterion, found)} {unit(criterion)}".rstrip()


def _scaled(found: Estimate | None, criterion: Criterion) -> str:
    if found is None:
        return "-"
    if criterion.unit != "bit/s":
        return estimate_text(found)
    ends: Sequence[float | None] = (found.low, found.high)
    low, high = (None if end is None else end / MEGA for end in ends)
    return estimate_text(Estimate(found.values, found.mean / MEGA, low, high))
