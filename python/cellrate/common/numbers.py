"""Formats numbers for display."""

from math import isfinite, isnan

from cellrate.common.estimates import Estimate

WHOLE = 10
"""Half widths of intervals from this value on are shown without decimals."""
ROUNDING = 1e-9
"""Half widths up to this share of the mean count as rounding errors, not as spread."""


def number(value: float) -> str:
    """A number as text: four significant digits; from 1000 on whole, with separated thousands.

    Infinity is shown as "never", NaN as "not measurable".
    """
    if value == 0:
        return "0"
    if value == float("inf"):
        return "never"
    if isnan(value):
        return "not measurable"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def counted(count: int, what: str) -> str:
    """A number of things as text, in the singular or the plural.

    >>> counted(1, "switch"), counted(2000, "switch"), counted(0, "quantity"), counted(3, "flow")
    ('1 switch', '2,000 switches', '0 quantities', '3 flows')
    """
    if count == 1:
        return f"1 {what}"
    if what.endswith("y"):
        return f"{count:,} {what[:-1]}ies"
    return f"{count:,} {what}{'es' if what.endswith(('ch', 'x', 's')) else 's'}"


def value_text(value: object) -> str:
    """Text of a value: floats as `number` writes them, other values unchanged."""
    return number(value) if isinstance(value, float) else str(value)


def finite_or_none(value: float | None) -> float | None:
    """A number for JSON, which has neither infinity nor NaN: None in their place."""
    return value if value is not None and isfinite(value) else None


def estimate_text(found: Estimate) -> str:
    """The mean, followed by half the width of its confidence interval if it has one."""
    if found.low is None or found.high is None:
        return number(found.mean)
    half = (found.high - found.low) / 2
    if half <= ROUNDING * abs(found.mean):
        return number(found.mean)
    return (
        f"{number(found.mean)} ± {half:,.0f}"
        if half >= WHOLE
        else f"{number(found.mean)} ± {half:.2g}"
    )


def percent(share: float | None) -> str:
    """A difference as a signed percentage; empty if it is unknown (None) or infinite.

    >>> percent(0.125), percent(-0.5), percent(None)
    ('+12.5%', '-50.0%', '')
    """
    return "" if share is None or not isfinite(share) else f"{share:+.1%}"


def seconds(value: float) -> str:
    """A time as text, in s, ms or µs."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if value * factor >= 0.9995 or unit == "µs":
            return f"{value * factor:.3g} {unit}"
    return f"{value:.3g} s"


def settling_time(value: float) -> str:
    """A settling time in seconds as text, for a table: infinity is "never", and 0 "at once".

    >>> settling_time(0.0), settling_time(0.0425), settling_time(float("inf"))
    ('at once', '42.5 ms', 'never')
    """
    if value == float("inf"):
        return "never"
    return seconds(value) if value else "at once"
