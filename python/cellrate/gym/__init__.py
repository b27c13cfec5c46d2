"""Environments of Gymnasium: a learner sets the rate at an output port, or at an ABR source.

>>> import gymnasium, cellrate.gym
>>> env = gymnasium.make("cellrate/AbrPort-v0", scenario="n-source")
>>> observation, info = env.reset(seed=1)
>>> observation, reward, terminated, truncated, info = env.step([0.06])
>>> f"{info['seconds'] * 1e6:.2f} us"
'87.24 us'
"""

from __future__ import annotations

from cellrate.common.extras import needing

with needing("cellrate.gym"):
    import gymnasium

    from cellrate.gym.abr import AbrPort, AbrSource
    from cellrate.gym.side_by_side import AbrPorts, AbrSources

__all__ = ["AbrPort", "AbrPorts", "AbrSource", "AbrSources"]

gymnasium.register(
    id="cellrate/AbrPort-v0",
    entry_point="cellrate.gym:AbrPort",
    vector_entry_point="cellrate.gym:AbrPorts",
)
gymnasium.register(
    id="cellrate/AbrSource-v0",
    entry_point="cellrate.gym:AbrSource",
    vector_entry_point="cellrate.gym:AbrSources",
)
