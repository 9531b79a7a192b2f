"""What qualifies an improvement, of studies made by hand."""

from dataclasses import replace
from pathlib import Path

import pytest
from result_builders import Made, baseline, history, rules, store, trial

from lsmtune.indicators import Objective
from lsmtune.lint import RULES, memtable_sized_data
from lsmtune.model import Configuration, Measurement, Purpose
from lsmtune.result import Contest, History, Meaning, Yardstick, compare, worse_parts
from lsmtune.result._meaning import meaning_of
from lsmtune.store import create_study
from lsmtune.testing import fake_description, fake_space

MIB = 1 << 20
RATE, SPACE = "throughput_settled_ops_s", "space_bytes"
FITS = str(memtable_sized_data(100 * MIB, 128 * MIB))
SHORT = "sub-second: fillrandom ran 800 ms, less than 1 s"
MILD = "too-short: fillrandom ran 1.5 s, less than 3 s"
REFERENCE = tuple(baseline(block, 100.0) for block in range(4))
BUSY = {"compaction_count": 40.0, "compaction_written_bytes": 900.0, "flush_bytes": 100.0}
IDLE = {"compaction_count": 1.0, "compaction_written_bytes": 20.0, "flush_bytes": 100.0}


def meaning(folder: Path, *given: tuple[Made, Measurement]) -> Meaning:
    """What a study says whose result is the configuration of the first trial."""
    with create_study(folder, fake_description(rules(), fake_space())) as study:
        for made, measurement in given:
            store(study, made, measurement=measurement)
        final = Configuration(trial(1, 110.0).values)
        return meaning_of(study, History.read(study, rules()), rules(), final, "finalist-1")


def of_reference(*warnings: str, **indicators: float) -> list[tuple[Made, Measurement]]:
    return [(made, Measurement(indicators, warnings=warnings)) for made in REFERENCE]


def of_result(*warnings: str, **indicators: float) -> tuple[Made, Measurement]:
    return trial(1, 110.0), Measurement(indicators, warnings=warnings)


def test_what_the_reference_has_qualifies_and_is_said_once(tmp_path: Path) -> None:
    found = meaning(tmp_path / "s", *of_reference(FITS), of_result(FITS))
    assert found.qualifier == "on data that fits the memtables"
    assert [finding.sentence for finding in found.reference] == [FITS.partition(": ")[2]]


def test_what_the_result_alone_has_is_said_to_be_its_own(tmp_path: Path) -> None:
    found = meaning(tmp_path / "s", *of_reference(SHORT), of_result(SHORT, FITS))
    assert found.qualifier == (
        "in runs of less than a second and on data that fits the memtables (the result's, not the reference's)"
    )


def test_milder_warnings_do_not_qualify(tmp_path: Path) -> None:
    found = meaning(tmp_path / "s", *of_reference(MILD), of_result(MILD))
    assert (found.qualifier, found.reference, found.result) == ("", (), ())


def test_what_less_than_half_of_the_runs_have_does_not_count(tmp_path: Path) -> None:
    one = [(REFERENCE[0], Measurement({}, warnings=(SHORT,)))]
    assert meaning(tmp_path / "s", *one, *of_reference()[1:]).qualifier == ""
    assert meaning(tmp_path / "t", *one, *of_reference()[1:2]).qualifier == "in runs of less than a second"


@pytest.mark.parametrize(
    ("reference", "result", "codes"),
    [(BUSY, IDLE, ["little-compacted"]), (BUSY, BUSY, []), (IDLE, IDLE, []), ({}, IDLE, []), (BUSY, {}, [])],
)
def test_a_result_that_compacts_next_to_nothing_is_held_against_the_reference(
    tmp_path: Path, reference: dict[str, float], result: dict[str, float], codes: list[str]
) -> None:
    found = meaning(tmp_path / "s", *of_reference(**reference), of_result(**result))
    assert [finding.rule.code for finding in found.result] == codes


def test_a_trial_is_barred_only_by_what_the_reference_does_not_have(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", fake_description(rules(), fake_space())) as study:
        for made, measurement in of_reference(SHORT):
            store(study, made, measurement=measurement)
        store(study, trial(1, 110.0), measurement=Measurement({}, warnings=(SHORT, MILD, FITS)))
        stored = History.read(study, rules())
        (tried,) = stored.select((Purpose.TRIAL,))
        barred = Yardstick(study, stored, rules()).bars(tried)
    assert [finding.rule for finding in barred] == [RULES["memtable-sized-data"]]


@pytest.mark.parametrize(
    ("reference", "barred"),
    [([()] * 4, True), ([(MILD,)] * 4, False), ([(SHORT,), (MILD,), (), ()], False), ([(MILD,), (), (), ()], True)],
)
def test_a_trial_of_less_than_a_second_is_barred_only_where_the_reference_is_not_short_itself(
    tmp_path: Path, reference: list[tuple[str, ...]], barred: bool
) -> None:
    with create_study(tmp_path / "s", fake_description(rules(), fake_space())) as study:
        for made, warnings in zip(REFERENCE, reference, strict=True):
            store(study, made, measurement=Measurement({}, warnings=warnings))
        store(study, trial(1, 110.0), measurement=Measurement({}, warnings=(SHORT,)))
        stored = History.read(study, rules())
        (tried,) = stored.select((Purpose.TRIAL,))
        assert bool(Yardstick(study, stored, rules()).bars(tried)) == barred


@pytest.mark.parametrize(
    ("space", "worse"),
    [(1.3, {SPACE: 1.3}), (1.0, {}), (0.8, {})],
)
def test_what_the_objective_weighs_and_is_shown_to_be_worse_is_found(space: float, worse: dict[str, float]) -> None:
    judged = replace(rules(), objective=Objective({RATE: 1.0, SPACE: 0.1}))
    made = [
        run
        for block, noise in enumerate([1.0, 1.01, 0.99, 1.0, 1.01, 0.99])
        for run in (
            Made(Purpose.VERIFY, "stock", block, 100.0, 100.0),
            Made(Purpose.VERIFY, "finalist-1", block, 120.0 * noise, 100.0 * space * noise),
        )
    ]
    contest = Contest(Purpose.VERIFY, "stock", ("finalist-1",))
    (found,) = compare(history(*made, judged=judged), judged, contest, 1)
    assert {name: round(pairs.ratio, 2) for name, pairs in worse_parts(judged, found).items()} == worse
