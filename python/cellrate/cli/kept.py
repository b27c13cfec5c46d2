"""Directory in which a command keeps its finished runs, checked before it begins."""

from __future__ import annotations

import os
from pathlib import Path

from cellrate import _core
from cellrate.common.problems import BadInput, shortened
from cellrate.simulation.runner import default_store


def kept_results(out: Path, *, fresh: bool) -> _core.Store | None:
    """Creates the directory for pages and kept results, before hours of simulation.

    Returns:
        The store in it; None if `fresh`.

    Raises:
        BadInput: Nothing can be written to the directory.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        if not os.access(out, os.W_OK | os.X_OK):
            raise BadInput(f"--out {out}: no permission to write there")
        return None if fresh else default_store(out / "results")
    except OSError as error:
        why, place = error.strerror or str(error), shortened(str(out))
        raise BadInput(f"--out {place}: nothing can be written there: {why}") from error
