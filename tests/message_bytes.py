"""Damaged bytes for the transcripts of messages: kept results, stores, transport streams."""

from __future__ import annotations

import hashlib
import os
import resource
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

from cellrate import _core

KEY = "ab" * 32
MS = 27_000
"""Ticks of the 27 MHz clock."""
SMALL_SEGMENTS = 32
"""More closed segments than these are merged."""


def count(number: int) -> bytes:
    """A length of a kept result."""
    return number.to_bytes(8, "little")


def kept(body: bytes, version: int = 1) -> bytes:
    """Fields of a result behind a header that fits them."""
    head = b"CRresult" + version.to_bytes(4, "little") + count(len(body))
    return head + hashlib.sha256(body).digest() + body


EMPTY = kept(count(0) * (3 + 9))
"""A result without any field: two texts, series, and nine columns of events."""


def read_result(data: bytes) -> None:
    """Reads a kept result."""
    _core.Outcome.from_bytes(data)


def stored(directory: str, *values: bytes) -> Path:
    """A store with values under KEY, each later than the one before; its segment."""
    with _core.Store(directory) as store:
        for value in values:
            store.put(KEY, value)
    return max((Path(directory) / "segments").glob("*.seg"))


def changed(path: Path, at: int, data: bytes, *, checked: bool = False) -> Path:
    """Other bytes at a place of a file; with the header's checksum over them if it is `checked`."""
    whole = bytearray(path.read_bytes())
    whole[at : at + len(data)] = data
    if checked:
        whole[60:92] = hashlib.sha256(whole[100:]).digest()
        whole[92:100] = hashlib.sha256(whole[:92]).digest()[:8]
    path.write_bytes(whole)
    return path


def told_by(directory: str, spoil: Callable[[], object] = lambda: None) -> None:
    """Raises a store's messages on damage when it reads KEY, spoilt after it was opened."""
    with _core.Store(directory) as store:
        spoil()
        store.get(KEY)
        raise ValueError("; ".join(store.problems()))


def told_by_a_full_disk(directory: str, most: int) -> None:
    """Raises a store's messages while no file may become longer than `most` bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        told_by(directory)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def many_segments(directory: str, value: bytes = b"a") -> None:
    """A store of so many segments that the next to open it merges them."""
    for number in range(SMALL_SEGMENTS + 1):
        with _core.Store(f"{directory}{number}") as store:
            store.put(f"{number:064x}", value)
        target = Path(directory) / "segments"
        target.mkdir(parents=True, exist_ok=True)
        Path(f"{directory}{number}/segments/00000000.seg").rename(target / f"{number:08}.seg")
    Path(f"{directory}0/format").rename(Path(directory) / "format")


def in_a_removed_directory(act: Callable[[], object]) -> object:
    """Does something in a working directory that was removed."""
    before = Path.cwd()
    gone = before / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    try:
        return act()
    finally:
        os.chdir(before)


def packet(pid: int, control: int = 1, rest: bytes = b"", flags: int = 0) -> bytes:
    """A packet of a transport stream, filled up."""
    head = bytes([0x47, flags | pid >> 8, pid & 0xFF, control << 4])
    return (head + rest).ljust(188, b"\xff")


def adaptation(length: int, *field: int, control: int = 2) -> bytes:
    """A packet of PID 7 with an adaptation field."""
    return packet(7, control, bytes([length, *field]))


def clock(pid: int, ticks: int, flags: int = 0) -> bytes:
    """A packet with a clock reference and nothing else."""
    base, extension = divmod(ticks, 300)
    low = (base << 7 | 0x7E).to_bytes(8, "big")[3:]
    bits = [*low[:4], low[4] | extension >> 8, extension & 0xFF]
    return packet(pid, 2, bytes([183, 0x10 | flags, *bits]))


def section(pid: int, body: Iterable[int]) -> bytes:
    """A packet with a section of tables, with its length and CRC."""
    table = bytearray(body)
    table[1:3] = (0xB000 | len(table) - 3 + 4).to_bytes(2, "big")
    table += _crc(bytes(table)).to_bytes(4, "big")
    return packet(pid, 1, b"\0" + table, 0x40)


def _crc(data: bytes) -> int:
    """CRC-32 of MPEG-2: that of zlib, but for the order of bits and the last inversion."""
    mirrored = bytes(int(f"{byte:08b}"[::-1], 2) for byte in data)
    return int(f"{zlib.crc32(mirrored) ^ 0xFFFFFFFF:032b}"[::-1], 2)


PROGRAMS = (
    section(0, [0, 0, 0, 0, 1, 0xC1, 0, 0, 0, 1, 0xE0, 100, 0, 2, 0xE0, 200])
    + section(100, [2, 0, 0, 0, 1, 0xC1, 0, 0, 0xE0, 101, 0xF0, 0, 2, 0xE0, 101, 0xF0, 0])
    + section(200, [2, 0, 0, 0, 2, 0xC1, 0, 0, 0xE0, 201, 0xF0, 0, 2, 0xE0, 201, 0xF0, 0])
)
"""Two programs with their clocks on PIDs 101 and 201."""
