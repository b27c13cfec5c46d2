"""Web pages of reports: their names and policy, and what a real browser makes of them."""

from __future__ import annotations

import base64
import hashlib
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from browser import shown
from cellrate.common.document import (
    Column,
    Command,
    Document,
    Figure,
    Folded,
    Paragraph,
    Row,
    Section,
    Span,
    Table,
    columns,
    inline_svg,
    rows,
)
from cellrate.common.document.web_page import web_page
from cellrate.simulation.figures import new_figure, svg


def drawing() -> str:
    """A drawing of matplotlib, whose ids are the same each time."""
    figure, [panel] = new_figure()
    panel.plot([0, 1], [1, 0], label="queue")
    panel.legend()
    return svg(figure)


SPANS = ["9 ms", "1,024.5 ms", "0.02 s", "-", "-3 ms ± 2"]
TABLE = Table(
    columns("name", Column("span", "right"), "runs"),
    tuple(
        Row(
            (f"n{at}", span, Folded("1 run", (Paragraph(f"detail {at}"),), f"run-{at}")),
            note="why" if at == 0 else "",
        )
        for at, span in enumerate(SPANS)
    ),
)
PAGE = Document(
    "Pages & tables",
    (
        Section("Values", (TABLE, Command(("cellrate run my.toml",)))),
        Section("Values", (Figure(drawing, "first"), Section("Deep <part>", (Paragraph("x"),)))),
        Section("Nothing", ()),
        Section("Runs", (Figure(drawing, "second"), Paragraph(Span("go", link="#run-3")))),
        Section("own", (Paragraph("y"),), "values-2"),
    ),
)


class Names(HTMLParser):
    """Collects ids, links to names, and attributes that a strict policy forbids."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.forbidden: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Notes the attributes of a tag."""
        for name, value in attributes:
            if name == "id":
                self.ids.append(value or "")
            if name in {"href", "xlink:href"} and (value or "").startswith("#"):
                self.links.append((value or "")[1:])
            if name == "style" or name.startswith("on"):
                self.forbidden.append(f"{tag} {name}")


def test_every_name_is_there_once_and_every_link_leads_to_one() -> None:
    page = web_page(PAGE)
    found = Names(page)
    assert len(found.ids) == len(set(found.ids))
    assert set(found.links) <= set(found.ids)
    assert found.forbidden == []
    assert set(re.findall(r"url\(#([^)]+)\)", page)) <= set(found.ids)
    # Both sections without a name are called after their titles; the third has the name already.
    own = [name for name in found.ids if not name.startswith(("drawing-", "run-"))]
    assert own == ["values", "values-3", "deep-part", "runs", "values-2"]
    contents = page[page.index('<nav class="contents"') : page.index("</nav>")]
    assert re.findall(r'href="#([^"]+)"', contents) == [
        *("values", "values-3", "deep-part", "runs", "values-2")
    ]
    assert "Nothing" not in contents


def test_what_comes_before_the_first_section_comes_before_the_contents() -> None:
    inner = (Section("Claims", (Paragraph("x"),)),)
    sections = tuple(Section(name, inner) for name in ("a", "b", "c"))
    page = web_page(Document("t", (Paragraph("The answer."), *sections)))
    assert page.index("The answer.") < page.index('<nav class="contents"') < page.index("<h2 ")
    # Subsections with equal titles tell nothing apart.
    contents = page[page.index("<nav") : page.index("</nav>")]
    assert re.findall(r'href="#([^"]+)"', contents) == ["a", "b", "c"]


def test_the_policy_permits_the_script_and_the_style_of_the_page_and_nothing_else() -> None:
    page = web_page(PAGE)
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    for tag, rule in (("script", "script-src"), ("style", "style-src")):
        [text] = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        code = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{code}'"
    # No element loads anything: links of drawings and sections stay on the page.
    assert set(re.findall(r'(?:src|href)="([^#"][^"]*)"', page)) == set()


def test_a_style_that_is_no_attribute_is_refused() -> None:
    with pytest.raises(ValueError, match="mix-blend-mode"):
        inline_svg.fit('<svg ><path style="mix-blend-mode: screen"/></svg>')
    with pytest.raises(ValueError, match="not one rule for all elements"):
        inline_svg.fit("<svg ><style>path{fill: red}</style></svg>")


def test_a_short_page_has_no_contents() -> None:
    page = web_page(Document("t", (Section("a", (Paragraph("x"),)), Section("b", (TABLE,)))))
    assert '<nav class="contents"' not in page


def names_of_rows(dom: str) -> list[str]:
    """First cells of the rows of the table, notes as `why`."""
    body = dom[dom.index("<tbody>") : dom.index("</tbody>")]
    found = re.findall(r'<td>(n\d)</td>|class="why">(why)', body)
    return ["".join(one) for one in found]


CLICK = "document.querySelectorAll('button.sort')[1].click();"


def test_a_click_on_a_title_sorts_numbers_as_numbers(tmp_path: Path) -> None:
    upwards = shown(web_page(PAGE), tmp_path, CLICK)
    assert names_of_rows(upwards) == ["n4", "n0", "why", "n2", "n1", "n3"]
    assert re.search(r'<th[^>]*aria-sort="ascending"[^>]*>.*?span', upwards)
    downwards = shown(web_page(PAGE), tmp_path, CLICK * 2)
    assert names_of_rows(downwards) == ["n1", "n2", "n0", "why", "n4", "n3"]
    assert 'aria-sort="descending"' in downwards


def test_details_open_when_a_link_leads_to_them(tmp_path: Path) -> None:
    page = web_page(PAGE)
    assert "<details open" not in shown(page, tmp_path).replace(
        '<details open=""><summary>Contents', ""
    )
    dom = shown(page, tmp_path, name="run-3")
    opened = re.findall(r"<details open[^>]*><summary>1 run</summary><div id=\"([^\"]+)\"", dom)
    assert opened == ["run-3"]


def test_commands_can_be_copied_and_nothing_breaks_the_policy(tmp_path: Path) -> None:
    note = (
        "document.addEventListener('securitypolicyviolation', (event) => "
        "document.body.append('VIOLATED ' + event.violatedDirective));"
    )
    page = web_page(PAGE).replace("<body>", f"<body><script>{note}</script>")
    code = base64.b64encode(hashlib.sha256(note.encode()).digest()).decode()
    page = page.replace("script-src ", f"script-src 'sha256-{code}' ", 1)
    dom = unescape(shown(page, tmp_path))
    assert "VIOLATED" not in dom.replace(note, "")
    assert dom.count('class="copy"') == 1
    broken = page.replace("<h1>", '<h1 style="color: red">')
    assert "VIOLATED style-src" in shown(broken, tmp_path)


def test_a_page_is_not_wider_than_a_narrow_window(tmp_path: Path) -> None:
    """No window of this browser is narrower than 500 px; the rules for phones begin at 640 px."""
    note = (
        "const e = document.documentElement; "
        "document.body.append(e.scrollWidth > e.clientWidth ? 'TOO' + ' WIDE' : 'FITS' + ' IN');"
    )
    wide = Table(columns(*(f"column-{at}" for at in range(30))), rows([["1" * 12] * 30]), wide=True)
    parts = (wide, *PAGE.parts, Command(("x" * 300,)))
    page = web_page(Document("t" * 90, parts))
    assert "FITS IN" in shown(page, tmp_path, note, width=400)
    broken = page.replace('class="table wide"', 'class="open"')
    assert "TOO WIDE" in shown(broken, tmp_path, note, width=400)
