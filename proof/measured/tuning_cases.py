"""Scenarios of the evidence page on tuning, with the literature's results for them."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from cellrate.advice.tuning.objective import DEFAULT
from cellrate.advice.tuning.options import TuneOptions


@dataclass(frozen=True)
class Case:
    """A scenario to tune, and the known results.

    Attributes:
        title: Title of the section.
        about: The literature's statement on this scenario.
        finding: Explanation of what the table shows.
        scenario: Path of the scenario file, relative to the papers.
        settings: Overrides of the scenario file.
        options: Options of the tuning.
    """

    title: str
    about: str
    finding: str
    scenario: str
    settings: tuple[str, ...]
    options: TuneOptions

    @property
    def command(self) -> str:
        """The shell command that repeats this tuning."""
        options = self.options
        arguments = ["cellrate", "tune", f"papers/{self.scenario}"]
        arguments += [part for one in self.settings for part in ("--set", one)]
        arguments += [part for one in options.vary for part in ("--vary", one)]
        arguments += [part for one in options.include for part in ("--include", one)]
        if options.objective != DEFAULT:
            arguments += ["--objective", options.objective]
        return shlex.join(arguments)


ABR = "ohsaki95/scenarios/abr.toml"
CASES = (
    Case(
        "Ten connections, 300 Kbyte",
        "Ohsaki et al. 1995, section III.C.1, tune to RIF 1/128 and RDF 1/2: no loss, and a "
        "throughput of 0.9588 of the link instead of 0.9178.",
        "The choice is the paper's. Every set that the model finds feasible loses nothing, and the "
        "sets just outside lose cells or leave the link idle, on the side that the model says.",
        ABR,
        (),
        TuneOptions(include=("rif=1/128,rdf=1/2",)),
    ),
    Case(
        "Thirty connections, 300 Kbyte",
        "The same section tunes to RIF 1/128 and RDF 1/4: 59 packets lost instead of 34,862.",
        "The chosen set has the paper's throughput with a shorter queue. The slow sets that are "
        "feasible and yet lose cells lose them in the first second: thirty initial rates of PCR/20 "
        "are 1.5 of the link, and condition (5) begins with the link just full. With an ICR of "
        "2.5 Mbit/s, half of the link together, they lose nothing.",
        ABR,
        ("flow.tcp.count=30",),
        TuneOptions(include=("rif=1/128,rdf=1/4",)),
    ),
    Case(
        "Ten connections, 10 Kbyte",
        "The same section finds no parameters that meet both conditions. It offers RIF 1/256 and "
        "RDF 1/2 against loss (0.435 of the link, 1,163 packets lost), and RDF 1/4 for "
        "utilisation (0.542). Both are compared here.",
        "No set meets both conditions, here as there. But condition (6) is sufficient for a full "
        "link, not necessary: with very slow sets the queue empties in each cycle for so short a "
        "time that hardly anything of the link is left unused, and nothing is lost. Their price is "
        "that rates grow as slowly when bandwidth becomes free; in this scenario none ever does.",
        ABR,
        ("switch.buffer=10 KiB", "switch.control.threshold=97 cells"),
        TuneOptions(include=("rif=1/256,rdf=1/2", "rif=1/256,rdf=1/4")),
    ),
    Case(
        "Threshold of early packet discard, 50 Kbyte",
        "Ohsaki et al. 1995 set the threshold to half the buffer, after Romanow and Floyd. There "
        "is no model of it here: the threshold is searched by simulation.",
        "A higher threshold has a little more throughput than half of the buffer. Between 0.7 and "
        "0.9 of the buffer thresholds hardly differ.",
        "ohsaki95/scenarios/epd.toml",
        ("switch.buffer=50 KiB", "run.duration=10 s"),
        TuneOptions(vary=("switch.discard.threshold",), objective="throughput,fairness"),
    ),
    Case(
        "ERICA in a wide area",
        "Kalyanaraman 1997, section 8.6, uses a target utilisation of 0.9 and intervals of 1 ms or "
        "100 cells. Here are 15 sources and a buffer of half a round trip, 5,500 cells; all "
        "parameters of the scheme that declare a range are searched.",
        "It is the time limit of the interval that ends the loss. With 1 ms, 472 intervals of the "
        "first seed pass without a cell of input; with 41.8 ms, more than the round trip of 30 ms, "
        "none does; with this limit alone the scenario loses nothing, at a utilisation of 0.88.",
        "kalyan97/scenarios/file-transfer.toml",
        (
            "flow.tcp.count=15",
            "switch.buffer=5500 cells",
            "measure.traces=[]",
            "measure.events=[]",
        ),
        TuneOptions(),
    ),
)
