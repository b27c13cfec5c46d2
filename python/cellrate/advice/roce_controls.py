"""Properties of each control of sources over RoCE; a new control has its row here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RoceControl:
    """Properties of a control of sources over RoCE.

    Attributes:
        title: Name of the control in sentences.
        by_marks: True if the control reacts to marks of packets.
        has_window: True if a window limits the packets on their way.
    """

    title: str
    by_marks: bool = False
    has_window: bool = False


ROCE_CONTROLS = {
    "none": RoceControl("no control"),
    "dcqcn": RoceControl("DCQCN", by_marks=True),
    "hpcc": RoceControl("HPCC", has_window=True),
    "timely": RoceControl("TIMELY"),
    "swift": RoceControl("Swift", has_window=True),
    "expresspass": RoceControl("ExpressPass"),
    "rccc": RoceControl("RCCC"),
    "nscc": RoceControl("NSCC", by_marks=True, has_window=True),
}
"""Properties by the name of the control in a scenario."""
