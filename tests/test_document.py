"""One document on terminals of all widths, as a web page and as Markdown."""

from __future__ import annotations

import io
import re
from html.parser import HTMLParser

import pytest
from cellrate.common import terminal
from cellrate.common.document import (
    Block,
    Column,
    Command,
    Detail,
    Document,
    Figure,
    Folded,
    Listing,
    Paragraph,
    Remark,
    Row,
    Section,
    Span,
    Table,
    columns,
    joined,
    rows,
)
from cellrate.common.document.markdown import markdown
from cellrate.common.document.terminal_text import lines, show_lines
from cellrate.common.document.web_page import blocks, web_page
from cellrate.common.to_json import json_text
from rich.console import Console

FLOWS = [f"tcp.{number}" for number in range(1, 8)]
NUMBERS = ["149.760 ± 0.003", "12,345,678", "-0.000214", "1,024"]
WIDE = Table(
    (
        Column("flow"),
        Column("goodput\nMbit/s", "right"),
        Column("cells\nsent", "right"),
        Column("difference", "right"),
        Column("window-\nlimited", "right"),
        Column("remark", optional=True),
        Column("source", detail=True),
    ),
    tuple(Row((flow, *NUMBERS, "leaves the rest to others", "RFC 5681")) for flow in FLOWS),
)
REPORT = Document(
    "Queue of A->B & more",
    (
        Paragraph(("It is ", Span("not met", "bad"), ".")),
        Section("Values | here", (WIDE, Remark("assumes equal round trips")), "values"),
        Section("Nothing", (Detail(()), Listing(()))),
        Detail((Paragraph("only for readers with time"),)),
        Folded("All of them", (Paragraph("folded"),)),
        Figure(lambda: "<svg width='1'></svg>", "queue over time", "queue", "queue.svg"),
        Listing(("ACR", Listing(("PCR < 1",)))),
        Command(("cellrate run my.toml --set " + "x" * 200,)),
    ),
    above=Span("all", link="index.html"),
)


def shown(part: Block | Document, width: int) -> str:
    """The text of a document or of a part at a width."""
    document = part if isinstance(part, Document) else Document("title", (part,))
    console = Console(file=io.StringIO(), width=width, highlight=False)
    show_lines(lines(document, console.width), console)
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def test_a_pipe_gets_the_text_that_rich_would_write(capsys: pytest.CaptureFixture[str]) -> None:
    wide = Table(
        columns("待ち行列", "µs"), rows([["traffic\x07 ± 3", "待ち行列 " * 20], ["é", "─"]])
    )
    document = Document("a title\x08", (WIDE, Section("a section", (wide,))))
    terminal.show(document)
    assert capsys.readouterr().out == shown(document, terminal.PLAIN_WIDTH)


@pytest.mark.parametrize("width", [120, 80, 60, 40, 30])
def test_numbers_are_whole_at_every_width(width: int) -> None:
    text = shown(WIDE, width)
    assert max(map(len, text.splitlines())) <= width
    for number in NUMBERS:
        assert text.count(number) == len(FLOWS), number
    for flow in FLOWS:
        assert flow in text
    assert "RFC" not in text


def test_a_narrow_terminal_names_what_it_leaves_out_or_turns_the_table() -> None:
    assert text_of(shown(WIDE, 120)).count("leaves the rest to others") == len(FLOWS)
    narrow = shown(WIDE, 54)
    assert "not shown in 54 columns: remark" in narrow
    assert "leaves" not in narrow
    turned = shown(WIDE, 40)
    assert re.search(r"^flow +tcp\.1", turned, re.MULTILINE)
    assert re.search(r"^window-limited +1,024", turned, re.MULTILINE)
    assert "leaves" in turned


def text_of(printed: str) -> str:
    """A text on one line."""
    return " ".join(printed.split())


def test_a_word_wider_than_the_terminal_is_not_lost() -> None:
    table = Table(columns("name", "value", numbers=[1]), rows([["n" * 50, "9" * 40]]))
    digits = re.sub(r"\D", "", shown(table, 30))
    assert digits == "9" * 40


@pytest.mark.parametrize("width", [120, 40, 30, 20, 17])
def test_a_first_column_of_numbers_is_whole_at_every_width(width: int) -> None:
    numbers = ["149.760 ± 0.003", "1.52587890625e-05", "-0.000214"]
    cells = [[number, f"flow.tcp.{at}", "1,024 ± 12"] for at, number in enumerate(numbers)]
    text = shown(
        Table(columns("mean", "rate-limited", "cells", numbers=[0, 2]), rows(cells)), width
    )
    assert max(map(len, text.splitlines())) <= width
    for number in numbers:
        assert text.count(number) == 1
    assert text.count("1,024 ± 12") == len(numbers)


