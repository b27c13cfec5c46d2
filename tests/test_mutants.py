"""The committed count of mutants holds what it must, and its arithmetic is right."""

import json
import random
from pathlib import Path

import pytest

from proof.mutants import stages
from proof.mutants.campaign import Mutant
from proof.mutants.drawing import DRAWN, drawn
from proof.mutants.operators import meaningful
from proof.mutants.report import RESULTS, survivor, wilson
from proof.mutants.verdicts import CAUGHT, SURVIVED, Verdict, Verdicts

FOUND = json.loads(RESULTS.read_text())


@pytest.mark.parametrize("part", sorted(FOUND))
def test_fewer_than_a_tenth_survive_and_each_has_a_reason(part: str) -> None:
    found = FOUND[part]
    fates = [found[fate] for fate in ("caught", "timed_out", "unviable", "survived")]
    assert sum(fates) == found["tried"] <= found["drawn"] == DRAWN
    assert found["survived"] == len(found["survivors"])
    assert all(len(one["reason"]) > 10 for one in found["survivors"])
    viable = found["tried"] - found["unviable"]
    assert found["survivors_percent"] == round(100 * found["survived"] / viable, 2) < 10
    low, high = wilson(found["survived"], viable)
    assert found["interval_percent"] == [round(100 * low, 2), round(100 * high, 2)]


def test_wilson_interval() -> None:
    # Brown, Cai and DasGupta 2001 and R's prop.test(7, 50, correct = FALSE).
    assert wilson(7, 50) == pytest.approx((0.0695, 0.2619), abs=5e-5)
    low, high = wilson(0, 100)
    assert low == 0
    assert high == pytest.approx(1.959964**2 / (100 + 1.959964**2))


def test_a_draw_depends_on_names_and_seed_alone() -> None:
    names = [f"mutant {number}" for number in range(1000)]
    shuffled = random.Random(5).sample(names, len(names))  # noqa: S311
    assert drawn(names) == drawn(shuffled)
    assert len(set(drawn(names))) == DRAWN
    assert drawn(names, seed=1) != drawn(names, seed=2)


def test_operators_are_replaced_within_their_family(tmp_path: Path) -> None:
    file = tmp_path / "code.py"
    file.write_text("def f(a: int | None) -> float:\n    return 2 * a\n")
    place = (file, 2, 13)
    assert meaningful(*place, "ReplaceBinaryOperator_Mul_Div")
    assert not meaningful(*place, "ReplaceBinaryOperator_Mul_RShift")
    assert meaningful(*place, "NumberReplacer")
    assert meaningful(*place, "ReplaceUnaryOperator_Delete_USub")
    assert not meaningful(*place, "ReplaceUnaryOperator_USub_UAdd")
    assert not meaningful(file, 1, 13, "ReplaceBinaryOperator_BitOr_BitAnd")


def test_verdicts_outlive_a_kill_and_survivors_meet_new_tests(tmp_path: Path) -> None:
    file = tmp_path / "verdicts.json"
    verdicts = Verdicts(file, mutants="m", tests="old")
    verdicts.add({"a": Verdict(SURVIVED), "b": Verdict(CAUGHT)})
    verdicts.write()
    again = Verdicts.read(file, "m")
    assert again.wanting(["a", "b", "c"]) == ["c"]
    again.tests = "new"
    assert again.wanting(["a", "b", "c"]) == ["a", "c"]
    again.add({"a": Verdict(CAUGHT)})
    assert again.by_name["a"].once_survived
    assert Verdicts.read(file, "other mutants").by_name == {}


def test_a_reason_belongs_to_one_mutation_of_one_line() -> None:
    mutant = Mutant("a.rs", 7, "x < y", "replace < with <=")
    known = {"file": "a.rs", "code": "x < y", "mutation": "replace < with <=", "reason": "never"}
    assert survivor(mutant, Verdict(SURVIVED), [known])["reason"] == "never"
    assert survivor(mutant, Verdict(SURVIVED), [known | {"code": "x < z"}])["reason"] == ""


def test_every_test_of_the_suite_is_in_one_stage() -> None:
    planned = stages.stages("target/debug/deps/suite-1234")
    skipped = set(planned["quick"]) - {"--skip"}
    assert skipped == {*planned["random"], *planned["slow"]}
    assert set(stages.stages("target/debug/deps/cellrate_engine-1234")) == {"quick"}
