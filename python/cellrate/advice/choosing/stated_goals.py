"""Goals of a choice from the texts of options."""

from __future__ import annotations

from collections.abc import Sequence

from cellrate import _core
from cellrate.advice.choosing.candidates import ABILITIES, Ability
from cellrate.advice.choosing.goals import FAIR, Goals
from cellrate.common.problems import BadInput, choose


def goals_of(
    link_layer: str,
    *,
    switches: Sequence[str],
    loss: float,
    throughput: float | str,
    delay: str | None,
    fairness: float | None,
    settling: str | None,
    buffer: str | None,
    victim: str | None,
) -> Goals:
    """Goals from the texts of the command's options, for a scenario over a link layer.

    Raises:
        BadInput: A goal is not valid, or has no meaning over the link layer; the message says what
            is allowed.
    """
    over_ethernet = link_layer == "ethernet"
    for option, text in {"switches": switches, "delay": delay, "settling": settling}.items():
        if text and over_ethernet:
            raise BadInput(
                f"--{option} has no meaning over Ethernet; there are --loss, --throughput, "
                "--fairness, --buffer and --victim"
            )
    if victim is not None and not over_ethernet:
        raise BadInput("--victim has a meaning over Ethernet alone")
    room = (
        None
        if buffer is None
        else _quantity("--buffer", buffer, "bytes" if over_ethernet else "cells")
    )
    if not 0 <= loss < 1:
        raise BadInput(f"--loss {loss:g}: allowed is a share from 0 to below 1")
    if fairness is not None and not 0 <= fairness <= 1:
        raise BadInput(f"--fairness {fairness:g}: allowed is a Jain index from 0 (no goal) to 1")
    share, rate = _throughput(str(throughput))
    return Goals(
        abilities=_abilities(switches),
        loss=loss,
        throughput=share,
        bits_per_second=rate,
        delay_seconds=None if delay is None else _quantity("--delay", delay, "time"),
        fairness=FAIR if fairness is None else fairness,
        insists_on_fairness=fairness is not None,
        settling_seconds=None if settling is None else _quantity("--settling", settling, "time"),
        buffer_cells=None if room is None or over_ethernet else int(room),
        buffer_bytes=room if over_ethernet else None,
        victim=victim,
    )


def _throughput(text: str) -> tuple[float, float | None]:
    """The goal of throughput in `text`: a share of the best, or a rate in bit/s."""
    try:
        share = float(text)
    except ValueError:
        return Goals.throughput, _quantity("--throughput", text, "rate")
    if not 0 < share <= 1:
        raise BadInput(
            f"--throughput {text}: allowed is a share above 0, up to 1, or a rate with its unit"
        )
    return share, None


def _abilities(switches: Sequence[str]) -> tuple[Ability, ...]:
    names = [name.strip() for text in switches for name in text.split(",")]
    for name in names:
        choose(name, ABILITIES, "ability of a switch")
    return tuple(one for one in ABILITIES if one in names) or ABILITIES


def _quantity(option: str, text: str, kind: str) -> float:
    try:
        value = float(_core.quantity(text, kind))
    except ValueError as error:
        raise BadInput(f"{option}: {error}") from None
    if not 0 < value < float("inf"):
        raise BadInput(f"{option} {text}: must be above 0 and finite")
    return value
