"""The goodput bound of Gerla et al. 1995 for distributions that have a name."""

from __future__ import annotations

from cellrate.theory.arrays import Numbers
from cellrate.theory.formula import Formula
from cellrate.theory.message_lengths import LengthKind, named_lengths
from cellrate.theory.message_overhead import (
    goodput_bound_bits_per_second,
    mean_message_cells,
    message_efficiency,
)


def _cells(
    segment_bytes: Numbers,
    mean_message_bytes: float,
    *,
    message_lengths: LengthKind = "exponential",
    header_bytes: float = 40,
    trailer_bytes: float = 8,
) -> Numbers:
    """Mean number of cells of a message; parameters as `_goodput`."""
    lengths = named_lengths(message_lengths, mean_message_bytes)
    return mean_message_cells(
        lengths, segment_bytes, header_bytes=header_bytes, trailer_bytes=trailer_bytes
    )


def _efficiency(
    segment_bytes: Numbers,
    mean_message_bytes: float,
    *,
    message_lengths: LengthKind = "exponential",
    header_bytes: float = 40,
    trailer_bytes: float = 8,
) -> Numbers:
    """Share eta_OH; parameters as `_goodput`."""
    lengths = named_lengths(message_lengths, mean_message_bytes)
    return message_efficiency(
        lengths, segment_bytes, header_bytes=header_bytes, trailer_bytes=trailer_bytes
    )


def _goodput(
    available_bits_per_second: Numbers,
    segment_bytes: Numbers,
    mean_message_bytes: float,
    *,
    message_lengths: LengthKind = "exponential",
    header_bytes: float = 40,
    trailer_bytes: float = 8,
) -> Numbers:
    """Goodput gamma_t.

    Args:
        available_bits_per_second: Mean rate B_av left to the channel, cell headers included.
        segment_bytes: Greatest payload of a segment (MSS).
        mean_message_bytes: Mean length L of a message.
        message_lengths: Distribution of lengths; uniform means from 0 to twice the mean.
        header_bytes: TCP and IP headers of every segment.
        trailer_bytes: Trailer of every AAL5 PDU; 16 bytes with LLC/SNAP.
    """
    return goodput_bound_bits_per_second(
        available_bits_per_second,
        named_lengths(message_lengths, mean_message_bytes),
        segment_bytes,
        header_bytes=header_bytes,
        trailer_bytes=trailer_bytes,
    )


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
