"""Predictions and calibrations: what they say, what they need, and what is refused."""

import gzip
import json
import math
import os
import re
import threading
import time
from contextlib import suppress
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from cli_fixtures import Lsmtune
from rich.console import Console

from lsmtune import api
from lsmtune.api._prediction_question import values_around
from lsmtune.backends.db_bench._calibrate import Calibrator, flushed_jobs, largest_merge
from lsmtune.backends.registry import backend_for
from lsmtune.errors import RunError, UsageError
from lsmtune.executors import HostLock, host_facts
from lsmtune.forecast import Calibration, Readers, at_size, kept, kept_at, predicted, with_memory
from lsmtune.lsm_model.tree import Costs, Fifo, Reads, Rules, Step, Writes
from lsmtune.memory_model import Memory, MemoryPart
from lsmtune.model import EngineBuild, Value
from lsmtune.report import _live, curve_card
from lsmtune.space import catalogue
from lsmtune.testing import fake_db_bench

FILL = Writes(keys=500_000, operations=500_000, key_bytes=16, value_bytes=1000)
COSTS = Costs(write_us=((1e6, 3.0), (1e8, 5.0)), wal_us=1.0, assumed=("delay",), origin="measured here")
KIB, MIB = 1 << 10, 1 << 20
EXPERIMENT = """
scale = "1/64"
[workload]
benchmarks = "fillrandom"
num = "16M"
value_size = 1000
"""


@pytest.fixture
def build(tmp_path: Path) -> EngineBuild:
    return backend_for("db_bench", "rocksdb").find("rocksdb", None, "--db-bench")


@pytest.fixture
def experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "fill.toml"
    path.write_text(EXPERIMENT)
    return path


def test_each_figure_lies_in_its_interval() -> None:
    found = predicted({"compression_type": "none"}, [FILL], COSTS, 2)
    assert [each.name for each in found.quantities][:3] == ["waf", "space_bytes", "space_peak_bytes"]
    assert all(each.low <= each.value <= each.high for each in found.quantities)
    assert found["space_peak_bytes"].value >= found["space_bytes"].value
    assert any("tail latency" in sentence for sentence in found.unknown)


def test_without_a_calibration_no_rate_is_told() -> None:
    found = predicted({}, [FILL], None, 2, rate=1e6)
    assert {each.name for each in found.quantities} == {"waf", "space_bytes", "space_peak_bytes"}
    assert found.stalls is None
    assert "run lsmtune calibrate" in found.unknown[0]


def test_stalls_are_more_likely_at_a_higher_rate() -> None:
    kept_up = predicted({}, [FILL], COSTS, 2)["sustained_ops_s"].value
    chances = [predicted({}, [FILL], COSTS, 2, rate=kept_up * factor).stalls for factor in (0.3, 1.0, 3.0)]
    low, middle, high = (chance for chance in chances if chance is not None)
    assert low < 0.05 < middle < 0.95 < high
    assert middle == pytest.approx(0.5, abs=0.01)


def test_filters_spare_lookups() -> None:
    plain, filtered = (predicted({"bloom_bits": bits}, [FILL], None, 2).lookup_blocks for bits in (0, 10))
    assert filtered[1] == pytest.approx(plain[1] * 0.6185**10)
    assert 1 < filtered[0] < plain[0]


def test_rates_around_the_one_that_is_kept_up_with_are_held_back_more_and_more_often() -> None:
    chances = predicted({}, [FILL], COSTS, 2).held_back()
    assert [chance for _, chance in chances] == sorted(chance for _, chance in chances)
    assert chances[4][1] == pytest.approx(0.5)
    assert chances[0][0] * 16 == pytest.approx(chances[-1][0])
    assert predicted({}, [FILL], None, 2).held_back() == ()


def test_reads_are_told_with_their_cache_and_what_is_not_known_of_them() -> None:
    options: dict[str, Value] = {"cache_size": 64 * MIB, "bloom_bits": 10}
    found = predicted(options, [FILL], None, 2, None, Readers(Reads(FILL.keys)))
    assert found.reads is not None
    assert found.reads.hit_share == pytest.approx(64 * MIB / (FILL.keys * 0.63 * 1200), rel=0.25)
    assert found.reads.device_reads is None
    assert any("give --memory" in sentence for sentence in found.unknown)
    assert any("rate of reads" in sentence for sentence in found.unknown)
    known = predicted(options, [FILL], None, 2, None, Readers(Reads(FILL.keys), 1 << 40))
    assert known.reads is not None
    assert known.reads.device_reads == 0


