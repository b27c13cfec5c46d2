"""Check of GraphML files, which must give a valid scenario or a refusal.

Random bytes are hardly ever XML, so `check_parts` makes well-formed files of parts that the input
chooses.
"""

from collections.abc import Iterator
from xml.sax.saxutils import escape

from cellrate import ScenarioError, _core
from cellrate.common.problems import BadInput
from cellrate.simulation.graphml import GraphOptions, scenario_of

NAMES = (
    *("kind", "name", "label", "buffer", "flows_to"),
    *("rate", "delay", "length", "rate_bits_per_second", "LinkSpeedRaw", "delay_seconds"),
    *("length_km", "x"),
)
TYPES = ("string", "double", "long", "int", "boolean", "float", "integer", "yfiles", "")
VALUES = (
    *("host", "switch", "a", "b", "c d,e", "h.a", "", " ", "...", "ä", "\t\n", "'\"\\"),
    *("10 Mbit/s", "1 km", "5 ms", "100 cells", "infinite", "0 bit/s", "-1 ms", "1e300 s"),
    *("1e7", "0", "-0.0", "nan", "inf", "1e400", "9" * 400, "9" * 5000, "true", "0x10", "1_0", "٣"),
)
IDS = ("a", "b", "c", "d", "h.a", "", " a", "ä", "1", "01")
DIRECTIONS = ("undirected", "directed", "", "sideways")
OPTIONS = (
    GraphOptions(),
    GraphOptions(rate="10 Mbit/s", delay="1 km", host_rate="10 Mbit/s", service="ubr"),
    GraphOptions(rate="1 Gbit/s", delay="1 km", host_rate="1 Gbit/s", link_layer="ethernet"),
)


def check(data: bytes) -> None:
    """Checks the input as a file, with and without defaults for missing values, on both layers."""
    for options in OPTIONS:
        try:
            text = scenario_of(data, "graph.xml", options)
        except (BadInput, ScenarioError) as error:
            assert str(error)
        else:
            _core.Scenario(text, "graph.toml")


def check_parts(data: bytes) -> None:
    """Checks a file whose keys, nodes and edges the input chooses."""
    check(document(data).encode("utf-8"))


def document(data: bytes) -> str:
    """A GraphML document, whose parts the bytes choose one by one."""
    choices = iter(data)
    direction = _of(DIRECTIONS, choices)
    keys = [_key(number, choices) for number in range(next(choices, 0) % 8)]
    parts = []
    while (kind := next(choices, None)) is not None:
        parts.append(_node(choices, len(keys)) if kind % 2 else _edge(choices, len(keys)))
    body = "".join([*keys, f'<graph edgedefault="{direction}">', *parts, "</graph>"])
    return f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{body}</graphml>'


def _of(values: tuple[str, ...], choices: Iterator[int]) -> str:
    return escape(values[next(choices, 0) % len(values)], {'"': "&quot;"})


def _key(number: int, choices: Iterator[int]) -> str:
    owner = ("node", "edge", "all", "graph")[next(choices, 0) % 4]
    name, kind = _of(NAMES, choices), _of(TYPES, choices)
    default = next(choices, 0)
    inner = f"<default>{_of(VALUES, choices)}</default>" if default % 4 == 3 else ""
    typed = f' attr.type="{kind}"' if kind else ""
    return f'<key id="k{number}" for="{owner}" attr.name="{name}"{typed}>{inner}</key>'


def _data(choices: Iterator[int], keys: int) -> str:
    count = next(choices, 0) % 4
    return "".join(
        f'<data key="k{next(choices, 0) % (keys + 1)}">{_of(VALUES, choices)}</data>'
        for _ in range(count)
    )


def _node(choices: Iterator[int], keys: int) -> str:
    return f'<node id="{_of(IDS, choices)}">{_data(choices, keys)}</node>'


def _edge(choices: Iterator[int], keys: int) -> str:
    ends = f'source="{_of(IDS, choices)}" target="{_of(IDS, choices)}"'
    return f"<edge {ends}>{_data(choices, keys)}</edge>"
