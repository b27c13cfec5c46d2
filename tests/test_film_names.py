"""Names of nodes in films: beside their nodes, on nothing else, and whole rows of them or none."""

from __future__ import annotations

import json
import re
from itertools import combinations
from pathlib import Path

import pytest
from browser import shown
from cellrate import Job, template
from cellrate.simulation.animation.drawn_film import Picture
from cellrate.simulation.animation.film import Film, film
from cellrate.simulation.animation.film_page import film_page

SPAN = 0.0, 20e-6
# Writes each text of one drawing into the page: its box, and below the boxes of all circles.
RECORD = """
const pen = CanvasRenderingContext2D.prototype, texts = [], circles = [];
const { fillText, arc } = pen;
pen.fillText = function (text, x, y) {
  const wide = this.measureText(text).width, size = parseFloat(this.font);
  const left = { left: x, center: x - wide / 2, right: x - wide }[this.textAlign];
  if (this.textBaseline === "middle") texts.push([text, left, y - size / 2, left + wide, y + size / 2]);
  fillText.apply(this, arguments);
};
pen.arc = function (x, y, radius) { circles.push([x, y, radius]); arc.apply(this, arguments); };
dispatchEvent(new Event("resize"));
const canvas = document.getElementById("picture"), edge = canvas.getBoundingClientRect();
const [x, y] = circles[circles.length - 1];
canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: edge.left + 1 + x, clientY: edge.top + 1 + y }));
const made = document.createElement("pre");
made.id = "recorded";
made.textContent = JSON.stringify({ texts, circles, wide: canvas.clientWidth, title: canvas.title });
document.body.append(made);
"""  # noqa: E501  JavaScript


def incast(hosts: int, place: Path) -> Film:
    settings = (f"flow.answer.count={hosts}",)
    return film(Job(template("incast"), "incast.toml", settings), SPAN, place)


@pytest.mark.parametrize(
    ("hosts", "width", "are_named"), [(32, 1280, True), (32, 390, True), (60, 1280, False)]
)
def test_names_of_a_page_stand_beside_their_hosts(
    hosts: int, width: int, are_named: bool, tmp_path: Path
) -> None:
    made = incast(hosts, tmp_path / "film")
    dom = shown(film_page(made, 1e-6), tmp_path, RECORD, name="t=10", width=width)
    found = re.search(r'id="recorded">(.*?)</pre>', dom, re.DOTALL)
    assert found is not None
    drawn = json.loads(found[1])
    names = {name: box for name, *box in drawn["texts"]}
    sources = [f"src.answer.{at + 1}" for at in range(hosts)]
    assert names.keys() == {"A", "sink", *(sources if are_named else [])}
    # The circles are the hosts; the pointer is on the last.
    circles = dict(zip(made.network.hosts, drawn["circles"], strict=True))
    assert len(circles) == hosts + 1
    assert drawn["title"] == made.network.hosts[-1]
    for name, (left, top, right, bottom) in names.items():
        assert left >= 0
        assert right <= drawn["wide"]
        for x, y, radius in circles.values():
            is_beside = not left - radius < x < right + radius
            assert is_beside or not top - radius < y < bottom + radius
        if name in circles:
            x, y, _ = circles[name]
            assert (top + bottom) / 2 == pytest.approx(y)
            assert 4 <= (left - x if name == "sink" else x - right) <= 10
    for one, other in combinations(names.values(), 2):
        is_beside = one[2] <= other[0] or other[2] <= one[0]
        assert is_beside or one[3] <= other[1] or other[3] <= one[1]


@pytest.mark.parametrize(("hosts", "are_named"), [(32, True), (60, False)])
def test_names_of_a_drawn_film_stand_beside_their_hosts(
    hosts: int, are_named: bool, tmp_path: Path
) -> None:
    made = incast(hosts, tmp_path / "film")
    panel = Picture(made, 1e-6).figure.axes[0]
    nodes = {text.get_text(): text for text in panel.texts if text.get_text() in made.places}
    sources = {name for name in made.places if name.startswith("src.")}
    assert len(sources) == hosts
    assert nodes.keys() == {"A", "sink"} | (sources if are_named else set())
    boxes = {name: text.get_window_extent() for name, text in nodes.items()}
    for one, other in combinations(boxes.values(), 2):
        assert not one.overlaps(other)
    for name in sources & nodes.keys():
        x, y = panel.transData.transform(made.places[name])
        assert 4 <= x - boxes[name].x1 <= 10
        assert boxes[name].y0 < y < boxes[name].y1
