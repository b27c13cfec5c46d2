"""Random scenarios: every template, control, policy and recovery, over random parameters."""

import json
from collections.abc import Iterator

import numpy as np
from cellrate import ScenarioError, _core
from cellrate.advice.marking import WITHOUT_A_RATE
from cellrate.simulation.runner import Job

# Runs are short, so that thousands take minutes; transients count as much as the steady state.
DURATIONS_SECONDS = (0.2, 2.0)
QUIET = ("measure.traces=[]", "measure.events=[]")
# Schemes of explicit rates with a target utilisation.
WITH_TARGET = ("erica", "fmmra", "charny", "ucsc", "osu", "capc")
# Share of scenarios whose formulas apply: one bottleneck, measured when the start is over.
STEADY = 0.4


def random_jobs(count: int, seed: int) -> Iterator[Job]:
    """Jobs of scenarios that the program accepts, the same ones for the same seed."""
    draw = np.random.default_rng(seed)
    made = 0
    while made < count:
        job = _random_job(draw)
        try:
            job.scenario()
        except ScenarioError:
            continue
        made += 1
        yield job


def unequal_jobs(count: int, seed: int) -> Iterator[Job]:
    """Groups with unequal round trips over one bottleneck in the steady state, scheme by scheme."""
    draw = np.random.default_rng(seed)
    for _ in range(count):
        for scheme in _names("schemes"):
            yield _unequal_job(draw, scheme)


def _unequal_job(draw: np.random.Generator, scheme: str) -> Job:
    groups, longest = [], 0.0
    for name in range(int(draw.integers(2, 5))):
        kilometres = _between(draw, 10, 6000)
        longest = max(longest, kilometres)
        groups.append(
            f'{{name="group{name}", service="abr", count={int(draw.integers(1, 6))}, '
            f'access="{kilometres:.1f} km", stagger="10 ms", source={{kind="greedy"}}}}'
        )
    begin = 30 * 2 * (longest + 100) * 5e-6 + 0.3
    settings = [
        f"flow=[{', '.join(groups)}]",
        'topology.bottleneck="100 km"',
        *_control(draw, scheme),
        'switch.buffer="infinite"',
        f'measure.from="{begin * 1e3:.3f} ms"',
        f'run.duration="{(2 * begin + 0.2) * 1e3:.3f} ms"',
        'run.start_jitter="20 ms"',
        *QUIET,
        f'tcp.window="{int(_between(draw, 64, 1000))} KiB"',
        f'tcp.mss="{draw.choice([512, 1460, 4352])} bytes"',
    ]
    return _job(draw, "n-source", settings)


def far_jobs(count: int, seed: int) -> Iterator[Job]:
    """Equal sources on short to long access links in the steady state, by schemes that write rates.

    All other scenarios with equal round trips in the steady state have access links of 1 km.
    """
    draw = np.random.default_rng(seed)
    schemes = [name for name in _names("schemes") if name not in {"none", *WITHOUT_A_RATE}]
    for _ in range(count):
        for scheme in schemes:
            yield _far_job(draw, scheme)


def _far_job(draw: np.random.Generator, scheme: str) -> Job:
    kilometres = _between(draw, 1, 3000)
    begin = 30 * 2 * (kilometres + 100) * 5e-6 + 0.3
    settings = [
        f'topology.access="{kilometres:.1f} km"',
        'topology.bottleneck="100 km"',
        f"flow.tcp.count={int(draw.integers(2, 16))}",
        'flow.tcp.stagger="1 ms"',
        *_control(draw, scheme),
        'switch.buffer="infinite"',
        f'measure.from="{begin * 1e3:.3f} ms"',
        f'run.duration="{(2 * begin + 0.2) * 1e3:.3f} ms"',
        *QUIET,
        f'tcp.window="{int(_between(draw, 512, 2000))} KiB"',
        f'tcp.mss="{draw.choice([512, 1460, 4352])} bytes"',
    ]
    return _job(draw, "n-source", settings)


def _control(draw: np.random.Generator, scheme: str) -> list[str]:
    """The settings of a scheme in the steady state."""
    settings = [f'switch.control={{scheme="{scheme}"}}']
    if scheme in WITH_TARGET and draw.random() < 0.5:
        settings.append(f"switch.control.target_utilisation={draw.uniform(0.7, 1.0):.3f}")
    return [*settings, "switch.control.max_alloc=false"] if scheme == "erica" else settings


def _names(kind: str) -> list[str]:
    return [entry["name"] for entry in json.loads(_core.registry())[kind]]


