"""The front report: counts for each paper, disagreements, and links to all other pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from cellrate import __version__
from cellrate.common.document import (
    Block,
    Cell,
    Document,
    Folded,
    Listing,
    Paragraph,
    Section,
    Span,
    Table,
    Thumbnails,
    columns,
    rows,
)
from cellrate.common.numbers import estimate_text
from cellrate.papers.paper_report import (
    figure_id,
    held,
    misses_table,
    place,
    standings_table,
)
from cellrate.papers.reproduction import Judged
from cellrate.papers.results import ClaimResult, ErratumResult, ExperimentResult, ProofResult
from cellrate.papers.runs import seeds_text
from cellrate.papers.scoring import LOSS_FACTOR, TOLERANCES, WITHIN
from cellrate.papers.stored import hanging, said_of_seeds
from cellrate.papers.tally import Tally, tally

HOW_SCORED = (
    "A claim holds if it holds with every seed; claims that use no run are checks of arithmetic "
    "and counted apart. A number is met if its mean over the seeds is "
    f"within {TOLERANCES['throughput']:.0%} of a printed throughput or rate, "
    f"{TOLERANCES['queue']:.0%} of a printed queue, a factor of {LOSS_FACTOR:g} of a printed loss, "
    f"{TOLERANCES['whole']:.0%} of a share that is printed as 1; what rounds to 0 as it is printed "
    "counts as half a unit of the last place. The last columns count how many of these numbers are "
    "within each distance."
)


SEEDS_DIFFER = (
    "With more seeds fewer claims hold, since a claim must hold with each of them. More numbers "
    "may be met, since a number is a mean over the seeds."
)


def papers_in_short(parts: Sequence[Judged], name: Callable[[Judged], Cell]) -> tuple[Block, ...]:
    """A table of the papers, and sentences on each paper's results that the simulation confirms."""
    every = tally([result for part in parts for result in part.results])
    table = standings_table(
        "paper", [*((name(part), part.tally) for part in parts), ("all", every)]
    )
    stands = (
        Paragraph((Span(f"{part.paper.id}. ", "strong"), part.paper.stands))
        for part in parts
        if part.paper.stands
    )
    return (*table, *stands)


def front_report(
    parts: Sequence[Judged], pictures: Mapping[str, str], earlier: Sequence[str] = ()
) -> Document:
    """The front report; its links lead to the papers' pages in the same directory.

    Args:
        parts: The papers.
        pictures: A small SVG of each figure, by the name that links to the figure use.
        earlier: Names of pages in the same directory that earlier runs wrote.
    """
    results = [result for part in parts for result in part.results]
    seeds = seeds_text(results[0].seeds)
    return Document(
        "Published experiments, run again",
        (
            Paragraph(f"Counts of cellrate {__version__}, {seeds}.", "faint"),
            *papers_in_short(parts, _name),
            *_stored(parts),
            *_counts(tally(results), seeds),
            papers_table(parts, "errata found", _name, _number_of_errata, wide=True),
            Paragraph(HOW_SCORED, "faint"),
            *_general_claims(parts),
            Section("What does not hold, and what is known of why", tuple(map(_misses, parts))),
            Section(
                "Figures", tuple(block for part in parts for block in _figures(part, pictures))
            ),
            *_earlier(earlier),
        ),
    )


def _earlier(names: Sequence[str]) -> tuple[Section, ...]:
    """Links to pages of earlier runs, whose results are not among the counts of this page."""
    links = tuple((Span(name, link=f"{name}.html"),) for name in names)
    title = "Pages of earlier runs, which the counts above leave out"
    return (Section(title, (Listing(links),)),) if links else ()


def _stored(parts: Sequence[Judged]) -> tuple[Block, ...]:
    """Counts of stored results over several seeds; empty unless every experiment was chosen."""
    if any(len(part.experiments) < len(part.paper.experiments) for part in parts):
        return ()
    papers = [part.paper for part in parts]
    names = hanging(papers)
    items = (Paragraph(", ".join(names)),) if names else ()
    lines = (Paragraph(Span(line, "strong")) for line in said_of_seeds(papers))
    return (
        *lines,
        Paragraph(SEEDS_DIFFER, "faint"),
        Folded(f"Claims that depend on the seed ({len(names)})", items),
    )


def _counts(counts: Tally, seeds: str) -> tuple[Paragraph, ...]:
    found = [Paragraph(Span(f"Today, {seeds}: {counts.sentence()}.", "strong"))]
    if counts.misses:
        found.append(Paragraph(f"Of what disagrees today, {counts.ends()}."))
    if counts.apart():
        found.append(Paragraph(f"Counted apart: {counts.apart()}."))
    return tuple(found)


