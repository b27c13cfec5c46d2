"""Web page of a paper, one self-contained file."""

from collections.abc import Sequence

from cellrate import __version__
from cellrate.common import html
from cellrate.common.html import escape
from cellrate.common.numbers import estimate_text, number, percent
from cellrate.reproduce.draw_runs import JITTERS
from cellrate.reproduce.drawing import draw
from cellrate.reproduce.draws import LEAST, MOST
from cellrate.reproduce.draws_picture import draws_picture
from cellrate.reproduce.model import Erratum, Experiment, Explanation, Figure, Paper
from cellrate.reproduce.numbers import printed
from cellrate.reproduce.results import ClaimResult, ExperimentResult, ValueResult
from cellrate.reproduce.runs import Outcomes, command_of, job_of, run_ids
from cellrate.reproduce.seeds import seeds_text
from cellrate.reproduce.sensitivity import Moved, Sensitivity
from cellrate.reproduce.standing import Standing
from cellrate.reproduce.tally import Tally, known, tally
from cellrate.simulation.figures import svg


def page(
    paper: Paper,
    results: Sequence[ExperimentResult],
    outcomes: Outcomes,
    sensitivities: Sequence[Sensitivity] = (),
) -> str:
    """HTML text of the page; it loads nothing from other files or sites."""
    moved = {s.experiment: s for s in sensitivities}
    sections = [_section(r, outcomes, moved.get(r.experiment.id)) for r in results]
    top = [_head(paper, results), _summary(tally(results)), _draws(paper)]
    return html.document(paper.id, [*top, *sections])


def _head(paper: Paper, results: Sequence[ExperimentResult]) -> str:
    links = " ".join(
        f'<a href="#{r.experiment.id}">{escape(short_id(paper, r.experiment))}</a>' for r in results
    )
    span = seeds_text(results[0].seeds)
    return (
        f'<p class="faint">{html.link("all papers", "index.html")}</p>'
        f"<h1>{escape(paper.title)}</h1>"
        f'<p class="faint">{escape(", ".join(paper.authors))}; '
        f"{escape(paper.published_in)}, {paper.year}. "
        f"Run again with cellrate {escape(__version__)}, {span}.</p>"
        f"<p>{escape(paper.summary)}</p><nav>{links}</nav>"
    )


def short_id(paper: Paper, experiment: Experiment) -> str:
    """An experiment's id without the paper's id before it."""
    return experiment.id.removeprefix(f"{paper.id}-")


def figure_id(experiment: Experiment, figure: Figure) -> str:
    """HTML id of a figure on the page of its paper."""
    return f"{experiment.id}-figure-{figure.id}"


def _summary(counts: Tally) -> str:
    rows = "".join(
        f'<tr><td><a href="#{m.experiment}">{escape(m.experiment)}</a></td><td>{escape(m.what)}<br>'
        f'<span class="faint">{escape(m.found)}</span></td><td>{escape(m.standing.value)}</td>'
        f"<td>{escape(m.why)}</td></tr>"
        for m in counts.misses
    )
    head = (
        "<tr><th>experiment</th><th>what disagrees</th><th></th><th>what is known of why</th></tr>"
    )
    ends = f"<p>{escape(counts.ends())}.</p>" if rows else ""
    table = f"<h3>What disagrees</h3>{ends}<table>{head}{rows}</table>" if rows else ""
    apart = f" Apart from that, {escape(counts.apart())}." if counts.apart() else ""
    return f"<p><strong>{escape(counts.sentence())}.</strong>{apart}</p>{table}"