@pytest.mark.parametrize("title", ["path", "", "results/of"])
def test_a_single_column_may_be_wider_than_the_terminal(title: str) -> None:
    path = "results/of/the/experiment.toml"
    table = Table((Column(title), Column("why", detail=True)), rows([[path, "kept"], ["a", "b"]]))
    body = shown(table, 12).splitlines()
    assert body[-2:] == [path, "a"]


def test_cells_are_broken_between_words_only() -> None:
    cell = "holds with all of 1,234 seeds and none of 5,678 others"
    table = Table(columns("claim", "n", numbers=[1]), rows([[cell, "1"]]))
    body = shown(table, 24).splitlines()[4:]
    assert len(body) > 2
    words = " ".join(line[:21] for line in body).split()
    assert words == cell.split()


def test_a_terminal_leaves_out_what_only_pages_show() -> None:
    text = shown(REPORT, 80)
    assert "It is not met." in text
    assert "assumes equal round trips" in text
    assert "x" * 200 in text
    assert "  - PCR < 1" in text
    for absent in ("only for readers", "folded", "svg", "index.html", "Nothing"):
        assert absent not in text


def test_only_the_first_rows_may_be_shown() -> None:
    table = Table(columns("n"), rows([[str(n)] for n in range(10)]), most=3, more="on the page")
    text = shown(table, 80)
    assert "7 more on the page" in text
    assert "\n3" not in text


def test_notes_of_rows_stand_below_them() -> None:
    table = Table(columns("a", "b"), (Row(("one", "two"), joined("because ", Span("so", "bad"))),))
    lines = shown(table, 40).splitlines()
    assert lines.index("  because so") == lines.index("one  two") + 1
    assert '<td colspan="2"><div class="why">because <span class="bad">so' in web_page(
        Document("t", (table,))
    )
    assert "two<br>because **so** |" in markdown(Document("t", (table,)))


class Tags(HTMLParser):
    """Checks that tags are closed in order and no list is a list's own child; collects ids."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Notes an opened tag."""
        self.ids += [value or "" for name, value in attributes if name == "id"]
        assert tag != "ul" or self.open[-1] != "ul"
        if tag not in {"br", "meta"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Checks that a closed tag is the last one opened."""
        assert self.open.pop() == tag


def test_a_page_is_well_formed_and_escaped() -> None:
    page = web_page(REPORT)
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert tags.ids == ["values", "queue"]
    assert "<title>Queue of A-&gt;B &amp; more</title>" in page
    assert '<svg role="img" aria-label="queue over time" ' in page
    assert "<summary>All of them</summary><p>folded</p>" in page
    assert "Nothing" not in page
    assert "<ul><li>ACR<ul><li>PCR &lt; 1</li></ul></li></ul>" in page
    assert "RFC 5681" in page
    assert page.index("index.html") < page.index("<h1>")


def test_a_name_between_backticks_is_code_on_a_page() -> None:
    page = blocks([Paragraph("it uses `erica<` and `efci`, not ` alone")])
    assert page == "<p>it uses <code>erica&lt;</code> and <code>efci</code>, not ` alone</p>"


def test_markdown_escapes_and_nests() -> None:
    text = markdown(REPORT)
    assert "# Queue of A->B & more" in text
    assert "It is **not met**." in text
    assert "## Values \\| here" in text
    assert "- ACR\n  - PCR < 1" in text
    assert "![queue over time.](queue.svg)" in text
    assert "folded" not in text
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert table[0].startswith("| flow | goodput Mbit/s | cells sent | difference | window-limited")
    assert table[1] == "|---|--:|--:|--:|--:|---|---|"
    assert len({line.count("|") for line in table}) == 1


def test_a_bar_in_code_or_in_a_folded_title_does_not_end_a_cell_of_markdown() -> None:
    code = Span("a | b", "code")
    table = Table(columns("n", "m"), rows([[code, Folded("c | d", ())]]))
    text = markdown(Document("a_b | *c*", (Paragraph(code), table)))
    assert text.splitlines() == [
        "# a\\_b \\| \\*c\\*",
        "",
        "`a | b`",
        "",
        "| n | m |",
        "|---|---|",
        "| `a \\| b` | c \\| d |",
    ]


def test_a_row_has_a_cell_for_every_column() -> None:
    with pytest.raises(ValueError, match="1 cells in a row; columns: 2"):
        Table(columns("a", "b"), rows([["only"]]))


def test_json_has_neither_infinity_nor_nan() -> None:
    assert json_text({"a": [1, None]}) == '{"a": [1, null]}\n'
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_text(float("inf"))


def test_a_terminal_without_unicode_gets_ascii() -> None:
    raw = io.BytesIO()
    console = Console(file=io.TextIOWrapper(raw, encoding="ascii"), width=80, highlight=False)
    table = Table(columns("a", "b"), rows([["1", "2"]]))
    show_lines(lines(Document("title", (table,)), console.width), console)
    console.file.flush()
    assert raw.getvalue().decode("ascii").split() == ["title", "a", "b", "----", "1", "2"]
