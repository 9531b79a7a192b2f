"""Decisions and rules, kept with the study and read back; and what a study says while it goes on."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from result_builders import baseline, pairs, rules, store, trial

from lsmtune.indicators import Limit
from lsmtune.model import Configuration, Status, Value
from lsmtune.result import Decisions, EliminationTest, Rules, StudyFacts, checkpoints, finalist, summarise
from lsmtune.stats import Decision
from lsmtune.store import create_study, open_study
from lsmtune.testing import FakePlan, Noise, Surface, fake_description, fake_rules, fake_space, fake_study

_TABLE = '[TableOptions/BlockBasedTable "default"]'
START = [baseline(block, 100.0 + block % 2) for block in range(5)]
TRIALS = [trial(1, 120.0), trial(2, 130.0), trial(3, 90.0)]
VERIFIED = {"finalist-1": TRIALS[1].values, "finalist-2": TRIALS[0].values}
PAIRS = [
    replace(made, values=VERIFIED.get(made.arm, ()))
    for made in pairs(
        {
            "stock": [100.0, 101.0, 99.0, 100.0, 100.5, 99.5],
            "finalist-1": [130.0, 129.0, 131.0, 130.0, 130.5, 129.5],
            "finalist-2": [101.0, 98.0, 102.0, 97.0, 100.0, 102.0],
        }
    )
]


def test_nothing_is_decided_at_the_start(tmp_path: Path) -> None:
    with fake_study(tmp_path) as study:
        assert study.decisions == Decisions()


def test_decisions_come_back_as_they_were_made(tmp_path: Path) -> None:
    made = Decisions(
        trials=42,
        finalists=("trial-2", "trial-1"),
        verify_looks=2,
        winner="",
        elimination=(EliminationTest(1, ("a", "b"), accepted=True), EliminationTest(2, ("c",), accepted=False)),
        smaller={"c": True, "d": 10.0, "e": 10, "f": "zstd"},
        confirm_looks=1,
        final_tests=(EliminationTest(1, ("d",), accepted=False, control=1, final=True),),
        done=True,
    )
    with fake_study(tmp_path) as study:
        kept = study.study
        kept.save(checkpoints.TRIALS, made.trials)
        kept.save(checkpoints.FINALISTS, made.finalists)
        kept.save(checkpoints.VERIFY_LOOKS, made.verify_looks)
        kept.save(checkpoints.WINNER, made.winner)
        kept.save(checkpoints.ELIMINATION, made.elimination)
        kept.save(checkpoints.SMALLER, made.smaller)
        kept.save(checkpoints.CONFIRM_LOOKS, made.confirm_looks)
        kept.save(checkpoints.FINAL_TESTS, made.final_tests)
        kept.save(checkpoints.DONE, made.done)
    with open_study(tmp_path) as opened:
        found = Decisions.read(opened)
    assert found == made
    assert {name: type(value) for name, value in (found.smaller or {}).items()} == {
        "c": bool,
        "d": float,
        "e": int,
        "f": str,
    }


def test_rules_come_back_as_they_were_made() -> None:
    made = replace(
        fake_rules(),
        limits=(Limit("space_amp", "<=", 1.5),),
        baselines={"stock": Configuration.of({"sync": False}), "mine": Configuration.of({}, "[DBOptions]\n")},
    )
    assert Rules.from_json(json.loads(json.dumps(made.to_json()))) == made
    assert StudyFacts.of(fake_description(made, fake_space())).rules == made


def test_what_decides_is_shown_first_and_once() -> None:
    made = rules((Limit("space_amp", "<=", 1.5), Limit("space_bytes", "<=", 1e9)))
    assert made.judged == ("throughput_settled_ops_s", "space_bytes", "space_amp")
    assert made.shown[:3] == made.judged
    assert len(set(made.shown)) == len(made.shown)


@pytest.mark.parametrize("place", [1, 3])
def test_finalists_are_named_by_their_place(place: int) -> None:
    assert finalist(place) == f"finalist-{place}"


def test_an_empty_study_can_be_summarised(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", fake_description(rules(), fake_space())) as study:
        result = summarise(study)
    assert (result.verdict, result.improved, result.final, result.leaders) == (None, False, Configuration(), ())
    assert (result.noise, result.detectable, result.warnings) == ({}, None, ())


def test_a_study_says_what_it_knows_at_each_stage(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", fake_description(rules(), fake_space())) as study:
        store(study, *START, *TRIALS)
        searched = summarise(study)
        assert [leader.stored.run.arm for leader in searched.leaders] == ["trial-2", "trial-1", "trial-3"]
        assert len(summarise(study, leaders=1).leaders) == 1
        assert searched.detectable is not None
        assert set(searched.detectable.gains) == {6, 12, 20}
        assert (searched.detectable.looks, searched.detectable.runs) == (0, len(START))
        assert searched.verified == ()

        study.save(checkpoints.FINALISTS, ("trial-2", "trial-1"))
        store(study, *PAIRS)
        verifying = summarise(study)
        assert [each.arm for each in verifying.verified] == ["finalist-1", "finalist-2"]
        assert not verifying.improved, "nothing is claimed before it is decided"
        assert verifying.final == Configuration()

        study.save(checkpoints.VERIFY_LOOKS, 1)
        study.save(checkpoints.WINNER, "finalist-1")
        verified = summarise(study)
        assert verified.improved
        assert verified.final == Configuration.of({"max_write_buffer_number": 4})
        assert verified.verdict is verified.verified[0]
        assert verified.verdict.claim.decision is Decision.IMPROVED
        (change,) = verified.changes
        assert (change.option, change.before, change.after, change.evidence) == ("max_write_buffer_number", 2, 4, None)


@pytest.mark.parametrize(
    ("family", "table", "option", "value", "before"),
    [
        ("", "filter_policy=ribbonfilter:10:0", "bloom_bits", 10, "filter_policy=ribbonfilter:10:0"),
        ("", "filter_policy=bloomfilter:8:false", "bloom_bits", 10, None),
        ("compression=kXpressCompression", "", "compression_type", "lz4", "compression=kXpressCompression"),
        ("compression=kSnappyCompression", "", "compression_type", "lz4", "snappy"),
    ],
)
def test_what_a_change_replaces_is_named_as_the_users_file_does_where_no_value_means_it(
    family: str, table: str, option: str, value: Value, before: Value | None, tmp_path: Path
) -> None:
    own = Configuration.of({}, f'[Version]\n[CFOptions "default"]\n{family}\n{_TABLE}\n{table}\n')
    judged = replace(rules(), baselines={"stock": own})
    made = [replace(each, values=((option, value),)) if each.arm == "finalist-1" else each for each in PAIRS]
    with create_study(tmp_path / "s", fake_description(judged, fake_space())) as study:
        store(study, *START, *TRIALS, *made)
        study.save(checkpoints.FINALISTS, ("trial-2", "trial-1"))
        study.save(checkpoints.VERIFY_LOOKS, 1)
        study.save(checkpoints.WINNER, "finalist-1")
        (change,) = summarise(study).changes
    assert (change.option, change.before, change.after) == (option, before, value)


def test_without_a_winner_the_best_finalist_speaks_and_the_reference_stays(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", fake_description(rules(), fake_space())) as study:
        store(study, *START, *TRIALS, *(each for each in PAIRS if each.arm != "finalist-1"))
        study.save(checkpoints.FINALISTS, ("trial-3", "trial-1"))
        study.save(checkpoints.VERIFY_LOOKS, 1)
        study.save(checkpoints.WINNER, "")
        result = summarise(study)
    assert not result.improved
    assert result.final == Configuration()
    assert result.verdict is not None
    assert result.verdict.arm == "finalist-2"


def test_a_smaller_configuration_counts_only_when_it_is_confirmed(tmp_path: Path) -> None:
    plan = FakePlan(surface=Surface(0.4), noise=Noise(rate=0.03))
    with fake_study(tmp_path, plan) as study:
        study.study.save(checkpoints.SMALLER, {})
        store(study.study, *START, *TRIALS, *PAIRS)
        study.study.save(checkpoints.FINALISTS, ("trial-2", "trial-1"))
        study.study.save(checkpoints.VERIFY_LOOKS, 1)
        study.study.save(checkpoints.WINNER, "finalist-1")
        study.study.save(checkpoints.CONFIRM_LOOKS, 1)
        result = summarise(study.study)
    assert result.confirmed is None
    assert not result.is_smaller
    assert result.final == Configuration.of({"max_write_buffer_number": 4})
    assert result.verdict is not None
    assert result.verdict.arm == "finalist-1"


def test_other_starting_points_are_compared_with_the_reference(tmp_path: Path) -> None:
    judged = replace(rules(), baselines={"stock": Configuration(), "mine": Configuration.of({"sync": True})})
    mine = [replace(each, arm="mine", rate=(each.rate or 0) * 1.5) for each in START[:2]]
    with create_study(tmp_path / "s", fake_description(judged, fake_space())) as study:
        store(study, *START, *mine)
        found = summarise(study).baselines["mine"]
    assert found is not None
    assert (found.n, round(found.ratio, 6)) == (2, 1.5)
    with create_study(tmp_path / "t", fake_description(judged, fake_space())) as study:
        store(study, *START, mine[0], replace(mine[1], status=Status.FAILED))
        assert summarise(study).baselines == {"mine": None}
