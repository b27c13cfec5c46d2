"""Reads whole files and streams up to a greatest size.

A device or a pipe may have no end, and a file may have any size. Files that this package has
written must be regular files: anything else, such as a pipe without a writer, is refused before it
is opened.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import BinaryIO

MOST_BYTES = 1 << 28
"""Greatest size in bytes of a data file, such as a trace that a source plays."""
MOST_TEXT_BYTES = 1 << 26
"""Greatest size in bytes of a scenario, of a study, or of a file with metadata."""
PIECE = 1 << 20


def read_bytes(path: str | PathLike[str], most: int = MOST_BYTES) -> bytes:
    """The bytes of a file, a pipe or a device.

    Raises:
        OSError: The file cannot be read, or has more than `most` bytes.
    """
    with Path(path).open("rb") as file:
        return read_stream(file, most)


def read_text(path: str | PathLike[str], most: int = MOST_TEXT_BYTES) -> str:
    """The UTF-8 text of a file, a pipe or a device, without a byte order mark.

    Every end of a line becomes a line feed.

    Raises:
        OSError: The file cannot be read, or has more than `most` bytes.
        UnicodeDecodeError: The file is not UTF-8 text.
    """
    return _text(read_bytes(path, most))


def read_own_text(path: str | PathLike[str], most: int = MOST_BYTES) -> str:
    """The UTF-8 text of a file that this package has written.

    Raises:
        OSError: The file cannot be read, is not a regular file, or has more than `most` bytes.
        UnicodeDecodeError: The file is not UTF-8 text.
    """
    return _text(read_regular(path, most))


def read_regular(path: str | PathLike[str], most: int = MOST_BYTES) -> bytes:
    """The bytes of a regular file.

    Raises:
        OSError: The file cannot be read, is no regular file, or has more than `most` bytes.
    """
    place = Path(path)
    if place.exists() and not place.is_file():
        raise OSError("it is not a regular file")
    return read_bytes(place, most)


def read_stream(stream: BinaryIO, most: int) -> bytes:
    """All bytes of a stream.

    Raises:
        OSError: The stream cannot be read, or has more than `most` bytes.
    """
    data = bytearray()
    while piece := stream.read(min(PIECE, most + 1 - len(data))):
        data += piece
        if len(data) > most:
            raise OSError(f"it has more than {most:,} bytes, the most that are read")
    return bytes(data)


def _text(data: bytes) -> str:
    text = data.decode("utf-8-sig")
    return text.replace("\r\n", "\n").replace("\r", "\n")
