"""Studies on damaged stores; unit tests of the store truncate it anywhere and change each byte."""

import json
import os
import random
import resource
import shutil
from collections.abc import Callable
from pathlib import Path

from proof.faults.ground import Files, Ground, files, study

PAGE = 4096
MOST_MEMORY = 600_000
"""Kilobytes that the command may take on a damaged store; twice what a sound store needs."""


def campaign(ground: Ground, damages: int) -> None:
    """Damages `damages` copies of a store, and runs a study on each."""
    out = ground.place / "good"
    file = ground.place / "damaged.toml"
    # Each run of the study, with more replications, adds a segment to the store.
    for count in 1, 2, 3:
        file.write_text(study(count), encoding="utf-8")
        ground.succeeds("good", "study", file, "--out", out)
    whole = files(out / "studies")
    for number in range(damages):
        kind = list(DAMAGES)[number % len(DAMAGES)]
        place = ground.place / f"damaged-{number}"
        shutil.copytree(out, place)
        segment = ground.source.choice(sorted(place.glob("results/*/segments/*.seg")))
        DAMAGES[kind](segment, ground.source)
        ground.counts[kind] += 1
        _study(ground, f"damage {number}, {kind}", file, place, whole)
        shutil.rmtree(place)


def _study(ground: Ground, what: str, file: Path, place: Path, whole: Files) -> None:
    """Checks that a study repeats lost results with a warning, and ends with the same data."""
    most = _most_memory()
    ended = ground.succeeds(what, "study", file, "--out", place, "--json")
    if ended.returncode == 0:
        report = json.loads(ended.stdout)
        repeated = report["simulated"]
        ground.counts["results repeated"] += repeated
        ground.expect(report["known"] + repeated == report["runs"], f"{what}: {report}")
        # A result whose every byte is gone leaves nothing to report.
        warned = "kept result" in ended.stderr or "away" in what or repeated == 0
        ground.expect(warned, f"{what}: {repeated} runs without a warning")
    ground.expect(files(place / "studies") == whole, f"{what}: another data set")
    # The system reports the greatest memory of all processes so far, so only growth is of this one.
    now = _most_memory()
    ground.expect(now < MOST_MEMORY or now == most, f"{what}: {now} kB")


def _most_memory() -> int:
    """Greatest memory, in kilobytes, of all ended child processes."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss


def _flip_bits(segment: Path, source: random.Random) -> None:
    data = bytearray(segment.read_bytes())
    for _ in range(source.choice([1, 2, 8, 64])):
        place = source.randrange(8 * len(data))
        data[place // 8] ^= 1 << place % 8
    segment.write_bytes(data)


def _zero_page(segment: Path, source: random.Random) -> None:
    data = bytearray(segment.read_bytes())
    start = source.randrange(0, len(data), PAGE)
    end = min(start + PAGE, len(data))
    data[start:end] = bytes(end - start)
    segment.write_bytes(data)


DAMAGES: dict[str, Callable[[Path, random.Random], object]] = {
    "bits flipped": _flip_bits,
    "a page of zeros": _zero_page,
    "an end taken away": lambda segment, source: os.truncate(
        segment, source.randrange(segment.stat().st_size)
    ),
    "a segment taken away": lambda segment, _: segment.unlink(),
    "grown by zeros": lambda segment, source: os.truncate(
        segment, segment.stat().st_size + source.choice([1, PAGE, 64 << 20])
    ),
}