def test_caches_that_the_model_does_not_have_are_named() -> None:
    options: dict[str, Value] = {"cache_type": "hyper_clock_cache", "row_cache_size": MIB, "mmap_read": True}
    found = predicted(options, [FILL], None, 2, None, Readers(Reads(FILL.keys, said=("something",))))
    said = " ".join(found.assumptions)
    assert all(word in said for word in ("something", "hyper_clock_cache", "row cache", "mapped files"))


def test_options_that_the_model_does_not_know_are_named_where_they_are_set() -> None:
    def said(**options: Value) -> list[str]:
        found = predicted(options, [FILL], None, 2).assumptions
        return [sentence for sentence in found if "is left out" in sentence]

    assert said(compression_type="lz4", bottommost_compression="zstd", compression_level=32767) == [
        "bottommost_compression = zstd is left out: the last level is taken to be compressed as the others"
    ]
    assert len(said(compression_type="zstd", compression_level=9, compression_max_dict_bytes=16 * KIB)) == 2
    assert len(said(compaction_style="universal", universal_compression_size_percent=70, universal_max_read_amp=8)) == 2
    assert not said(compression_type="zstd", bottommost_compression="zstd", universal_max_read_amp=8)
    assert not said(compression_type="none", compression_level=9)


def test_write_amplification_is_that_of_all_measured_phases() -> None:
    load, further = replace(FILL, is_measured=False), replace(FILL, operations=100_000)
    one = predicted({}, [load, further], COSTS, 2)
    both = predicted({}, [FILL, further], COSTS, 2)
    alone = predicted({}, [FILL], COSTS, 2)
    assert both["waf"].value == pytest.approx((5 * alone["waf"].value + one["waf"].value) / 6)
    assert both["space_peak_bytes"].value >= alone["space_peak_bytes"].value
    assert any("the last phase that writes" in sentence for sentence in both.assumptions)
    assert not any("the last phase that writes" in sentence for sentence in one.assumptions)
    read_only = predicted({}, [load], COSTS, 2)
    assert read_only["waf"].value == alone["waf"].value


def test_what_the_model_cannot_follow_to_the_end_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lsmtune.lsm_model.tree._plan.MOST_EVENTS", 8)
    found = predicted({}, [FILL, FILL], COSTS, 2)
    assert found.quantities == ()
    assert not found.is_stuck
    assert found.unknown == ("more happens than the model of a tree follows: ask about less data, or larger memtables",)


def test_memory_stands_among_the_figures_with_its_interval() -> None:
    need = Memory((MemoryPart("block cache", 100 * MIB, "", ""), MemoryPart("indexes", 50 * MIB, "", "")), ("so",))
    found = with_memory(predicted({}, [FILL], None, 2), need)
    memory = found["memory_peak_bytes"]
    assert memory.value == 150 * MIB
    assert memory.low < 0.87 * memory.value < 1.15 * memory.value < memory.high
    assert found.memory == need
    assert "memory: so" in found.assumptions
    unknown = Memory((MemoryPart("indexes", None, "", ""),))
    assert with_memory(predicted({}, [FILL], None, 2), unknown).memory is None


def test_a_style_that_is_not_modelled_is_named() -> None:
    found = predicted({"compaction_style": "none"}, [FILL], COSTS, 2)
    assert found.quantities == ()
    assert found.unknown == ('the model of a tree does not describe compaction_style = "none"',)


def test_leveldb_is_predicted_by_its_own_rules() -> None:
    writes = replace(FILL, rules=Rules.LEVELDB)
    usual, larger = (predicted({"write_buffer_size": size * MIB}, [writes], None, 2) for size in (4, 32))
    assert usual["waf"].value > larger["waf"].value
    assert predicted({"write_buffer_size": 4 * MIB}, [FILL], None, 2)["waf"].value != usual["waf"].value
    assert "lsmtune calibrate --engine leveldb" in usual.unknown[0]
    assert "costs of another machine" in usual.assumptions[0]
    rates = predicted({}, [writes], COSTS, 2, rate=1e6)
    assert rates["sustained_ops_s"].value > 0
    assert rates.stalls is not None
    assert rates.stalls > 0.9


