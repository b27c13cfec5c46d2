"""Films of cells: against the run's passages, hand-worked times, and other readers of files."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from browser import shown
from cellrate import Job, _core, run, template
from cellrate.cli import cells
from cellrate.cli.app import BAD_INPUT, run_command
from cellrate.common.problems import BadInput
from cellrate.simulation.animation.drawn_film import positions
from cellrate.simulation.animation.film import Film, film, shown_film
from cellrate.simulation.animation.node_places import Map, node_places
from cellrate.simulation.network import Network
from cellrate.simulation.passages import Passages, passages
from PIL import Image

# A cell lasts 10 us on each link; a kilometre 5 us.
LINE = """
[run]
duration = "2 ms"
[topology]
template = "graph"
node = [
    { name = "h1", kind = "host" },
    { name = "X", kind = "switch" },
    { name = "h2", kind = "host" },
]
link = [
    { from = "h1", to = "X", rate = "42.4 Mbit/s", delay = "10 km" },
    { from = "X", to = "h2", rate = "42.4 Mbit/s", delay = "20 km" },
]
[[flow]]
name = "cbr"
service = "cbr"
from = "h1"
to = "h2"
source = { kind = "cbr", rate = "4.24 Mbit/s" }
"""
CONGESTED = (
    "switch.buffer=20 cells",
    "abr.icr=100 Mbit/s",
    "topology.bottleneck=5 km",
    "flow.tcp.count=4",
    'switch.control={scheme="efci", threshold="10 cells"}',
)
SPAN = 0.0101, 0.0103


@pytest.fixture(scope="module")
def congested(tmp_path_factory: pytest.TempPathFactory) -> Film:
    job = Job(template("n-source"), "n-source.toml", CONGESTED)
    return film(job, SPAN, tmp_path_factory.mktemp("film") / "film")


def test_cells_of_a_line_are_where_the_hand_puts_them(tmp_path: Path) -> None:
    made = film(Job(LINE, "line.toml"), (0.0, 1e-3), tmp_path / "film")
    begins = made.moving.filter(pl.col("link") == "h1->X")["left_seconds"].to_numpy()
    # One cell in 100 us; each is 10 us on the line before its last bit has left.
    first = begins[0]
    assert begins == pytest.approx(first + np.arange(10) * 100e-6, abs=1e-11)
    assert (first - 10e-6) % 100e-6 == pytest.approx(0.0, abs=1e-11)
    # 50 us of propagation, 10 us of transmission, 100 us of propagation.
    for link, after in (("h1->X", 0.0), ("X->h2", 60e-6)):
        own = made.moving.filter(pl.col("link") == link)
        left = own["left_seconds"].to_numpy()
        assert left == pytest.approx(begins[: len(left)] + after, abs=1e-11)
        delay = {"h1->X": 50e-6, "X->h2": 100e-6}[link]
        assert own["arrived_seconds"].to_numpy() == pytest.approx(left + delay, abs=1e-11)
    assert set(made.moving["look"]) == {"data"}
    assert made.queues == ()
    # A fifth of the way after 10 of 50 us; the ends are at 0.07 and 0.5.
    ends = {"x": 0.07, "y": 0.5, "to_x": 0.5, "to_y": 0.5}
    one = made.moving.head(1).with_columns(**{name: pl.lit(at) for name, at in ends.items()})
    [x], [y] = positions(one, first + 10e-6)
    assert (x, y) == pytest.approx((0.07 + 0.2 * 0.43, 0.5))


def test_the_cells_are_those_of_the_run(congested: Film) -> None:
    scenario = _core.Scenario(template("n-source"), "n-source.toml", list(CONGESTED))
    seen = passages(scenario, SPAN).frame.filter(pl.col("left_seconds") < SPAN[1])
    columns = ["link", "left_seconds", "arrived_seconds"]
    assert congested.moving.height > 200
    assert congested.moving.select(columns).sort(columns).equals(seen.select(columns).sort(columns))
    kinds = congested.moving.select(
        "link", "left_seconds", pl.col("look").str.replace("-marked", "")
    )
    assert kinds.sort("link", "left_seconds")["look"].to_list() == (
        seen.sort("link", "left_seconds")["kind"].to_list()
    )


def test_losses_and_queues_are_those_of_the_run(congested: Film) -> None:
    settings = ["run.duration=10.4 ms", "measure.from=0 s", 'measure.events=["loss"]']
    scenario = _core.Scenario(template("n-source"), "n", [*CONGESTED, *settings])
    told = run(scenario.resolved()).events.filter(pl.col("kind") == "loss")
    times = told.filter(pl.col("time_seconds").is_between(*SPAN, closed="left"))["time_seconds"]
    assert congested.losses["time_seconds"].to_list() == times.to_list()
    assert len(times) > 0
    [queue] = [one for one in congested.queues if (one.sender, one.receiver) == ("A", "B")]
    assert queue.limit == 20
    # A cell is refused when the buffer is full, so the bar is full at each loss.
    assert {queue.at(time) for time in times} <= {19.0, 20.0}


def test_cells_that_links_lose_are_seen(tmp_path: Path) -> None:
    """A cell that a link loses is not seen on it: with the lost ones they are those sent."""
    errors = ("link_errors={ lose_every = 5 }",)
    made = film(Job(LINE, "line.toml", errors), (0.0, 2e-3), tmp_path / "film")
    sent = run(LINE, overrides=[*errors, "measure.from=0 s"]).summary["vcs"][0]
    on_first = made.moving.filter(pl.col("link") == "h1->X").height
    lost_on_first = made.losses.filter(pl.col("link") == "h1->X").height
    assert lost_on_first > 0
    assert on_first + lost_on_first == sent["cells_sent"]


def test_marks_begin_with_the_queue_that_makes_them(tmp_path: Path, congested: Film) -> None:
    """EFCI is set where the queue is above the threshold; the access links carry none."""
    looks = congested.moving.group_by("link", "look").len()
    marked = looks.filter(pl.col("look") == "data-marked")
    assert {"A->B"} <= set(marked["link"])
    assert not any(link.startswith("src.") for link in marked["link"])
    calm = [*CONGESTED[:4], 'switch.control={scheme="efci", threshold="100 cells"}']
    made = film(Job(template("n-source"), "n-source.toml", tuple(calm)), SPAN, tmp_path / "film")
    assert not any(look.endswith("-marked") for look in made.moving["look"])


def test_credit_cells_are_seen(tmp_path: Path) -> None:
    text = Path(__file__).with_name("scenarios").joinpath("credit.toml").read_text("utf-8")
    made = film(Job(text, "credit.toml"), (0.0101, 0.0111), tmp_path / "film")
    credit = made.moving.filter(pl.col("look") == "credit")
    assert set(credit["link"]) == {"X->h1", "h2->X", "h1->X", "X->h2"} & set(credit["link"])
    assert credit.height > 10
    network = Network.of(text, "credit.toml")
    delays = {link.name: link.delay_seconds for link in network.links}
    for link, left, arrived in credit.select("link", "left_seconds", "arrived_seconds").rows():
        assert arrived - left == pytest.approx(delays[link], abs=1e-9)


@pytest.mark.parametrize("name", ["n-source", "parking-lot", "gfc-1", "gfc-2", "two-way"])
def test_flows_go_to_the_right_and_no_nodes_are_on_each_other(name: str) -> None:
    network = Network.of(template(name), name, ())
    places = node_places(Map.of(network))
    assert set(places) == {node.name for node in network.nodes}
    spots = sorted((round(x, 4), round(y, 4)) for x, y in places.values())
    assert len(set(spots)) == len(spots)
    assert all(0 < x < 1 and 0 < y < 1 for x, y in spots)
    first = network.flows[0].forward
    xs = [places[first[0].sender.name][0], *(places[link.receiver.name][0] for link in first)]
    assert xs == sorted(xs)


def film_of(folder: Path, *options: str) -> int:
    """Runs the command on the line of two links."""
    (folder / "line.toml").write_text(LINE, encoding="utf-8")
    span = [] if "--from" in options else ["--from", "0.5 ms", "--to", "0.6 ms"]
    return run_command(["animate", str(folder / "line.toml"), *span, *options])


def test_files_are_valid_and_the_same_again(tmp_path: Path) -> None:
    suffixes = ["html", "gif", *(["mp4"] if shutil.which("ffmpeg") else [])]
    for suffix in suffixes:
        made = [tmp_path / f"{take}.{suffix}" for take in ("one", "two")]
        for path in made:
            assert film_of(tmp_path, "--length", "0.2 s", "-o", str(path)) == 0
        assert made[0].read_bytes() == made[1].read_bytes()
    with Image.open(tmp_path / "one.gif") as found:
        assert found.n_frames == 4  # type: ignore[attr-defined]
        assert found.size == (960, 540)
    if "mp4" in suffixes:
        ask = ["ffprobe", "-v", "error", "-count_frames", "-show_entries"]
        entries = [
            "stream=nb_read_frames,r_frame_rate",
            "-of",
            "csv=p=0",
            str(tmp_path / "one.mp4"),
        ]
        told = subprocess.run([*ask, *entries], capture_output=True, text=True, check=True).stdout
        assert told.strip() == "20/1,4"


def test_pictures_that_take_long_are_told_before_they_are_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = []
    monkeypatch.setattr(cells, "FIRST_PICTURES", 2)
    for worth in (1e9, 0.0):
        monkeypatch.setattr(cells, "WORTH_SHOWING_SECONDS", worth)
        assert film_of(tmp_path, "--length", "0.2 s", "-o", str(tmp_path / "line.gif")) == 0
        said.append(capsys.readouterr())
    quick, slow = said
    assert slow.out == quick.out
    assert quick.err == ""
    many = quick.out.split(",")[0]
    told = rf"drawing gif: 4 pictures of {many}, about [\d.]+ s; -o NAME.html writes the page"
    assert re.match(told, slow.err)


def test_the_page_has_the_cells_and_plays_them(tmp_path: Path) -> None:
    page = tmp_path / "line.html"
    assert film_of(tmp_path, "-o", str(page)) == 0
    text = page.read_text("utf-8")
    found = re.search(r'id="film">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    data = json.loads(found[1])
    ends = [tuple(data["nodes"][at]["name"] for at in link) for link in data["links"]]
    cells = [(ends[link], left, arrived) for link, _, left, arrived in data["moving"]]
    assert ends[0] == ("h1", "X")
    # By hand: cells leave h1 at 10 us and every 100 us, and are 50 and 100 us under way.
    assert [one for one in cells if one[0] == ("h1", "X")] == [(("h1", "X"), 510.0, 560.0)]
    assert [one for one in cells if one[0] == ("X", "h2")] == [
        (("X", "h2"), 470.0, 570.0),
        (("X", "h2"), 570.0, 670.0),
    ]
    assert not re.search(r'(src|href)="', text)
    dom = shown(text, tmp_path, name="t=540")
    assert "0.5400 ms" in dom
    assert "2 cells on links" in dom


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--from", "1 ms", "--to", "1 ms"], "is not after --from"),
        (["--from", "1 cell", "--to", "1 ms"], "--from"),
        (
            ["--from", "1 ms", "--to", "3 ms"],
            "--to 0.003 s: the run ends at 0.002 s",
        ),
        (["--from", "2 ms"], "--from 0.002 s: the run ends at 0.002 s"),
        (["--from", "0 ms", "--to", "0.005 ms"], "no cell is on a link between --from and --to"),
        (["--speed", "1 us", "--length", "3 s"], "give one of them"),
        (["--speed", "0 us"], "--speed 0 us: it must be above zero"),
        (["--length", "9 cells"], "--length"),
        (["--length", "3600 s", "-o", "x.gif"], "allowed are 2 to 1,200"),
        (["--length", "3600 s"], "72,000 pictures, 20 a second"),
        (["-o", "x.avi"], "a film is written as html, gif, mp4"),
    ],
)
def test_bad_spans_and_lengths_are_refused(
    options: list[str],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert film_of(tmp_path, *options) == BAD_INPUT
    assert said in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == ["line.toml"]


def test_a_film_of_too_many_cells_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cellrate.simulation.animation.film.MOST", 3)
    with pytest.raises(BadInput, match=r"more than 3 cells .* let --to be [\d.]+ "):
        film(Job(LINE, "line.toml"), (0.0, 1e-3), tmp_path / "film")


# Sixty cells are on the long link at once.
LONG = LINE.replace('delay = "20 km"', 'delay = "1200 km"')
FRAMES = """
link_layer = "ethernet"
run.duration = "20 ms"
[topology]
template = "graph"
node = [
    { name = "a", kind = "host" },
    { name = "S", kind = "switch" },
    { name = "b", kind = "host" },
]
link = [
    { from = "a", to = "S", rate = "100 Mbit/s", delay = "1 us" },
    { from = "S", to = "b", rate = "100 Mbit/s", delay = "10 ms" },
]
[[flow]]
name = "datagrams"
from = "a"
to = "b"
datagram = "1000 bytes"
source = { kind = "cbr", rate = "80 Mbit/s" }
"""


@pytest.mark.parametrize(("text", "begin"), [(LONG, 8e-3), (FRAMES, 15e-3)])
def test_a_film_whose_begin_has_too_many_cells_already_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, begin: float
) -> None:
    """No end is early enough, so that none is looked for."""
    tried = []

    def counted(*arguments: Any, **options: Any) -> Passages:  # noqa: ANN401
        tried.append(arguments[1])
        assert len(tried) < 9
        return passages(*arguments, **options)

    monkeypatch.setattr("cellrate.simulation.animation.film.passages", counted)
    monkeypatch.setattr("cellrate.simulation.animation.film.MOST", 20)
    job = Job(text, "long.toml", ("run.duration=20 ms",))
    units = "frames" if text == FRAMES else "cells"
    said = (
        f"more than 20 {units} are on links at --from already, the most that a film shows: choose"
    )
    for end in (None, begin + 1e-4):
        with pytest.raises(BadInput, match=said):
            shown_film(job, begin, end, tmp_path / "film")
    assert tried[-1] == (begin, begin + 1e-4)


@pytest.mark.parametrize("text", [LINE, FRAMES])
def test_a_film_tells_its_progress_and_can_be_stopped(tmp_path: Path, text: str) -> None:
    job = Job(text, "line.toml", ("run.duration=20 ms",))
    told: list[tuple[float, int]] = []
    shown_film(job, 15e-3, 18e-3, tmp_path / "film", lambda *parts: told.append(parts))
    done = [part for part, _ in told]
    assert {of for _, of in told} == {2}
    assert done == sorted(done)
    if text == LINE:  # frames are told ten times a second
        assert len([part for part in done if 0 < part < 0.7]) > 20
    assert done[-1] <= 2
    scenario = job.scenario()
    if text == LINE:
        with pytest.raises(_core.Cancelled):
            scenario.passages(15e-3, 18e-3, 9, lambda now, end: now < end / 2)


def test_a_span_that_is_left_open_shows_what_fits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the first flow's start, two round trips, or as much as a film shows."""
    job = Job(LINE, "line.toml")
    network = Network.of_scenario(job.scenario())
    first = min(flow.start_seconds for flow in network.flows)
    trip = max(flow.propagation_round_trip_seconds or 0.0 for flow in network.flows)
    whole = shown_film(job, None, None, tmp_path / "film")
    assert whole.start_seconds == first
    assert whole.end_seconds == pytest.approx(first + (2 * trip or 1e-3))
    assert whole.moving.height > 10
    monkeypatch.setattr("cellrate.simulation.animation.film.MOST", whole.moving.height // 2)
    less = shown_film(job, None, None, tmp_path / "film")
    assert 0 < less.moving.height <= whole.moving.height // 2
    assert less.end_seconds < whole.end_seconds


def test_without_ffmpeg_an_mp4_is_refused_and_the_rest_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    assert film_of(tmp_path, "-o", "x.mp4") == BAD_INPUT
    told = capsys.readouterr().err
    assert "needs the program ffmpeg" in told
    assert "write .html or .gif" in told
    assert film_of(tmp_path, "--length", "0.2 s") == 0
    names = sorted(path.name for path in (tmp_path / "out").glob("*film*"))
    assert names == ["line-film.gif", "line-film.html"]
