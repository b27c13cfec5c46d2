"""A comparison as a document and as JSON: its tables, sentences and values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from statistics import median
from typing import Any

from cellrate.common.document import (
    Column,
    Document,
    Paragraph,
    Section,
    Span,
    Style,
    Table,
    Text,
    rows,
)
from cellrate.common.numbers import WHOLE, counted, finite_or_none, number
from cellrate.common.to_json import to_json
from cellrate.language.measured import Better
from cellrate.studies.compare.answer import (
    Comparison,
    Pair,
    Place,
    Ranking,
    Value,
    WithoutValue,
)
from cellrate.studies.compare.contrast import APART, MOST, POWER

GAIN = 1.1
"""Least ratio of the numbers of runs without and with pairing at which the report mentions it."""
SMALL = 0.01
"""Share of the first mean below which the report calls a real difference small."""
ONE_LINE = 12
"""Greatest length of a path that is written on one line above its column."""
UNFINISHED = "files do not end"
VERDICTS = {True: "real", False: "may be chance", None: "cannot tell"}


def place(comparison: Comparison, where: Mapping[str, Value]) -> str:
    """Text of the other factors' values, each behind the path of its factor."""
    return ", ".join(f"{path} {comparison.text(path, one)}" for path, one in where.items())


def name(comparison: Comparison, pair: Pair) -> str:
    """Name of a pair, as `second - first`, with the values of the other factors."""
    at = place(comparison, pair.where)
    second, first = (comparison.text(comparison.factor, one) for one in (pair.second, pair.first))
    found = f"{second} - {first}"
    return f"{found}, {at}" if at else found


def heading(measure: str, unit: str, better: Better | None) -> str:
    """Name of a measure with its unit, and whether more or less of it is better."""
    found = f"{measure} ({unit})" if unit else measure
    return f"{found}: {better} is better" if better else found


def title(comparison: Comparison) -> str:
    """Title of the comparison: the factor and its values."""

    def text(value: Value) -> str:
        return comparison.text(comparison.factor, value)

    others = [one for one in comparison.alternatives if one != comparison.baseline]
    beside = "" if comparison.baseline is None else f" compared with {text(comparison.baseline)}"
    return f"{comparison.factor}: {', '.join(map(text, others))}{beside}"


def means(pair: Pair) -> tuple[str, str]:
    """Texts of the means of both alternatives over the compared runs."""
    if pair.contrast is None:
        return "-", "-"
    found = pair.contrast
    return number(float(found.first.mean())), number(float(found.second.mean()))


def difference(pair: Pair) -> str:
    """Second minus first, with half the width of the simultaneous interval if there is one."""
    if pair.contrast is None:
        return "-"
    value = pair.contrast.difference
    text = f"{'+' if value > 0 else ''}{number(value)}"
    if pair.simultaneous is None or pair.contrast.test == "exact" or pair.too_few_seeds:
        return text
    half = (pair.simultaneous[1] - pair.simultaneous[0]) / 2
    return f"{text} ± {half:,.0f}" if half >= WHOLE else f"{text} ± {half:.2g}"


# From this ratio of two means on, the report shows a multiple instead of a percentage.
MULTIPLE = 10.0


def relative(pair: Pair) -> str:
    """The difference as a share of the first mean; the ratio of the means if it is far greater."""
    if pair.ratio is None or pair.ratio.value is None:
        return "-"
    ratio = pair.ratio.value
    return f"{ratio - 1:+.1%}" if ratio < MULTIPLE else f"{number(float(f'{ratio:.3g}'))} times"


def chance(pair: Pair) -> str:
    """Text of a pair's p-value, corrected for the number of tests."""
    if pair.contrast is None or pair.adjusted_p is None:
        return "-"
    if pair.contrast.test == "exact":
        return "exact"
    return "<0.0001" if pair.adjusted_p < 1e-4 else f"{pair.adjusted_p:.4f}"


