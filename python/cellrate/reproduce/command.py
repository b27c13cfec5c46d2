"""Steps of `cellrate reproduce`: computes, writes the reports, shows, keeps, checks."""

import sys
from collections.abc import Sequence

from rich.console import Console

from cellrate.common.terminal import PLAIN_WIDTH
from cellrate.reproduce.as_json import as_json
from cellrate.reproduce.complaints import complaints_of
from cellrate.reproduce.computing import Computed, compute
from cellrate.reproduce.draw_runs import JITTERS
from cellrate.reproduce.draws import write_draws
from cellrate.reproduce.golden import bless, golden_lines
from cellrate.reproduce.options import Options
from cellrate.reproduce.runs import Runner
from cellrate.reproduce.screen import (
    show_experiment,
    show_pages,
    show_papers,
    show_seeds,
    show_sensitivity,
    show_tally,
)
from cellrate.reproduce.stored import hanging, said_of_seeds, write_stored
from cellrate.reproduce.tally import tally
from cellrate.reproduce.written import write_evidence, write_pages


def run_reproduction(options: Options, runner: Runner) -> int:
    """Runs experiments again and reports measured numbers beside the printed ones.

    Args:
        options: The experiments, and what to report of them.
        runner: Runs jobs and returns their outcomes in order.

    Returns:
        0; 1 if `options.check` found a difference.

    Raises:
        ReproduceError: If an experiment does not exist, or a paper's data is broken.
    """
    computed = compute(options, runner)
    pages = write_pages(computed.parts, computed.outcomes, options.out)
    if options.json:
        _print_json(computed)
    else:
        _show(computed, pages)
    _keep(computed, options)
    complaints = _complaints(computed) if options.check else []
    for complaint in complaints:
        sys.stderr.write(complaint + "\n")
    if options.bless:
        for part in computed.parts:
            bless(part.paper, part.ids, golden_lines(part.results, computed.outcomes))
    return 1 if complaints else 0


def _print_json(computed: Computed) -> None:
    results = [result for part in computed.parts for result in part.results]
    sensitivities = [s for part in computed.parts for s in part.sensitivities]
    sys.stdout.write(as_json(results, sensitivities) + "\n")


def _show(computed: Computed, pages: Sequence[str]) -> None:
    """Prints the tables; `pages` are the paths of the web pages."""
    parts = computed.parts
    results = [result for part in parts for result in part.results]
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=PLAIN_WIDTH)
    for result in results:
        show_experiment(console, result)
    for sensitivity in (s for part in parts for s in part.sensitivities):
        show_sensitivity(console, sensitivity)
    show_tally(console, tally(results))
    if len(parts) > 1:
        show_papers(console, [(part.paper.id, part.tally) for part in parts])
    show_pages(console, pages)
    if computed.is_whole:
        papers = [part.paper for part in parts]
        show_seeds(
            console, results[0].seeds, tally(results), said_of_seeds(papers), hanging(papers)
        )


def _keep(computed: Computed, options: Options) -> None:
    """Writes new distributions, evidence pages and kept results."""
    for part in computed.parts:
        if part.has_new_draws:
            write_draws(part.paper.directory, JITTERS, part.paper.draws)
    if options.evidence is not None:
        write_evidence(computed.parts, options.evidence)
    if options.keep_seeds:
        for part in computed.parts:
            write_stored(part.paper, options.reading, part.results)


def _complaints(computed: Computed) -> list[str]:
    """Complaints of the check; kept results are compared as they are now on the disk."""
    return [
        complaint for part in computed.parts for complaint in complaints_of(part, computed.outcomes)
    ]
