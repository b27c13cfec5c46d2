"""The command `cellrate reproduce`: computes, writes files, shows the report, checks."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cellrate.common import terminal, whole_file
from cellrate.common.document import Document
from cellrate.common.document.drawn_ahead import drawn_ahead
from cellrate.common.document.markdown import markdown
from cellrate.common.document.web_page import web_page
from cellrate.common.forks import shared_out
from cellrate.common.input_file import read_own_text
from cellrate.common.to_json import json_text
from cellrate.common.whole_file import make_directory
from cellrate.papers.as_json import as_json
from cellrate.papers.check import complaints_of
from cellrate.papers.collection import all_papers, experiment_ids
from cellrate.papers.draws import write_draws
from cellrate.papers.evidence import errata_overview, evidence, overview, sensitivity_evidence
from cellrate.papers.front_report import errata_report, front_report
from cellrate.papers.paper_report import data_stem, figure_id, paper_report
from cellrate.papers.report import report
from cellrate.papers.reproduction import Computed, Judged, Options, choose, judge, run
from cellrate.papers.runs import Outcomes, Runner
from cellrate.papers.stored import bless, golden_lines, write_stored

MOST_TABLES = 4
"""Greatest number of tables of figures that are named, not only their directory."""
INDEX = "pages.json"
"""Name of the file, in the directory of pages, that lists the pages of the front page."""


@dataclass(frozen=True)
class Written:
    """Paths of the written web pages and tables of figures, and notes on them."""

    pages: tuple[Path, ...]
    tables: tuple[Path, ...]
    notes: tuple[str, ...]


def run_reproduction(options: Options, runner: Runner) -> int:
    """Runs experiments again and reports measured numbers beside the printed ones.

    Returns:
        0; 1 if `options.check` found a difference.

    Raises:
        ReproduceError: If an experiment does not exist, or a paper's data is broken.
    """
    ran = run(choose(options), options, runner)
    computed = judge(ran, options)
    # The report reads what is stored, which may lack values and claims that are new.
    if options.keep_seeds:
        for part in computed.parts:
            write_stored(part.paper, options.reading, part.results)
    written = write_pages(computed, options.out, options.workers)
    _show(computed, written, json=options.json)
    for paper in ran.new_draws:
        write_draws(paper.directory, paper.draws)
    if options.evidence is not None:
        write_evidence(computed.parts, options.evidence)
    complaints = _complaints(computed, options.workers) if options.check else []
    sys.stderr.writelines(f"{complaint}\n" for complaint in complaints)
    if options.bless:
        for part in computed.parts:
            bless(part.paper, part.ids, golden_lines(part.results, computed.outcomes))
    return 1 if complaints else 0


def _show(computed: Computed, written: Written, *, json: bool) -> None:
    """Prints the JSON array, or the report and the paths of the web pages."""
    sys.stderr.writelines(f"note: {note}\n" for note in written.notes)
    if json:
        sys.stdout.write(json_text(as_json(computed.parts), indent=2))
    else:
        terminal.show(report(computed.parts))
        tables = written.tables
        tables = tables if len(tables) <= MOST_TABLES else tuple({one.parent for one in tables})
        terminal.say(f"written to {', '.join(map(str, (*written.pages, *tables)))}")


def _complaints(computed: Computed, workers: int) -> list[str]:
    """Messages of the check; stored results are read from the disk again."""
    of_parts = [partial(complaints_of, part, computed.outcomes) for part in computed.parts]
    return [complaint for found in shared_out(of_parts, workers) for complaint in found]


def write_pages(computed: Computed, out: Path, workers: int = 1) -> Written:
    """Writes a page per paper, a front page, the errata, and the data of figures.

    The page of some experiments of a paper is named after these experiments, and does not replace
    the page of the whole paper. A front page and errata that cover more whole papers are not
    replaced either. `workers` processes draw figures.
    """
    make_directory(out)
    parts, outcomes = computed.parts, computed.outcomes
    pages = {part.page_name: paper_report(part, outcomes) for part in parts}
    pictures = _write_data(parts, outcomes, out)
    front, notes = _front_pages(parts, pictures, out)
    pages = front | pages
    paths = tuple(out / f"{name}.html" for name in pages)
    drawn = drawn_ahead(list(pages.values()), workers)
    for path, document in zip(paths, drawn, strict=True):
        whole_file.write_text(path, web_page(document))
    stems = [
        out / data_stem(result.experiment, figure, part.changes)
        for part in parts
        for result in part.results
        for figure in result.experiment.figures
    ]
    tables = tuple(stem.with_name(f"{stem.name}.csv") for stem in stems)
    return Written(paths, tables, (*_without_figures(parts), *notes))


def _front_pages(
    parts: Sequence[Judged], pictures: Mapping[str, str], out: Path
) -> tuple[dict[str, Document], tuple[str, ...]]:
    """The front page and the errata, and a note if older ones stay.

    The front page leads to pages of parts of papers that earlier runs wrote, too.
    """
    if any(part.changes for part in parts):
        return {}, ()  # the front page and the errata are about the papers
    before, now = _covered(out), {part.page_name for part in parts}
    whole = before & {paper.id for paper in all_papers()}
    if not whole <= now:
        kept = f"{out / 'index.html'} and errata.html are of {', '.join(sorted(whole))} and stay"
        return {}, (f"{kept}; cellrate reproduce writes those of all papers",)
    earlier = [name for name in sorted(before - now) if (out / f"{name}.html").is_file()]
    whole_file.write_text(out / INDEX, json_text(sorted({*now, *earlier})))
    front = front_report(parts, pictures, earlier)
    return {"index": front, "errata": errata_report(parts)}, ()


def _covered(out: Path) -> set[str]:
    """Names of the pages that the front page covers; none without a readable list of them."""
    try:
        found = json.loads(read_own_text(out / INDEX))
    except (OSError, ValueError):
        return set()
    return {str(name) for name in found} if isinstance(found, list) else set()


def _without_figures(parts: Sequence[Judged]) -> Iterator[str]:
    """A note on requested experiments that have no figure."""
    named = [experiment for part in parts if not part.is_whole for experiment in part.experiments]
    bare = ", ".join(experiment.id for experiment in named if not experiment.figures)
    if bare:
        yield f"no figure belongs to {bare}; the page has numbers and claims"


def _write_data(parts: Sequence[Judged], outcomes: Outcomes, out: Path) -> dict[str, str]:
    """Writes the numbers behind each figure beside the pages; returns a small SVG of each."""
    from cellrate.papers.figure_data import figure_data, write_figure_data  # slow to import
    from cellrate.papers.thumbnail import thumbnail

    pictures = {}
    for part in parts:
        for result in part.results:
            for figure in result.experiment.figures:
                stem = out / data_stem(result.experiment, figure, part.changes)
                make_directory(stem.parent)
                frame = figure_data(part.paper, result.experiment, figure, outcomes, result.seeds)
                write_figure_data(frame, stem)
                pictures[figure_id(result.experiment, figure)] = thumbnail(figure, frame)
    return pictures


def write_evidence(parts: Sequence[Judged], directory: Path) -> None:
    """Writes a page per paper, and the overviews if all papers were run as a whole.

    The page holds the results or, if assumptions were varied, their effects.
    """
    make_directory(directory)
    pages = {}
    for part in parts:
        if part.sensitivities:
            document = sensitivity_evidence(part.paper, part.sensitivities)
            pages[f"{part.paper.id}-sensitivity"] = document
        else:
            pages[part.paper.id] = evidence(part.paper, part.results)
    if [name for part in parts for name in part.ids] == experiment_ids():
        pages |= {"papers": overview(parts), "errata": errata_overview(parts)}
    for name, document in pages.items():
        whole_file.write_text(directory / f"{name}.md", markdown(document))
