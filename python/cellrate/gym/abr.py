"""The environments: an output port, and an ABR source, whose rates a learner sets."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from cellrate import _core
from cellrate.gym.environment import Environment, Numbers, Vector
from cellrate.simulation.scenarios import Overrides, ScenarioLike


class AbrPort(Environment[_core.PortEpisode]):
    """Sets the explicit rate that an output port writes into backward RM cells.

    A step lasts one interval of the simulated network. Other ports keep the scenario's scheme.
    Over Ethernet the port writes the rate into rate records, which are frames with the fields of an
    RM cell. The text below then holds for flows with ``rate_control`` instead of ABR, and for
    bytes on the line instead of cells.

    The action is ``[share]``, from 0 to ``most_share``. During the step the port lowers the ER of
    every backward RM cell to at most ``share`` times the link's rate.

    The observation has five numbers, of the interval that has ended:

    - 0: number of ABR cells that arrived, divided by C; from 0
    - 1: number of cells of other classes that arrived, divided by C; from 0
    - 2: time that the link needs to send the controlled queue, in ms; from 0
    - 3: share of the port's ABR channels of which a cell arrived; 0 to 1
    - 4: the advertised share, which is the last action; 0 to ``most_share``

    C is the number of cells that the link carries in an interval. Upper bounds of the numbers are
    in ``observation_space``; they follow from the links that lead to the port, the port's buffer,
    and the duration. At time 0 all five numbers are 0.

    The reward of a step is ``utilisation - delay_weight * queue_ms - loss_weight * lost``.
    ``utilisation`` is the number of cells of all classes that left, divided by C. ``queue_ms`` is
    number 2 of the observation. ``lost`` is the number of cells that the port dropped, divided by
    C. An episode is truncated at the scenario's duration, and never terminates. Its last step is
    shorter if the duration is no multiple of the interval.

    ``info`` has ``seconds`` (simulated time), ``utilisation`` and ``lost``; after the last step
    ``digest`` as well, the hash of all events of the run. After ``reset`` it has ``seed``.

    Args:
        scenario: A path, the TOML itself, a mapping of its sections, a `cellrate.Scenario`, or the
            name of a template.
        overrides: Settings as `cellrate.run` takes them.
        port: Name of the link that the port feeds, such as ``"A->B"``; by default the port with the
            least rate for each forward ABR channel.
        interval: Length of a step in seconds. The default is the time of 32 cells of the link, or
            over Ethernet of 32 of the longest frames. A source that has the link to itself sends
            an RM cell at this interval (Nrm of TM 4.0).
        most_share: Greatest action, above 0 and at most 1.
        delay_weight: Weight of a millisecond of queue, from 0.
        loss_weight: Weight of lost cells, from 0.
        render_mode: None: the environment draws nothing.

    Attributes:
        port: Name of the port's link.
        channels: Number of ABR channels at the port.
        rate: Rate of the link in cells/s; in bytes/s over Ethernet.
        interval: Length of a step in seconds.
        most_share: Greatest action.

    Raises:
        ScenarioError: The scenario is wrong.
        ValueError: There is no such port, or a number is out of its range.
    """

    def __init__(
        self,
        scenario: ScenarioLike = "n-source",
        *,
        overrides: Overrides = (),
        port: str | None = None,
        interval: float | None = None,
        most_share: float = 1.0,
        delay_weight: float = 0.1,
        loss_weight: float = 1.0,
        render_mode: str | None = None,
    ) -> None:
        if not 0 < most_share <= 1:
            raise ValueError(f"most_share must be above 0 and at most 1, but is {most_share}")
        self._port, self._interval, self.most_share = port, interval, float(most_share)
        super().__init__(
            scenario, overrides, render_mode, delay_weight=delay_weight, loss_weight=loss_weight
        )
        episode = self._episode
        self.port, self.channels = episode.port, episode.channels
        self.rate, self.interval = episode.rate, episode.interval
        self.action_space = spaces.Box(0.0, self.most_share, (1,), np.float64)
        self.observation_space = spaces.Box(np.zeros(5), self._greatest(), dtype=np.float64)

    told = ("utilisation", "lost")
    needs_cells = False

    def _begin(self, scenario: _core.Scenario) -> _core.PortEpisode:
        return _core.PortEpisode(scenario, self._port, self._interval)

    def _greatest(self) -> Vector:
        """Upper bounds of the observation, from what the links to the port carry in an interval."""
        episode = self._episode

        def arrivals(seconds: float) -> float:
            return episode.arrival_rate * seconds + episode.arrival_links * episode.largest

        load = arrivals(episode.interval) / (episode.rate * episode.interval)
        queue = min(episode.buffer + episode.largest, arrivals(episode.duration))
        return np.array([load, load, queue / episode.rate * 1e3, 1.0, self.most_share])

    def _at_start(self) -> Vector:
        return np.zeros(5)

    def reward(self, numbers: Numbers) -> Any:  # noqa: ANN401  a float or an array of them
        """The reward of a step, from the numbers that the step returned."""
        delay_weight, loss_weight = self._weights.values()
        return numbers[5] - delay_weight * numbers[2] - loss_weight * numbers[6]


class AbrSource(Environment[_core.SourceEpisode]):
    """Sets the allowed cell rate (ACR) of one ABR source.

    A step lasts one interval of the simulated network. Other sources keep the scenario's rules.

    The action is ``[share]`` from 0 to 1: with every backward RM cell that arrives in the step, ACR
    becomes ``share`` times PCR, or the cell's ER if that is less (source rule 9 of TM 4.0); the
    source keeps it between MCR and PCR. The action replaces source rules 5, 6, 8, 9 and 13. The
    acknowledgements of the flow, if they are ABR, follow ER alone.

    The observation has five numbers, at the end of an interval:

    - 0: ACR, as a share of PCR; 0 to 1
    - 1: ER of the last backward RM cell, as a share of PCR; 1 before the first such cell; 0 to 1
    - 2: 1 if a backward RM cell arrived in the interval, else 0; 0 to 1
    - 3: share of the backward RM cells that arrived with CI; 0 to 1
    - 4: number of in-rate cells sent in the interval, divided by P; from 0

    P is the number of cells that PCR allows in an interval. The reward of a step is ``delivered -
    delay_weight * in_flight_ms - loss_weight * lost``. ``delivered`` is the number of data cells
    that reached the destination in the interval, divided by P. ``lost`` is the number of cells that
    became known as lost in the interval, divided by P. ``in_flight_ms`` is the number of data cells
    under way, as the time in ms in which PCR sends so many cells. A lost cell counts as under way
    until a later cell arrives. An episode is truncated at the scenario's duration, and never
    terminates. Its last step is shorter if the duration is no multiple of the interval.

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
        pcr: PCR of the flow in cells/s.
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
        super().__init__(
            scenario, overrides, render_mode, delay_weight=delay_weight, loss_weight=loss_weight
        )
        episode = self._episode
        self.flow, self.pcr, self.interval = episode.flow, episode.pcr, episode.interval
        # One cell may be sent at the start of an interval, and another at its end.
        sent = 1 + 2 / (episode.pcr * episode.interval)
        self.action_space = spaces.Box(0.0, 1.0, (1,), np.float64)
        self.observation_space = spaces.Box(
            np.zeros(5), np.array([1.0, 1.0, 1.0, 1.0, sent]), dtype=np.float64
        )

    told = ("delivered", "lost", "in_flight_ms")
    needs_cells = True

    def _begin(self, scenario: _core.Scenario) -> _core.SourceEpisode:
        return _core.SourceEpisode(scenario, self._flow, self._interval)

    def _at_start(self) -> Vector:
        return np.array([self._episode.icr / self.pcr, 1.0, 0.0, 0.0, 0.0])

    def reward(self, numbers: Numbers) -> Any:  # noqa: ANN401  a float or an array of them
        """The reward of a step with these numbers."""
        delay_weight, loss_weight = self._weights.values()
        return numbers[5] - delay_weight * numbers[7] - loss_weight * numbers[6]
