"""What is put into a study comes out of it, whole and once."""

import dataclasses
import math
import time
from fractions import Fraction
from pathlib import Path

import pytest
from store_builders import BUILD, HOST, MEASUREMENT, description, finished, outcome, planned, started

from lsmtune.codec import anything, listed, text
from lsmtune.errors import StudyCorruptError, StudyError
from lsmtune.model import Configuration, Measurement, Outcome, Purpose, Run, Status
from lsmtune.store import Checkpoint, Study, StudyDescription, create_study, open_study, read_study
from lsmtune.store._codec import build_from_json, host_from_json


def test_the_description_comes_back_whole(tmp_path: Path) -> None:
    create_study(tmp_path / "s", description()).close()
    with open_study(tmp_path / "s") as study:
        assert study.description == description()
        assert not study.read_only
    with read_study(tmp_path / "s") as study:
        assert study.description == description()
        assert study.read_only
    assert (tmp_path / "s" / "experiment.toml").read_text() == 'name = "fill"\n'


def test_a_description_notes_its_time_and_the_version() -> None:
    fresh = StudyDescription("fill", "", BUILD, HOST)
    assert abs(fresh.created_at - time.time()) < 60
    assert fresh.lsmtune_version


def test_a_description_needs_a_name_and_facts_that_json_holds() -> None:
    with pytest.raises(StudyError, match="needs a name"):
        description(name=" ")
    with pytest.raises(StudyError, match="cannot be stored as JSON"):
        dataclasses.replace(description(), facts={"a": {1, 2}})  # type: ignore[dict-item]  # the mistake under test


def test_builds_and_hosts_of_schema_version_1_can_be_read() -> None:
    build = (
        '{"engine":"rocksdb","version":"7.8.3","path":"/usr/bin/db_bench","fingerprint":"0123456789abcdef",'
        '"assertions":true,"compressors":["snappy","zstd"],"flags":[["num","1000000"],["cache_size","8388608"]]}'
    )
    host = (
        '{"name":"bench-1","fingerprint":"fedcba9876543210","processor":"Some CPU","cores":2,'
        '"memory_bytes":8589934592,"kernel":"6.1.0","filesystem":"ext4","disk_free_bytes":85899345920}'
    )
    assert build_from_json(build) == BUILD
    assert host_from_json(host) == HOST


def test_every_field_of_a_run_comes_back(tmp_path: Path) -> None:
    configuration = Configuration.of({"a": 1, "b": 1.0, "c": True, "d": "x"}, options_file="[Version]\n")
    scenario, rung = (("compression_ratio", 0.25), ("threads", 2)), Fraction(1, 4)
    with create_study(tmp_path / "s", description()) as study:
        run = study.plan(Run(0, Purpose.VERIFY, "finalist-2", 3, configuration, 2**63 - 1, 7, scenario, rung))
        study.start(run)
        how = Outcome(Status.CENSORED, 1.7e9 + 0.25, 12.125, "slower than the bound", MEASUREMENT, bound_s=9.5)
        study.finish(run, how)
    with read_study(tmp_path / "s") as study:
        (stored,) = study.runs()
        assert stored.run == Run(
            1, Purpose.VERIFY, "finalist-2", 3, configuration, 2**63 - 1, 7, scenario, Fraction(1, 4)
        )
        assert [type(value) for _, value in stored.run.configuration.items] == [int, float, bool, str]
        assert stored.status is Status.CENSORED
        assert (stored.started_at, stored.elapsed_s, stored.bound_s) == (1.7e9 + 0.25, 12.125, 9.5)
        assert stored.reason == "slower than the bound"
        assert study.measurement(1) == MEASUREMENT
        assert stored.effective_key is not None
        assert study.configuration(stored.effective_key) == Configuration.of(MEASUREMENT.effective)
        assert study.configuration(configuration.key) == configuration


