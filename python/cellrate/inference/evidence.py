"""An inference as a Markdown page and one picture for the documentation."""

from __future__ import annotations

from pathlib import Path

from cellrate.common import whole_file
from cellrate.common.document import (
    Block,
    Document,
    Figure,
    Paragraph,
    Section,
    Span,
)
from cellrate.common.document.markdown import markdown
from cellrate.common.whole_file import make_directory
from cellrate.inference import sentences
from cellrate.inference.answer import Finding, Inference
from cellrate.inference.figure import pictures
from cellrate.inference.report import counts, kept_values, values
from cellrate.simulation import figures

CAPTION = (
    "Share of the results that each value meets. Dot: all, hollow if excluded; grey bar: "
    "from the least to the greatest seed; triangles: half A upwards, half B downwards"
)


def write_evidence(inference: Inference, directory: Path) -> list[Path]:
    """Writes the page and its picture, and returns their paths.

    Raises:
        OSError: They cannot be written.
    """
    make_directory(directory)
    stem = directory / f"{inference.paper.id}-inferred"
    drawn = figures.save(pictures(inference.findings), stem, ("svg",)) if inference.findings else []
    path = stem.with_suffix(".md")
    whole_file.write_text(path, markdown(evidence(inference)))
    return [path, *drawn]


def evidence(inference: Inference) -> Document:
    """The page."""
    paper = inference.paper
    first = f" --first-seed {inference.seeds[0]}" if inference.seeds[0] != 1 else ""
    command = f"cellrate infer {paper.id} --seeds {len(inference.seeds)}{first}"
    names = "; ".join(one.parameter for one in inference.unconcerned)
    pictures = Figure(lambda: "", CAPTION, file=f"{paper.id}-inferred.svg")
    parts: list[Block] = [
        Paragraph(("The results are those of\n", Span(command, "code"), f".\n{sentences.RULES}")),
        Paragraph(f"{sentences.counted_results(inference)}:"),
        counts(inference),
        kept_values(inference),
        *map(_finding, inference.findings),
        *([Paragraph(f"No result depends on: {names}.")] if names else []),
        *([Section("The pictures", (pictures,))] if inference.findings else []),
    ]
    return Document(sentences.title(inference), tuple(parts))


def _finding(finding: Finding) -> Section:
    assumption = finding.parameter.assumption
    basis = f"Assumed: {assumption.assumed}. Rests on {sentences.rests_on(finding)}."
    parts: list[Block] = [
        Paragraph(f"{basis} {sentences.exclusion(finding)}".strip()),
        Paragraph(Span(sentences.conclusion(finding), "strong")),
        values(finding),
        *([Paragraph(f"{sentences.not_evaluated(finding)}.")] if finding.problems else []),
    ]
    return Section(f"{assumption.id}: {assumption.parameter}", tuple(parts))