def verdict(pair: Pair) -> str:
    """The decision on a difference: real, may be chance, or none; or that files do not end."""
    if pair.unfinished:
        return UNFINISHED
    if pair.contrast is not None and pair.contrast.difference == 0.0 and not pair.real:
        return "none" if pair.contrast.test == "exact" else "none seen"
    if pair.real and is_small(pair):
        return f"real, below {SMALL:.0%}"
    return "too few seeds" if pair.too_few_seeds else VERDICTS[pair.real]


def is_small(pair: Pair) -> bool:
    """True if the means differ by less than `SMALL` of the first."""
    return (
        pair.ratio is not None
        and pair.ratio.value is not None
        and (abs(pair.ratio.value - 1) < SMALL)
    )


def undecided(pair: Pair) -> bool:
    """True if a difference was seen and is not real."""
    return pair.real is False and pair.contrast is not None and pair.contrast.difference != 0.0


def needed(pair: Pair) -> str:
    """The number of seeds that would decide the pair, if it is undecided."""
    if not undecided(pair):
        return ""
    return f"{pair.seeds_to_decide:,}" if pair.seeds_to_decide else f">{MOST:,}"


def summary(comparison: Comparison) -> list[str]:
    """Sentences on the number of real differences and on the method."""
    pairs = comparison.pairs
    real = sum(bool(pair.real) for pair in pairs)
    are = "is" if real == 1 else "are"
    together = f"with a joint confidence of {comparison.level:.10g}"
    found = [
        f"{real} of {len(pairs)} differences {are} real {together}: {counted_verdicts(comparison)}."
    ]
    small = sum(bool(pair.real) and is_small(pair) for pair in pairs)
    if small:
        found.append(
            f"{small} of the real differences {'is' if small == 1 else 'are'} below {SMALL:.0%} of "
            "the mean, which seldom matters for a decision."
        )
    found += _spans(comparison)
    found += _letters(comparison)
    found += _too_few(comparison)
    found += _pairing(comparison)
    untested = [pair for pair in pairs if pair.real is None and not pair.unfinished]
    if untested:
        found.append(
            f"{len(untested)} differences cannot be tested: an alternative has no value, or only a "
            "single run."
        )
    if comparison.unmatched:
        found.append(f"At {comparison.unmatched} points some alternatives have no run.")
    left_out = max((pair.left_out for pair in pairs if not pair.unfinished), default=0)
    if left_out:
        found.append(
            f"Up to {left_out} runs of a pair are left out: the runs failed, have no finite value, "
            "or have no run of the other alternative with the same seed."
        )
    return found


def _spans(comparison: Comparison) -> list[str]:
    """Sentences that define the measures of the queue and of delays, if these are compared."""
    longest = (
        "`queue` is the longest queue in the measuring window; the time before does not count."
    )
    found = [longest] if "queue" in comparison.measures else []
    if not {"queue_delay", "delay_with_source"} <= set(comparison.measures):
        return found
    network = "`queue_delay` is the mean time of a cell in the queue of the bottleneck."
    whole = (
        "`delay_with_source` is the delay from TCP to TCP, with the wait in the source, where ABR "
        "rates hold packets back."
    )
    return [*found, network, whole]


def counted_verdicts(comparison: Comparison) -> str:
    """The number of differences as a product of pairs, measures and points.

    If points lack some alternatives there are fewer differences, which the text mentions.
    """
    pairs = comparison.pairs
    kinds = len({(one.first, one.second) for one in pairs})
    points = len({tuple(one.where.items()) for one in pairs})
    whole = kinds * len(comparison.measures) * points == len(pairs)
    what = [_many(kinds, "pair"), _many(len(comparison.measures), "measure")]
    names = ", ".join(pairs[0].where)
    what += [f"{_many(points, 'point')} of {names}"] if names else []
    over = ", ".join(comparison.averaged)
    means = f", of means over {over}, seed by seed" if over else ""
    lacking = "" if whole else ", without the pairs that some points lack"
    return " × ".join(what) + means + lacking


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _letters(comparison: Comparison) -> list[str]:
    """Sentences on the letters of a ranking, and on measures without a better direction."""
    if not comparison.rankings:
        return []
    found = ["No difference between alternatives that share a letter is real."]
    without = [one for one in comparison.measures if one not in comparison.better]
    if without:
        found.append(
            f"Whether more or less of {', '.join(without)} is better is not known, so the greatest "
            f"value comes first; --better {without[0]}=less reverses the order."
        )
    return found


