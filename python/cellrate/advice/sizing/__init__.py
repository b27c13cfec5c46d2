"""Buffer sizing: the buffer that a port needs, by formulas and by simulation."""

from cellrate.advice.sizing.answer import Answer, Endless
from cellrate.advice.sizing.question import Question, SizingError
from cellrate.advice.sizing.solving import size_buffer

__all__ = ["Answer", "Endless", "Question", "SizingError", "size_buffer"]
