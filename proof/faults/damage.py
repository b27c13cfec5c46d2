"""Stores of results that were damaged behind their back."""

from __future__ import annotations

import hashlib
import json
import random
import resource
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from cellrate import _core

from proof.faults.ground import Ground, contents, store_of, study

HEADER = 100
"""Bytes of a record before its result."""
PAGE = 4096
THROUGH_COMMAND = 5
"""By default the command meets one damage of so many, and the store alone meets the others."""
MOST_MEMORY = 600_000
"""Kilobytes that the command may take on a damaged store; undamaged it takes half of it."""

Damage: TypeAlias = Callable[[Path, random.Random, dict[str, bytes]], str]


def campaign(ground: Ground, damages: int, through_command: int = THROUGH_COMMAND) -> None:
    """So many damages, one of `through_command` met by the command."""
    out = ground.place / "good"
    file = ground.place / "damaged.toml"
    # Each grown study leaves a segment.
    for count in 1, 2, 3:
        file.write_text(study(count), encoding="utf-8")
        ended = ground.run("good", "study", file, "--out", out)
        ground.expect(ended.returncode == 0, f"good: {ended.stderr[-300:]!r}")
    whole = {path.name: path.read_bytes() for path in (out / "studies" / "damaged").iterdir()}
    good = contents(store_of(out))
    foreign = _foreign(ground.place / "foreign")
    for number in range(damages):
        damage = ground.source.choice(DAMAGES)
        place = ground.place / f"damaged-{number}"
        shutil.copytree(out, place)
        segments = next((place / "results").glob("*/segments"))
        what = f"damage {number}: {damage(segments, ground.source, foreign)}"
        ground.counts[damage.__name__.strip("_").replace("_", " ")] += 1
        if number % through_command:
            _meets_store(ground, what, place, good)
        else:
            _meets_command(ground, what, file, place, whole)
        shutil.rmtree(place)


def _foreign(root: Path) -> dict[str, bytes]:
    """Records of another store, under keys that nobody asks for."""
    with _core.Store(root) as store:
        for number in range(20):
            key = hashlib.sha256(f"foreign {number}".encode()).hexdigest()
            store.put(key, b"foreign" * number * 50)
    return {path.name: path.read_bytes() for path in (root / "segments").glob("*.seg")}


def _meets_store(ground: Ground, what: str, place: Path, good: dict[str, bytes]) -> None:
    """Every result is given back as it was, or as missing; what is missing can be put again."""
    store = store_of(place)
    found = {key: store.get(key) for key in good}
    wrong = [key for key, data in found.items() if data not in (None, good[key])]
    ground.expect(not wrong, f"{what}: {len(wrong)} wrong results")
    lost = [key for key, data in found.items() if data is None]
    ground.counts["results lost"] += len(lost)
    for key in lost:
        store.put(key, good[key])
    store.close()
    again = store_of(place)
    missing = [key for key in good if again.get(key) != good[key]]
    ground.expect(not missing, f"{what}: {len(missing)} results are missing after all")
    ground.expect(not again.problems(), f"{what}: told twice: {again.problems()}")


def _meets_command(
    ground: Ground, what: str, file: Path, place: Path, whole: dict[str, bytes]
) -> None:
    """The study repeats what is lost, says so, and ends with the same data."""
    most = _most_memory()
    ended = ground.run(what, "study", file, "--out", place, "--json")
    ground.expect(ended.returncode == 0, f"{what}: {ended.stderr[-500:]!r}")
    if ended.returncode == 0:
        told = json.loads(ended.stdout)
        ground.expect(told["known"] + told["simulated"] == told["runs"], f"{what}: {told}")
        silent = told["simulated"] > 0 and "kept result" not in ended.stderr
        # A segment that was taken away whole leaves nothing to report.
        ground.expect(not silent or "away" in what, f"{what}: {told['simulated']} runs, no word")
    found = {path.name: path.read_bytes() for path in (place / "studies" / "damaged").iterdir()}
    ground.expect(found == whole, f"{what}: another data set")
    # It is the most of all processes so far: if it did not grow, it was another one's.
    now = _most_memory()
    ground.expect(now < MOST_MEMORY or now == most, f"{what}: {now} kB")


