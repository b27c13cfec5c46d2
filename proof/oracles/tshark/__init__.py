"""tshark reads our captures and must come to our conclusions."""

from __future__ import annotations

from proof.oracles.tshark.oracle import Oracle

ORACLE = Oracle()
