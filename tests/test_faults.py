"""Full disks, crowds and damaged stores; `make faults` does far more of each, and kills."""

from __future__ import annotations

import random
import resource
import shutil
import signal
from pathlib import Path

import pytest
from conftest import Command, shell

from proof.faults import crowd, damage, ground


@pytest.mark.long
def test_a_data_set_that_does_not_fit_is_told_and_resumed(tmp_path: Path, command: Command) -> None:
    (tmp_path / "s.toml").write_text(ground.study(1))
    data = tmp_path / "out" / "studies" / "s"

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, 4_000))

    # First there is no room for a result, then, when all are kept, none for a table.
    for what in "results", "studies/s":
        done = shell("cellrate study s.toml", tmp_path, limit)
        assert done.returncode == 1
        assert done.stderr.startswith(f"error: cannot write out/{what}")
        assert "free some space" in done.stderr
        assert len(done.stderr.splitlines()) == 1
        assert ground.leftovers(tmp_path / "out") == []
        assert not data.exists()
        assert "12 runs at 12 points" in command("study", "s.toml").stdout
        shutil.rmtree(data)
    assert "0 simulated" in command("study", "s.toml").stdout


def fresh_ground(place: Path) -> ground.Ground:
    place.mkdir()
    return ground.Ground(place, random.Random(1))  # noqa: S311


@pytest.mark.long
def test_two_processes_on_one_study_one_of_them_killed(tmp_path: Path) -> None:
    found = fresh_ground(tmp_path / "crowd")
    crowd.campaign(found, 1)
    assert found.findings == []
    assert found.counts["killed in a crowd"] == 1


@pytest.mark.long
def test_no_damage_gives_wrong_results(tmp_path: Path) -> None:
    found = fresh_ground(tmp_path / "damage")
    damage.campaign(found, len(damage.DAMAGES))
    assert found.findings == []
    assert found.counts["results repeated"] > 0


def test_an_interrupted_campaign_leaves_no_process_and_no_directory(tmp_path: Path) -> None:
    place = tmp_path / "left"
    found = fresh_ground(place)
    file = found.write("s.toml", ground.study(1000))

    def interrupted() -> None:
        with found:
            found.start("study", file, "--out", "out")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [process.returncode for process in found.running] == [-signal.SIGKILL]
    assert not place.exists()
