"""Front web page: counts for each paper, disagreements, and links to all other pages."""

from collections.abc import Sequence

from cellrate import __version__
from cellrate.common import html
from cellrate.common.html import Markup, escape
from cellrate.reproduce.page import figure_id, held, short_id
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
    "counts as half a unit of the last place. The columns behind count the same "
    "numbers by their distance alone."
)


def front_page(parts: Sequence[Reproduction]) -> str:
    """HTML text of the page; its links lead to the papers' pages in the same directory."""
    results = [result for part in parts for result in part.results]
    return html.document(
        "Published experiments, run again",
        [
            "<h1>Published experiments, run again</h1>",
            f'<p class="faint">cellrate {escape(__version__)}, {seeds_text(results[0].seeds)}.</p>',
            _counts(tally(results), seeds_text(results[0].seeds)),
            _stored(parts),
            _papers(parts, tally(results)),
            _how_scored(),
            _general_claims(results),
            "<h2>What does not hold, and what is known of why</h2>",
            *map(_misses, parts),
            "<h2>Figures</h2>",
            *map(_figures, parts),
        ],
    )


def _stored(parts: Sequence[Reproduction]) -> str:
    """Kept results over several seeds; empty if the parts are not whole papers."""
    if any(len(part.experiments) < len(part.paper.experiments) for part in parts):
        return ""
    papers = [part.paper for part in parts]
    lines = "".join(f"<p><strong>{escape(line)}</strong></p>" for line in said_of_seeds(papers))
    names = hanging(papers)
    items = f"<p>{escape(', '.join(names))}</p>" if names else ""
    return lines + html.details(f"Claims that depend on the seed ({len(names)})", items)


def _counts(counts: Tally, seeds: str) -> str:
    lines = [f"<strong>Today, {seeds}: {escape(counts.sentence())}.</strong>"]
    if counts.apart():
        lines.append(f"Counted apart: {escape(counts.apart())}.")
    if counts.misses:
        lines.append(f"What disagrees: {escape(counts.ends())}.")
    return "".join(f"<p>{line}</p>" for line in lines)


def _papers(parts: Sequence[Reproduction], total: Tally) -> str:
    columns = ["paper", "experiments", "claims about runs", "scored numbers met"]
    columns += [*(f"within {share:.0%}" for share in WITHIN), "errata found"]
    rows = [
        [
            Markup(
                f"{html.link(part.paper.id, f'{part.paper.id}.html')} "
                f'<span class="faint">{escape(_authors(part))}</span>'
            ),
            str(len(part.results)),
            *counts_of(part.tally),
            html.link(str(len(part.errata)), f"errata.html#{part.paper.id}"),
        ]
        for part in parts
    ]
    experiments = sum(len(part.results) for part in parts)
    errata = sum(len(part.errata) for part in parts)
    rows.append(["all", str(experiments), *counts_of(total), str(errata)])
    return html.table(columns, rows, numbers=range(1, len(columns)), wide=True)


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


def _how_scored() -> str:
    return f'<p class="faint">{escape(HOW_SCORED)}</p>'


def general_claims(
    results: Sequence[ExperimentResult],
) -> list[tuple[int, ExperimentResult, ClaimResult]]:
    """General claims of the papers with their numbers, in the order of the numbers."""
    claims = [(c.claim.general, r, c) for r in results for c in r.claims if c.claim.general]
    return sorted(claims, key=lambda each: (each[0], each[1].experiment.id))


def _general_claims(results: Sequence[ExperimentResult]) -> str:
    claims = general_claims(results)
    if not claims:
        return ""
    rows = [(str(number), *_general_claim(result, claim)) for number, result, claim in claims]
    holding = sum(claim.always for _, _, claim in claims)
    title = f"<h2>General claims of the papers: {holding} of {len(claims)} hold</h2>"
    return title + html.table(["", "claim", "shown by", ""], rows, numbers=[0])


def _general_claim(result: ExperimentResult, claim: ClaimResult) -> tuple[str, Markup, Markup]:
    identifier = result.experiment.id
    return (
        claim.claim.text,
        html.link(identifier, f"{result.paper.id}.html#{identifier}"),
        Markup(held(claim)),
    )


def _misses(part: Reproduction) -> str:
    rows = [
        (
            html.link(miss.experiment, f"{part.paper.id}.html#{miss.experiment}"),
            f"{miss.what}: {miss.found}",
            miss.standing.value,
            miss.why,
        )
        for miss in part.tally.misses
    ]
    table = html.table(["experiment", "what disagrees", "", "what is known of why"], rows)
    return html.details(f"{part.paper.id} ({len(rows)})", table if rows else "")


def _figures(part: Reproduction) -> str:
    links = [
        html.link(
            f"{short_id(part.paper, experiment)} {figure.id}",
            f"{part.paper.id}.html#{figure_id(experiment, figure)}",
        )
        for experiment in part.experiments
        for figure in experiment.figures
    ]
    return f"<p>{escape(part.paper.id)}:</p><nav>{' '.join(links)}</nav>" if links else ""