def _draws(paper: Paper) -> str:
    """Printed chaotic values in the distributions of ours, and claims explained as draws."""
    picture = draws_picture(paper)
    claims = "".join(
        f"<tr><td>{escape(d.experiment)}: {escape(d.of)}</td>"
        f'<td class="number">{d.holding} of {d.seeds}</td></tr>'
        for d in paper.draws
        if not d.values
    )
    if picture is None and not claims:
        return ""
    seeds = max(drawn.seeds for drawn in paper.draws)
    text = (
        f"Here one lost cell or one coincidence decides, so the printed run is one draw from a "
        f"distribution. Our distributions are over up to {seeds} seeds; the seeds take turns in "
        f"letting the sources start within {', '.join(JITTERS)} of each other. "
        f"A printed value between the percentiles {LEAST} and {MOST} is consistent with its "
        f"distribution, and so is a claim that holds in {LEAST} % of the seeds or more."
    )
    drawn = html.figure(svg(picture), "draws") if picture else ""
    table = f"<table><tr><th>claim</th><th>holds</th></tr>{claims}</table>" if claims else ""
    return f"<h3>Single runs among many</h3><p>{text}</p>{drawn}{table}"


def _section(result: ExperimentResult, outcomes: Outcomes, moved: Sensitivity | None) -> str:
    experiment = result.experiment
    parts = [
        f'<h2 id="{experiment.id}">{escape(experiment.title)}</h2>',
        _where(result),
        *_figures(result, outcomes),
        _values([v for v in result.values if v.published.kind != "arithmetic"]),
        _claims("Claims", [c for c in result.claims if c.claim.about_runs]),
        _arithmetic([v for v in result.values if v.published.kind == "arithmetic"]),
        _claims(
            "Claims that are checks of the paper's arithmetic",
            [c for c in result.claims if not c.claim.about_runs],
        ),
        _assumptions(experiment),
        _list("Errata of the paper", [_erratum(erratum) for erratum in experiment.errata]),
        _list("Other oddities of the paper", [escape(text) for text in experiment.remarks]),
        _sensitivity(moved),
        _commands(result),
    ]
    return "\n".join(part for part in parts if part)


def _where(result: ExperimentResult) -> str:
    place = f"{escape(result.experiment.id)} · {escape(result.experiment.where)}"
    return f'<p class="where">{place} · <code>{escape(result.command)}</code></p>'


def _figures(result: ExperimentResult, outcomes: Outcomes) -> list[str]:
    drawn = []
    for figure in result.experiment.figures:
        canvas = draw(result.paper, result.experiment, figure, outcomes, result.seeds)
        drawn.append(html.figure(svg(canvas), figure_id(result.experiment, figure)))
    return drawn


def _values(values: Sequence[ValueResult]) -> str:
    if not values:
        return ""
    head = (
        '<tr><th>quantity</th><th class="number">printed</th><th class="number">measured</th>'
        '<th class="number">difference</th><th></th></tr>'
    )
    return f"<h3>Printed and measured</h3><table>{head}{''.join(map(_value, values))}</table>"


def _value(value: ValueResult) -> str:
    published = value.published
    measured = estimate_text(value.measured) if value.measured else ""
    kind = f"restated: {published.restates}" if published.kind == "restated" else published.kind
    order = {None: "", True: " · in the printed order", False: " · not in the printed order"}
    kind += order[value.in_order]
    kind += f" · again: {published.again}" if published.again else ""
    note = f'<span class="where">{escape(published.where)} · {escape(kind)}</span>'
    line = (
        f"<tr><td>{escape(published.quantity)}<br>{note}</td>"
        f'<td class="number">{escape(printed(published))}</td>'
        f'<td class="number">{measured}</td>'
        f'<td class="number">{percent(value.relative_difference)}</td>'
        f"<td>{_verdict(value.met)}</td></tr>"
    )
    return line + _why(value.standing, value.explanation, columns=5)


def _arithmetic(values: Sequence[ValueResult]) -> str:
    """Printed values beside values computed from the paper's own numbers, without runs."""
    if not values:
        return ""
    rows = "".join(
        f'<tr><td>{escape(v.published.quantity)}<br><span class="where">'
        f"{escape(v.published.where)}</span></td>"
        f'<td class="number">{escape(printed(v.published))}</td>'
        f'<td class="number">{estimate_text(v.measured) if v.measured else ""}</td>'
        f'<td class="number">{percent(v.relative_difference)}</td>'
        f"<td><code>{escape(v.published.measure)}</code></td></tr>"
        for v in values
    )
    head = (
        '<tr><th>quantity</th><th class="number">printed</th><th class="number">computed</th>'
        '<th class="number">difference</th><th>from</th></tr>'
    )
    return f"<h3>The paper's arithmetic</h3><table>{head}{rows}</table>"


