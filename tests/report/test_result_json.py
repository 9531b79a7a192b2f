"""Results for machines."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from report_builders import RATE, STATES, comparison, improved, result

from lsmtune.report import tune_json
from lsmtune.result import PhaseRow, PhaseTable
from lsmtune.stats import ArmRatio


@pytest.mark.parametrize("name", STATES)
def test_every_result_survives_json(name: str) -> None:
    data = tune_json(STATES[name])
    assert json.loads(json.dumps(data, allow_nan=False)) == data


def test_the_object_keeps_its_shape(golden: Callable[[str, str], None]) -> None:
    rounded = json.loads(json.dumps(tune_json(improved())), parse_float=lambda text: float(f"{float(text):.6g}"))
    golden("tune.json", json.dumps(rounded, indent=1) + "\n")


def test_numbers_are_in_base_units_and_not_rounded() -> None:
    (verified, *_) = tune_json(improved())["verified"]
    comparison_of_first = improved().verified[0]
    assert verified["claim"]["gain"] == comparison_of_first.claim.gain
    assert verified["levels"][RATE]["reference"] == comparison_of_first.levels[RATE][0]
    assert verified["indicators"][RATE]["n"] == 12


def test_what_is_infinite_or_unknown_is_null() -> None:
    found = comparison(0.99, 0.05, 6)
    wild = replace(found, claim=replace(found.claim, high=float("inf"), equivalence=float("inf")))
    data = tune_json(result(wild))
    assert data["verdict"]["claim"]["high"] is None
    assert data["verdict"]["claim"]["equivalence"] is None
    assert data["stage"] is None
    assert tune_json(STATES["no_finalists"])["verdict"] is None


def test_the_end_of_a_ratio_that_knows_no_bound_is_null() -> None:
    lead = ArmRatio(2, 4.5, 0.0, float("inf"))
    row = PhaseRow(None, {}, {"a": 1.0, "b": 4.5}, {"b": lead}, "b", "a", lead, shown=False)
    data = tune_json(replace(improved(), phases=(PhaseTable(RATE, ("a", "b"), ("one", "two"), (row,), 0.95),)))
    (found,) = data["phases"][RATE]["rows"]
    assert found["lead"] == {"ratio": 4.5, "low": 0.0, "high": None, "n": 2}
    assert found["arms"][1]["ratio"] == found["lead"]


def test_a_study_that_goes_on_names_its_stage_and_state() -> None:
    data = tune_json(STATES["running"])
    assert (data["state"], data["stage"]) == ("still going on", "prune")
