"""Card, page, JSON and exports tell what was found of memory and space at full size beside the scaled runs."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from full_size_builders import LARGER, MANY, compared, plan, verdict
from rich.console import Console

from lsmtune.exporters._wording import full_size
from lsmtune.indicators import Guard, Limit
from lsmtune.report import tune_card, tune_json
from lsmtune.result import BoundsAtFullSize, TuneResult


def card(result: TuneResult) -> str:
    stream = io.StringIO()
    Console(file=stream, width=250).print(tune_card(result))
    return " ".join(stream.getvalue().split())


def test_space_stands_with_its_interval_and_what_it_is_extrapolated_to(tmp_path: Path) -> None:
    result = compared(tmp_path, plan(Guard("space_bytes", 1.2)))
    space = result.full_size_space
    assert space is not None
    assert space.final.low < space.final.value < space.final.high
    assert space.ratio.value == pytest.approx(space.final.value / space.reference.value)
    said = card(result)
    assert "Space at full size, extrapolated to 64 times the data as a model of the tree grows: 6.5" in said
    assert "was measured at 1/64." in said
    (line,) = [sentence for sentence in full_size(result) if sentence.startswith("Space")]
    assert "extrapolated to 64 times the data" in line
    told = tune_json(result)["full_size"]["space_bytes"]
    assert told["factor"] == 64
    assert told["final"] == {"value": space.final.value, "low": space.final.low, "high": space.final.high}


def test_a_broken_guard_says_both_the_full_size_and_the_scaled_runs(tmp_path: Path) -> None:
    result = compared(tmp_path, plan(Guard("memory_peak_bytes", 2.0), Limit("space_bytes", "<=", 1e12)), MANY)
    said = card(result)
    assert "the guard on peak memory at full size is broken" in said
    assert "x in the scaled runs" in said
    assert "MiB in the scaled runs" in said
    told = tune_json(result)["verdict"]
    assert told["guards"]["memory_peak_bytes"]["verdict"] == "broken"
    assert told["scaled"]["memory_peak_bytes"]["verdict"] == "held"


def test_a_guard_that_the_extrapolation_leaves_open_says_so(tmp_path: Path) -> None:
    said = card(compared(tmp_path, plan(Guard("space_bytes", 1.05)), MANY))
    assert "the extrapolation from the runs cannot tell whether the guard on space on disk at full size holds" in said


def test_what_no_model_tells_is_said_to_be_in_proportion(tmp_path: Path) -> None:
    result = compared(tmp_path, plan(Guard("space_bytes", 1.2)))
    untold = BoundsAtFullSize(64.0, "level", "runs end before what is due has run")
    without = replace(result, rules=replace(result.rules, full_size=untold))
    assert without.full_size_space is not None
    assert without.full_size_space.ratio.low == without.full_size_space.ratio.high
    for said in (card(without), " ".join(full_size(without))):
        assert "not computed but in proportion to 64 times the data" in said
        assert "(runs end before what is due has run)" in said


def test_computed_indicators_stand_in_no_table_of_what_was_measured(tmp_path: Path) -> None:
    best = verdict(compared(tmp_path, plan(Guard("space_bytes", 1.2)), LARGER))
    assert "space_full_size_bytes" not in best.indicators
    assert "memory_peak_bytes" in best.indicators
    assert best.levels["space_full_size_bytes"][0] > 50 * best.levels["space_bytes"][0]
