"""Handles standard streams that are closed, full, or cannot show a character."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

OUTPUT = "standard output"


class _Output(io.FileIO):
    """Standard output; its errors name it as the file."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            error.filename = OUTPUT
            raise


class _Errors(io.FileIO):
    """Standard error; failures to write are ignored, since they cannot be reported anywhere."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def prepare() -> None:
    """Makes all standard streams usable, even if the process was started without some.

    Characters that the encoding of a stream lacks are written as escape sequences.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # Otherwise the next opened file would get this number, and the text for the stream.
            os.open(os.devnull, os.O_RDWR)
            os.set_inheritable(number, True)  # noqa: FBT003
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = _text(_Output(1, "w", closefd=False), sys.stdout)
    sys.stderr = _text(_Errors(2, "w", closefd=False), sys.stderr)


def nothing_more() -> None:
    """Discards all further standard output, including buffered text when the process ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _text(raw: io.FileIO, before: TextIO | None) -> io.TextIOWrapper:
    kept = before if isinstance(before, io.TextIOWrapper) else None
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding="utf-8" if kept is None else kept.encoding,
        errors="backslashreplace",
        line_buffering=raw.isatty() or isinstance(raw, _Errors),
        write_through=kept is not None and kept.write_through,
    )