def _too_few(comparison: Comparison) -> list[str]:
    """Sentences on too few seeds, and on the number of seeds that undecided pairs need."""
    open_ = [pair for pair in comparison.pairs if undecided(pair)]
    short = [pair for pair in open_ if pair.too_few_seeds and pair.contrast]
    found = []
    if short:
        seeds = min(len(pair.contrast.first) for pair in short if pair.contrast)
        each = [pair.too_few_seeds or 0 for pair in short]
        least = f"{min(each)} to {max(each)}" if min(each) < max(each) else each[0]
        found.append(
            f"The verdict 'too few seeds' means that {seeds} seeds cannot decide: at least {least} "
            f"seeds are needed to tell {APART:g} standard deviations from chance in "
            f"{comparison.tests} tests."
        )
    if open_:
        found.append(
            "Seeds to decide: the number of seeds with which an undecided difference is found real "
            f"in {POWER:.0%} of cases, if mean and spread stay as measured."
        )
    return found


def _pairing(comparison: Comparison) -> list[str]:
    """Sentences on the pairing of runs by seed, and the runs that it saves."""
    contrasts = [pair.contrast for pair in comparison.pairs if pair.contrast is not None]
    paired = [one for one in contrasts if one.paired]
    found = []
    if contrasts and all(one.test == "exact" for one in contrasts):
        return ["The seed changes no result here, so the differences are exact."]
    gains = [one.gain for one in paired if one.gain is not None and isfinite(one.gain)]
    if paired:
        runs = sorted({len(one.first) for one in paired})
        many = f"{runs[0]} to {runs[-1]}" if len(runs) > 1 else str(runs[0])
        text = f"Runs of the same seed form pairs, {many} for each difference"
        if gains:
            gain = median(gains)
            text += (
                f"; without pairs {gain:.2g} times as many runs would be needed (median)"
                if gain >= GAIN
                else "; here pairs save no runs"
            )
        found.append(f"{text}.")
    if len(paired) < len(contrasts):
        found.append(
            "Alternatives without common seeds are compared as independent runs (Welch's test)."
        )
    return found


# Greatest number of rows of a measure in the report; --json and the figure have more.
MOST_ROWS = 40


def report(
    comparison: Comparison, units: Mapping[str, str], *, all_pairs: bool = False
) -> Document:
    """A ranking of each measure with the differences to the best, and a summary.

    With `all_pairs` a table of all pairs follows each ranking. Pairs with a baseline always have
    their table.
    """
    sections = [
        _section(comparison, measure, units.get(measure, ""), all_pairs=all_pairs)
        for measure in comparison.measures
    ]
    told, words = doubts(comparison), summary(comparison)
    return Document(title(comparison), (*map(Paragraph, told), *sections, *map(Paragraph, words)))


def doubts(comparison: Comparison) -> list[str]:
    """Sentences on what rankings leave out; they stand before the rankings."""
    return [*files_left(comparison), *unseen_losses(comparison), *runs_left_out(comparison)]


def files_left(comparison: Comparison) -> list[str]:
    """A sentence on alternatives that lack measures because file transfers do not end."""
    if not comparison.unfinished:
        return []
    left = "; ".join(
        f"{comparison.text(comparison.factor, at)}: {number(one.files)} files per run, in "
        f"{one.unfinished_runs} of {counted(one.runs, 'run')}"
        for at, one in comparison.unfinished.items()
    )
    measures = ", ".join(comparison.of_ended)
    text = (
        f"Files do not end in some runs, which therefore have no {measures} ({left}). An "
        "alternative with such a run has no mean, and ranks behind those whose files all end. Run "
        "for longer, or compare `--measure files_unfinished`."
    )
    return [text]


