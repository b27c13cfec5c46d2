"""The commands by group: where each is, what it does, and examples; nothing of them is imported."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Command(NamedTuple):
    """A command of `cellrate`.

    Attributes:
        name: Its name.
        target: Its function or application, as ``module:name`` in `cellrate.cli`.
        about: The first sentence of its description.
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
            "inspect:new",
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
            "inspect:validate",
            "Check a scenario without running it, and estimate time, memory and disk that a run "
            "takes.",
            ("cellrate validate my.toml --set flow.tcp.count=1000",),
        ),
        Command(
            "import-graph",
            "import_graph:import_graph",
            "Print a scenario with the nodes and links of a GraphML file, as a start for your own.",
            ("cellrate import-graph network.graphml > my.toml",),
        ),
        Command(
            "list",
            "inspect:list_names",
            "List experiments, measures, schemes, credit, policies, sources, recoveries or "
            "templates.",
            ("cellrate list schemes", "cellrate list measures jain_index"),
        ),
        Command(
            "schema",
            "inspect:schema",
            "Print the JSON Schema of scenario or study files, for editors.",
            ("cellrate schema > scenario.json",),
        ),
    ),
    "Understand": (
        Command(
            "explain",
            "explain:explain",
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
            "animate:animate",
            "Make a film: cells move on links, queues fill, RM cells turn round, in slow motion.",
            ('cellrate animate my.toml --from "20 ms" --to "25 ms"',),
        ),
        Command(
            "time-space",
            "time_space:time_space",
            "Draw a time-space diagram: every cell of a flow on its path through the network.",
            ('cellrate time-space my.toml --flow tcp.1 --from "0 ms" --to "24 ms"',),
        ),
        Command(
            "dissector",
            "inspect:dissector",
            "Print the path of the dissector of RM cells for tshark and Wireshark.",
            ('tshark -X lua_script:"$(cellrate dissector)" -r capture.pcap',),
        ),
    ),
    "Decide": (
        Command(
            "choose",
            "choose:choose",
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
            "battery:battery",
            "Judge control schemes in a fixed set of experiments, against every built-in scheme.",
            ("cellrate battery", "cellrate battery my_scheme.py:MyScheme"),
        ),
        Command(
            "size-buffer",
            "size_buffer:size_buffer",
            "Find the least buffer that loses no cells, or meets a loss or delay target.",
            ("cellrate size-buffer my.toml --loss 1e-3",),
        ),
        Command(
            "tune",
            "tune:tune",
            "Find the best parameters of a scenario: a model or a search proposes, simulations "
            "decide.",
            ("cellrate tune my.toml --vary abr.rif --vary abr.rdf",),
        ),
    ),
    "Study": (
        Command(
            "study",
            "study:study",
            "Run every point of a study file with its replications, and write one data set.",
            ("cellrate study study.toml --plan", "cellrate study study.toml"),
        ),
        Command(
            "table",
            "table:table",
            "Tabulate a study: means over replications with confidence intervals.",
            ("cellrate table study.toml --measure throughput --rows buffer",),
        ),
        Command(
            "plot",
            "plot:plot",
            "Draw a figure of a study: lines, maps, distributions, traces, phase portraits.",
            ("cellrate plot study.toml --y throughput --x buffer",),
        ),
        Command(
            "report",
            "report:report",
            "Write a study's report: its plan, figures, differences, failures, the command of "
            "every run.",
            ("cellrate report study.toml",),
        ),
    ),
    "Papers and speed": (
        Command(
            "reproduce",
            "reproduce:reproduce",
            "Rerun published experiments and show published numbers beside measured ones.",
            ("cellrate reproduce", "cellrate reproduce ohsaki95 ohsaki95-fig5"),
        ),
        Command(
            "infer",
            "infer:infer",
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
            "completion:completion",
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
