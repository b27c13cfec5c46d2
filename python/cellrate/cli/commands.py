"""The commands by group, and the list of commands in `cellrate --help`."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cellrate._core import __version__

WIDTH = 80
ABOUT = "Simulation of closed-loop flow control under TCP: ATM cells, Ethernet frames."
USAGE = "Usage: cellrate COMMAND"
MORE = "cellrate COMMAND --help explains a command."
_OPTIONS = (
    ("-h, --help", "Show this list."),
    ("--version", "Show the version."),
    (
        "--allow-code",
        "With any command: let scenarios run the Python classes that they name as schemes.",
    ),
)


class Command(NamedTuple):
    """A command of `cellrate`.

    Attributes:
        name: Name of the command.
        target: Function or application of the command, as ``module:name`` in `cellrate.cli`.
        about: The first sentence of the command's description.
        examples: Command lines.
    """

    name: str
    target: str
    about: str
    examples: tuple[str, ...] = ()


GROUPS: dict[str, tuple[Command, ...]] = {
    "Start": (
        Command(
            "new",
            "scenarios:new",
            "Print a commented scenario to start from.",
            ("cellrate new n-source > my.toml",),
        ),
        Command(
            "run",
            "run:run",
            "Run a scenario and show its measures.",
            (
                "cellrate run my.toml --set flow.tcp.count=10 --seed 2",
                "cellrate run my.toml --plot --out results",
            ),
        ),
        Command(
            "validate",
            "scenarios:validate",
            "Check a scenario without running it, and estimate time, memory and disk that a run "
            "takes.",
            ("cellrate validate my.toml --set flow.tcp.count=1000",),
        ),
        Command(
            "import-graph",
            "scenarios:import_graph",
            "Print a scenario with the nodes and links of a GraphML file, as a start for your own.",
            ("cellrate import-graph network.graphml > my.toml",),
        ),
        Command(
            "import-goal",
            "scenarios:import_goal",
            "Print a scenario with the messages of a GOAL file, the trace format of LogGOPSim.",
            ("cellrate import-goal trace.goal --steps trace.csv > my.toml",),
        ),
        Command(
            "list",
            "lists:list_names",
            "List all components with the purpose of each, or one kind of them with their sources.",
            ("cellrate list", "cellrate list schemes", "cellrate list measures jain_index"),
        ),
        Command(
            "schema",
            "lists:schema",
            "Print the JSON Schema of scenario or study files, for editors.",
            ("cellrate schema > scenario.json",),
        ),
    ),
    "Understand": (
        Command(
            "explain",
            "scenarios:explain",
            "Say what theory expects of a scenario before it runs.",
            ("cellrate explain my.toml",),
        ),
        Command(
            "theory",
            "theory:app",
            "Compute a closed form of the literature; without NAME, list all with their equations.",
        ),
        Command(
            "lab",
            "lab:lab",
            "Watch a scenario in the browser: cells, queues, rates and windows, with sliders.",
            ("cellrate lab my.toml", "cellrate lab my.toml --export page.html"),
        ),
        Command(
            "animate",
            "cells:animate",
            "Make a film: cells or frames move on links, queues fill, in slow motion.",
            ('cellrate animate my.toml --from "20 ms" --to "25 ms"',),
        ),
        Command(
            "time-space",
            "cells:time_space",
            "Draw a time-space diagram: each cell or frame of a flow on its path in the network.",
            ('cellrate time-space my.toml --flow tcp.1 --from "0 ms" --to "24 ms"',),
        ),
        Command(
            "dissector",
            "lists:dissector",
            "Print the path of the dissector of RM cells for tshark and Wireshark.",
            ('tshark -X lua_script:"$(cellrate dissector)" -r capture.pcap',),
        ),
    ),
    "Decide": (
        Command(
            "choose",
            "deciding:choose",
            "Choose a control for the switches, its parameters, and the buffer.",
            ('cellrate choose my.toml --switches efci,explicit-rate --delay "5 ms"',),
        ),
        Command(
            "compare",
            "compare:compare",
            "Compare alternatives: which is best, by how much, and whether that may be chance.",
            ("cellrate compare my.toml --vary control.scheme=efci,erica,fmmra",),
        ),
        Command(
            "battery",
            "deciding:battery",
            "Judge control schemes in a fixed set of experiments, against every built-in scheme.",
            ("cellrate battery", "cellrate battery my_scheme.py:MyScheme"),
        ),
        Command(
            "size-buffer",
            "deciding:size_buffer",
            "Find the least buffer that loses no cells, or meets a loss or delay target.",
            ("cellrate size-buffer my.toml --loss 1e-3",),
        ),
        Command(
            "tune",
            "deciding:tune",
            "Find the best parameters of a scenario: a model or a search proposes, simulations "
            "decide.",
            ("cellrate tune my.toml --vary abr.rif --vary abr.rdf",),
        ),
    ),
    "Study": (
        Command(
            "study",
            "studying:study",
            "Run every point of a study file with its replications, and write one data set.",
            ("cellrate study study.toml --plan", "cellrate study study.toml"),
        ),
        Command(
            "table",
            "studying:table",
            "Tabulate a study: means over replications with confidence intervals.",
            ("cellrate table study.toml --measure throughput --rows buffer",),
        ),
        Command(
            "plot",
            "studying:plot",
            "Draw a figure of a study: lines, maps, distributions, traces, phase portraits.",
            ("cellrate plot study.toml --y throughput --x buffer",),
        ),
        Command(
            "report",
            "studying:report",
            "Write a study's report: its plan, figures, differences, failures, the command of "
            "every run.",
            ("cellrate report study.toml",),
        ),
    ),
    "Papers and speed": (
        Command(
            "reproduce",
            "papers:reproduce",
            "Rerun published experiments and show published numbers beside measured ones.",
            ("cellrate reproduce", "cellrate reproduce ohsaki95 ohsaki95-fig5"),
        ),
        Command(
            "infer",
            "papers:infer",
            "Infer parameters that a paper does not print from the results that it prints.",
            ("cellrate infer gerla95",),
        ),
        Command(
            "bench",
            "bench:bench",
            "Time the engine on one core, in ns per cell-hop (a cell over one link).",
            ("cellrate bench",),
        ),
        Command(
            "completion",
            "lists:completion",
            "Print a script that completes commands and options in a shell.",
            ("cellrate completion bash > ~/.local/share/bash-completion/completions/cellrate",),
        ),
    ),
}
"""Commands by group, in the order of `cellrate --help`. A new command is one entry."""


def commands() -> Iterator[Command]:
    """Every command."""
    for members in GROUPS.values():
        yield from members


def front(arguments: Sequence[str]) -> str | None:
    """The output of `cellrate` without a command: the list of commands, or the version.

    Returns:
        Lines for standard output, or None if the arguments ask for something else.
    """
    match list(arguments):
        case [] | ["--help"] | ["-h"]:
            return "\n".join(_list_of_commands()) + "\n"
        case ["--version"]:
            return f"{__version__}\n"
    return None


def _list_of_commands() -> Iterator[str]:
    bold = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    yield from (ABOUT, "", USAGE)
    for group, members in GROUPS.items():
        yield from ("", _heading(group, bold=bold))
        yield from _entries([(command.name, command.about) for command in members])
    yield from ("", _heading("Options", bold=bold))
    yield from _entries(_OPTIONS)
    yield from ("", MORE)


def _heading(text: str, *, bold: bool) -> str:
    return f"\x1b[1m{text}\x1b[0m" if bold else text


def _entries(entries: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Lines of names with their descriptions beside them."""
    indent = max(len(name) for name, _ in entries) + 4
    for name, about in entries:
        first, *rest = textwrap.wrap(about, WIDTH - indent, break_on_hyphens=False)
        yield f"  {name.ljust(indent - 2)}{first}"
        yield from (" " * indent + line for line in rest)
