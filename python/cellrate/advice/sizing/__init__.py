"""Buffer sizing: the buffer that a port needs, by formulas and by simulation."""

from cellrate.advice.sizing.answer import Answer
from cellrate.advice.sizing.endless import EndlessGrowth
from cellrate.advice.sizing.lossless import LosslessAnswer
from cellrate.advice.sizing.over_ethernet import PacketAnswer, size_port
from cellrate.advice.sizing.question import Question, SizingError
from cellrate.advice.sizing.solving import size_buffer

__all__ = [
    "Answer",
    "EndlessGrowth",
    "LosslessAnswer",
    "PacketAnswer",
    "Question",
    "SizingError",
    "size_buffer",
    "size_port",
]
