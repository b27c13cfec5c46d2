"""The networks of `make threads` run, and their digests do not depend on the number of threads."""

from __future__ import annotations

import pytest

from proof.threads import NETWORKS, Network, run


@pytest.mark.parametrize(
    "network",
    [
        pytest.param(one, marks=pytest.mark.long if "10,000" in one.name else (), id=one.name)
        for one in NETWORKS
    ],
)
def test_two_threads_give_the_digest_of_one(network: Network) -> None:
    one, two = (run(network, "5 ms", threads, 0.02) for threads in (1, 2))
    assert one.digest == two.digest
    assert (one.is_divided, two.is_divided) == (False, True)
