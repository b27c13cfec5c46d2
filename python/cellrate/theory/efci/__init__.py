"""Queue and rates under EFCI marking: the fluid model of Ohsaki et al. 1995, section II.

A limit cycle has up to four phases. In phase 1 ACR decreases, from the crossing of Q_H to that of
Q_L. In phase 2 ACR increases until the queue is empty or exceeds Q_H. In phase 3 ACR grows while
the queue is empty. In phase 4 ACR increases from an empty queue until the queue exceeds Q_H.
"""

from cellrate.theory.efci.extremes import (
    maximum_queue_bound_cells,
    printed_maximum_queue_cells,
)
from cellrate.theory.efci.feasible import STANDARD_FACTORS, Feasibility, feasibility
from cellrate.theory.efci.integration import Groups, Integrated, integrate
from cellrate.theory.efci.loop import EfciLoop
from cellrate.theory.efci.steady import LimitCycle, clips, limit_cycle, require_unclipped
from cellrate.theory.efci.trajectories import Trajectory, periodic_trajectory, trajectory

__all__ = [
    "STANDARD_FACTORS",
    "EfciLoop",
    "Feasibility",
    "Groups",
    "Integrated",
    "LimitCycle",
    "Trajectory",
    "clips",
    "feasibility",
    "integrate",
    "limit_cycle",
    "maximum_queue_bound_cells",
    "periodic_trajectory",
    "printed_maximum_queue_cells",
    "require_unclipped",
    "trajectory",
]