def runs_left_out(comparison: Comparison) -> list[str]:
    """A sentence for each measure that some runs of an alternative do not have."""
    found = []
    for measure in comparison.measures:
        lacking = [one for one in comparison.without_value if one.measure == measure]
        if lacking:
            listed = "; ".join(
                f"{comparison.text(comparison.factor, one.alternative)}: {_lacks(one)}"
                for one in lacking
            )
            found.append(f"Means of `{measure}` leave out runs that have no value ({listed}).")
    if any(one.empty for one in comparison.without_value):
        found.append(
            "An alternative may rank too high where runs in which it starves a flow are left out. "
            "Compare `fairness`, too, or run for longer."
        )
    return found


def _lacks(one: WithoutValue) -> str:
    """The number of runs without a value, and why they have none."""
    reasons = []
    if one.failed:
        reasons.append(f"{one.failed} failed")
    if one.empty:
        reasons.append(f"in {one.empty} a flow delivers no packet in the measuring window")
    text = f"{one.without} of {counted(one.runs, 'run')}"
    return f"{text}, since {' and '.join(reasons)}" if reasons else text


def unseen_losses(comparison: Comparison) -> list[str]:
    """A sentence on alternatives whose runs lost data outside the measuring window alone."""
    if not comparison.lost_outside:
        return []
    lost = "; ".join(
        f"{at}: {counted(runs, 'run')}" for at, runs in comparison.lost_outside.items()
    )
    text = (
        "Runs lost data outside the measuring window and none in it, so their loss is 0 here "
        f"({lost}). Rankings leave out these losses, but flows may wait for retransmission timers "
        "during the window. Measure from the start of the run, or run for longer."
    )
    return [text]


def _section(comparison: Comparison, measure: str, unit: str, *, all_pairs: bool) -> Section:
    """The ranking of a measure, and its pairs if they are asked for or nothing is ranked."""
    rankings = comparison.rankings_of(measure)
    tables = [_ranking(comparison, rankings)] if rankings else []
    if all_pairs or not rankings:
        tables.append(_pairs(comparison, comparison.pairs_of(measure)))
    return Section(heading(measure, unit, comparison.better.get(measure)), tuple(tables))


def _ranking(comparison: Comparison, rankings: Sequence[Ranking]) -> Table:
    """Table of the alternatives at each point, best first, with their differences to the best."""
    best = {one.places[0].alternative for one in rankings if one.places}
    is_known = rankings[0].better is not None
    least = "minus the best" if is_known else "minus the greatest"
    if len(best) == 1:
        least = f"minus {comparison.text(comparison.factor, best.pop())}"
    counts = any(_rest_on_unlike_runs(one) for one in rankings)
    found = [
        (
            *(comparison.text(*value) for value in one.where.items()),
            *_place(comparison, place, counts=counts, first="best" if is_known else "greatest"),
        )
        for one in rankings
        for place in one.places
    ]
    heads = (
        *(Column(_heading_of(path)) for path in (*rankings[0].where, comparison.factor)),
        Column("mean", "right"),
        *([Column("mean of\nruns", "right")] if counts else []),
        Column("group"),
        Column(least, "right"),
        *_decision("% of\nbest" if is_known else "% of\ngreatest"),
    )
    return _without_empty(heads, found)


def _rest_on_unlike_runs(ranking: Ranking) -> bool:
    """True if a mean leaves out runs, or rests on fewer runs than another mean."""
    means = [place for place in ranking.places if place.mean is not None]
    return len({one.measured for one in means} | {one.runs for one in means}) > 1


def _heading_of(path: str) -> str:
    """Title of a factor's column: its path, whose key begins a line of its own if it is long."""
    table, dot, key = path.rpartition(".")
    return path if len(path) <= ONE_LINE else f"{table}{dot}\n{key}"


def _place(comparison: Comparison, place: Place, *, counts: bool, first: str) -> tuple[Text, ...]:
    alternative = comparison.text(comparison.factor, place.alternative)
    mean, of = "-", "-"
    if place.mean is not None:
        mean, of = number(place.mean), f"{place.measured} of {place.runs}"
    cells = (alternative, mean, *([of] if counts else []), place.letters)
    pair = place.against_best
    if pair is None:
        return (*cells, "", "", "", UNFINISHED if place.mean is None else first, "")
    return (*cells, difference(pair), *_decided(pair))


