"""The linter of a study."""

from dataclasses import replace
from pathlib import Path

import pytest
from result_builders import Made, anchor, baseline, history, pairs, rules, store, trial

from lsmtune.codec import JSON
from lsmtune.model import Configuration, EngineBuild, Measurement, Overridden, Purpose, Status, Value
from lsmtune.result import History, summarise
from lsmtune.result._warnings import study_warnings
from lsmtune.store import create_study
from lsmtune.testing import fake_description, fake_space

QUIET_START = tuple(baseline(block, 100.0 + block % 2) for block in range(5))


def _warnings(
    folder: Path,
    *made: Made,
    final: Configuration | None = None,
    measurement: Measurement | None = None,
    build: EngineBuild | None = None,
) -> tuple[str, ...]:
    """The lines that are said of a study with these runs."""
    described = fake_description(rules(), fake_space())
    with create_study(folder, replace(described, build=build or described.build)) as study:
        store(study, *made, measurement=measurement)
        found = study_warnings(study, History.read(study, rules()), rules(), final or rules().start)
        return tuple(map(str, found))


def test_a_clean_study_has_no_warnings(tmp_path: Path) -> None:
    assert _warnings(tmp_path / "s", *QUIET_START, trial(1, 110.0)) == ()


def test_an_assertion_build_is_named(tmp_path: Path) -> None:
    build = replace(fake_description(rules(), fake_space()).build, assertions=True)
    (said,) = _warnings(tmp_path / "s", *QUIET_START, build=build)
    assert said.startswith("assertion-build: db_bench 7.8.3 ")


@pytest.mark.parametrize(
    ("name", "value", "shown", "end"),
    [
        ("write_buffer_size", 8 << 20, "8 MiB", "least"),
        ("write_buffer_size", 512 << 20, "512 MiB", "most"),
        ("write_buffer_size", 9 << 20, "9 MiB", ""),
        ("max_bytes_for_level_multiplier", 4.05, "4.05", "least"),
        ("max_bytes_for_level_multiplier", 19.9, "19.9", "most"),
        ("max_bytes_for_level_multiplier", 18.0, "18.0", ""),
        ("bytes_per_sync", 0, "0 B", ""),  # special values lie outside of the range
        ("compression_type", "zstd", "zstd", ""),
    ],
)
def test_a_value_on_a_bound_of_its_range_is_named(
    tmp_path: Path, name: str, value: Value, shown: str, end: str
) -> None:
    final = Configuration.of({name: value})
    said = _warnings(tmp_path / "s", *QUIET_START, final=final)
    assert [warning for warning in said if f"the best {name} = {shown} is the {end} of its range" in warning] == (
        list(said) if end else []
    )
    assert len(said) == bool(end)


def test_a_range_below_zero_has_a_least_value_too(tmp_path: Path) -> None:
    described = fake_description(rules(), fake_space())
    facts = {**described.facts, "ranges": {"level": [-14, 10]}}
    with create_study(tmp_path / "s", replace(described, facts=facts)) as study:
        read = History.read(study, rules())
        (said,) = study_warnings(study, read, rules(), Configuration.of({"level": -14}))
        assert "level = -14 is the least" in said.sentence
        assert study_warnings(study, read, rules(), Configuration.of({"level": -13})) == ()


def test_what_the_engine_changed_or_warned_of_is_said_of_reference_and_result(tmp_path: Path) -> None:
    measured = Measurement({}, overridden=(Overridden("sync", 1, 2, "too low"),), warnings=("debt-left: hidden",))
    final = Configuration((("max_write_buffer_number", 3),))
    said = _warnings(tmp_path / "s", *QUIET_START, trial(1, 120.0), final=final, measurement=measured)
    assert said == (
        "debt-left: reference and result: hidden",
        "overridden-value: reference and result: sync was asked to be 1 and was 2 (too low)",
    )
    unchanged = _warnings(tmp_path / "t", *QUIET_START, trial(1, 90.0), measurement=measured)
    assert unchanged == tuple(line.replace(" and result", "") for line in said)


