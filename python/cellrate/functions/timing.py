"""The bench of the engine as a function."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cellrate import _core
from cellrate.simulation import component_bench
from cellrate.simulation.progress_line import watching

if TYPE_CHECKING:
    from cellrate.simulation.component_bench import Cost
    from cellrate.simulation.progress_line import Watcher


def bench(*, progress: Watcher | bool | None = None) -> dict[str, Any]:
    """Times the engine on one core, as ``cellrate bench --json``; units are in the keys."""
    with watching(progress, "timing") as watch:
        found: dict[str, Any] = json.loads(_core.bench(None, _told(watch)))
    return found


def bench_components(*, progress: Watcher | bool | None = None) -> list[Cost]:
    """Times every control scheme, policy, source and recovery, as ``cellrate bench --components``.

    Returns:
        Costs in ns per cell-hop.
    """
    with watching(progress, "timing") as watch:
        return component_bench.measure(_told(watch))


def _told(watch: Watcher | None) -> Callable[[float, float], None] | None:
    if watch is None:
        return None
    return lambda done, total: watch(done, int(total))
