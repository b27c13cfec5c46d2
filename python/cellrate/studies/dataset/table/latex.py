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
        for line in _heads([head[at] for head in padded], len(table.rows))
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


def _heads(heads: list[str], keys: int) -> list[str]:
    """Lines of one level of headers; a name that all columns share stands once above their values.

    Args:
        heads: The headers, as ``name = value`` above columns of a factor.
        keys: Number of columns with the factors of the rows.
    """
    above = [head.partition(" = ") for head in heads[keys:]]
    if (
        len(above) < 2
        or not all(equals for _, equals, _ in above)
        or len({a[0] for a in above}) > 1
    ):
        return [_line(heads)]
    group = rf"\multicolumn{{{len(above)}}}{{c}}{{{escaped(above[0][0])}}}"
    rule = rf"\cmidrule(lr){{{keys + 1}-{len(heads)}}}"
    return [
        " & ".join([*[""] * keys, group]) + r" \\",
        rule,
        _line([*heads[:keys], *(level for _, _, level in above)]),
    ]


def escaped(text: str) -> str:
    """The text with LaTeX's special characters escaped."""
    return "".join(SPECIAL.get(character, character) for character in text)


def _line(cells: list[str]) -> str:
    return " & ".join(map(escaped, cells)) + r" \\"
