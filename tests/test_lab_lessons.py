"""Lessons of the lab: what each step tells of its run is so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cellrate
import pytest

LESSONS = sorted((Path(__file__).parents[1] / "lab" / "lessons").glob("*.json"))
STEPS = [
    (path.stem, number, lesson["text"], step)
    for path in LESSONS
    for lesson in [json.loads(path.read_text(encoding="utf-8"))]
    for number, step in enumerate(lesson["steps"], 1)
]


def _toml(literal: str) -> str:
    """A value as `--set` takes it, as TOML."""
    is_toml = literal[0] in "{[\"'" or literal in {"true", "false"}
    try:
        float(literal)
    except ValueError:
        return literal if is_toml else json.dumps(literal)
    return literal


def _change(change: dict[str, Any]) -> str:
    """A change as an inline table."""
    keys = ", ".join(f'"{path}"={_toml(literal)}' for path, literal in change["set"])
    return f'{{at="{change["at"]}", set={{{keys}}}}}'


def overrides(step: dict[str, Any], side: int) -> list[str]:
    """Settings of a side of a step, as the page makes them."""
    chosen = step.get("other", []) if side else step.get("set", [])
    found = [f"{path}={literal}" for path, literal in chosen if literal is not None]
    changes = [] if side else step.get("changes", [])
    if changes:
        found.append(f"changes=[{', '.join(_change(one) for one in changes)}]")
    return found


def without(text: str, step: dict[str, Any], side: int) -> str:
    """The text without the tables that the step takes away."""
    gone = [path for path, literal in step.get("other", []) if side and literal is None]
    for table in gone:
        text = text.replace(f"[{table}]\n", "")
    return text


def measured(result: cellrate.Result) -> dict[str, float]:
    """Measures that facts of lessons name."""
    summary = result.summary
    if summary.get("link_layer") == "ethernet":
        return over_ethernet(summary)
    queues = [queue for port in summary["ports"] for queue in port["queues"]]
    totals = summary["totals"]
    longest = max(queue["queue_max_cells"] for queue in queues)
    before = max(queue["queue_max_before_window_cells"] or 0 for queue in queues)
    return {
        "utilisation": max(port["utilisation"] for port in summary["ports"]),
        "queue_max": max(longest, before),
        "queue_max_in_window": longest,
        "queue_mean": max(queue["queue_mean_cells"] for queue in queues),
        "lost": totals["cells_dropped"],
        "packets_lost": totals["packets_lost"],
        "timeouts": totals["timeouts"],
        "goodput": (totals["goodput_bits_per_second"] or 0.0) / 1e6,
        "jain": totals["jain_index"] or 0.0,
    }


def over_ethernet(summary: dict[str, Any]) -> dict[str, float]:
    """The measures over Ethernet: queues in kB, the goodput of each group of flows in Gbit/s."""
    queues = [queue for port in summary["ports"] for queue in port["queues"]]
    longest = max(queue["queue_max_bytes"] for queue in queues) / 1e3
    before = max(queue["queue_max_before_window_bytes"] or 0 for queue in queues) / 1e3
    goodput = {
        f"goodput of {flow['group']}": flow["goodput_bits_per_second"] / 1e9
        for flow in summary["flows"]
    }
    return {
        "queue_max": max(longest, before),
        "queue_max_in_window": longest,
        "packets_lost": summary["totals"]["packets_dropped"],
        **goodput,
    }


@pytest.mark.parametrize(
    ("lesson", "number", "text", "step"), STEPS, ids=[f"{one[0]}-{one[1]}" for one in STEPS]
)
def test_the_facts_of_a_step_are_those_of_its_run(
    lesson: str, number: int, text: str, step: dict[str, Any]
) -> None:
    assert step["facts"], f"{lesson}, step {number}, tells nothing that its run could contradict"
    for side in (0, 1) if "other" in step else (0,):
        result = cellrate.run(without(text, step, side), overrides=overrides(step, side))
        found = measured(result)
        for fact in step["facts"]:
            if fact.get("side", 0) == side:
                value = found[fact["measure"]]
                assert fact["least"] <= value <= fact["most"], (step["title"], fact, value)


def test_there_are_eight_lessons_of_five_to_eight_steps() -> None:
    steps = {path.stem: len(json.loads(path.read_text("utf-8"))["steps"]) for path in LESSONS}
    assert len(steps) == 8
    assert all(5 <= count <= 8 for count in steps.values()), steps
