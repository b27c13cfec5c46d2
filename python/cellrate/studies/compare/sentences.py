"""The result of a comparison in sentences and cells of tables."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from statistics import median

from cellrate.common.numbers import WHOLE, number
from cellrate.studies.compare.answer import Comparison, Pair, Value

VERDICTS = {True: "real", False: "may be chance", None: "cannot tell"}


def shown(value: Value) -> str:
    """A value of a factor as text."""
    return number(value) if isinstance(value, float) else str(value)


def place(where: Mapping[str, Value]) -> str:
    """Values of the other factors; of each path only the last part is shown."""
    return ", ".join(f"{name.rpartition('.')[2]} {shown(one)}" for name, one in where.items())


def name(pair: Pair) -> str:
    """The two alternatives, and the values of the other factors."""
    at = place(pair.where)
    found = f"{shown(pair.second)} less {shown(pair.first)}"
    return f"{found}, {at}" if at else found


def title(comparison: Comparison) -> str:
    """Title of the comparison: the factor and its values."""
    others = [one for one in comparison.alternatives if one != comparison.baseline]
    beside = "" if comparison.baseline is None else f" beside {shown(comparison.baseline)}"
    return f"{comparison.factor}: {', '.join(map(shown, others))}{beside}"


def means(pair: Pair) -> tuple[str, str]:
    """Means of both alternatives over the runs that count."""
    if pair.contrast is None:
        return "-", "-"
    found = pair.contrast
    return number(float(found.first.mean())), number(float(found.second.mean()))


def difference(pair: Pair) -> str:
    """Second less first, with half the width of the simultaneous interval."""
    if pair.contrast is None:
        return "-"
    value = pair.contrast.difference
    text = f"{'+' if value > 0 else ''}{number(value)}"
    if pair.simultaneous is None or pair.contrast.test == "exact":
        return text
    half = (pair.simultaneous[1] - pair.simultaneous[0]) / 2
    return f"{text} ± {half:,.0f}" if half >= WHOLE else f"{text} ± {half:.2g}"


def relative(pair: Pair) -> str:
    """The ratio of the means less one, in per cent."""
    if pair.ratio is None or pair.ratio.value is None:
        return "-"
    return f"{pair.ratio.value - 1:+.1%}"


def chance(pair: Pair) -> str:
    """The p-value after the correction."""
    if pair.contrast is None or pair.adjusted_p is None:
        return "-"
    if pair.contrast.test == "exact":
        return "exact"
    return "<0.0001" if pair.adjusted_p < 1e-4 else f"{pair.adjusted_p:.4f}"


def verdict(pair: Pair) -> str:
    """The decision on a difference: real, may be chance, or none."""
    if pair.contrast is not None and pair.contrast.difference == 0.0 and not pair.real:
        return "none" if pair.contrast.test == "exact" else "none seen"
    return VERDICTS[pair.real]


def summary(comparison: Comparison) -> list[str]:
    """Sentences on the number of real differences and on the method."""
    pairs = comparison.pairs
    real = sum(bool(pair.real) for pair in pairs)
    level = f"{comparison.level:.10g}"
    are = "is" if real == 1 else "are"
    found = [f"{real} of {len(pairs)} differences {are} real, at {level} for all of them together."]
    found += _pairing(comparison)
    if comparison.averaged:
        found.append(f"Means over {', '.join(comparison.averaged)}, seed by seed.")
    untested = [pair for pair in pairs if pair.real is None]
    if untested:
        found.append(
            f"{len(untested)} cannot be tested: an alternative has no value, or only a single run."
        )
    if comparison.unmatched:
        found.append(f"{comparison.unmatched} points lack some of the alternatives.")
    left_out = max(pair.left_out for pair in pairs)
    if left_out:
        found.append(
            f"Up to {left_out} runs of a pair do not count: they failed, have no finite value, or "
            "no partner of the same seed."
        )
    return found


def _pairing(comparison: Comparison) -> list[str]:
    """Sentences on the pairing of runs and its gain."""
    contrasts = [pair.contrast for pair in comparison.pairs if pair.contrast is not None]
    paired = [one for one in contrasts if one.paired]
    found = []
    if contrasts and all(one.test == "exact" for one in contrasts):
        return ["Seeds change nothing here: the differences are exact."]
    gains = [one.gain for one in paired if one.gain is not None and isfinite(one.gain)]
    if paired:
        runs = sorted({len(one.first) for one in paired})
        many = f"{runs[0]} to {runs[-1]}" if len(runs) > 1 else str(runs[0])
        text = f"Runs of the same seed are pairs, {many} of them each"
        if gains:
            text += f"; without pairs it would take {median(gains):.3g} times as many (median)"
        found.append(f"{text}.")
    if len(paired) < len(contrasts):
        found.append("Where seeds differ the runs are independent (Welch's test).")
    return found