def test_what_fifo_compaction_deletes_is_said() -> None:
    kept = replace(FILL, fifo=Fifo(100e6))
    found = predicted({"compaction_style": "fifo"}, [kept], None, 2)
    assert found["space_bytes"].value < 100e6
    assert any(re.search(r"deletes what is oldest: \d\d% of the keys", sentence) for sentence in found.assumptions)
    whole = predicted({"compaction_style": "fifo"}, [replace(FILL, fifo=Fifo(1e12))], None, 2)
    assert not any("deletes" in sentence for sentence in whole.assumptions)


def test_memory_under_fifo_compaction_is_that_of_what_it_keeps(experiment: Path) -> None:
    limit = '"512", fifo_compaction_allow_compaction = "false"'
    experiment.write_text(f"{EXPERIMENT}flags = {{ fifo_compaction_max_table_files_size_mb = {limit} }}\n")
    fifo: dict[str, Value] = {"compaction_style": "fifo", "compression_type": "none", "bloom_bits": 10}
    memory = api.predict(experiment, options=fifo).memory
    assert memory is not None
    assert memory.by_name["filters"].bytes == pytest.approx(512 * MIB / 1016 * 10 / 8, rel=0.2)


def test_memory_of_an_experiment_under_fifo_compaction_is_that_of_what_its_runs_keep(experiment: Path) -> None:
    experiment.write_text(f'{EXPERIMENT}flags = {{ fifo_compaction_max_table_files_size_mb = "6400" }}\n')
    fifo: dict[str, Value] = {"compaction_style": "fifo", "compression_type": "none", "bloom_bits": 10}
    kept = api.memory(experiment, options=fifo).by_name["filters"].bytes
    assert kept == pytest.approx(100 * MIB / 1016 * 10 / 8, rel=0.05)
    given = api.memory(experiment, options=fifo, load={"data_bytes": 1016 * 8000}).by_name["filters"].bytes
    assert given == 10_000


def test_where_nothing_describes_what_fifo_compaction_keeps_all_of_the_data_counts_and_that_is_said(
    experiment: Path,
) -> None:
    experiment.write_text(f'{EXPERIMENT}flags = {{ num_column_families = "2" }}\n')
    fifo: dict[str, Value] = {"compaction_style": "fifo"}
    said = "FIFO compaction deletes nothing"
    assert any(said in each for each in api.memory(experiment, options=fifo).assumptions)
    assert not any(said in each for each in api.memory(experiment).assumptions)
    assert not any(said in each for each in api.memory(experiment, options=fifo, load={"data_bytes": MIB}).assumptions)


def test_fifo_compaction_keeps_what_the_own_options_file_says_whatever_flags_do(experiment: Path) -> None:
    (experiment.parent / "OPTIONS-000007").write_text(
        "[Version]\n  rocksdb_version=7.8.3\n  options_file_version=1.1\n"
        "[DBOptions]\n"
        '[CFOptions "default"]\n  compaction_style=kCompactionStyleFIFO\n  compression=kNoCompression\n'
        "  compaction_options_fifo={allow_compaction=false;max_table_files_size=536870912;}\n"
        '[TableOptions/BlockBasedTable "default"]\n'
    )
    experiment.write_text(f'{EXPERIMENT}[engine]\noptions_file = "OPTIONS-000007"\n')
    found = api.predict(experiment)
    assert 0.75 * 512 * MIB < found["space_bytes"].value <= 512 * MIB


def test_collected_blob_files_take_less_space_and_have_wider_intervals() -> None:
    apart = {"enable_blob_files": True, "write_buffer_size": 8 * MIB, "max_bytes_for_level_base": 4 * MIB}
    often = replace(FILL, operations=3 * FILL.operations)
    left = predicted(apart, [often], None, 2)["space_bytes"]
    collects = {"enable_blob_garbage_collection": True, "blob_garbage_collection_age_cutoff": 0.5}
    freed = predicted({**apart, **collects}, [often], None, 2)["space_bytes"]
    assert freed.value < 0.8 * left.value
    assert freed.high / freed.value > left.high / left.value


