"""A run at a glance: as much of its summary as fits on a screen."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cellrate import _core

# Most flows of a result that are shown (of more a terminal shows the groups, a notebook the first),
# and most queues (the longest).
MOST_FLOWS = 20
MOST_QUEUES = 8


def at_a_glance(outcome: _core.Outcome) -> dict[str, Any]:
    """The keys of the summary that are shown.

    Returns:
        Keys of the summary: what names the run, `warnings` and `totals` as they are; of more than
        `MOST_FLOWS` flows, in `flows`, means and sums over each group, with `members`; in `ports`
        the `MOST_QUEUES` longest queues that cells have passed, each with its port, and in
        `other_queues` the number of the others.
    """
    found: dict[str, Any] = json.loads(outcome.overview(MOST_FLOWS, MOST_QUEUES))
    return found
