"""An ABR source whose rate a learner sets."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from cellrate import _core
from cellrate.gym.environment import Environment, Numbers, Vector, require_weight
from cellrate.simulation.scenarios import Overrides, ScenarioLike


class AbrSource(Environment[_core.SourceEpisode]):
    """Sets the allowed cell rate (ACR) of one ABR source.

    A step lasts one interval of the simulated network. Other sources keep the scenario's rules.

    The action is ``[share]`` from 0 to 1: with every backward RM cell that arrives in the step, ACR
    becomes ``share`` times PCR, or the cell's ER if that is less (source rule 9 of TM 4.0); the
    source keeps it between MCR and PCR. It takes the place of source rules 5, 6, 8, 9 and 13. The
    acknowledgements of the flow, if they are ABR, follow ER alone.

    The observation has five numbers, at the end of an interval:

    - 0: ACR, as a share of PCR; 0 to 1
    - 1: ER of the last backward RM cell, likewise; 1 before the first; 0 to 1
    - 2: 1 if a backward RM cell arrived in the interval, else 0; 0 to 1
    - 3: share of these cells that had CI; 0 to 1
    - 4: in-rate cells sent in the interval, over those that PCR allows; from 0

    The reward of a step is ``delivered - delay_weight * in_flight_ms - loss_weight * lost``: data
    cells that reached the destination in the interval, and those that are known to be lost, over
    the cells that PCR allows in an interval; ``in_flight_ms`` is the time in ms in which PCR sends
    as many data cells as are under way; a lost cell is under way until a later one arrives. An
    episode is truncated at the scenario's duration, and never terminates. Its last
    step is shorter if the duration is no multiple of the interval.

    ``info`` has ``seconds`` (simulated time), ``delivered``, ``in_flight_ms`` and ``lost``; after
    the last step ``digest`` as well, the hash of all events of the run. After ``reset`` it has
    ``seed``.

    Args:
        scenario: A path, the TOML itself, a mapping of its sections, a `cellrate.Scenario`, or the
            name of a template.
        overrides: Settings as `cellrate.run` takes them.
        flow: Name of the flow, such as ``"tcp.1"``; by default the first of class ABR.
        interval: Length of a step in seconds; by default the time of Nrm cells at PCR.
        delay_weight: Weight of a millisecond of data in flight, from 0.
        loss_weight: Weight of lost cells, from 0.
        render_mode: None: the environment draws nothing.

    Attributes:
        flow: Name of the flow.
        pcr: Its PCR in cells/s.
        interval: Length of a step in seconds.

    Raises:
        ScenarioError: The scenario is wrong.
        ValueError: There is no such flow, or a number is out of its range.
    """

    def __init__(
        self,
        scenario: ScenarioLike = "n-source",
        *,
        overrides: Overrides = (),
        flow: str | None = None,
        interval: float | None = None,
        delay_weight: float = 0.01,
        loss_weight: float = 1.0,
        render_mode: str | None = None,
    ) -> None:
        self._flow, self._interval = flow, interval
        self._weights = (
            require_weight(delay_weight, "delay_weight"),
            require_weight(loss_weight, "loss_weight"),
        )
        super().__init__(scenario, overrides, render_mode)
        episode = self._episode
        self.flow, self.pcr, self.interval = episode.flow, episode.pcr, episode.interval
        # A cell may be sent at the begin of an interval, and one at its end.
        sent = 1 + 2 / (episode.pcr * episode.interval)
        self.action_space = spaces.Box(0.0, 1.0, (1,), np.float64)
        self.observation_space = spaces.Box(
            np.zeros(5), np.array([1.0, 1.0, 1.0, 1.0, sent]), dtype=np.float64
        )

    told = ("delivered", "lost", "in_flight_ms")

    def _begin(self, scenario: _core.Scenario) -> _core.SourceEpisode:
        return _core.SourceEpisode(scenario, self._flow, self._interval)

    def _at_start(self) -> Vector:
        return np.array([self._episode.icr / self.pcr, 1.0, 0.0, 0.0, 0.0])

    def reward(self, numbers: Numbers) -> Any:  # noqa: ANN401  a float or an array of them
        """The reward of a step that told these numbers."""
        delay_weight, loss_weight = self._weights
        return numbers[5] - delay_weight * numbers[7] - loss_weight * numbers[6]
