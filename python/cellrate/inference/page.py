"""Web page of an inference, one self-contained file."""

from __future__ import annotations

from cellrate import __version__
from cellrate.common import html
from cellrate.common.html import escape
from cellrate.inference import words
from cellrate.inference.drawing import picture
from cellrate.inference.finding import Finding, Inference
from cellrate.inference.screen import shares
from cellrate.reproduce.seeds import seeds_text
from cellrate.simulation.figures import svg

LEGEND = (
    "In the pictures: a dot is the share of all the results concerned, over the seeds, hollow if "
    "the value is excluded; the grey bar behind it reaches from the least to the greatest seed; "
    "triangles are the halves of the experiments, A upwards in blue, B downwards in orange."
)


def page(inference: Inference) -> str:
    """HTML text of the page; it loads nothing from other files or sites."""
    title = f"{inference.paper.id}: what was not printed"
    return html.document(
        title,
        [
            f"<h1>{escape(inference.paper.title)}: what was not printed</h1>",
            (
                f'<p class="faint">{escape(seeds_text(inference.seeds))} · '
                f"cellrate {escape(__version__)}</p>"
            ),
            _columns(inference),
            f"<p>{escape(words.RULES)}</p><p>{escape(LEGEND)}</p>",
            *map(_finding, inference.findings),
            _unconcerned(inference),
        ],
    )


def _columns(inference: Inference) -> str:
    assumed, inferred = inference.assumed, inference.inferred
    rows = [
        [
            "numbers met",
            f"{assumed.numbers_met} of {assumed.numbers}",
            f"{inferred.numbers_met} of {inferred.numbers}",
        ],
        [
            "claims about runs that hold",
            f"{assumed.claims_holding} of {assumed.claims}",
            f"{inferred.claims_holding} of {inferred.claims}",
        ],
    ]
    columns = ["", "as assumed before looking", "with inferred values that held out"]
    used = "".join(
        f"<li>{escape(a.parameter)}: <em>{escape(other.label)}</em></li>"
        for a, other in inference.kept
    )
    which = f"<ul>{used}</ul>" if used else "<p>No value held out, so both are the same.</p>"
    note = f'<p class="faint">{escape(words.counted_results(inference))}.</p>'
    return html.table(columns, rows, numbers={1, 2}) + note + which


def _finding(finding: Finding) -> str:
    assumption, parts = finding.parameter.assumption, finding.hold_out.halves
    rows = [
        [label, *shares(finding, value), words.standing(finding, value)]
        for value, label in enumerate(finding.parameter.labels)
    ]
    nothing = words.exclusion(finding)
    notes = [f"Rests on {words.rests_on(finding)}.", f"{nothing}." if nothing else ""]
    halves = "; ".join(
        f"half {name}: {', '.join(part)}" for name, part in zip("AB", parts, strict=True) if part
    )
    problems = "".join(f"<li>{escape(problem)}</li>" for problem in finding.problems)
    style = {"held-out": "good", "fitted": "bad"}.get(finding.verdict, "faint")
    return "".join(
        [
            f'<h2 id="{escape(assumption.id)}">{escape(assumption.parameter)}</h2>',
            f'<p class="where">{escape(assumption.id)} · assumed: {escape(assumption.assumed)}</p>',
            f'<p class="{style}">{escape(words.conclusion(finding))}</p>',
            html.figure(svg(picture(finding))),
            f"<p>{escape(' '.join(filter(None, notes)))}</p>",
            html.table(
                ["value", "share", "half A", "half B", ""], rows, numbers={1, 2, 3}, wide=True
            ),
            html.details("The halves", f"<p>{escape(halves)}</p>"),
            html.details(
                f"Not evaluated, counted as missed ({len(finding.problems)})",
                f"<ul>{problems}</ul>" if problems else "",
            ),
        ]
    )


def _unconcerned(inference: Inference) -> str:
    items = "".join(f"<li>{escape(a.parameter)}</li>" for a in inference.unconcerned)
    return f"<h2>On these no result depends</h2><ul>{items}</ul>" if items else ""
