"""A table for LaTeX, with the rules of the package booktabs."""

from __future__ import annotations

from cellrate.studies.dataset.table import texts
from cellrate.studies.dataset.table.tabulation import Tabulation

SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "µ": r"\textmu{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


def latex(table: Tabulation) -> str:
    """The table as an environment `table`; the document needs the package booktabs."""
    rows = texts.body(table)
    heads = [[str(head)] for head in table.rows] + texts.heads(table)
    height = max(len(head) for head in heads)
    padded = [[""] * (height - len(head)) + head for head in heads]
    lines = [
        line
        for at in range(height)
        for line in _heads([head[: at + 1] for head in padded], len(table.rows))
    ]
    form = "l" * len(table.rows) + "r" * (len(heads) - len(table.rows))
    caption = " ".join([f"{texts.caption(table)}.", *table.notes])
    return "\n".join(
        [
            r"% \usepackage{booktabs}",
            r"\begin{table}",
            rf"\caption{{{escaped(caption)}}}",
            rf"\begin{{tabular}}{{{form}}}",
            r"\toprule",
            *lines,
            r"\midrule",
            *(_line([*keys, *cells]) for keys, cells in rows),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _heads(heads: list[list[str]], keys: int) -> list[str]:
    """Lines of one level of headers; what neighbours share stands once above all of them.

    Args:
        heads: The headers of each column down to this level, as ``name = value`` above columns of
            a factor.
        keys: Number of columns with the factors of the rows.
    """
    left = [head[-1] for head in heads[:keys]]
    above = [head[-1].partition(" = ") for head in heads[keys:]]
    if (
        len(above) < 2
        or not all(equals for _, equals, _ in above)
        or len({a[0] for a in above}) > 1
    ):
        return _spanned(left, heads[keys:], [head[-1] for head in heads[keys:]])
    name = _spanned([""] * keys, [[""]] * len(above), [above[0][0]] * len(above))
    return [*name, *_spanned(left, heads[keys:], [level for _, _, level in above])]


def _spanned(left: list[str], paths: list[list[str]], shown: list[str]) -> list[str]:
    """A line of headers, and rules beneath those that stand above several columns.

    Args:
        left: Headers of the columns with the factors of the rows.
        paths: For each other column what it stands under; equal neighbours share a header.
        shown: The header of each.
    """
    cells, rules, at = list(map(escaped, left)), [], 0
    while at < len(paths):
        count = next((n for n in range(at, len(paths)) if paths[n] != paths[at]), len(paths)) - at
        text = escaped(shown[at])
        cells.append(rf"\multicolumn{{{count}}}{{c}}{{{text}}}" if count > 1 else text)
        if count > 1:
            first = len(left) + at + 1
            rules.append(rf"\cmidrule(lr){{{first}-{first + count - 1}}}")
        at += count
    return [" & ".join(cells) + r" \\", *([" ".join(rules)] if rules else [])]


def escaped(text: str) -> str:
    """The text with LaTeX's special characters escaped."""
    return "".join(SPECIAL.get(character, character) for character in text)


def _line(cells: list[str]) -> str:
    return " & ".join(map(escaped, cells)) + r" \\"
