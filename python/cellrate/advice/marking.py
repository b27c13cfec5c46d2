"""Control schemes of switches that only mark cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

WITHOUT_A_RATE = frozenset({"efci", "becn", "rrm-p", "rrm-pd", "rrm-pd-plus", "rrm-pid"})
"""The control schemes that only mark cells, and write no explicit rate into RM cells."""


def only_marks(control: Mapping[str, Any]) -> bool:
    """True if a scheme with these keys only marks cells; `marking` may choose marks."""
    return control["scheme"] in WITHOUT_A_RATE or control.get("marking") == "binary"
