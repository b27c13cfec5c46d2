"""The page of one overload: each component makes something else of it, within the same axes."""

from __future__ import annotations

import json
import re
import tomllib

from cellrate.simulation.purposes import PURPOSES
from cellrate.simulation.runner import run_many
from overload_pages import DATA, caption, jobs, queue_of, rates_of

PAGE = tomllib.loads(DATA.read_text(encoding="utf-8"))
SHOWN = {"schemes", "credit", "pauses", "policies", "aqm", "schedules", "roce"}


def test_all_components_of_a_kind_are_shown_and_no_others_have_settings() -> None:
    names = {kind: set(of) for kinds in PURPOSES.values() for kind, of in kinds.items()}
    assert set(PAGE["kind"]) == SHOWN
    assert set(jobs(PAGE)) == {(kind, name) for kind in SHOWN for name in names[kind]}
    for kind, settings in PAGE["kind"].items():
        assert settings.get("more", {}).keys() <= names[kind], kind


def test_each_component_makes_something_else_of_the_overload() -> None:
    runs = jobs(PAGE)
    seen: dict[bytes, tuple[str, str]] = {}
    for shown, outcome in zip(runs, run_many(list(runs.values())), strict=True):
        scenario = PAGE["scenario"][PAGE["kind"][shown[0]]["scenario"]]
        queue, rates = queue_of(outcome, scenario), rates_of(outcome, scenario)
        drawn = b"".join(one.maximum.tobytes() for one in (queue, *rates))
        assert len(rates) == 5
        assert seen.setdefault(drawn, shown) == shown
        assert queue.maximum.max() <= scenario["queue"]["most"], shown
        summary = json.loads(outcome.summary())
        wrong = {one["message"] for one in summary["warnings"] if one["code"] == "scenario"}
        # Without losses no limit of a buffer acts, and over RoCE no parameter of TCP.
        idle = [re.search("buffer|tcp", message) for message in wrong]
        assert all(idle), (shown, wrong)
        assert not wrong or shown[0] in {"pauses", "roce"}, (shown, wrong)
        if shown in {("credit", "fcvc"), ("pauses", "pfc"), ("pauses", "cbfc")}:
            assert "no packet is lost" in caption(outcome, scenario)
