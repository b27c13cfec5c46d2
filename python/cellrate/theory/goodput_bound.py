"""Goodput bound: the application's share of the bits in cells (Gerla et al. 1995)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import integrate

from cellrate.theory.assumptions import (
    require,
    require_at_least,
    require_finite,
    require_not_negative,
    require_positive,
)
from cellrate.theory.cell_conversions import CELL_BYTES, PAYLOAD_BYTES, require_pdu
from cellrate.theory.formula import Formula, Numbers, plain

Floats: TypeAlias = npt.NDArray[np.float64]
LengthKind: TypeAlias = Literal["exponential", "deterministic", "uniform"]


class FrozenDistribution(Protocol):
    """The interface of a frozen distribution of `scipy.stats`, continuous or discrete."""

    def sf(self, x: Floats, /) -> Floats:
        """Probability P(X > x)."""

    def mean(self) -> float:
        """Mean E[X]."""


@dataclass(frozen=True)
class MessageLengths:
    """A distribution of lengths in bytes.

    Attributes:
        mean_bytes: E[X].
        survival: Function that returns P(X > x) for an array of x of at least 0.
        longest_bytes: Greatest possible length; may be infinite.
    """

    mean_bytes: float
    survival: Callable[[Floats], Floats]
    longest_bytes: float = np.inf

    def __post_init__(self) -> None:
        require_positive(mean_bytes=self.mean_bytes)

    def beyond(self, length_bytes: float) -> float:
        """The integral of P(X > y) over y > x, which is E[max(X - x, 0)].

        Raises:
            AssumptionError: The integral does not exist.
        """
        if length_bytes >= self.longest_bytes:
            return 0.0

        def decade(exponent: float) -> float:
            y = length_bytes * np.exp(exponent)
            return float(self.survival(np.array([y]))[0] * y)

        tail, _, *problem = integrate.quad(decade, 0, 200, limit=500, full_output=1)
        require(len(problem) < 2, "mean_bytes", self.mean_bytes, "the tail is too heavy for a mean")
        return float(tail)


def named_lengths(kind: LengthKind, mean_message_bytes: float) -> MessageLengths:
    """A distribution of lengths by its name and mean; `uniform` is from 0 to twice the mean."""
    require_positive(mean_message_bytes=mean_message_bytes)
    if kind == "exponential":
        return exponential_lengths(mean_message_bytes)
    if kind == "uniform":
        return uniform_lengths(0.0, 2 * mean_message_bytes)
    return discrete_lengths([mean_message_bytes])


def exponential_lengths(mean_bytes: float) -> MessageLengths:
    """Exponential lengths, as in Gerla et al. 1995, section III.B."""
    return MessageLengths(mean_bytes, lambda x: np.exp(-x / mean_bytes))


def uniform_lengths(shortest_bytes: float, longest_bytes: float) -> MessageLengths:
    """Uniform lengths between two bounds.

    Raises:
        AssumptionError: The shortest length is below 0, or not below the longest.
    """
    require_not_negative(shortest_bytes=shortest_bytes)
    require_finite(longest_bytes=longest_bytes)
    above = longest_bytes > shortest_bytes
    require(above, "longest_bytes", longest_bytes, "must be above the shortest length")
    width = longest_bytes - shortest_bytes

    def survival(x: Floats) -> Floats:
        return np.clip((longest_bytes - x) / width, 0.0, 1.0)

    return MessageLengths((shortest_bytes + longest_bytes) / 2, survival, longest_bytes)


def discrete_lengths(
    lengths_bytes: npt.ArrayLike, probabilities: npt.ArrayLike | None = None
) -> MessageLengths:
    """Distribution of given lengths: with probabilities, or all equally likely.

    Raises:
        AssumptionError: There is no length, one is below 0, or the probabilities are below 0 or do
            not add up to 1.
    """
    lengths = np.asarray(lengths_bytes, dtype=float).ravel()
    require(lengths.size > 0, "lengths_bytes", lengths.size, "there must be one length at least")
    require_not_negative(lengths_bytes=lengths)
    if probabilities is None:
        weights = np.full(lengths.size, 1 / lengths.size)
    else:
        weights = np.broadcast_to(np.asarray(probabilities, dtype=float), lengths.shape)
    require_not_negative(probabilities=weights)
    total = weights.sum()
    require(abs(total - 1) < 1e-9, "probabilities", total, "their sum must be 1")
    order = np.argsort(lengths)
    ordered = lengths[order]
    longer = np.append(np.cumsum(weights[order][::-1])[::-1], 0.0)

    def survival(x: Floats) -> Floats:
        return longer[np.searchsorted(ordered, x, side="right")]

    return MessageLengths(float(lengths @ weights), survival, float(ordered[-1]))


def scipy_lengths(distribution: FrozenDistribution) -> MessageLengths:
    """A frozen distribution of `scipy.stats`, of lengths in bytes.

    Raises:
        AssumptionError: Some lengths are below 0, or the mean is not finite and above 0.
    """
    below = 1 - float(distribution.sf(np.array([-1e-9]))[0])
    require(below < 1e-12, "probability below 0 bytes", below, "must be 0")
    return MessageLengths(float(distribution.mean()), distribution.sf)


def cdf_lengths(cdf: Callable[[Floats], Floats], mean_bytes: float) -> MessageLengths:
    """A distribution by its cumulative distribution function and its mean."""
    return MessageLengths(mean_bytes, lambda x: 1 - np.asarray(cdf(x)))


# Greatest number of terms of a sum of probabilities, which ends earlier if terms become negligible.
MOST_STEPS = 1 << 20
NEGLIGIBLE = 1e-18


def mean_message_cells(
    lengths: MessageLengths,
    segment_bytes: Numbers,
    *,
    header_bytes: float = 40,
    trailer_bytes: float = 8,
) -> Numbers:
    """Mean number of cells of a message that TCP cuts into segments.

    Gerla, Pazos and Signore 1995, the integral before equation (2). The number of cells is a step
    function of the length, so the integral is a sum: each step times the probability that a message
    is longer than the length at which the step is. The sum is exact; only the part beyond a million
    steps is computed as an integral.

    Args:
        lengths: Distribution of the lengths of messages.
        segment_bytes: Greatest payload of a segment (MSS).
        header_bytes: TCP and IP headers of every segment.
        trailer_bytes: Trailer of every AAL5 PDU; 16 with LLC/SNAP.

    Raises:
        AssumptionError: A size is out of range, or `lengths` is not a distribution.
    """
    require(
        isinstance(lengths, MessageLengths),
        "lengths",
        str(lengths),
        "must be a distribution of lengths, such as exponential_lengths(2500)",
    )
    require_at_least(1, segment_bytes=segment_bytes)
    require_not_negative(header_bytes=header_bytes, trailer_bytes=trailer_bytes)
    overhead = header_bytes + trailer_bytes
    sizes = np.asarray(segment_bytes, dtype=float)
    require_pdu(sizes + overhead, segment_bytes=sizes)
    cells = [_mean_cells(lengths, size, overhead) for size in sizes.ravel()]
    return plain(np.reshape(cells, sizes.shape))


def message_efficiency(
    lengths: MessageLengths,
    segment_bytes: Numbers,
    *,
    header_bytes: float = 40,
    trailer_bytes: float = 8,
) -> Numbers:
    """Share eta_OH of the bits in a message's cells that is data of the application.

    Gerla, Pazos and Signore 1995, equation (2); the arguments are those of `mean_message_cells`.
    """
    cells = mean_message_cells(
        lengths, segment_bytes, header_bytes=header_bytes, trailer_bytes=trailer_bytes
    )
    return plain(lengths.mean_bytes / (CELL_BYTES * np.asarray(cells)))


def goodput_bound_bits_per_second(
    available_bits_per_second: Numbers,
    lengths: MessageLengths,
    segment_bytes: Numbers,
    *,
    header_bytes: float = 40,
    trailer_bytes: float = 8,
) -> Numbers:
    """Greatest goodput gamma_t = eta_OH B_av (Gerla et al. 1995, after equation (2)).

    Args:
        available_bits_per_second: Mean rate B_av that is left to the channel, cell headers
            included.
        lengths: Distribution of the lengths of messages.
        segment_bytes: Greatest payload of a segment (MSS).
        header_bytes: TCP and IP headers of every segment.
        trailer_bytes: Trailer of every AAL5 PDU.

    Raises:
        AssumptionError: A size or the rate is out of range.
    """
    require_positive(available_bits_per_second=available_bits_per_second)
    efficiency = message_efficiency(
        lengths, segment_bytes, header_bytes=header_bytes, trailer_bytes=trailer_bytes
    )
    return plain(np.asarray(available_bits_per_second) * efficiency)


def _mean_cells(lengths: MessageLengths, segment: float, overhead: float) -> float:
    """Mean number of cells of a message, summed over the lengths at which a cell is added."""
    # The first byte of a segment adds the first cells; a further cell is added where one is full.
    first = np.floor(overhead / PAYLOAD_BYTES) + 1
    full = np.ceil((segment + overhead) / PAYLOAD_BYTES)
    places = np.append(0.0, np.arange(first, full) * PAYLOAD_BYTES - overhead)
    heights = np.append(first, np.ones(len(places) - 1))
    segments = max(1, MOST_STEPS // len(places))
    begin, count = 0, 1
    total = 0.0
    while begin < segments:
        starts = segment * np.arange(begin, min(begin + count, segments))
        longer = lengths.survival((starts[:, None] + places).ravel()).reshape(len(starts), -1)
        total += float((longer @ heights).sum())
        begin, count = begin + len(starts), 2 * count
        if longer[-1, -1] <= NEGLIGIBLE:
            return total
    # The remaining steps become an integral with their mean slope, from half a segment before the
    # mean position of the next segment's steps.
    middle = float(heights @ places) / full + (begin - 0.5) * segment
    return total + float(full) / segment * lengths.beyond(middle)


Lengths: TypeAlias = Literal["exponential", "deterministic", "uniform", "given"]


def _result(part: Callable[..., Numbers]) -> Callable[..., Numbers]:
    """Function that computes one part of the bound from the rate, the lengths and the sizes."""

    def result(
        available_bits_per_second: Numbers,
        segment_bytes: Numbers,
        *,
        mean_message_bytes: float | None = None,
        message_lengths: Lengths = "exponential",
        probabilities: Mapping[str, float] | None = None,
        header_bytes: float = 40,
        trailer_bytes: float = 8,
    ) -> Numbers:
        """One part of the bound.

        Args:
            available_bits_per_second: Mean rate B_av available to the channel, cell headers
                included.
            segment_bytes: Greatest payload of a segment (MSS).
            mean_message_bytes: Mean length L of a message, unless the lengths themselves are given.
            message_lengths: Distribution of lengths; uniform means from 0 to twice the mean.
            probabilities: Messages' lengths in bytes with their probabilities, as "40=0.5,
                1500=0.5".
            header_bytes: TCP and IP headers of every segment.
            trailer_bytes: Trailer of every AAL5 PDU; 16 bytes with LLC/SNAP.
        """
        lengths = _lengths(mean_message_bytes, message_lengths, probabilities)
        sizes = {"header_bytes": header_bytes, "trailer_bytes": trailer_bytes}
        return part(available_bits_per_second, lengths, segment_bytes, **sizes)

    return result


def _lengths(
    mean_message_bytes: float | None,
    message_lengths: Lengths,
    probabilities: Mapping[str, float] | None,
) -> MessageLengths:
    mean = "none" if mean_message_bytes is None else mean_message_bytes
    if message_lengths == "given":
        allowed = "lengths that are given have their own mean; leave it out"
        require(mean_message_bytes is None, "mean_message_bytes", mean, allowed)
        allowed = "lengths that are given need their probabilities"
        require(probabilities is not None, "probabilities", "none", allowed)
        known = probabilities or {}
        return discrete_lengths([_bytes(name) for name in known], list(known.values()))
    allowed = "must be left out unless the message lengths are `given`"
    require(probabilities is None, "probabilities", message_lengths, allowed)
    allowed = "it is needed unless the lengths of messages are listed"
    require(mean_message_bytes is not None, "mean_message_bytes", mean, allowed)
    return named_lengths(message_lengths, mean_message_bytes or 0.0)


def _bytes(name: str) -> float:
    """The length in bytes that a name states, such as `512` or `512 bytes`."""
    written = name.removesuffix("bytes").strip()
    number = written.replace(".", "", 1).isdigit()
    require(number, "probabilities", name, "lengths must be numbers of bytes")
    return float(written)


FORMULA = Formula(
    name="goodput-bound",
    about="greatest goodput of messages that TCP cuts into segments and AAL5 into cells",
    equation="gamma_t = eta_OH B_av, eta_OH = L / (53 E[cells of a message])",
    source="Gerla, Pazos and Signore 1995, equation (2)",
    results={
        "goodput_bits_per_second": _result(goodput_bound_bits_per_second),
        "efficiency": _result(lambda _, *given, **sizes: message_efficiency(*given, **sizes)),
        "mean_message_cells": _result(
            lambda _, *given, **sizes: mean_message_cells(*given, **sizes)
        ),
    },
    python=("goodput_bound_bits_per_second", "message_efficiency", "mean_message_cells"),
)
