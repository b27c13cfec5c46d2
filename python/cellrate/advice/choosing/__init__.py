"""The choice of a control for a scenario, with its parameters and the least buffer."""

from cellrate.advice.choosing.answer import Answer
from cellrate.advice.choosing.choosing import Effort, choose
from cellrate.advice.choosing.goals import Goals
from cellrate.advice.choosing.over_ethernet import choose_over_ethernet
from cellrate.advice.choosing.packet_choice import PacketChoice
from cellrate.advice.choosing.report import as_json, report, write
from cellrate.advice.choosing.stated_goals import goals_of

__all__ = [
    "Answer",
    "Effort",
    "Goals",
    "PacketChoice",
    "as_json",
    "choose",
    "choose_over_ethernet",
    "goals_of",
    "report",
    "write",
]