def papers_table(
    parts: Sequence[Judged],
    errata_title: str,
    name: Callable[[Judged], Cell],
    errata: Callable[[Judged], Cell],
    *,
    wide: bool = False,
) -> Table:
    """The counts of each paper, and of all papers in the last row."""
    titles = ["paper", "experiments", "claims about runs", "scored numbers met"]
    titles += [*(f"within {share:.0%}" for share in WITHIN), errata_title]
    results = [result for part in parts for result in part.results]
    found: list[list[Cell]] = [
        [name(part), str(len(part.results)), *_counts_of(part.tally), errata(part)]
        for part in parts
    ]
    total = str(sum(len(part.errata) for part in parts))
    found.append(["all", str(len(results)), *_counts_of(tally(results)), total])
    return Table(columns(*titles, numbers=range(1, len(titles))), rows(found), wide=wide)


def _counts_of(counts: Tally) -> list[str]:
    """Counts of claims that hold, of scored numbers met, and of numbers within each `WITHIN`."""
    return [str(counts.claims), str(counts.values), *map(str, counts.values_within)]


def _name(part: Judged) -> Cell:
    link = Span(part.paper.id, link=f"{part.page_name}.html")
    return (link, " ", Span(part.paper.short_citation, "faint"))


def _number_of_errata(part: Judged) -> Cell:
    return Span(str(len(part.errata)), link=f"errata.html#{part.paper.id}")


def general_claims(
    results: Sequence[ExperimentResult],
) -> list[tuple[int, ExperimentResult, ClaimResult]]:
    """Claims about whole papers, with the numbers of these claims, in the order of the numbers."""
    claims = [(c.claim.general, r, c) for r in results for c in r.claims if c.claim.general]
    return sorted(claims, key=lambda each: (each[0], each[1].experiment.id))


def _general_claims(parts: Sequence[Judged]) -> tuple[Section, ...]:
    pages = {part.paper.id: part.page_name for part in parts}
    claims = general_claims([result for part in parts for result in part.results])
    if not claims:
        return ()
    found = rows(
        (
            str(number),
            claim.claim.text,
            Span(
                result.experiment.id, link=f"{pages[result.paper.id]}.html#{result.experiment.id}"
            ),
            held(claim),
        )
        for number, result, claim in claims
    )
    holding = sum(claim.always for _, _, claim in claims)
    title = f"General claims of the papers: {holding} of {len(claims)} hold"
    return (Section(title, (Table(columns("", "claim", "shown by", "", numbers=[0]), found),)),)


def _misses(part: Judged) -> Folded:
    found = tuple(f"{miss.what}: {miss.found}" for miss in part.tally.misses)
    table = misses_table(part.tally, found, f"{part.page_name}.html")
    return Folded(f"{part.paper.id} ({len(found)})", (table,) if found else ())


def _figures(part: Judged, pictures: Mapping[str, str]) -> tuple[Block, ...]:
    found = tuple(
        (
            Span(f"{place(experiment)}: {figure.title}", link=f"{part.page_name}.html#{anchor}"),
            pictures[anchor],
        )
        for experiment in part.experiments
        for figure in experiment.figures
        for anchor in [figure_id(experiment, figure)]
    )
    return (Paragraph(f"{part.paper.id}:"), Thumbnails(found)) if found else ()


INTRODUCTION = (
    "What is printed and cannot be right. Each proof was computed when this page was written."
)


def errata_report(parts: Sequence[Judged]) -> Document:
    """The errata, paper by paper."""
    papers = (
        Section(part.paper.title, tuple(map(_erratum, part.errata)), part.paper.id)
        for part in parts
    )
    return Document(
        "Errata of the papers",
        (Paragraph(INTRODUCTION), *papers),
        above=Span("all papers", link="index.html"),
    )


def _erratum(result: ErratumResult) -> Section:
    erratum = result.erratum
    parts: list[Block] = [
        Paragraph(f"Printed: {erratum.printed}\nRight: {erratum.right}"),
        Paragraph(erratum.why),
    ]
    for proof in result.proofs:
        parts += _proof(proof)
    return Section(erratum.where, tuple(parts), erratum.id)


def _proof(result: ProofResult) -> tuple[Block, ...]:
    verdict = Span("holds", "good") if result.holds else Span("does not hold", "bad")
    predicate = Span(result.proof.holds_if, "code")
    text = Paragraph((f"{result.proof.text} ", verdict, "\n", predicate))
    found = rows((what, f"{estimate_text(value)} {unit}") for what, value, unit in result.values)
    return (text, Table(columns("quantity", "value", numbers=[1]), found))
