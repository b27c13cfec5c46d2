"""Memory of a run grows with its network, and by no more than the documentation says."""

from __future__ import annotations

import sys

import pytest

from proof.scale import MOST_BYTES, run


@pytest.mark.skipif(sys.platform != "linux", reason="other systems count memory in other units")
def test_each_further_source_takes_no_more_memory_than_documented() -> None:
    sizes = {count: run(count).bytes for count in (1, 2_000, 6_000)}
    first = (sizes[2_000] - sizes[1]) / 1_999
    further = (sizes[6_000] - sizes[2_000]) / 4_000
    assert 1_000 < first <= MOST_BYTES, sizes
    assert 1_000 < further <= MOST_BYTES, sizes
