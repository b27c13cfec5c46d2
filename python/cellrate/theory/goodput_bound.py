"""Goodput bound of Gerla et al. 1995 as a formula of the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from cellrate.theory.arrays import Numbers
from cellrate.theory.assumptions import require
from cellrate.theory.formula import Formula
from cellrate.theory.message_lengths import (
    MessageLengths,
    discrete_lengths,
    named_lengths,
)
from cellrate.theory.message_overhead import (
    goodput_bound_bits_per_second,
    mean_message_cells,
    message_efficiency,
)

Lengths: TypeAlias = Literal["exponential", "deterministic", "uniform", "given"]


def _cells(
    segment_bytes: Numbers,
    *,
    mean_message_bytes: float | None = None,
    message_lengths: Lengths = "exponential",
    probabilities: Mapping[str, float] | None = None,
    header_bytes: float = 40,
    trailer_bytes: float = 8,
) -> Numbers:
    """Mean number of cells of a message; parameters as for `_goodput`."""
    lengths = _lengths(mean_message_bytes, message_lengths, probabilities)
    return mean_message_cells(
        lengths, segment_bytes, header_bytes=header_bytes, trailer_bytes=trailer_bytes
    )


def _efficiency(
    segment_bytes: Numbers,
    *,
    mean_message_bytes: float | None = None,
    message_lengths: Lengths = "exponential",
    probabilities: Mapping[str, float] | None = None,
    header_bytes: float = 40,
    trailer_bytes: float = 8,
) -> Numbers:
    """Share eta_OH; parameters as for `_goodput`."""
    lengths = _lengths(mean_message_bytes, message_lengths, probabilities)
    return message_efficiency(
        lengths, segment_bytes, header_bytes=header_bytes, trailer_bytes=trailer_bytes
    )


def _goodput(
    available_bits_per_second: Numbers,
    segment_bytes: Numbers,
    *,
    mean_message_bytes: float | None = None,
    message_lengths: Lengths = "exponential",
    probabilities: Mapping[str, float] | None = None,
    header_bytes: float = 40,
    trailer_bytes: float = 8,
) -> Numbers:
    """Goodput gamma_t.

    Args:
        available_bits_per_second: Mean rate B_av available to the channel, cell headers included.
        segment_bytes: Greatest payload of a segment (MSS).
        mean_message_bytes: Mean length L of a message, unless the lengths themselves are given.
        message_lengths: Distribution of lengths; uniform means from 0 to twice the mean.
        probabilities: Messages' lengths in bytes with their probabilities, as "40=0.5, 1500=0.5".
        header_bytes: TCP and IP headers of every segment.
        trailer_bytes: Trailer of every AAL5 PDU; 16 bytes with LLC/SNAP.
    """
    return goodput_bound_bits_per_second(
        available_bits_per_second,
        _lengths(mean_message_bytes, message_lengths, probabilities),
        segment_bytes,
        header_bytes=header_bytes,
        trailer_bytes=trailer_bytes,
    )


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
    allowed = "belong to message lengths that are `given`"
    require(probabilities is None, "probabilities", message_lengths, allowed)
    allowed = "a distribution with a name needs its mean"
    require(mean_message_bytes is not None, "mean_message_bytes", mean, allowed)
    return named_lengths(message_lengths, mean_message_bytes or 0.0)


def _bytes(name: str) -> float:
    """Converts a length that is written as a name, with or without `bytes`."""
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
        "goodput_bits_per_second": _goodput,
        "efficiency": _efficiency,
        "mean_message_cells": _cells,
    },
    python=("goodput_bound_bits_per_second", "message_efficiency", "mean_message_cells"),
)
