"""Progress bar with the remaining time, on a terminal, for work of more than two seconds."""

from __future__ import annotations

import sys
import time
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Self

from cellrate.common.terminal import is_plain

# Imported late, because rich loads slowly and most work ends before a bar would appear.
if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

WORTH_SHOWING_SECONDS = 2.0
REFRESH_SECONDS = 0.1
BAR_WIDTH = 20
WIDTH_OF_THE_REST = BAR_WIDTH + 32
"""Characters beside the label: the bar, its share, and the remaining time."""
LEAST_WIDTH = 12
"""Least width of the label, in characters."""


class ProgressBar:
    """Progress bar for work expected to take more than two seconds; silent without a terminal.

    Call it with the number of parts done, fractions included, and the number of all parts.
    """

    def __init__(self, label: str) -> None:
        self.label = label
        self.started = time.monotonic()
        self.refreshed = 0.0
        self.failures = 0
        self.bar: Progress | None = None

    @cached_property
    def console(self) -> Console:
        """Console on standard error."""
        from rich.console import Console

        return Console(stderr=True)

    def __enter__(self) -> Self:
        self.started = time.monotonic()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Removes the bar."""
        if self.bar is not None:
            self.bar.stop()

    def __call__(self, done: float, total: float) -> None:
        """Updates the bar with the number of parts done and of all parts."""
        if self.bar is None and self._will_last(done / total if total else 1.0):
            self.bar = self._show()
        if self.bar is not None:
            now = time.monotonic()
            due = now - self.refreshed >= REFRESH_SECONDS
            label = f"{self.label}, {self.failures} failed" if self.failures else self.label
            self.bar.update(
                self.bar.task_ids[0], description=label, completed=done, total=total, refresh=due
            )
            self.refreshed = now if due else self.refreshed

    def phase(self, text: str, done: int, total: int) -> None:
        """Names the present phase, with the numbers of its finished parts and of all its parts.

        Without a terminal each phase is a line of text, once the work takes more than two seconds.
        """
        self.label = text
        self(done, total)
        now = time.monotonic()
        if is_plain(sys.stderr) and now - max(self.started, self.refreshed) > WORTH_SHOWING_SECONDS:
            print(f"{text} ({done} of {total})", file=sys.stderr, flush=True)  # noqa: T201
            self.refreshed = now

    def note(self, text: str) -> None:
        """Writes a text to standard error, above the bar if there is one."""
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def failed(self, text: str) -> None:
        """Writes a failure to standard error, above the bar if there is one, and counts it."""
        self.failures += 1
        self.note(text)

    def _will_last(self, fraction: float) -> bool:
        if is_plain(sys.stderr) or fraction >= 1.0:
            return False
        elapsed = time.monotonic() - self.started
        expected = elapsed / fraction if fraction > 0 else 0.0
        return max(elapsed, expected) > WORTH_SHOWING_SECONDS and self.console.is_terminal

    def _show(self) -> Progress:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
        from rich.table import Column

        room = max(self.console.width - WIDTH_OF_THE_REST, LEAST_WIDTH)
        bar = Progress(
            TextColumn(
                "{task.description}",
                table_column=Column(no_wrap=True, overflow="ellipsis", max_width=room),
            ),
            BarColumn(BAR_WIDTH),
            TextColumn("{task.percentage:>3.0f}% done,"),
            TimeRemainingColumn(),
            TextColumn("remaining"),
            console=self.console,
            transient=True,
            # Without a refresh thread, in which a Ctrl-C could leave the bar's lock held for good.
            auto_refresh=False,
        )
        bar.start()
        bar.add_task(self.label, total=None)
        return bar