def test_the_reference_with_another_workload_is_not_called_the_reference(tmp_path: Path) -> None:
    cell = Made(Purpose.SAMPLE, "sample-1", 1, scenario=(("value_size_bytes", 250),))
    measured = Measurement({}, warnings=("debt-left: hidden",))
    with create_study(tmp_path / "s", fake_description(rules(), fake_space())) as study:
        store(study, *QUIET_START)
        store(study, cell, measurement=measured)
        assert study_warnings(study, History.read(study, rules()), rules(), rules().start) == ()


def test_drift_of_the_reference_is_said(tmp_path: Path) -> None:
    drifting = [anchor(100.0 * 1.04**number) for number in range(9)]
    (said,) = _warnings(tmp_path / "s", *drifting)
    assert said.startswith("anchors-disagree: throughput_settled_ops_s of the reference changed by ")
    noisy = [anchor(100.0 + 10 * (-1) ** number) for number in range(9)]
    assert _warnings(tmp_path / "t", *noisy) == ()


def test_failed_and_disturbed_runs_are_counted_with_the_most_frequent_reason(tmp_path: Path) -> None:
    failed = trial(1, None, status=Status.FAILED)
    disturbed = trial(2, 90.0, status=Status.DISTURBED)
    said = _warnings(
        tmp_path / "s",
        *QUIET_START,
        replace(failed, reason="bad flag"),
        replace(failed, reason="full disk"),
        replace(failed, reason="full disk"),
        replace(disturbed, reason="others used 20 %"),
    )
    assert said == (
        "failed-runs: 3 of 9 runs failed; most often: full disk",
        (
            "disturbed-host: 1 of 9 runs were disturbed by others on the host (used as they are: 1); most often: "
            "others used 20 %"
        ),
    )


def test_runs_that_others_spoiled_are_counted(tmp_path: Path) -> None:
    spoiled = replace(trial(1, None, status=Status.SPOILED), reason="1 GiB are left")
    assert _warnings(tmp_path / "s", *QUIET_START, spoiled, spoiled, trial(1, 90.0)) == (
        "disturbed-host: 2 of 8 runs did not finish because others filled the disk; most often: 1 GiB are left",
    )


@pytest.mark.parametrize("status", [Status.FAILED, Status.CENSORED, Status.SPOILED])
def test_missing_pairs_of_a_verification_are_counted(tmp_path: Path, status: Status) -> None:
    runs = pairs({"stock": [100.0] * 6, "finalist-1": [120.0] * 6})
    gone = [replace(each, status=status) if (each.arm, each.block) == ("stock", 2) else each for each in runs]
    said = _warnings(tmp_path / "s", *gone)
    assert (
        said[-1]
        == "missing-pairs: runs of the verification that gave nothing: 1; their pairs are missing from the claims"
    )


def test_a_stopped_run_that_counts_at_its_bound_is_not_missing(tmp_path: Path) -> None:
    runs = pairs({"stock": [100.0] * 6, "finalist-1": [120.0] * 6})
    gone = [replace(each, status=Status.CENSORED) if (each.arm, each.block) == ("stock", 2) else each for each in runs]
    with create_study(tmp_path / "s", fake_description(rules(), fake_space())) as study:
        store(study, *gone)
        read = History.read(study, rules())
        stopped = tuple(replace(each, bound_s=30.3) if each.status is Status.CENSORED else each for each in read.runs)
        for judged, missing in ((rules(), 0), (replace(rules(), timed=False), 1)):
            said = map(str, study_warnings(study, replace(read, runs=stopped), judged, judged.start))
            assert len([each for each in said if each.startswith("missing-pairs")]) == missing