def _random_job(draw: np.random.Generator) -> Job:
    if draw.random() < STEADY:
        return _steady_job(draw)
    template = str(draw.choice(_names("templates")))
    text = _core.template(template)
    settings = [*_run(draw, text), *_switch(draw), *_ends(draw), *_network(draw, template)]
    if draw.random() < 0.3:
        settings += _flows(draw)
    return _job(draw, template, settings)


def _steady_job(draw: np.random.Generator) -> Job:
    """Equal sources over one bottleneck without losses, in the steady state.

    Some sources share the link with background traffic, or send in both directions.
    """
    family = draw.choice(["fluid", "fluid", "erica", "scheme", "windows", "bursts", "two-way"])
    if family in {"bursts", "two-way"}:
        return _shared_job(draw, str(family))
    kilometres = _between(draw, 10, 200 if family == "fluid" else 1500)
    count = int(_between(draw, 5 if family == "fluid" else 2, 20))
    trip_seconds = 2 * (kilometres + 2) * 5e-6
    begin = 30 * trip_seconds + (0.8 if family == "fluid" else 0.1)
    settings = [
        f'topology.bottleneck="{kilometres:.1f} km"',
        f"flow.tcp.count={count}",
        f'flow.tcp.stagger="{_between(draw, 1e-3, 1):.3f} ms"',
        f'measure.from="{begin * 1e3:.3f} ms"',
        f'run.duration="{(1.5 * begin + 0.2) * 1e3:.3f} ms"',
        *QUIET,
    ]
    if family == "fluid":
        settings += [
            'flow.tcp.source={kind="persistent"}',
            f'switch.control={{scheme="efci", threshold="{int(_between(draw, 100, 5000))} cells"}}',
            f"abr.rif={2.0 ** -int(draw.integers(5, 13))}",
            f"abr.rdf={2.0 ** -int(draw.integers(2, 7))}",
        ]
    elif family == "erica":
        settings.append(f"switch.control.target_utilisation={draw.uniform(0.7, 0.98):.3f}")
        settings.append("switch.control.max_alloc=false")
    elif family == "scheme":
        settings += _control(draw, str(draw.choice(_names("schemes"))))
    else:
        settings.append("flow.tcp.service=ubr")
    settings.append(f'tcp.window="{int(_between(draw, 8, 600))} KiB"')
    return _job(draw, "n-source", settings)


def _shared_job(draw: np.random.Generator, family: str) -> Job:
    """Sources beside a background, steady or in long bursts, or in both directions of a link."""
    kilometres = _between(draw, 10, 300)
    scheme = draw.choice(["erica", "erica", str(draw.choice(_names("schemes")))])
    settings = [
        f'topology.bottleneck="{kilometres:.1f} km"',
        *_control(draw, str(scheme)),
        'switch.buffer="infinite"',
        'measure.from="600 ms"',
        'run.duration="1800 ms"',
        *QUIET,
        f'tcp.window="{int(_between(draw, 8, 600))} KiB"',
        f'tcp.mss="{draw.choice([512, 1460, 4352])} bytes"',
    ]
    template = family
    if family == "bursts":
        template = "n-source-vbr"
        settings.append(f"flow.tcp.count={int(_between(draw, 1, 15))}")
        rate = f"{_between(draw, 5, 120):.3f} Mbit/s"
        if draw.random() < 0.5:
            settings.append(f'flow.vbr.source={{kind="cbr",rate="{rate}"}}')
        else:
            period = _between(draw, 5, 300)
            settings.append(
                f'flow.vbr.source={{kind="on-off",peak="{rate}",period="{period:.3f} ms",'
                f"duty_cycle={draw.uniform(0.2, 0.8):.3f}}}"
            )
    return _job(draw, template, settings)


def _job(draw: np.random.Generator, template: str, settings: list[str]) -> Job:
    seed = int(draw.integers(1, 2**31))
    return Job(_core.template(template), template, tuple(settings), seed)


def _between(draw: np.random.Generator, low: float, high: float) -> float:
    """A number whose logarithm is uniform."""
    return float(np.exp(draw.uniform(np.log(low), np.log(high))))


def _run(draw: np.random.Generator, text: str) -> list[str]:
    duration = _between(draw, *DURATIONS_SECONDS)
    begin = float(draw.choice([0.0, 0.1, 0.5, 0.8])) * duration
    order = draw.choice(["as-written", "random"])
    settings = [
        f'run.duration="{duration * 1e6:.0f} us"',
        f'measure.from="{begin * 1e6:.0f} us"',
        *QUIET,
    ]
    if "www" in text or draw.random() < 0.5:
        return settings
    return [*settings, f'run.simultaneous_cells="{order}"']