def _most_memory() -> int:
    """Kilobytes that the largest process has taken that was started here and is over."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss


def _one(segments: Path, source: random.Random) -> tuple[Path, bytearray]:
    path = source.choice(sorted(segments.glob("*.seg")))
    return path, bytearray(path.read_bytes())


def _ends(data: bytes | bytearray) -> list[int]:
    """Offsets at which records end, by their headers."""
    ends = [0]
    while ends[-1] + HEADER <= len(data):
        length = int.from_bytes(data[ends[-1] + 44 : ends[-1] + 52], "little")
        ends.append(ends[-1] + HEADER + length)
    return ends


def _flipped_bits(segments: Path, source: random.Random, _: dict[str, bytes]) -> str:
    path, data = _one(segments, source)
    places = [source.randrange(8 * len(data)) for _ in range(source.choice([1, 1, 2, 8, 64]))]
    for place in places:
        data[place // 8] ^= 1 << place % 8
    path.write_bytes(data)
    return f"{path.name} bits {places[:4]}"


def _flipped_headers(segments: Path, source: random.Random, _: dict[str, bytes]) -> str:
    path, data = _one(segments, source)
    place = source.choice(_ends(data)[:-1]) + source.randrange(HEADER)
    data[place] = source.randrange(256)
    path.write_bytes(data)
    return f"{path.name} byte {place} of a header"


def _cut_at_a_record(segments: Path, source: random.Random, _: dict[str, bytes]) -> str:
    path, data = _one(segments, source)
    end = source.choice(_ends(data))
    path.write_bytes(data[:end])
    return f"{path.name} cut behind a record, what follows taken away"


def _cut_anywhere(segments: Path, source: random.Random, _: dict[str, bytes]) -> str:
    path, data = _one(segments, source)
    end = source.randrange(len(data))
    path.write_bytes(data[:end])
    where = "taken away" if end in _ends(data) else "cut"
    return f"{path.name} {where} at {end}"


def _zeroed_page(segments: Path, source: random.Random, _: dict[str, bytes]) -> str:
    path, data = _one(segments, source)
    start = source.randrange(0, len(data), PAGE)
    end = min(start + PAGE, len(data))
    data[start:end] = bytes(end - start)
    path.write_bytes(data)
    return f"{path.name} zeros from {start} to {end}"


def _grown_by_zeros(segments: Path, source: random.Random, _: dict[str, bytes]) -> str:
    path, data = _one(segments, source)
    with path.open("r+b") as file:
        file.truncate(len(data) + source.choice([1, PAGE, 64 << 20]))
    return f"{path.name} grown by zeros"


def _swapped(segments: Path, source: random.Random, _: dict[str, bytes]) -> str:
    paths = sorted(segments.glob("*.seg"))
    shuffled = source.sample(paths, len(paths))
    data = [path.read_bytes() for path in paths]
    for path, other in zip(shuffled, data, strict=True):
        path.write_bytes(other)
    return f"segments as {[path.name for path in shuffled]}"


def _deleted(segments: Path, source: random.Random, _: dict[str, bytes]) -> str:
    paths = sorted(segments.glob("*.seg"))
    gone = source.sample(paths, source.randint(1, len(paths)))
    for path in gone:
        path.unlink()
    return f"{[path.name for path in gone]} taken away"


def _duplicated(segments: Path, source: random.Random, _: dict[str, bytes]) -> str:
    path, data = _one(segments, source)
    names = [
        "00000017.seg",
        "17.seg",
        "copy.seg",
        f"{path.stem} (1).seg",
        "99999999999999999999.seg",
    ]
    name = source.choice(names)
    (segments / name).write_bytes(data)
    return f"{path.name} also as {name}"


def _foreign_files(segments: Path, source: random.Random, foreign: dict[str, bytes]) -> str:
    kind = source.choice(["records", "rubbish", "directory", "magic", "dangling link", "lock"])
    path = segments / "00000011.seg"
    if kind == "records":
        path.write_bytes(next(iter(foreign.values())))
    elif kind == "rubbish":
        path.write_bytes(source.randbytes(source.randrange(200_000)))
    elif kind == "directory":
        path.mkdir()
    elif kind == "magic":
        path.write_bytes(b"\x89CRrec1\n" * source.randrange(1, 20_000))
    elif kind == "dangling link":
        path.symlink_to("nowhere")
    else:
        path.with_suffix(".lock").touch()
    return f"foreign {kind}"


def _mixed_up(segments: Path, source: random.Random, foreign: dict[str, bytes]) -> str:
    """Halves of two files, one of them another store's, as a broken file system joins them."""
    path, data = _one(segments, source)
    other = next(iter(foreign.values()))
    cut = source.randrange(len(data))
    path.write_bytes(bytes(data[:cut]) + other[source.randrange(len(other)) :])
    where = "taken away" if cut in _ends(data) else "cut"
    return f"{path.name} {where} at {cut}, another store's behind it"


DAMAGES: list[Damage] = [
    _flipped_bits,
    _flipped_headers,
    _cut_at_a_record,
    _cut_anywhere,
    _zeroed_page,
    _grown_by_zeros,
    _swapped,
    _deleted,
    _duplicated,
    _foreign_files,
    _mixed_up,
]