def test_more_data_is_asked_for_in_proportion() -> None:
    loaded, written = at_size((FILL, replace(FILL, operations=100_000)), 10 * FILL.keys * FILL.pair_bytes)
    assert (loaded.keys, loaded.operations, written.operations) == (5_000_000, 5_000_000, 1_000_000)


def test_a_calibration_is_read_as_it_was_written(tmp_path: Path) -> None:
    made = Calibration("host", "here", 2, "build", "7.8.3", "2026-11-24T00:00:00+00:00", COSTS)
    path = tmp_path / "host.toml"
    path.write_text(made.text())
    assert Calibration.read(path) == made


def test_what_an_older_calibration_did_not_measure_is_named_as_assumed(tmp_path: Path) -> None:
    made = Calibration("host", "here", 2, "build", "7.8.3", "2026-11-24T00:00:00+00:00", COSTS)
    path = tmp_path / "host.toml"
    path.write_text("".join(line for line in made.text().splitlines(True) if not line.startswith("crowded")))
    read = Calibration.read(path).costs
    assert read.assumed == ("delay", "crowded")
    assert read.crowded == Costs().crowded


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a = ", "is no TOML"),
        ("", "is no calibration"),
        ("host = 1\n[costs]\nwrite_us = [[1, 2]]\nassumed = []\nmerge_ns = -1", "is no calibration"),
    ],
)
def test_a_broken_calibration_is_refused_with_what_to_do(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "host.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=rf"host.toml {sentence}.*write one with lsmtune calibrate"):
        Calibration.read(path)


@pytest.mark.parametrize(
    ("written", "by_hand", "place"),
    [
        ("cores = 2", 'cores = "2"', 'cores is "2", not a whole number'),
        ("merge_ns = ", "merge_ns = '1.5' # ", r'costs\.merge_ns is "1\.5", not a number'),
        ("lz4 = ", "lz4 = 'fast' # ", r'costs\.codec_ns\.lz4 is "fast", not a number'),
        ("write_us = ", "write_us = [[1000, '3']] # ", r'costs\.write_us\.0\.1 is "3", not a number'),
    ],
)
def test_a_text_in_the_place_of_a_number_of_a_calibration_is_named(
    tmp_path: Path, written: str, by_hand: str, place: str
) -> None:
    made = Calibration("host", "here", 2, "build", "7.8.3", "2026-11-24T00:00:00+00:00", COSTS)
    path = tmp_path / "host.toml"
    path.write_text(made.text().replace(f"\n{written}", f"\n{by_hand}"))
    with pytest.raises(UsageError, match=rf"host.toml is no calibration \({place}\); write one with"):
        Calibration.read(path)


def test_a_real_db_bench_is_measured(tmp_path: Path, build: EngineBuild) -> None:
    steps: list[Step] = []
    calibrator = Calibrator(build, tmp_path, steps.append, memtables=(256 * KIB, MIB), filled=2 * MIB)
    costs = calibrator.costs()
    assert [step.number for step in steps] == list(range(1, steps[0].of + 1))
    assert all(time_us > 0 for _, time_us in costs.write_us)
    assert costs.flush_us > 0
    assert costs.job_us > 0
    assert costs.bandwidth > 1e6
    assert costs.sync_us > 0
    assert 0 < costs.crowded <= 1
    assert costs.merge_ns + costs.merge_entry_ns > 0
    assert set(build.compressors) & {"snappy", "zstd"} <= set(costs.codec_ns)
    assert list(tmp_path.iterdir()) == [], "nothing is left behind"


@pytest.mark.parametrize("version", ["7.8.3", "11.8.1"])
def test_logs_of_every_version_tell_what_flushes_and_merges_took(version: str, tmp_path: Path) -> None:
    (tmp_path / "db").mkdir()
    packed = Path(__file__).parents[1] / "fixtures" / f"db_bench-{version}" / "LOG.txt.gz"
    (tmp_path / "db" / "LOG").write_bytes(gzip.decompress(packed.read_bytes()))
    assert all(each.entries > 0 and each.took_us > 0 for each in flushed_jobs(tmp_path))
    merge = largest_merge(tmp_path)
    assert merge.entries > max(each.entries for each in flushed_jobs(tmp_path))
    assert merge.took_us > 0
    assert merge.files > 1


def test_a_log_without_flushes_is_refused(tmp_path: Path) -> None:
    (tmp_path / "db").mkdir()
    (tmp_path / "db" / "LOG").write_text("nothing\n")
    with pytest.raises(RunError, match="tells of no flush"):
        flushed_jobs(tmp_path)
    with pytest.raises(RunError, match="tells of no merge"):
        largest_merge(tmp_path)


def test_a_program_that_is_no_engine_is_not_measured(tmp_path: Path) -> None:
    path = fake_db_bench.install(tmp_path)
    with pytest.raises(RunError, match="db_bench ended with 1 while it was measured: ERROR: unknown command line flag"):
        api.calibrate(db_bench=path, quiet=True)


def test_who_calibrates_hears_whom_it_waits_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_live, "_PATIENCE_S", 0.01)
    monkeypatch.setenv("LSMTUNE_HOST_LOCK", str(tmp_path / "lock"))
    path, told = fake_db_bench.install(tmp_path), ""

    def calibrate() -> None:
        with suppress(RunError):  # the fake one cannot be measured
            api.calibrate(db_bench=path)

    waits = threading.Thread(target=calibrate)
    with HostLock():
        waits.start()
        until_s = time.monotonic() + 120
        while "waiting for" not in told and time.monotonic() < until_s:
            told += capsys.readouterr().err
            time.sleep(0.02)
    waits.join()
    assert f"waiting for process {os.getpid()}, which measures on this host" in told