def _verdict(met: bool | None) -> str:
    if met is None:
        return ""
    return '<span class="good">met</span>' if met else '<span class="bad">not met</span>'


def _why(standing: Standing | None, explanation: Explanation | None, columns: int) -> str:
    if standing is None:
        return ""
    text = f"<strong>{standing.value}.</strong> {escape(known(explanation))}"
    return f'<tr><td colspan="{columns}"><div class="why">{text}</div></td></tr>'


def _claims(title: str, claims: Sequence[ClaimResult]) -> str:
    if not claims:
        return ""
    head = "<tr><th>claim</th><th>predicate</th><th></th></tr>"
    rows = "".join(
        f'<tr><td>{escape(c.claim.text)}<br><span class="where">{escape(c.claim.where)}</span></td>'
        f"<td><code>{escape(c.claim.holds_if)}</code></td><td>{held(c)}</td></tr>"
        + _why(c.standing, c.explanation, columns=3)
        for c in claims
    )
    return f"<h3>{escape(title)}</h3><table>{head}{rows}</table>"


def held(claim: ClaimResult) -> str:
    """Verdict on a claim as HTML; with several seeds, the number of seeds in which it holds."""
    style = "good" if claim.always else "bad"
    total = len(claim.holds)
    text = (
        ("holds" if claim.always else "does not hold")
        if total == 1
        else f"{claim.count} of {total} seeds"
    )
    return f'<span class="{style}">{text}</span>'


def _assumptions(experiment: Experiment) -> str:
    items = "".join(
        f"<li>{escape(a.parameter)}: <em>{escape(a.assumed)}</em>"
        f"{'<br>' + escape(a.why) if a.why else ''}</li>"
        for a in experiment.assumptions
    )
    title = f"What the paper leaves open ({len(experiment.assumptions)})"
    return html.details(title, f"<ul>{items}</ul>" if items else "")


def _erratum(erratum: Erratum) -> str:
    text = f"{erratum.where}: {erratum.printed}; should be: {erratum.right}"
    return html.link(text, f"errata.html#{erratum.id}")


def _list(title: str, items: Sequence[str]) -> str:
    lines = "".join(f"<li>{item}</li>" for item in items)
    return html.details(f"{title} ({len(items)})", f"<ul>{lines}</ul>" if lines else "")


def _sensitivity(sensitivity: Sensitivity | None) -> str:
    if sensitivity is None or not sensitivity.moved:
        return ""
    quantities = list(sensitivity.moved[0].values)
    head = "".join(f'<th class="number">{escape(q)}</th>' for q in quantities)
    base = "".join(
        f'<td class="number">{number(a.mean)}</td>' for a, _ in sensitivity.moved[0].values.values()
    )
    rows = "".join(map(_moved, sensitivity.moved))
    return (
        "<h3>What each open assumption moves</h3><table>"
        f"<tr><th>instead</th>{head}<th>claims that change</th></tr>"
        f"<tr><td>as assumed</td>{base}<td></td></tr>{rows}</table>"
    )


def _moved(moved: Moved) -> str:
    cells = "".join(f'<td class="number">{number(b.mean)}</td>' for _, b in moved.values.values())
    flips = ", ".join(f"{name}: {a} → {b} seeds" for name, (a, b) in moved.claims.items() if a != b)
    name = f"{moved.assumption.parameter}: {moved.alternative.label}"
    return f"<tr><td>{escape(name)}</td>{cells}<td>{escape(flips)}</td></tr>"


def _commands(result: ExperimentResult) -> str:
    lines = [
        command_of(job_of(result.paper, variant, point, result.seeds[0]))
        for _, variant, point in run_ids(result.experiment)
    ]
    if not lines:
        return ""
    text = escape("\n".join(lines))
    return html.details(f"Commands of its runs ({len(lines)})", f"<pre>{text}</pre>")
