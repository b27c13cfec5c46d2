"""Films and time-space diagrams over Ethernet, by hand; runs in parts, and their profile."""

from __future__ import annotations

import json
import math
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from cellrate import _core, template, time_space
from cellrate.simulation.animation.drawn_film import positions
from cellrate.simulation.animation.film import film
from cellrate.simulation.animation.node_places import Map, Way, node_places
from cellrate.simulation.network.ethernet_view import FrameNetwork
from cellrate.simulation.passages import passages
from cellrate.simulation.profile import profile
from cellrate.simulation.runner import Job
from conftest import Command
from matplotlib.collections import PolyCollection

# Datagrams of 1,472 bytes every 100 us of their rate on the line: 1,538 x 8 bits / 100 us.
LINE = """
link_layer = "ethernet"
run.duration = "1 ms"
flow = [{ name = "f", from = "h1", to = "h2", source = { kind = "cbr", rate = "123.04 Mbit/s" } }]
[topology]
template = "graph"
node = [
    { kind = "host", name = "h1" },
    { kind = "host", name = "h2" },
    { kind = "switch", name = "X" },
]
link = [
    { from = "h1", to = "X", rate = "1 Gbit/s", delay = "10 us" },
    { from = "X", to = "h2", rate = "1 Gbit/s", delay = "5 us" },
]
"""
# Preamble and frame of 1,526 bytes at 8 ns each.
SENDING = 12.208e-6
LOSSY = ("run.duration=2 ms", "switch.buffer=20 kB", 'switch.aqm={algorithm="none"}')


def test_a_frame_lies_on_its_link_from_tail_to_head(tmp_path: Path) -> None:
    made = film(Job(LINE, "line.toml"), (0.0, 1e-3), tmp_path / "film")
    first = made.moving.filter(pl.col("link") == "h1->X")
    then = made.moving.filter(pl.col("link") == "X->h2")
    assert set(made.moving["look"]) == {"data"}
    for frames, delay in ((first, 10e-6), (then, 5e-6)):
        times = frames.select("began_seconds", "left_seconds", "arrived_seconds").to_numpy()
        assert times[:, 1] - times[:, 0] == pytest.approx(SENDING, abs=1e-11)
        assert times[:, 2] - times[:, 1] == pytest.approx(delay, abs=1e-11)
    # The switch begins to send a frame when its last bit has come.
    arrived, began = first["arrived_seconds"].to_list(), then["began_seconds"].to_list()
    assert began == pytest.approx(arrived[: len(began)], abs=1e-11)
    ends = {"x": 0.0, "y": 0.5, "to_x": 1.0, "to_y": 0.5}
    one = first.head(1).with_columns(**{name: pl.lit(at) for name, at in ends.items()})
    # 15 us after its first bit has left: that one is there, the last one has gone 2.792 us.
    time = one["began_seconds"].item() + 15e-6
    assert positions(one, time, "began_seconds")[0] == pytest.approx([1.0])
    assert positions(one, time)[0] == pytest.approx([0.2792])


def test_a_film_may_end_before_the_measuring_window(tmp_path: Path) -> None:
    job = Job(LINE, "line.toml", overrides=("measure.to=900 us",))
    made = film(job, (0.0, 2e-4), tmp_path / "film")
    began = made.moving["began_seconds"].to_list()
    assert began
    assert max(began) < 2e-4


def test_packets_keep_their_numbers_and_every_drop_is_seen(tmp_path: Path) -> None:
    job = Job(template("incast"), "incast.toml", LOSSY)
    scenario = job.scenario()
    seen = passages(scenario, (0.0, 2e-3), 10**6)
    summary = json.loads(scenario.run().summary())
    dropped = seen.frame.filter("dropped")
    # The measuring window is the whole run.
    assert dropped.height == summary["totals"]["packets_dropped"] > 50
    data = seen.frame.filter(pl.col("vc").str.ends_with("/forward"), pl.col("kind") == "data")
    last = data.filter(pl.col("link") == "A->sink", ~pl.col("dropped"))
    at = data.filter(pl.col("link") == "A->sink").select("vc", "packet")
    assert at.is_unique().all(), "a packet leaves the switch once, or is dropped"
    sent = data.filter(pl.col("link") != "A->sink")
    both = last.join(sent, on=["vc", "packet"], suffix="_before")
    assert both.height == last.height
    assert (both["began_seconds"] >= both["arrived_seconds_before"] - 1e-12).all()
    made = film(job, (0.0, 2e-4), tmp_path / "film")
    early = dropped.filter(pl.col("left_seconds") < 2e-4)["left_seconds"]
    assert made.losses["time_seconds"].to_list() == early.to_list()
    # A buffer of 20 kB holds 13 full frames, with which a drop finds it.
    [queue] = [one for one in made.queues if one.receiver == "sink"]
    assert queue.limit == 20
    assert max(queue.lengths) == pytest.approx(13 * 1.518)