def test_a_kept_calibration_is_found_again(experiment: Path, build: EngineBuild) -> None:
    host = host_facts(experiment.parent)
    assert kept(host, build) is None
    made = Calibration(host.fingerprint, host.name, host.cores, build.fingerprint, build.version, "now", COSTS)
    kept_at(host, build).parent.mkdir(parents=True)
    kept_at(host, build).write_text(made.text())
    assert "sustained_ops_s" in {each.name for each in api.predict(experiment).quantities}


def test_a_rate_may_be_any_number_above_nothing(experiment: Path) -> None:
    assert api.predict(experiment, rate=12_345.0).quantities == api.predict(experiment, rate="12345").quantities
    assert api.predict(experiment, rate=12_345.6).quantities
    for rate in (0, -1.5, math.nan, math.inf):
        with pytest.raises(UsageError, match=f"a rate of {rate} offers no writes"):
            api.predict(experiment, rate=rate)


def test_a_curve_goes_around_the_value_that_was_given_under_any_name(experiment: Path) -> None:
    around = [value for value, _ in api.predict_curve(experiment, vary="open_files", options={"max_open_files": 1000})]
    assert 1000 in around
    assert len(around) > 1


def test_a_curve_of_a_share_ends_at_the_whole() -> None:
    """RocksDB refuses more than 1."""
    cutoff = catalogue().option("blob_garbage_collection_age_cutoff")
    assert values_around(cutoff, 0.25) == [0.03125, 0.0625, 0.125, 0.25, 0.5, 1.0]
    assert max(values_around(catalogue().option("max_bytes_for_level_multiplier"), 10.0)) == 80.0


def test_the_command_predicts_at_full_size(experiment: Path, lsmtune: Lsmtune) -> None:
    whole = json.loads(lsmtune("predict", str(experiment), "--json")[1])
    assert whole["indicators"]["space_bytes"]["value"] == pytest.approx(16e6 * 1016 * 0.6 * 0.64, rel=0.2)
    larger = json.loads(lsmtune("predict", str(experiment), "--size", "1TiB", "--json")[1])
    assert larger["indicators"]["waf"]["value"] > whole["indicators"]["waf"]["value"]
    assert larger["extrapolation"] > 50 * whole["extrapolation"]
    card = lsmtune("predict", str(experiment))[1]
    assert "bytes written for each byte" in card
    assert "run lsmtune calibrate" in re.sub(r"\s+", " ", card)


