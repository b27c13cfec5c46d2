"""Buffer sizing: the buffer that a port needs, by formulas and by simulation."""

from cellrate.sizing.answer import Answer, Endless
from cellrate.sizing.question import Question, SizingError
from cellrate.sizing.solving import size_buffer

__all__ = ["Answer", "Endless", "Question", "SizingError", "size_buffer"]
