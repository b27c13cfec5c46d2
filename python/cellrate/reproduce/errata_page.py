"""Web page of the papers' errata, each with its proofs."""

from collections.abc import Sequence

from cellrate.common import html
from cellrate.common.html import escape
from cellrate.common.numbers import estimate_text
from cellrate.reproduce.errata import ErratumResult, ProofResult
from cellrate.reproduce.reproduction import Reproduction

INTRODUCTION = (
    "What is printed and cannot be right. Each proof was computed when this page was written."
)


def errata_page(parts: Sequence[Reproduction]) -> str:
    """HTML text of the page."""
    return html.document(
        "Errata of the papers",
        [
            f'<p class="faint">{html.link("all papers", "index.html")}</p>',
            "<h1>Errata of the papers</h1>",
            f"<p>{escape(INTRODUCTION)}</p>",
            *(_paper(part) for part in parts if part.errata),
        ],
    )


def _paper(part: Reproduction) -> str:
    title = f'<h2 id="{part.paper.id}">{escape(part.paper.title)}</h2>'
    return title + "".join(map(_erratum, part.errata))


def _erratum(result: ErratumResult) -> str:
    erratum = result.erratum
    proofs = "".join(map(_proof, result.proofs))
    return (
        f'<h3 id="{erratum.id}">{escape(erratum.where)}</h3>'
        f"<p>Printed: {escape(erratum.printed)}<br>Right: {escape(erratum.right)}</p>"
        f"<p>{escape(erratum.why)}</p>{proofs}"
    )


def _proof(result: ProofResult) -> str:
    style, verdict = ("good", "holds") if result.holds else ("bad", "does not hold")
    rows = [(quantity, f"{estimate_text(value)} {unit}") for quantity, value, unit in result.values]
    numbers = html.table(["quantity", "value"], rows, numbers=[1]) if rows else ""
    return (
        f'<p>{escape(result.proof.text)} <span class="{style}">{verdict}</span><br>'
        f"<code>{escape(result.proof.holds_if)}</code></p>{numbers}"
    )
