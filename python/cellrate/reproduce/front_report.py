"""The front report: counts for each paper, disagreements, and links to all other pages."""

from __future__ import annotations

from collections.abc import Sequence

from cellrate import __version__
from cellrate.common.document import (
    Block,
    Cell,
    Document,
    Folded,
    Links,
    Paragraph,
    Section,
    Span,
    Table,
    columns,
    rows,
)
from cellrate.reproduce.paper_report import figure_id, held, place
from cellrate.reproduce.reproduction import Reproduction
from cellrate.reproduce.results import ClaimResult, ExperimentResult
from cellrate.reproduce.scoring import LOSS_FACTOR, TOLERANCES, WITHIN
from cellrate.reproduce.seeds import seeds_text
from cellrate.reproduce.stored import hanging, said_of_seeds
from cellrate.reproduce.tally import Tally, tally

HOW_SCORED = (
    "A claim holds if it holds with every seed; claims that use no run are checks of arithmetic "
    "and counted apart. A number is met if its mean over the seeds is "
    f"within {TOLERANCES['throughput']:.0%} of a printed throughput or rate, "
    f"{TOLERANCES['queue']:.0%} of a printed queue, a factor of {LOSS_FACTOR:g} of a printed loss, "
    f"{TOLERANCES['whole']:.0%} of a share that is printed as 1; what rounds to 0 as it is printed "
    "counts as half a unit of the last place. The last columns count how many of these numbers are "
    "within each distance."
)


STANDINGS = (
    "Impossible: the paper contradicts itself or physics there, by a computed proof. Consistent: "
    "one lost cell decides, and the printed run is one of many that the same network gives. Open: "
    "the experiment that would decide stands with the miss."
)


def front_report(parts: Sequence[Reproduction]) -> Document:
    """The front report; its links lead to the papers' pages in the same directory."""
    results = [result for part in parts for result in part.results]
    seeds = seeds_text(results[0].seeds)
    return Document(
        "Published experiments, run again",
        (
            Paragraph(f"cellrate {__version__}, {seeds}.", "faint"),
            *_stored(parts),
            *_counts(tally(results), seeds),
            _papers(parts, tally(results)),
            Paragraph(HOW_SCORED, "faint"),
            *_general_claims(parts),
            Section("What does not hold, and what is known of why", tuple(map(_misses, parts))),
            Section("Figures", tuple(figure for part in parts for figure in _figures(part))),
        ),
    )


def _stored(parts: Sequence[Reproduction]) -> tuple[Block, ...]:
    """Kept results over several seeds; empty if the parts are not whole papers."""
    if any(len(part.experiments) < len(part.paper.experiments) for part in parts):
        return ()
    papers = [part.paper for part in parts]
    names = hanging(papers)
    items = (Paragraph(", ".join(names)),) if names else ()
    lines = (Paragraph(Span(line, "strong")) for line in said_of_seeds(papers))
    return (*lines, Folded(f"Claims that depend on the seed ({len(names)})", items))


def _counts(counts: Tally, seeds: str) -> tuple[Paragraph, ...]:
    found = [Paragraph(Span(f"Today, {seeds}: {counts.sentence()}.", "strong"))]
    if counts.misses:
        found.append(Paragraph(f"Of what disagrees today, {counts.ends()}. {STANDINGS}"))
    if counts.apart():
        found.append(Paragraph(f"Counted apart: {counts.apart()}."))
    return tuple(found)


def _papers(parts: Sequence[Reproduction], total: Tally) -> Table:
    titles = ["paper", "experiments", "claims about runs", "scored numbers met"]
    titles += [*(f"within {share:.0%}" for share in WITHIN), "errata found"]
    found: list[list[Cell]] = [
        [
            (
                Span(part.paper.id, link=f"{part.page_name}.html"),
                " ",
                Span(_authors(part), "faint"),
            ),
            str(len(part.results)),
            *counts_of(part.tally),
            Span(str(len(part.errata)), link=f"errata.html#{part.paper.id}"),
        ]
        for part in parts
    ]
    experiments = sum(len(part.results) for part in parts)
    errata = sum(len(part.errata) for part in parts)
    found.append(["all", str(experiments), *counts_of(total), str(errata)])
    return Table(columns(*titles, numbers=range(1, len(titles))), rows(found), wide=True)


def _authors(part: Reproduction) -> str:
    first, *others = part.paper.authors
    return f"{first} et al. {part.paper.year}" if others else f"{first} {part.paper.year}"


def counts_of(counts: Tally) -> list[str]:
    """Table cells: claims that hold, scored numbers met, and numbers within each of `WITHIN`."""
    return [
        str(counts.claims),
        str(counts.values),
        *map(str, counts.values_within),
    ]


def general_claims(
    results: Sequence[ExperimentResult],
) -> list[tuple[int, ExperimentResult, ClaimResult]]:
    """General claims of the papers with their numbers, in the order of the numbers."""
    claims = [(c.claim.general, r, c) for r in results for c in r.claims if c.claim.general]
    return sorted(claims, key=lambda each: (each[0], each[1].experiment.id))


def _general_claims(parts: Sequence[Reproduction]) -> tuple[Section, ...]:
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


def _misses(part: Reproduction) -> Folded:
    found = rows(
        (
            Span(miss.experiment, link=f"{part.page_name}.html#{miss.experiment}"),
            f"{miss.what}: {miss.found}",
            miss.standing.value,
        )
        for miss in part.tally.misses
    )
    titles = columns("experiment, with what is known of why", "what disagrees", "")
    return Folded(f"{part.paper.id} ({len(found)})", (Table(titles, found),) if found else ())


def _figures(part: Reproduction) -> tuple[Block, ...]:
    links = tuple(
        Span(
            f"{place(experiment)}: {figure.title}",
            link=f"{part.page_name}.html#{figure_id(experiment, figure)}",
        )
        for experiment in part.experiments
        for figure in experiment.figures
    )
    return (Paragraph(f"{part.paper.id}:"), Links(links)) if links else ()
