"""lsmtune timeline on stored runs with LOGs of real engines."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from cli_fixtures import Lsmtune
from timeline_builders import FIXTURES, LEVELDB, ROCKSDB, empty, finished, measured

from lsmtune.model import Purpose
from lsmtune.result import checkpoints


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return finished(tmp_path / "study")


def test_without_numbers_the_reference_and_the_result_of_one_block_are_shown(lsmtune: Lsmtune, study: Path) -> None:
    code, out, err = lsmtune("timeline", str(study))
    assert (code, err) == (0, "")
    assert "Run 2: stock (verify): measure, " in out
    assert "Run 3: finalist-1 (verify): measure, " in out
    assert out.count("flushes ") == 2
    assert "compactions to L1" in out
    assert "writes stopped" in out
    words = " ".join(out.split())
    assert "Latency over time is not shown" in words
    assert words.endswith(f"lsmtune timeline {study} 2 3 -o timeline.svg")


def test_of_builds_that_set_the_same_the_winner_s_run_is_shown(lsmtune: Lsmtune, tmp_path: Path) -> None:
    with empty(tmp_path / "study", others=("finalist-1", "finalist-2")) as made:
        for block in range(6):
            for arm in ("stock", "finalist-2", "finalist-1"):
                measured(made, Purpose.VERIFY, arm, {"measure.LOG": ROCKSDB} if block == 5 else {}, block)
        made.save(checkpoints.FINALISTS, ("ours", "theirs"))
        made.save(checkpoints.VERIFY_LOOKS, 1)
        made.save(checkpoints.WINNER, "finalist-1")
    code, out, err = lsmtune("timeline", "study", "--json")
    assert code == 0, err
    assert [(run["run"], run["arm"]) for run in json.loads(out)["runs"]] == [(16, "stock"), (18, "finalist-1")]


def test_without_a_result_the_last_good_run_of_the_reference_is_shown(lsmtune: Lsmtune, tmp_path: Path) -> None:
    with empty(tmp_path / "study") as made:
        for _ in range(2):
            measured(made, Purpose.BASELINE, "stock", {"measure.LOG": ROCKSDB})
    code, out, _ = lsmtune("timeline", "study", "--json")
    assert code == 0
    assert [run["run"] for run in json.loads(out)["runs"]] == [2]


def test_json_holds_every_job_with_its_times(lsmtune: Lsmtune, study: Path) -> None:
    code, out, _ = lsmtune("timeline", str(study), "3", "--json")
    assert code == 0
    (run,) = json.loads(out)["runs"]
    started = ROCKSDB.count('"event": "flush_started"') + ROCKSDB.count('"event": "compaction_started"')
    assert len(run["jobs"]) == started > 50
    assert {"flush", "compaction"} == {job["kind"] for job in run["jobs"]}
    assert len(run["stalls"]) == ROCKSDB.count(" writes because ")
    assert run["arrivals"]["unit"] == "entries"
    assert (run["arm"], run["purpose"], run["step"]) == ("finalist-1", "verify", "measure")


def test_of_db_bench_rate_and_mean_latency_of_each_second_are_series(lsmtune: Lsmtune, tmp_path: Path) -> None:
    folder = FIXTURES / "db_bench-7.8.3"
    left = {
        "measure.LOG": (folder / "two_phases.LOG.txt").read_text(),
        "measure.stderr": (folder / "two_phases.stderr.txt").read_text(),
    }
    with empty(tmp_path / "study") as made:
        measured(made, Purpose.BASELINE, "stock", left)
    code, out, err = lsmtune("timeline", "study", "--json")
    assert code == 0, err
    (run,) = json.loads(out)["runs"]
    assert [(each["name"], each["unit"], len(each["values"])) for each in run["series"]] == [
        ("throughput", "ops/s", 17),
        ("mean latency", "s", 17),
    ]
    assert "what is shown is the mean, the number of threads over their rate" in json.loads(out)["notes"][0]
    assert lsmtune("timeline", "study", "-o", "lines.svg")[0] == 0
    assert "mean latency" in Path("lines.svg").read_text()


def test_runs_are_drawn_side_by_side_in_a_picture_that_loads_nothing(lsmtune: Lsmtune, study: Path) -> None:
    code, out, err = lsmtune("timeline", str(study), "1", "3", "-o", "lines.svg")
    assert (code, out, err) == (0, "", "lsmtune: wrote lines.svg\n")
    text = Path("lines.svg").read_text()
    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert len(text.encode()) < 300_000
    for words in ("run 1: stock (baseline)", "run 3: finalist-1 (verify)", "to L1", "writes held", "most "):
        assert words in text
    assert lsmtune("timeline", str(study), "1", "3", "-o", "again.svg")[0] == 0
    assert Path("again.svg").read_text() == text


def test_another_process_of_a_run_is_shown_when_asked_for(lsmtune: Lsmtune, study: Path) -> None:
    code, out, _ = lsmtune("timeline", str(study), "1", "--step", "settle")
    assert code == 0
    assert "Run 1: stock (baseline): settle, " in out
    assert " ".join(out.split()).endswith("--process settle -o timeline.svg")


def test_leveldb_is_shown_with_what_its_log_leaves_out(lsmtune: Lsmtune, tmp_path: Path) -> None:
    with empty(tmp_path / "study", "leveldb") as made:
        measured(made, Purpose.BASELINE, "stock", {"measure.LOG": LEVELDB})
    code, out, err = lsmtune("timeline", "study", "-o", "lines.svg")
    assert (code, err) == (0, "lsmtune: wrote lines.svg\n")
    assert "throughput [B/s of" in Path("lines.svg").read_text()
    code, out, _ = lsmtune("timeline", "study")
    assert code == 0
    assert "waits of writes logged" in out
    assert "LevelDB's LOG tells of the tree after compactions and moves alone" in " ".join(out.split())


def test_the_log_of_a_run_on_another_engine_is_read_as_that_engine_writes_it(lsmtune: Lsmtune, tmp_path: Path) -> None:
    with empty(tmp_path / "study", others=("sample-1",), other="leveldb") as made:
        measured(made, Purpose.SAMPLE, "stock", {"measure.LOG": ROCKSDB})
        measured(made, Purpose.SAMPLE, "sample-1", {"measure.LOG": LEVELDB})
    code, out, err = lsmtune("timeline", "study", "1", "2", "--json")
    assert code == 0, err
    own, other = json.loads(out)["runs"]
    assert {"flush", "compaction"} == {job["kind"] for job in own["jobs"]}
    assert {"flush", "compaction"} == {job["kind"] for job in other["jobs"]}
    assert "waits of writes logged" in lsmtune("timeline", "study", "2")[1]


def test_series_that_the_driver_printed_are_drawn_and_no_lack_of_them_is_claimed(
    lsmtune: Lsmtune, tmp_path: Path
) -> None:
    printed = (FIXTURES / "ycsb" / "rocksdb.jsonl").read_text()
    with empty(tmp_path / "study") as made:
        measured(made, Purpose.BASELINE, "stock", {"measure.LOG": ROCKSDB, "measure.stdout": printed})
    code, out, _ = lsmtune("timeline", "study", "--json", "-o", "lines.svg")
    assert code == 0
    document = json.loads(out)
    assert "p99 latency of read" in [series["name"] for series in document["runs"][0]["series"]]
    assert document["notes"] == []
    assert "p99 latency" in Path("lines.svg").read_text()


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("99",), 2, "has no run 99; lsmtune show"),
        (("1", "--process", "load"), 2, 'has no LOG of a process "load"; take --process measure or settle'),
        (("5",), 1, "run 5 of"),
        (("1", "-o", "no/such/place.svg"), 2, "cannot be written"),
        (("one",), 2, "valid integer"),
    ],
)
def test_what_cannot_be_shown_is_one_sentence(
    lsmtune: Lsmtune, study: Path, words: tuple[str, ...], code: int, sentence: str
) -> None:
    found, out, err = lsmtune("timeline", str(study), *words)
    assert (found, out, err.count("\n")) == (code, "", 1)
    assert sentence in err


def test_too_many_runs_for_a_picture_are_refused(lsmtune: Lsmtune, tmp_path: Path) -> None:
    with empty(tmp_path / "study") as made:
        runs = [str(measured(made, Purpose.TRIAL, f"trial-{n}", {"measure.LOG": ROCKSDB})) for n in range(7)]
    code, _, err = lsmtune("timeline", "study", *runs, "-o", "lines.svg")
    assert (code, err) == (2, "lsmtune: 7 runs cannot be drawn side by side; name 1 to 6 runs\n")


def test_a_study_without_runs_and_a_log_without_times_are_one_sentence_each(lsmtune: Lsmtune, tmp_path: Path) -> None:
    with empty(tmp_path / "study") as made:
        code, _, err = lsmtune("timeline", "study")
        assert (code, err.count("\n")) == (1, 1)
        assert "study has no good run of the reference yet" in err
        measured(made, Purpose.BASELINE, "stock", {"measure.LOG": "no times\n"})
    code, _, err = lsmtune("timeline", "study")
    assert (code, err.count("\n")) == (1, 1)
    assert "has no line with a time" in err


def test_a_damaged_log_is_one_sentence(lsmtune: Lsmtune, study: Path) -> None:
    path = study / "artefacts" / "3" / "measure.LOG.gz"
    path.write_bytes(path.read_bytes()[:1000])
    code, out, err = lsmtune("timeline", str(study))
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "measure.LOG.gz" in err
    assert "damaged" in err
