"""Options and arguments that take whole numbers refuse all else, and round nothing."""

from __future__ import annotations

import inspect
import tomllib
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cellrate
import cyclopts
import numpy as np
import pytest
from cellrate.cli.parser import app
from cellrate.common.problems import BadInput
from cellrate.simulation.network import Network
from conftest import Command

pytestmark = pytest.mark.usefixtures("undrawn")

FRACTIONS = ("0.4", "1.5", "1.6", "3.0", "1e3", "1_", "0x10", "", "one")


def commands(group: cyclopts.App) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every command of a group, and of the groups in it, with its function."""
    for name in group:
        if name.startswith("-"):
            continue
        inner = group[name]
        if inner.default_command is not None:
            yield name, inner.default_command
        yield from commands(inner)


def converters() -> dict[str, Any]:
    """The converter of every option that is an integer, by command and option."""
    found = {}
    for name, function in commands(app):
        hints = typing.get_type_hints(function, include_extras=True)
        for option in inspect.signature(function).parameters:
            kind, *rest = typing.get_args(hints[option]) or (hints[option],)
            if kind is int or int in typing.get_args(kind):
                [parameter] = [one for one in rest if isinstance(one, cyclopts.Parameter)]
                found[f"{name} {option}"] = parameter.converter
    return found


def test_every_integer_option_refuses_fractions() -> None:
    found = converters()
    assert {"run seed", "compare seeds", "study workers", "plot replication"} <= set(found)
    assert len(found) > 25
    for option, converter in found.items():
        assert converter is not None, option
        for text in FRACTIONS:
            with pytest.raises(BadInput, match="must be a whole number"):
                converter(int, [cyclopts.Token(keyword="--it", value=text)])


@pytest.mark.parametrize("seed", ["1.5", "0.4", "-1", "99999999999999999999", str(2**63)])
def test_a_seed_that_is_none_is_refused(command: Command, traced: Path, seed: str) -> None:
    done = command("run", traced, "--seed", seed)
    assert done.returncode == 2
    assert done.stdout == ""
    allowed = "must be a whole number from 0 to 9223372036854775807"
    assert done.stderr == f"error: --seed {seed}: {allowed}\n"


def test_the_largest_seed_is_run(command: Command, traced: Path) -> None:
    done = command("run", traced, "--seed", str(2**63 - 1), "--set", "run.duration=1 ms")
    assert done.returncode == 0, done.stderr
    assert "seed 9223372036854775807" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("seed", "kind"), [(-1, ValueError), (2**63, ValueError), (1.5, TypeError), (True, TypeError)]
)
def test_arguments_are_as_strict(traced: Path, seed: float, kind: type[Exception]) -> None:
    text = traced.read_text(encoding="utf-8")
    wrong: Any = seed
    shown = r"seed = .*: must be a whole number from 0 to 9223372036854775807"
    for use in (
        lambda: cellrate.run(traced, seed=wrong),
        lambda: cellrate.Job(text, "traced.toml", (), wrong),
        lambda: cellrate.capture(traced, ["A"], "captures", seed=wrong),
        lambda: Network.of(text, seed=wrong),
    ):
        with pytest.raises(kind, match=shown):
            use()


def test_integers_of_numpy_are_integers(traced: Path) -> None:
    job = cellrate.Job(traced.read_text(encoding="utf-8"), "traced.toml", (), np.int64(7))  # type: ignore[arg-type]
    assert type(job.seed) is int
    assert "seed = 7" in job.resolved()


@pytest.mark.parametrize(("workers", "kind"), [(0, ValueError), (1.5, TypeError)])
def test_runs_at_a_time_are_a_whole_number(
    traced: Path, workers: float, kind: type[Exception]
) -> None:
    job = cellrate.Job.from_file(traced)
    with pytest.raises(kind, match=r"workers = .*: must be a whole number from 1 to 4096"):
        cellrate.run_many([job], workers)  # type: ignore[arg-type]


def test_a_mapping_is_a_scenario(traced: Path) -> None:
    text = traced.read_text(encoding="utf-8")
    read = tomllib.loads(text)
    assert isinstance(read["flow"][0], dict)
    assert cellrate.run(read).digest == cellrate.run(text).digest
    resolved = cellrate.run(text).resolved
    assert cellrate.run(tomllib.loads(resolved)).resolved == resolved


def test_the_place_in_a_mapping_is_named() -> None:
    with pytest.raises(cellrate.ScenarioError) as caught:
        cellrate.run({"run": {"durasion": "1 s"}})
    assert "<mapping>:2:1" in caught.value.rendered
    with pytest.raises(TypeError, match=r"run\.duration of the scenario = None: must be text"):
        cellrate.run({"run": {"duration": None}})
    with pytest.raises(TypeError, match=r"scenario = 5: must be a path, the scenario itself"):
        cellrate.run(5)  # type: ignore[arg-type]