def test_runs_at_larger_scales_are_among_the_pairs(tmp_path: Path) -> None:
    climbed = pairs({"stock": [100.0] * 6, "finalist-1": [120.0] * 6}, purpose=Purpose.CLIMB)
    used = [replace(each, status=Status.DISTURBED) if each.block in (1, 4) else each for each in climbed]
    said = _warnings(tmp_path / "s", *used)
    assert [each for each in said if each.startswith("disturbed-pairs: 2 of 6 pairs")]
    failed = [
        replace(each, status=Status.FAILED) if (each.arm, each.block) == ("stock", 2) else each for each in climbed
    ]
    assert _warnings(tmp_path / "t", *failed)[-1].startswith(
        "missing-pairs: runs of the verification that gave nothing: 1"
    )


def test_pairs_that_rest_on_disturbed_runs_are_told(tmp_path: Path) -> None:
    runs = pairs({"stock": [100.0] * 6, "finalist-1": [120.0] * 6})
    used = [replace(each, status=Status.DISTURBED, reason="others") if each.block in (1, 4) else each for each in runs]
    assert _warnings(tmp_path / "s", *used) == (
        ("disturbed-host: 4 of 12 runs were disturbed by others on the host (used as they are: 4); most often: others"),
        (
            "disturbed-pairs: 2 of 6 pairs of fresh runs rest on runs that others on the host disturbed, and their "
            "intervals include that"
        ),
    )


def test_runs_of_a_design_that_the_cap_stopped_are_counted_and_those_of_a_search_are_not(tmp_path: Path) -> None:
    stopped = replace(trial(1, None, status=Status.CENSORED), reason="slower than 3 times the reference")
    assert _warnings(tmp_path / "t", *QUIET_START, stopped) == ()
    cells = [replace(trial(number, 100.0), purpose=Purpose.SAMPLE) for number in (1, 2)]
    said = _warnings(tmp_path / "s", *QUIET_START, *cells, replace(stopped, purpose=Purpose.SAMPLE))
    assert said == ("capped-runs: 1 of 3 runs were stopped by search.cap; what is left of their cells is too good",)


def test_a_disturbed_run_of_a_verification_that_was_made_again_is_not_missing(tmp_path: Path) -> None:
    runs = pairs({"stock": [100.0] * 6, "finalist-1": [120.0] * 6})
    again = Made(Purpose.VERIFY, "stock", 2, 50.0, status=Status.DISTURBED, reason="others used 20 %")
    assert _warnings(tmp_path / "s", again, *runs) == (
        (
            "disturbed-host: 1 of 13 runs were disturbed by others on the host (made again: 1, which took 10 s); "
            "most often: others used 20 %"
        ),
    )


@pytest.mark.parametrize("loads", [1, 2])
def test_fresh_runs_on_one_load_are_named_and_hold_for_its_data(tmp_path: Path, loads: int) -> None:
    described = fake_description(rules(), fake_space())
    workload: JSON = {"keys": 1_000_000, "load": ["fillseq"]}
    runs = [
        replace(each, load_seed=1 + (each.block or 0) % loads)
        for each in pairs({"stock": [100.0] * 6, "finalist-1": [120.0] * 6})
    ]
    with create_study(tmp_path / "s", replace(described, facts={**described.facts, "workload": workload})) as study:
        store(study, *runs)
        result = summarise(study)
    assert result.on_one_load == (loads == 1)
    assert [found.rule.code for found in result.warnings] == ["one-load"] * (loads == 1)


def test_a_history_knows_its_runs_by_block_and_by_order() -> None:
    made = history(baseline(0, 100.0), trial(1, None, status=Status.LOST), trial(1, 110.0), anchor(100.0))
    assert dict(made.order) == {1: 1, 2: 1, 3: 2, 4: 3}
    assert [stored.run.id for stored in made.select((Purpose.TRIAL, Purpose.ANCHOR))] == [3, 4]
    assert made.blocks(Purpose.BASELINE)[0]["stock"].run.id == 1
    assert made.blocks(Purpose.VERIFY) == {}