def _decision(relative: str) -> tuple[Column, ...]:
    return (
        Column(relative, "right", optional=True),
        Column("adjusted\np", "right", optional=True),
        Column("verdict"),
        Column("seeds to\ndecide", "right"),
    )


def _decided(pair: Pair) -> tuple[Text, ...]:
    style: Style = "strong" if pair.real else "plain"
    return (relative(pair), chance(pair), Span(verdict(pair), style), needed(pair))


def _pairs(comparison: Comparison, pairs: Sequence[Pair]) -> Table:
    heads = (
        Column("difference"),
        Column("second", "right"),
        Column("first", "right"),
        Column("second - first", "right"),
        *_decision("% of\nfirst"),
    )
    return _without_empty(heads, [_cells(comparison, pair) for pair in pairs])


def _cells(comparison: Comparison, pair: Pair) -> tuple[Text, ...]:
    first, second = means(pair)
    return (name(comparison, pair), second, first, difference(pair), *_decided(pair))


def _without_empty(heads: Sequence[Column], found: Sequence[tuple[Text, ...]]) -> Table:
    """The table, without its last column if the column is empty."""
    if not any(cells[-1] for cells in found):
        heads, found = heads[:-1], [cells[:-1] for cells in found]
    return Table(tuple(heads), rows(found), most=MOST_ROWS, more="in the output of --json")


def as_json(comparison: Comparison, units: Mapping[str, str]) -> dict[str, Any]:
    """The output of `cellrate compare --json`; null where a value is missing."""
    return {
        "factor": comparison.factor,
        "alternatives": list(comparison.alternatives),
        "baseline": comparison.baseline,
        "level": comparison.level,
        "averaged_over": list(comparison.averaged),
        "tests": comparison.tests,
        "correction": "Bonferroni",
        "unmatched_points": comparison.unmatched,
        "measures": [
            {"name": one, "unit": units.get(one, ""), "better": comparison.better.get(one)}
            for one in comparison.measures
        ],
        "measures_without_values": list(comparison.without_values),
        "rankings": [_ranking_json(one) for one in comparison.rankings],
        "differences": [_pair_json(pair) for pair in comparison.pairs],
        "warnings": [dict(one) for one in comparison.warnings],
        "runs_with_losses_outside_the_window": dict(comparison.lost_outside),
        "unfinished_files": [
            {"alternative": at, **to_json(one)} for at, one in comparison.unfinished.items()
        ],
        "runs_without_value": [to_json(one) for one in comparison.without_value],
        "words": [*doubts(comparison), *summary(comparison)],
    }


def _ranking_json(one: Ranking) -> dict[str, Any]:
    return {
        "measure": one.measure,
        "where": dict(one.where),
        "better": one.better,
        "places": [
            {
                "alternative": place.alternative,
                "mean": place.mean,
                "letters": place.letters,
                "runs_with_value": place.measured,
                "runs": place.runs,
            }
            for place in one.places
        ],
    }


def _pair_json(pair: Pair) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "measure": pair.measure,
        "where": dict(pair.where),
        "first": pair.first,
        "second": pair.second,
        "runs_left_out": pair.left_out,
        "real": pair.real,
        "verdict": verdict(pair),
        "seeds_to_decide": pair.seeds_to_decide,
        "too_few_seeds_least": pair.too_few_seeds,
    }
    found = pair.contrast
    if found is None:
        return entry
    ratio = pair.ratio
    return entry | {
        "runs": [len(found.first), len(found.second)],
        "paired": found.paired,
        "test": found.test,
        "means": [float(found.first.mean()), float(found.second.mean())],
        "difference": found.difference,
        "standard_error": found.standard_error,
        "interval": pair.interval,
        "simultaneous_interval": pair.simultaneous,
        "p_value": found.p_value,
        "adjusted_p_value": pair.adjusted_p,
        "ratio": None if ratio is None else ratio.value,
        "ratio_interval": None if ratio is None or ratio.low is None else [ratio.low, ratio.high],
        "runs_saved_by_pairs": finite_or_none(found.gain),
    }
