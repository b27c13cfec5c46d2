"""Distributions of the length of an application's messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import integrate

from cellrate.theory.assumptions import (
    require,
    require_finite,
    require_not_negative,
    require_positive,
)

Floats: TypeAlias = npt.NDArray[np.float64]
LengthKind: TypeAlias = Literal["exponential", "deterministic", "uniform"]


class FrozenDistribution(Protocol):
    """Methods that are used of a frozen distribution of `scipy.stats`, continuous or discrete."""

    def sf(self, x: Floats, /) -> Floats:
        """P(X > x)."""

    def mean(self) -> float:
        """E[X]."""


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
        """E[max(X - x, 0)], the integral of P(X > y) over y > x.

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
    """A distribution by name and mean; `uniform` is from 0 to twice the mean."""
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
    """Distribution of given lengths, with probabilities or (as for measured ones) equally likely.

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
    require(below < 1e-12, "distribution", below, "no message may be shorter than 0 bytes")
    return MessageLengths(float(distribution.mean()), distribution.sf)


def cdf_lengths(cdf: Callable[[Floats], Floats], mean_bytes: float) -> MessageLengths:
    """A distribution by its cumulative distribution function and its mean."""
    return MessageLengths(mean_bytes, lambda x: 1 - np.asarray(cdf(x)))
