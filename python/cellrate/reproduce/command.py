"""Steps of `cellrate reproduce`: computes, writes the reports, shows, keeps, checks."""

import sys
from collections.abc import Sequence
from functools import partial

from cellrate.common import terminal
from cellrate.common.forks import shared_out
from cellrate.common.json_text import json_text
from cellrate.reproduce.as_json import as_json
from cellrate.reproduce.complaints import complaints_of
from cellrate.reproduce.computing import Computed, compute
from cellrate.reproduce.draw_runs import JITTERS
from cellrate.reproduce.draws import write_draws
from cellrate.reproduce.golden import bless, golden_lines
from cellrate.reproduce.options import Options
from cellrate.reproduce.report import report
from cellrate.reproduce.runs import Runner
from cellrate.reproduce.stored import write_stored
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
    pages = write_pages(computed.parts, computed.outcomes, options.out, options.workers)
    if options.json:
        _print_json(computed)
    else:
        _show(computed, pages)
    _keep(computed, options)
    complaints = _complaints(computed, options.workers) if options.check else []
    for complaint in complaints:
        sys.stderr.write(complaint + "\n")
    if options.bless:
        for part in computed.parts:
            bless(part.paper, part.ids, golden_lines(part.results, computed.outcomes))
    return 1 if complaints else 0


def _print_json(computed: Computed) -> None:
    results = [result for part in computed.parts for result in part.results]
    sensitivities = [s for part in computed.parts for s in part.sensitivities]
    changes = computed.parts[0].changes
    sys.stdout.write(json_text(as_json(results, sensitivities, changes), indent=2))


def _show(computed: Computed, pages: Sequence[str]) -> None:
    """Prints the report; `pages` are the paths of the web pages."""
    terminal.show(report(computed.parts))
    terminal.say(f"written to {', '.join(pages)}")


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


def _complaints(computed: Computed, workers: int) -> list[str]:
    """Complaints of the check; kept results are compared as they are now on the disk."""
    of_parts = [partial(complaints_of, part, computed.outcomes) for part in computed.parts]
    return [complaint for found in shared_out(of_parts, workers) for complaint in found]
