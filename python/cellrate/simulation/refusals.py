"""Shows a `ScenarioError` with line and allowed values in tracebacks and notebooks."""

from __future__ import annotations

from cellrate import _core


def show_diagnostics() -> None:
    """Lets `str` of a `ScenarioError` return its rendered diagnostics, and shortens its traceback.

    The message of the compiled class lacks the place of the fault and the allowed values.
    Notebooks call `_render_traceback_` and show only the diagnostics.
    """
    error = _core.ScenarioError
    setattr(error, "__str__", _text)  # noqa: B010  mypy allows no assignment to a method
    setattr(error, "_render_traceback_", _lines)  # noqa: B010  as above


def message_of(error: BaseException) -> str:
    """The message of an error in one line, without place and help."""
    if isinstance(error, _core.ScenarioError):
        return ValueError.__str__(error)
    return str(error) or type(error).__name__


def _text(error: _core.ScenarioError) -> str:
    return error.rendered.rstrip("\n") or ValueError.__str__(error)


def _lines(error: _core.ScenarioError) -> list[str]:
    return str(error).splitlines()