def test_the_command_tells_reads_and_memory(experiment: Path, lsmtune: Lsmtune) -> None:
    experiment.write_text(EXPERIMENT.replace('"fillrandom"', '"readrandom"').replace("num", 'load = "fillseq"\nnum'))
    argv = ("predict", str(experiment), "--set", "cache_size=4GiB", "--memory", "16GiB")
    told = json.loads(lsmtune(*argv, "--json")[1])
    assert told["reads"]["found"] == pytest.approx(1.0)
    assert 0.2 < told["reads"]["hit_share"] < 0.35, "4 GiB of 16 GB"
    assert told["reads"]["device_reads"] == 0, "what remains of 16 GiB holds all tables"
    assert told["indicators"]["memory_peak_bytes"]["value"] == sum(told["memory_parts"].values())
    assert told["memory_parts"]["block cache"] == 4 << 30
    card = re.sub(r"\s+", " ", lsmtune(*argv)[1])
    assert "the block cache, once warm, has" in card
    assert "0.00 come from the device" in card
    curve = lsmtune(*argv[:2], "--vary", "cache_size")[1]
    assert "cache hits" in curve
    assert "device reads" in curve


def test_reads_that_are_not_described_are_named_and_the_rest_is_told(experiment: Path, lsmtune: Lsmtune) -> None:
    experiment.write_text(EXPERIMENT.replace('"fillrandom"', '"fillrandom,readseq"'))
    told = json.loads(lsmtune("predict", str(experiment), "--json")[1])
    assert told["reads"] is None
    assert any(sentence.startswith("reads: the model of a tree does not describe") for sentence in told["unknown"])


def test_a_curve_has_the_chance_of_being_held_back_at_a_rate(
    experiment: Path, build: EngineBuild, lsmtune: Lsmtune
) -> None:
    path = experiment.parent / "host.toml"
    path.write_text(Calibration("host", "here", 2, build.fingerprint, build.version, "now", COSTS).text())
    small = ("--size", "500MB", "--host", str(path))
    argv = ("predict", str(experiment), *small, "--vary", "max_background_jobs", "--rate", "200k")
    points = json.loads(lsmtune(*argv, "--json")[1])["points"]
    assert all(0 <= point["stall_probability"] <= 1 for point in points)
    assert "held back" in lsmtune(*argv)[1]
    alone = json.loads(lsmtune("predict", str(experiment), *small, "--json")[1])
    chances = [each["probability"] for each in alone["held_back"]]
    assert chances == sorted(chances)
    assert len(chances) == 9
    assert "held back" in lsmtune("predict", str(experiment), *small)[1]


def test_the_command_draws_a_curve(experiment: Path, lsmtune: Lsmtune) -> None:
    out = json.loads(lsmtune("predict", str(experiment), "--vary", "write_buffer_size", "--json")[1])
    values = [point["value"] for point in out["points"]]
    assert values == sorted(values)
    assert len(values) == 7
    assert "512 MiB" in lsmtune("predict", str(experiment), "--vary", "write_buffer_size")[1]


def test_a_curve_says_at_which_values_nothing_can_be_told() -> None:
    told = predicted({"compaction_style": "level"}, [FILL], None, 2)
    untold = predicted({"compaction_style": "none"}, [FILL], None, 2)
    assert (bool(told.quantities), untold.quantities) == (True, ())
    console = Console(width=200, record=True, file=StringIO())
    console.print(curve_card("compaction_style", "", [("level", told), ("none", untold)]))
    said = 'anything at none: the model of a tree does not describe compaction_style = "none"'
    assert said in console.export_text()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--set", "write_bufer_size=1"), 'did you mean "write_buffer_size"?'),
        (("--set", "write_buffer_size"), "write it like cache_size=1GiB"),
        (("--size", "much"), '"much" is not a size'),
        (("--rate", "fast"), '"fast"'),
        (("--rate", "0"), "a rate of 0 offers no writes"),
        (("--vary", "nothing"), '"nothing" is no option of this engine'),
        (("--memory", "much"), '"much" is not a size'),
        (("--host", "absent.toml"), "absent.toml cannot be read"),
    ],
)
def test_wrong_words_end_in_a_sentence(
    experiment: Path, lsmtune: Lsmtune, arguments: tuple[str, ...], sentence: str
) -> None:
    code, _, err = lsmtune("predict", str(experiment), *arguments)
    assert code == 2
    assert sentence in err


def test_where_nothing_is_written_but_the_data_that_is_told(experiment: Path, lsmtune: Lsmtune) -> None:
    experiment.write_text(EXPERIMENT.replace('"fillrandom"', '"readrandom"').replace("num", 'load = "fillseq"\nnum'))
    code, out, _ = lsmtune("predict", str(experiment), "--json")
    assert code == 0
    assert json.loads(out)["indicators"]["waf"]["value"] < 2, "of the load, in order"
