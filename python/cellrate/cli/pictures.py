"""Options of `cellrate run` for pictures: `--plot`, `--from`, `--to` and `--dark`."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from cellrate import _core
from cellrate.cli.amounts import span
from cellrate.common.problems import BadInput
from cellrate.simulation.picture_options import KINDS, NEEDED, PictureKind, PictureOptions
from cellrate.simulation.spans import OPTIONS, refuse_outside

# Traces that `--plot` records if the scenario asks for none.
PLOTTED = ("queue", "acr", "cwnd", "utilisation")


def with_picture(arguments: Sequence[str]) -> list[str]:
    """The arguments, with the kind of picture joined to every `--plot` of `run`.

    cyclopts has no options with an optional value, so `--plot` alone becomes `--plot=traces`.

    >>> with_picture(["run", "--plot", "my.toml"])
    ['run', '--plot=traces', 'my.toml']
    >>> with_picture(["run", "my.toml", "--plot", "phase"])
    ['run', 'my.toml', '--plot=phase']
    """
    if not arguments or arguments[0] != "run":
        return list(arguments)
    found: list[str] = []
    for argument in arguments:
        if found and found[-1] == "--plot":
            named = argument in KINDS
            found[-1] = f"--plot={argument}" if named else "--plot=traces"
            if named:
                continue
        found.append(argument)
    if found[-1] == "--plot":
        found[-1] = "--plot=traces"
    return found


def unknown_picture(arguments: Sequence[str]) -> str | None:
    """The word after `--plot` of `run` that names neither a kind of picture nor a file.

    None if there is no such word.
    """
    after = (word for plot, word in pairwise(arguments) if plot == "--plot")
    word = next(after, None) if arguments[:1] == ["run"] else None
    is_known = word is None or word in KINDS or word.startswith("-") or Path(word).exists()
    return None if is_known else word


def picture_options(
    plot: PictureKind | None, begin: str | None, end: str | None, *, dark: bool
) -> PictureOptions | None:
    """Options of the pictures; None without `--plot`.

    Raises:
        BadInput: A text is not a time, the end is not after the start, or `--plot` is missing.
    """
    if plot is None:
        for option, given in (("--from", begin), ("--to", end), ("--dark", dark or None)):
            if given is not None:
                raise BadInput(f"{option} has no effect without --plot")
        return None
    start, stop = span("0 s" if begin is None else begin, end, OPTIONS)
    return PictureOptions(plot, start, stop, dark)


def missing_traces(resolved: str, options: PictureOptions) -> str | None:
    """Setting that adds the traces which the picture needs; None if the scenario has them."""
    traced = list(tomllib.loads(resolved)["measure"]["traces"])
    needed = NEEDED[options.kind] or (() if traced else PLOTTED)
    more = [kind for kind in needed if kind not in traced]
    return f"measure.traces={json.dumps([*traced, *more])}" if more else None


def refuse_early(scenario: _core.Scenario, options: PictureOptions) -> None:
    """Refuses pictures that cannot be drawn, before the run is made.

    Raises:
        BadInput: The time shown is not within the run, or no flow has the traced quantity.
    """
    flows = json.loads(scenario.network())["flows"]
    over_tcp = any(flow["tcp"] is not None for flow in flows)
    if scenario.link_layer == "ethernet":
        has_acr = any(flow["rate_controlled"] or flow["over_abr"] for flow in flows)
        without = "an ACR, because none has `rate_control` or crosses an ATM part with ABR"
    else:
        has_acr = any(flow["abr"] is not None for flow in flows)
        without = "an ACR, because none is ABR"
    has = {"acr": has_acr, "cwnd": over_tcp, "sequence": over_tcp}
    of = {"acr": without, "cwnd": "a congestion window, because none "
    "runs over TCP",
          "sequence": "sequence numbers, because none runs over TCP"}  # fmt: skip
    drawn = "acr" if options.kind == "phase" else options.kind
    if not has.get(drawn, True):
        raise BadInput(f"--plot {options.kind}: no flow has {of[drawn]}")
    refuse_outside(scenario, (options.from_seconds, options.to_seconds), OPTIONS)