def test_a_missing_indicator_stays_none_and_a_zero_stays_zero(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", description()) as study:
        finished(study)
        measurement = study.measurement(1)
        assert measurement is not None
        assert measurement.indicators["read_amp"] is None
        assert measurement.indicators["stall_share"] == 0.0
        assert study.indicator("read_amp") == {}
        assert study.indicator("stall_share") == {1: 0.0}
        assert study.indicators() == ("throughput_ops", "stall_share", "read_amp", "waf@load")


def test_an_indicator_that_is_not_a_number_is_missing_and_an_infinite_one_is_kept(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", description()) as study:
        finished(study, how=outcome(measurement=Measurement({"a": math.nan, "b": math.inf})))
        assert study.measurement(1) == Measurement({"a": None, "b": math.inf})


def test_an_indicator_is_read_for_all_runs_that_have_it(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", description()) as study:
        finished(study, how=outcome(measurement=Measurement({"waf": 4.0})))
        finished(study, how=outcome(Status.FAILED, None, reason="crash"))
        finished(study, how=outcome(measurement=Measurement({"waf": 5.0, "other": 1.0})))
        assert study.indicator("waf") == {1: 4.0, 3: 5.0}
        assert study.indicator("unheard_of") == {}


def test_a_run_without_a_measurement_has_none(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", description()) as study:
        finished(study, how=outcome(Status.FAILED, None, reason="bad byte \udcff in the output"))
        (stored,) = study.runs()
        assert study.measurement(1) is None
        assert stored.effective_key is None
        assert stored.reason == "bad byte ? in the output"
        with pytest.raises(StudyError, match="has no run 2"):
            study.measurement(2)


def test_runs_are_numbered_from_1_and_can_be_chosen_by_purpose(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", description()) as study:
        assert study.runs() == []
        for purpose in (Purpose.BASELINE, Purpose.TRIAL, Purpose.ANCHOR, Purpose.TRIAL):
            planned(study, purpose)
        assert [stored.run.id for stored in study.runs()] == [1, 2, 3, 4]
        assert [stored.run.id for stored in study.runs(Purpose.TRIAL)] == [2, 4]
        assert study.runs(Purpose.CONFIRM) == []


def test_a_planned_run_has_no_times_and_a_started_one_has_a_start(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", description()) as study:
        run = planned(study)
        assert (study.runs()[0].status, study.runs()[0].started_at) == (Status.PLANNED, None)
        study.start(run)
        stored = study.runs()[0]
        assert stored.status is Status.RUNNING
        assert stored.started_at is not None
        assert abs(stored.started_at - time.time()) < 60
        assert stored.elapsed_s is None


def test_equal_configurations_and_options_files_are_stored_once(tmp_path: Path) -> None:
    options = "[DBOptions]\n" * 1000
    with create_study(tmp_path / "s", description()) as study:
        for size in (1, 1, 2, 2):
            study.plan(Run(0, Purpose.TRIAL, "t", None, Configuration.of({"size": size}, options), 1, 1))
        (configurations,) = study._connection.execute("SELECT count(*) FROM configurations").fetchone()
        (texts,) = study._connection.execute("SELECT count(*) FROM texts").fetchone()
        assert (configurations, texts) == (2, 1)
        first, second, third, _ = (stored.run.configuration for stored in study.runs())
        assert first is second
        assert first.options_file == third.options_file == options


def test_artefacts_come_back_byte_for_byte(tmp_path: Path) -> None:
    texts = {"LOG": "line\r\nä \udcff\x00\n", "stdout@load": "", "OPTIONS-7.ini": "x" * 100_000}
    with create_study(tmp_path / "s", description()) as study:
        finished(study, how=outcome(artefacts=texts))
        assert study.artefact_names(1) == ("LOG", "OPTIONS-7.ini", "stdout@load")
        assert {name: study.artefact(1, name) for name in texts} == texts
        assert (tmp_path / "s" / "artefacts" / "1" / "OPTIONS-7.ini.gz").stat().st_size < 2000
        with pytest.raises(StudyError, match=r'no artefact "stderr"; it has: LOG, OPTIONS-7\.ini, stdout@load'):
            study.artefact(1, "stderr")
        with pytest.raises(StudyError, match="it has: none"):
            study.artefact(2, "LOG")


def test_a_damaged_artefact_is_named(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", description()) as study:
        finished(study, how=outcome(artefacts={"LOG": "text"}))
        path = tmp_path / "s" / "artefacts" / "1" / "LOG.gz"
        whole = path.read_bytes()
        for damaged in (b"no gzip", whole[:-5], whole[:12] + b"\xff\xff" + whole[14:]):
            path.write_bytes(damaged)
            with pytest.raises(StudyCorruptError, match=r"LOG\.gz"):
                study.artefact(1, "LOG")


@pytest.mark.parametrize("name", ["../LOG", "a/b", "", ".hidden", "x" * 101])
def test_an_artefact_needs_a_plain_name(tmp_path: Path, name: str) -> None:
    with create_study(tmp_path / "s", description()) as study:
        run = started(study)
        with pytest.raises(StudyError, match="cannot name an artefact"):
            study.finish(run, outcome(artefacts={name: "text"}))
        assert study.runs()[0].status is Status.RUNNING


def test_only_the_next_step_of_a_run_is_allowed(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", description()) as study:
        run = planned(study)
        with pytest.raises(StudyError, match=r"run 1 .* is planned, and only a running run can be finished"):
            study.finish(run, outcome(artefacts={"LOG": "too early"}))
        assert study.artefact_names(1) == ()
        study.start(run)
        with pytest.raises(StudyError, match="is running, and only a planned run can be started"):
            study.start(run)
        with pytest.raises(StudyError, match="run 1 cannot finish as lost"):
            study.finish(run, outcome(Status.LOST))
        study.finish(run, outcome(artefacts={"LOG": "first"}))
        with pytest.raises(StudyError, match="is ok, and only a running run"):
            study.finish(run, outcome(Status.FAILED, artefacts={"LOG": "second"}))
        assert study.artefact(1, "LOG") == "first"
        with pytest.raises(StudyError, match="has no run 9"):
            study.start(dataclasses.replace(run, id=9))


def test_decisions_are_kept_and_replaced(tmp_path: Path) -> None:
    finalists, odd = Checkpoint("finalists", listed(text)), Checkpoint("x", anything)
    with create_study(tmp_path / "s", description()) as study:
        assert study.saved(finalists) is None
        study.save(finalists, ("old",))
        study.save(finalists, ("a", "b"))
        with pytest.raises(StudyError, match='checkpoint "x" cannot be stored'):
            study.save(odd, object())  # type: ignore[misc]  # the mistake under test
    with read_study(tmp_path / "s") as study:
        assert study.saved(finalists) == ("a", "b")
        assert study.saved(odd) is None


def test_the_summary_counts_runs_and_adds_up_their_time(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", description()) as study:
        empty = study.summary()
        assert (empty.runs, empty.first_started_at, empty.last_ended_at, empty.run_time_s) == (0, None, None, 0.0)
        finished(study, Purpose.BASELINE)
        finished(study, how=Outcome(Status.OK, 1.7e9 + 100, 5.0))
        finished(study, how=Outcome(Status.FAILED, 1.7e9 - 50, 1.0, "crash"))
        planned(study)
        summary = study.summary()
    assert summary.counts == {
        (Purpose.BASELINE, Status.OK): 1,
        (Purpose.TRIAL, Status.OK): 1,
        (Purpose.TRIAL, Status.FAILED): 1,
        (Purpose.TRIAL, Status.PLANNED): 1,
    }
    assert (summary.runs, summary.count(status=Status.OK), summary.count(purpose=Purpose.TRIAL)) == (4, 2, 3)
    assert summary.count(purpose=Purpose.TRIAL, status=Status.OK) == 1
    assert summary.first_started_at == 1.7e9 - 50
    assert summary.last_ended_at == 1.7e9 + 105
    assert summary.run_time_s == 8.5


def test_an_unknown_configuration_is_an_error(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", description()) as study, pytest.raises(StudyError, match='no configuration "x"'):
        study.configuration("x")


def test_a_single_run_is_lost_while_others_go_on(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", description()) as study:
        gone, other = started(study), started(study)
        study.lose(gone, "its host left")
        assert [(stored.status, stored.reason) for stored in study.runs()] == [
            (Status.LOST, "its host left"),
            (Status.RUNNING, ""),
        ]
        with pytest.raises(StudyError, match="is lost, and only a running run can be lost"):
            study.lose(gone, "again")
        with pytest.raises(StudyError, match="is lost, and only a running run can be finished"):
            study.finish(gone, outcome())
        study.finish(other, outcome())


def test_unfinished_runs_become_lost_and_keep_their_numbers(tmp_path: Path) -> None:
    with create_study(tmp_path / "s", description()) as study:
        finished(study)
        started(study)
        planned(study)
    with open_study(tmp_path / "s") as study:
        assert study.recover() == 2
        assert study.recover() == 0
        assert [stored.status for stored in study.runs()] == [Status.OK, Status.LOST, Status.LOST]
        assert [stored.started_at is None for stored in study.runs()] == [False, False, True]
        assert "under way" in study.runs()[1].reason
        assert "before the run started" in study.runs()[2].reason
        assert planned(study).id == 4


def _planned_and_one_that_cannot_be(study: Study) -> None:
    started(study)
    study.plan(Run(0, Purpose.TRIAL, "t", None, Configuration(), 2**63, 1))


def test_what_is_written_together_is_there_at_once_or_not_at_all(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    with create_study(folder, description()) as study, read_study(folder) as onlooker:
        with study.together():
            run = started(study)
            assert study.run(run.id).status is Status.RUNNING
            assert onlooker.runs() == []
        assert [stored.status for stored in onlooker.runs()] == [Status.RUNNING]
        with pytest.raises(OverflowError), study.together():
            _planned_and_one_that_cannot_be(study)
        assert [stored.run for stored in study.runs()] == [run]
        assert finished(study).id == 2
        assert len(onlooker.runs()) == 2
