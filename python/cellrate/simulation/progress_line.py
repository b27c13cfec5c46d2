"""The progress of runs: a bar in a notebook, one line of text in a script."""

from __future__ import annotations

import importlib
import sys
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias, cast

Watcher: TypeAlias = Callable[[float, int], None]
"""Called with the number of finished parts, fractions included, and of all parts."""

REFRESH_SECONDS = 0.5


class _Progress:
    """The progress of work, shown at most twice a second.

    Call it with the number of parts done, fractions included, and the number of all parts.
    """

    def __init__(self, label: str) -> None:
        self.label = label
        self.shown = -REFRESH_SECONDS

    def __call__(self, done: float, total: float) -> None:
        """Shows the progress, at most twice a second."""
        now = time.monotonic()
        if now - self.shown >= REFRESH_SECONDS:
            self.shown = now
            self.show(min(max(done / total, 0.0), 1.0) if total else 1.0)

    @abstractmethod
    def show(self, share: float) -> None:
        """Shows the share that is done."""

    @abstractmethod
    def close(self) -> None:
        """Removes the progress from the screen."""


class ProgressLine(_Progress):
    """The progress as one line on standard error, which each update overwrites."""

    def __init__(self, label: str) -> None:
        super().__init__(label)
        self.length = 0

    def show(self, share: float) -> None:
        """Writes the line with the new percentage."""
        self._write(f"{self.label}: {share:.0%} done")

    def close(self) -> None:
        """Removes the line."""
        self._write("")
        sys.stderr.write("\r")
        sys.stderr.flush()

    def _write(self, text: str) -> None:
        sys.stderr.write(f"\r{text:<{self.length}}")
        sys.stderr.flush()
        self.length = len(text)


class ProgressBar(_Progress):
    """A progress bar in the output of a notebook's cell; it disappears when the work is done.

    Args:
        label: Text before the bar.
        display: Shows something in the cell and returns a handle that can update it, as IPython's
            ``display`` does.
    """

    def __init__(self, label: str, display: Callable[..., Any]) -> None:
        super().__init__(label)
        self.handle = display(_Bar(label, 0.0), display_id=True)

    def show(self, share: float) -> None:
        """Moves the bar."""
        self.handle.update(_Bar(self.label, share))

    def close(self) -> None:
        """Removes the bar."""
        self.handle.update(_Bar("", 1.0))


class _Bar:
    """The HTML of a progress bar; empty without a label."""

    def __init__(self, label: str, share: float) -> None:
        self.label, self.share = label, share

    def __repr__(self) -> str:
        return f"{self.label}: {self.share:.0%} done" if self.label else ""

    def _repr_html_(self) -> str:
        if not self.label:
            return ""
        import html  # only needed in notebooks

        bar = f'<progress max="1" value="{self.share:.3f}"></progress>'
        return f"<label>{html.escape(self.label)} {bar} {self.share:.0%} done</label>"


def _notebook_display() -> Callable[..., Any] | None:
    """The function that shows something in the cell of a notebook; None outside notebooks."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if getattr(shell, "kernel", None) is None:
        return None
    return cast("Callable[..., Any]", importlib.import_module("IPython.display").display)


@contextmanager
def watching(progress: Watcher | bool | None, label: str) -> Iterator[Watcher | None]:
    """A context manager that yields a function to call with the progress; None without progress.

    Args:
        progress: True for a bar in a notebook or a line on standard error elsewhere, a function
            that is to be called instead, or None or False for neither.
        label: Text before the percentage.

    Raises:
        TypeError: `progress` is none of these.
    """
    if progress is None or progress is False:
        yield None
    elif progress is True:
        display = _notebook_display()
        shown = ProgressLine(label) if display is None else ProgressBar(label, display)
        try:
            yield shown
        finally:
            shown.close()
    elif callable(progress):
        yield progress
    else:
        raise TypeError(f"progress = {progress!r}: must be True, False or a function")