def _switch(draw: np.random.Generator) -> list[str]:
    settings = []
    if draw.random() < 0.8:
        scheme = str(draw.choice(_names("schemes")))
        settings.append(f'switch.control={{scheme="{scheme}"}}')
        if scheme == "efci" and draw.random() < 0.7:
            high = int(_between(draw, 10, 5000))
            settings.append(f'switch.control.threshold="{high} cells"')
        if scheme in WITH_TARGET and draw.random() < 0.7:
            settings.append(f"switch.control.target_utilisation={draw.uniform(0.7, 1.0):.3f}")
        if scheme == "erica" and draw.random() < 0.7:
            settings.append(f"switch.control.max_alloc={str(draw.random() < 0.5).lower()}")
    if draw.random() < 0.7:
        settings.append(f'switch.buffer="{int(_between(draw, 50, 40_000))} cells"')
    else:
        settings.append('switch.buffer="infinite"')
    if draw.random() < 0.3:
        settings.append(f'switch.discard={{policy="{draw.choice(_names("policies"))}"}}')
    return settings


def _ends(draw: np.random.Generator) -> list[str]:
    settings = []
    if draw.random() < 0.7:
        settings.append(f'tcp.recovery="{draw.choice(_names("recoveries"))}"')
    if draw.random() < 0.6:
        settings.append(f'tcp.window="{int(_between(draw, 4, 1000))} KiB"')
    if draw.random() < 0.4:
        settings.append(f'tcp.mss="{draw.choice([200, 512, 1460, 4312, 9140])} bytes"')
    if draw.random() < 0.3:
        settings.append(f"tcp.delayed_ack={str(draw.random() < 0.5).lower()}")
    if draw.random() < 0.2:
        settings.append(f'tcp.processing_time="{_between(draw, 1, 2000):.1f} us"')
    if draw.random() < 0.3:
        settings.append(f'tcp.min_rto="{int(_between(draw, 10, 1000))} ms"')
    if draw.random() < 0.3:
        settings.append(f'abr.pcr="{_between(draw, 1, 155):.3f} Mbit/s"')
    if draw.random() < 0.3:
        settings.append(f"abr.rif={draw.choice([1.0, 0.0625, 0.015625])}")
        settings.append(f"abr.rdf={draw.choice([0.0625, 0.015625, 0.00048828125])}")
    return settings


def _network(draw: np.random.Generator, template: str) -> list[str]:
    settings = []
    if draw.random() < 0.15:
        settings.append(f"link_errors.cell_loss_ratio={_between(draw, 1e-6, 1e-2):.3g}")
    if template.startswith("n-source") and draw.random() < 0.7:
        settings.append(f'topology.bottleneck="{_between(draw, 1, 4000):.1f} km"')
        settings.append(f'topology.access="{_between(draw, 0.1, 1000):.1f} km"')
    if draw.random() < 0.4:
        settings.append(f"flow.tcp.count={int(_between(draw, 1, 30))}")
    if draw.random() < 0.3:
        settings.append(f'flow.tcp.stagger="{_between(draw, 0.1, 50):.2f} ms"')
    return settings


def _flows(draw: np.random.Generator) -> list[str]:
    """Settings that replace the template's flows by flows of other kinds."""
    rate = f"{_between(draw, 0.1, 60):.3f} Mbit/s"
    service = draw.choice(["ubr", "abr"])
    sources = {
        "greedy": '{kind="greedy"}',
        "transfer": f'{{kind="transfer", size="{int(_between(draw, 1, 4000))} KiB"}}',
        "messages": f'{{kind="messages", mean_length="2500 bytes", mean_rate="{rate}"}}',
        "persistent": '{kind="persistent"}',
        "cbr": f'{{kind="cbr", rate="{rate}"}}',
        "poisson": f'{{kind="poisson", rate="{rate}"}}',
    }
    kind = str(draw.choice(list(sources)))
    service = "cbr" if kind in {"cbr", "poisson"} and draw.random() < 0.7 else service
    count = int(_between(draw, 1, 20))
    first = f'{{name="one", service="{service}", count={count}, source={sources[kind]}}}'
    if draw.random() < 0.5:
        return [f"flow=[{first}]"]
    return [f'flow=[{first}, {{name="tcp", service="ubr", count=2}}]']
