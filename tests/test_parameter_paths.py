"""Short paths of keys, and tables that take another form."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from cellrate import _core, template
from cellrate.common.problems import BadInput
from cellrate.studies.parameters.keys import Keys
from cellrate.studies.parameters.schema import key_paths
from cellrate.studies.parameters.variants import TableForm, form_at, switched

VBR = template("n-source-vbr")


def keys(text: str = VBR, settings: Sequence[str] = ()) -> Keys:
    return Keys(_core.Scenario(text, "scenario", list(settings)).resolved())


def form(path: str, text: str = VBR, settings: Sequence[str] = ()) -> TableForm:
    found = form_at(keys(text, settings), path, text, settings)
    assert found is not None
    return found


def test_the_end_of_a_path_is_enough_if_only_one_key_has_it() -> None:
    assert keys().find("queue_control.target_delay").path.startswith("switch.control.")
    assert keys().find("rif").path == "abr.rif"
    assert keys().find("vbr.source.peak").path == "flow.vbr.source.peak"
    # A path from the top is what it says, whatever else ends so.
    assert keys().find("tcp.mss").path == "tcp.mss"


def test_several_keys_of_that_end_are_named() -> None:
    with pytest.raises(BadInput, match=r"control\.scheme is several keys, name one: topology"):
        form_at(keys(template("graph")), "control.scheme", template("graph"), ())
    with pytest.raises(BadInput, match="no key of the scenario 'contrl'"):
        keys().find("contrl.interval")


def test_every_path_is_found_again() -> None:
    paths = list(key_paths(keys().document))
    assert len(paths) > 100
    assert len(set(paths)) == len(paths)
    tags = {"topology.template", "switch.control.scheme", "switch.discard.policy"}
    tags |= {"flow.tcp.source.kind", "flow.vbr.source.kind"}
    assert tags < set(paths)
    numbers = [
        path for path in paths if path.rpartition(".")[2] in {"rif", "mss", "peak", "buffer"}
    ]
    assert len(numbers) >= 4
    assert [keys().find(path).path for path in numbers] == numbers


def test_what_cannot_be_varied_says_why() -> None:
    with pytest.raises(BadInput, match=r"switch\.control is a table"):
        keys().find("switch.control")
    with pytest.raises(BadInput, match=r"flow\.tcp\.name is text of any kind"):
        keys().find("flow.tcp.name")


def test_another_scheme_keeps_what_it_knows() -> None:
    control = form("control.scheme", settings=["switch.control.target_utilisation=0.8"])
    assert (control.path, control.value) == ("switch.control.scheme", "erica")
    fmmra = switched(control, "fmmra")
    assert set(fmmra.kept) == {"interval", "interval_cells", "target_utilisation"}
    assert fmmra.left_out == ("queue_control",)
    assert switched(control, "efci").kept == ()
    assert switched(control, "erica").setting == ""
    with pytest.raises(BadInput, match="did you mean 'erica'"):
        switched(control, "erika")


def test_every_scheme_can_take_the_place_of_another() -> None:
    control = form("switch.control.scheme")
    names = {one["name"] for one in json.loads(_core.registry())["schemes"]}
    assert set(control.choices) == names
    for name in names - {"erica"}:
        document = keys(VBR, [switched(control, name).setting]).document
        assert document["switch"]["control"]["scheme"] == name


def test_values_that_settings_gave_are_kept() -> None:
    settings = ['switch.control={scheme = "erica", interval = "3 ms"}']
    control = form("control.scheme", settings=settings)
    changed = keys(VBR, [*settings, switched(control, "capc").setting]).document
    assert changed["switch"]["control"]["interval"] == "3 ms"


def test_an_ordinary_key_tells_no_form() -> None:
    assert form_at(keys(), "switch.control.interval", VBR, ()) is None
    assert form_at(keys(), "abr.rif", VBR, ()) is None
    assert form("vbr.source.kind").value == "on-off"
