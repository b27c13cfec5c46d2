"""`python -m proof.evidence` writes docs/evidence.md."""

from __future__ import annotations

from proof.evidence.page import page
from proof.evidence.promises import ROOT

PAGE = ROOT / "docs" / "evidence.md"

if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