def test_a_sprayed_packet_keeps_its_number_on_any_way() -> None:
    settings = ["run.duration=300 us", "switch.buffer=20 kB", "switch.multipath=random"]
    scenario = _core.Scenario(template("leaf-spine"), "leaf-spine", settings)
    frame = passages(scenario, (0.0, 3e-4), 10**6).frame
    assert frame.filter("dropped").height > 10
    forward = frame.filter(pl.col("vc") == "file.1/forward")
    over = forward.filter(pl.col("link").str.starts_with("leaf1->spine"), ~pl.col("dropped"))
    assert over["link"].n_unique() == 2, "frames of a flow take both spines"
    assert over["packet"].is_unique().all()
    # Each of them has left the host before under its number.
    host = forward.filter(pl.col("link") == "h1->leaf1")
    both = over.join(host, on="packet", suffix="_before")
    assert both.height == over.height
    assert (both["began_seconds"] >= both["arrived_seconds_before"] - 1e-12).all()
    digests = {json.loads(scenario.run(threads=n).summary())["digest"] for n in (1, 2)}
    assert len(digests) == 1


def test_tiers_stand_above_each_other_where_flows_go_both_ways() -> None:
    places = _places("leaf-spine")
    heights = {name[:4]: y for name, (_, y) in places.items()}
    assert heights["h1"] < heights["leaf"] < heights["spin"]
    beside = [places[f"h{number}"][0] for number in range(1, 17)]
    assert beside == sorted(beside)
    # All flows of an incast have one direction.
    incast = _places("incast")
    assert incast["A"][0] < incast["sink"][0]


@pytest.mark.parametrize("count", [3, 4, 5, 6, 8])
def test_switches_of_a_ring_stand_in_a_ring(count: int) -> None:
    numbers = range(count)
    links = [(f"s{one}", f"s{(one + 1) % count}") for one in numbers]
    links += [(f"{host}{one}", f"s{one}") for one in numbers for host in ("a", "b")]
    ways = [way for one, other in links for way in ((one, other), (other, one))]
    names = {name: name[0] == "s" for way in ways for name in way}
    network = Map(names, tuple(Way(f"{one}->{other}", one, other) for one, other in ways), ())
    places = node_places(network)
    assert all(0 < x < 1 and 0 < y < 1 for x, y in places.values())
    spots = list(places.values())
    assert min(math.dist(a, b) for a, b in combinations(spots, 2)) > 0.05
    # No link between two switches passes over a third node.
    for one, other in links[:count]:
        ends = math.dist(places[one], places[other])
        for name in names.keys() - {one, other}:
            round_ = math.dist(places[one], places[name]) + math.dist(places[name], places[other])
            assert round_ > 1.002 * ends, (one, other, name)
    # Its hosts are farther out than a switch, on its side.
    for host, switch in links[count:]:
        out, own = (abs(places[name][0] - 0.5) for name in (host, switch))
        assert out > own


def _places(name: str) -> dict[str, tuple[float, float]]:
    scenario = _core.Scenario(template(name), name)
    return dict(node_places(Map.of(FrameNetwork.of_scenario(scenario))))


def test_a_diagram_has_a_band_for_each_frame() -> None:
    text, span = template("incast"), (0.0, 2e-3)
    figure = time_space(text, *span, flow="answer.1", overrides=LOSSY)
    [panel] = figure.axes
    bands = {one.get_label(): one for one in panel.collections if isinstance(one, PolyCollection)}
    frame = passages(_core.Scenario(text, "incast", list(LOSSY)), span).frame
    own = frame.filter(pl.col("vc") == "answer.1/forward", ~pl.col("dropped"))
    data = bands["frames with data"].get_paths()
    assert len(data) == own.filter(pl.col("kind") == "data").height
    # At the sender a band is as wide as the frame takes: 1,526 bytes at 10 Gbit/s.
    began, left = np.asarray(data[0].vertices)[:2, 0]
    assert left - began == pytest.approx(1.2208e-3, abs=1e-6)
    assert {"acknowledgements", "frames of other flows"} <= bands.keys()
    crosses = [line for line in panel.lines if line.get_label() == "lost"]
    assert len(crosses) == 1


def test_a_run_is_divided_where_links_are_long(command: Command) -> None:
    lines = {f"topology.{name}": "200 us" for name in ("host_delay", "spine_delay")}
    far = [f"--set={key}={value}" for key, value in (lines | {"run.duration": "60 ms"}).items()]
    asked = ("run", "-", *far, "--set", "tcp.window=4 MiB", "--threads", "2")
    text = template("leaf-spine")
    plan = json.loads(command(*asked, "--plan", "--json", stdin=text).stdout)
    assert len(plan["parts"]) == 2, plan
    assert plan["lookahead_seconds"] == pytest.approx(200.0576e-6)
    scenario = _core.Scenario(text, "x", [one[6:] for one in far] + ["tcp.window=4 MiB"])
    digests = {json.loads(scenario.run(threads=n).summary())["digest"] for n in (1, 2)}
    assert len(digests) == 1


def test_a_profile_knows_what_the_run_did() -> None:
    job = Job(template("leaf-spine"), "leaf-spine.toml", ("run.duration=1 ms",))
    found = profile(job, lambda *_: None)
    summary = json.loads(job.scenario().run().summary())
    assert (found.digest, found.hops) == (
        summary["digest"],
        (summary["packet_hops"], "packet-hops"),
    )
    tasks = {share.task for share in found.shares}
    assert {"switches", "hosts that send by TCP", "traces"} <= tasks
    counts = {count.what: count.number for count in found.counts}
    assert counts["packets sent"] == summary["totals"]["packets_sent"]
    assert "no traces" in {saving.name for saving in found.savings}
