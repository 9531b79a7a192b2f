"""What the driver leaves behind becomes the indicators that lsmtune.indicators declares."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest
from ycsb_builders import AS_RECORDED, LOADED_A, MIB, commands, printed, record

from lsmtune.backends import Halt, HaltKind
from lsmtune.backends.ycsb._parse_results import parse_results
from lsmtune.errors import RunError
from lsmtune.indicators import AT_FULL_SIZE, INDICATORS, MAX_RATE, indicator
from lsmtune.model import Configuration, Measurement, Overridden, Settle, Value, Workload

LOAD_ALONE = replace(AS_RECORDED, benchmarks=("load", "settle"), measure="load", phases=())
USER_BYTES = 23_257_596 + 11_606_779 + 1_175_664 + 1_114_027
WRITING_S = 0.090405685 + 0.124892849 + 0.064761327 + 0.037903277


def measured(text: str, workload: Workload = AS_RECORDED, engine: str = "rocksdb", **values: Value) -> Measurement:
    return parse_results(commands(engine, workload), Configuration.of(values), [record(text)])


def without_runs(name: str) -> str:
    """The real output of a load and its settling, then the summary."""
    text = printed(name).splitlines(keepends=True)
    settled = [number for number, line in enumerate(text) if line.startswith('{"type":"phase_end"')][1]
    return "".join([*text[: settled + 1], text[-1]])


def some(found: Measurement, *names: str) -> list[float | None]:
    return [found.indicators[name] for name in names]


def test_the_measured_phase_of_rocksdb_gives_its_indicators_plain() -> None:
    found = measured(printed("rocksdb.jsonl"))
    expected = {
        "throughput_ops_s": 20_000 / 0.124892849,
        "throughput_bytes_s": (11_606_779 + 23_257_741) / 0.124892849,
        "operations": 20_000,
        "found_ratio": 1.0,
        "read_latency_mean_s": 4.491074159097714e-06,
        "read_latency_p99_s": 1.1351e-05,
        "write_latency_mean_s": 7.714726580502955e-06,
        "write_latency_p50_s": 7.651e-06,
        "waf": (33_235_707 + 53_469_634) / USER_BYTES,
        "waf_wal": (33_235_707 + 53_469_634 + 37_665_266) / USER_BYTES,
        "waf_load_end": (33_235_707 + 53_469_634) / USER_BYTES,
        "space_bytes": 31_972_117,
        "space_peak_bytes": 44_191_878,
        "live_bytes": 1_631_664 + 6_094_252 + 20_329_833,
        "space_load_end_bytes": 1_631_664 + 6_094_252 + 20_329_833,
        "levels_populated": 3,
        "flush_count": 17,
        "flush_bytes": 33_235_707,
        "compaction_count": 6,
        "compaction_written_bytes": 53_469_634,
        "compaction_read_bytes": 44_345_177,
        "compaction_time_s": 0.021908 + 0.03566 + 0.013369 + 0.021236 + 0.005421 + 0.009506,
        "trivial_move_count": 9,
        "wal_bytes": 37_665_266,
        "load_time_s": 0.090405685,
        "settle_time_s": 0.060899723,
        "pending_bytes": 0,
        "l0_files_load_end": 1,
        "stall_time_s": 0.012324,
        "stall_share": 0.012324 / WRITING_S,
        "cpu_s": 0.25,
        "memory_peak_bytes": 40 * MIB,
        "io_written_bytes": 5 * MIB,
        "io_read_bytes": 0,
        "elapsed_s": 0.5,
    }
    for name, value in expected.items():
        assert found.indicators[name] == pytest.approx(value, rel=1e-9), name
    # D inserted, and nothing settled what A, B and D wrote; compactions read through RocksDB's counters of reads.
    unknown = ("space_amp", "total_time_s", "throughput_settled_ops_s", "debt_bytes", "read_amp", "cache_hit_ratio")
    assert some(found, *unknown) == [None] * len(unknown)
    assert "latency_p99_s" not in found.indicators
    assert found.facts["levels"] == "L0 1 files 1593 KiB, L1 3 files 5951 KiB, L2 11 files 19853 KiB"


def test_with_a_target_rate_latencies_count_from_when_operations_were_due() -> None:
    workload = replace(AS_RECORDED, benchmarks=("A",), load=("load",))
    text = printed("interrupted.jsonl")
    names = ("read_latency_mean_s", "read_latency_p50_s", "read_latency_p99_s", "write_latency_p99_s")
    responses = [4.9430155807365436e-06, 4.435e-06, 9.703e-06, 1.2295e-05]
    assert some(measured(text, workload, "leveldb"), *names) == responses
    lines = [{**json.loads(line), "intended_latency": None} for line in text.splitlines()]
    without = "\n".join(map(json.dumps, lines))
    services = [1.8811827195467422e-06, 1.79e-06, 6.763e-06, 7.763e-06]
    assert some(measured(without, workload, "leveldb"), *names) == services


def test_what_the_tree_holds_is_not_the_space_of_a_database_with_blobs() -> None:
    text = without_runs("rocksdb.jsonl").replace('"blob_bytes":0', '"blob_bytes":1000')
    found = measured(text, LOAD_ALONE)
    assert found.indicators["space_load_end_bytes"] is None
    assert some(found, "waf_load_end") == [(20_088_883 + 8_033_345) / 23_257_596]


def test_other_phases_are_named_behind_an_at_sign() -> None:
    found = measured(printed("rocksdb.jsonl"))
    assert some(found, "latency_p99_s@load", "latency_max_s@load") == [5.303e-06, 0.010450768]
    assert found.indicators["throughput_ops_s@B"] == pytest.approx(308826.2845509636)
    assert found.indicators["write_latency_p99_s@D"] == 6.383e-06
    assert not any(name.endswith("@settle") for name in found.indicators)
    assert found.indicators["found_ratio@load"] is None  # it reads nothing


def test_of_leveldb_look_ups_alone_are_counted_so_that_writing_phases_tell_what_reads_cost() -> None:
    found = measured(printed("leveldb.jsonl"), engine="leveldb")
    assert some(found, "read_amp", "cache_hit_ratio") == [3.4622, 5559 / (5559 + 69244)]
    assert found.indicators["read_amp@D"] == pytest.approx(0.8023842033399853)
    assert some(found, "stall_time_s", "flush_count", "compaction_count") == [0.223519, 35, 9]
    assert found.indicators["waf"] == pytest.approx((34_651_014 + 81_487_599) / USER_BYTES)


def test_of_rocksdb_a_phase_that_only_reads_tells_what_reads_cost() -> None:
    """D wrote 5 %, and neither flushed nor compacted: without its writes its counters are those of reads alone."""
    text = printed("rocksdb.jsonl").replace('"user_written_bytes":1114027', '"user_written_bytes":0')
    found = measured(text, replace(AS_RECORDED, measure="D"))
    assert some(found, "read_amp", "cache_hit_ratio") == [4506 / 19042, pytest.approx(10995 / (10995 + 4506))]
    assert some(found, "read_amp@A", "cache_hit_ratio@B") == [None, None]


def test_a_read_phase_beside_a_compaction_does_not_tell_what_reads_cost() -> None:
    text = printed("rocksdb.jsonl").replace('"user_written_bytes":1175664', '"user_written_bytes":0')
    assert measured(text, replace(AS_RECORDED, measure="B")).indicators["read_amp"] is None


def test_a_settled_load_knows_its_debt_and_the_time_until_it_is_paid() -> None:
    found = measured(without_runs("rocksdb.jsonl"), LOAD_ALONE)
    total_s = 0.090405685 + 0.060899723
    expected = {
        "load_time_s": 0.090405685,
        "settle_time_s": 0.060899723,
        "total_time_s": total_s,
        "throughput_settled_ops_s": 20_000 / total_s,
        "debt_bytes": 18_072_321,
        "pending_bytes": 20_086_369,
        "l0_files_load_end": 5,
        "waf_load_end": (20_088_883 + 8_033_345) / 23_257_596,
        "space_load_end_bytes": 12_053_024 + 8_033_345,
        "space_amp": 31_972_117 / (20_000 * 1163),
        "latency_p50_s": 2.891e-06,
    }
    for name, value in expected.items():
        assert found.indicators[name] == pytest.approx(value, rel=1e-9), name


def test_the_idle_end_of_a_settle_does_not_count_and_a_cut_one_leaves_the_debt_unknown() -> None:
    text = without_runs("rocksdb.jsonl")
    old = '"label":"settle"},"ending":"complete","interrupted":false,"elapsed_s":0.060899723'
    assert old in text
    idle = measured(
        text.replace(old, '"label":"settle"},"ending":"idle","interrupted":false,"elapsed_s":5.25'), LOAD_ALONE
    )
    assert some(idle, "settle_time_s", "total_time_s") == [0.25, pytest.approx(0.340405685)]
    assert idle.facts["endings"] == "settle idle"
    cut = measured(text.replace(old, old.replace("complete", "time_limit")), LOAD_ALONE)
    assert some(cut, "settle_time_s", "total_time_s", "debt_bytes") == [None] * 3
    assert "debt-left: settling ended early (time_limit)" in cut.warnings


def test_opening_anew_between_phases_is_part_of_all_work() -> None:
    """What a phase left in the log is written then, so that large memtables do not make it disappear."""
    text = without_runs("rocksdb.jsonl")
    load = '"label":"load"},"ending":"complete"'
    assert load in text
    before, after = (
        some(measured(each, LOAD_ALONE), "total_time_s", "load_time_s", "settle_time_s")
        for each in (text, text.replace(load, f'{load},"reopen_s":0.5'))
    )
    assert before[0] is not None
    assert after == [pytest.approx(before[0] + 0.5), *before[1:]]


def test_space_amplification_needs_records_of_a_known_number_and_size() -> None:
    text = without_runs("rocksdb.jsonl")
    for flags in ((("insertcount", "10"),), (("field_len_dist", "zipfian"),)):
        assert measured(text, replace(LOAD_ALONE, flags=flags)).indicators["space_amp"] is None
    partial = text.replace('"label":"load"},"ending":"complete"', '"label":"load"},"ending":"time_limit"')
    assert some(measured(partial, LOAD_ALONE), "space_amp", "load_time_s") == [None, None]


def test_space_amplification_is_not_told_where_fifo_compaction_deleted_files() -> None:
    line = "2026/01/01-00:00:02.000000 1 [default] FIFO compaction: picking file 9 with size 1.2MB for deletion\n"
    left = replace(record(without_runs("rocksdb.jsonl")), log=line)
    found = parse_results(commands("rocksdb", LOAD_ALONE), Configuration(), [left])
    assert some(found, "space_amp", "space_bytes") == [None, 31_972_117]
    loaded = commands("rocksdb", replace(LOAD_ALONE, load=("load",)))
    for style, told in (("Level", True), ("FIFO", False)):  # of what was deleted in the load no LOG tells
        begun = replace(left, log=f"Options.compaction_style: kCompactionStyle{style}\n")
        found = parse_results(loaded, Configuration(), [begun])
        assert (found.indicators["space_amp"] is not None) == told


def test_a_run_on_loaded_data_has_its_records_and_no_load() -> None:
    workload = replace(LOADED_A, num=20_000, key_size_bytes=23, value_size_bytes=1140, settle=Settle.NONE)
    text = printed("interrupted.jsonl").replace('"label":"A"', '"label":"a"')
    found = measured(text, workload, "leveldb")
    assert found.indicators["space_amp"] == pytest.approx(28_759_878 / (20_000 * 1163))
    assert some(found, "load_time_s", "space_load_end_bytes", "settle_time_s", "total_time_s") == [None] * 4


def test_a_stopped_run_gives_what_it_printed() -> None:
    halt = Halt("it ran 30 s, beyond its cap of 20 s", HaltKind.HOPELESS)
    workload = replace(AS_RECORDED, benchmarks=("A",), load=("load",))
    cut = printed("interrupted.jsonl")
    found = parse_results(commands("leveldb", workload), Configuration(), [record(cut, halt)])
    assert some(found, "operations", "total_time_s") == [2958, None]
    assert found.indicators["waf"] == pytest.approx((1_672_010 + 5_880_776) / 1_797_819)
    nothing = parse_results(commands("leveldb", workload), Configuration(), [record(cut[:500], halt)])
    assert some(nothing, "waf", "flush_bytes", "space_amp", "stall_time_s") == [None] * 4
    assert nothing.indicators["space_bytes"] == 7
    assert nothing.effective == {}
    assert nothing.facts["unreadable"].startswith("stdout:1 ")


def test_the_larger_of_both_peaks_of_space_counts() -> None:
    left = record(printed("rocksdb.jsonl"), space_peak_bytes=50_000_000)
    found = parse_results(commands("rocksdb", AS_RECORDED), Configuration(), [left])
    assert found.indicators["space_peak_bytes"] == 50_000_000


def test_resources_are_those_of_all_processes() -> None:
    settle = replace(record(""), started_at=990.0, cpu_s=1.0, memory_peak_bytes=None, io_read_bytes=None)
    found = parse_results(commands("rocksdb", AS_RECORDED), Configuration(), [settle, record(printed("rocksdb.jsonl"))])
    names = ("cpu_s", "memory_peak_bytes", "io_read_bytes", "io_written_bytes", "elapsed_s")
    assert some(found, *names) == [1.25, 40 * MIB, None, 10 * MIB, 10.5]


@pytest.mark.parametrize("engine", ["rocksdb", "leveldb"])
def test_every_indicator_is_declared_and_every_declared_one_is_given(engine: str) -> None:
    found = measured(printed(f"{engine}.jsonl"), engine=engine)
    assert {indicator(each).name for each in found.indicators} <= set(INDICATORS)
    others = {each for each in INDICATORS if "latency_" in each or each.startswith("trial_")} | {MAX_RATE}
    others |= set(AT_FULL_SIZE.values())
    assert set(INDICATORS) - others <= set(found.indicators)


@pytest.mark.parametrize("engine", ["rocksdb", "leveldb"])
def test_declarations_tell_where_the_driver_has_an_indicator(engine: str) -> None:
    found = measured(printed(f"{engine}.jsonl"), engine=engine)
    given = {indicator(name) for name, value in found.indicators.items() if value is not None}
    of_db_bench = ("db_bench", "LOG", "STATISTICS", "dump", "table")
    judged = {each.name: each.source for each in given if any(word in each.source for word in of_db_bench)}
    assert len(judged) > 30
    assert not {name for name, source in judged.items() if "ycsb" not in source}
    alone = {name for name, each in INDICATORS.items() if each.source.endswith("; db_bench alone")}
    assert alone == {"waf_table", "bloom_fpr", "stall_count", "stop_count"}
    assert not alone & {each.name for each in given}


def test_rows_with_wrong_bytes_fail_the_run() -> None:
    old = '"read":{"operations":18989,"not_found":0,"corrupt":0'
    text = printed("rocksdb.jsonl")
    assert old in text
    with pytest.raises(RunError, match="3 rows that the engine gave in phase B held wrong bytes"):
        measured(text.replace(old, old.replace('"corrupt":0', '"corrupt":3')))


def test_a_phase_without_a_result_fails_the_run() -> None:
    with pytest.raises(RunError, match="ended well but printed no result of A"):
        measured(without_runs("rocksdb.jsonl"))


def test_effective_values_of_rocksdb_are_read_back_at_full_size() -> None:
    at_scale = commands("rocksdb", AS_RECORDED, Fraction(1, 8))
    asked = Configuration.of({"write_buffer_size": 16 * MIB, "level0_file_num_compaction_trigger": 9})
    found = parse_results(at_scale, asked, [record(printed("rocksdb.jsonl"))])
    assert found.effective["write_buffer_size"] == 16 * MIB
    assert (found.effective["block_size"], found.effective["compression_type"]) == (4096, "snappy")
    assert found.effective["open_files"] == -1
    assert found.overridden == (Overridden("level0_file_num_compaction_trigger", 9, 4),)


def test_values_that_leveldb_clipped_are_reported_with_its_limits() -> None:
    found = measured(printed("leveldb.jsonl"), engine="leveldb", write_buffer_size=MIB, max_file_size=1000)
    assert found.effective["reuse_logs"] is False
    assert (found.effective["compression"], found.effective["write_buffer_size"]) == ("snappy", MIB)
    assert found.overridden == (Overridden("max_file_size", 1000, 2 * MIB, "LevelDB clips it into [1 MiB, 1 GiB]"),)


def test_doubts_are_said_in_sentences() -> None:
    text = printed("rocksdb.jsonl").replace(
        '"ignored_properties":[],"warnings":[]', '"ignored_properties":["status"],"warnings":["w"]'
    )
    text = text.replace('"read":{"operations":10019,"not_found":0', '"read":{"operations":10019,"not_found":9000')
    warnings = measured(text, replace(AS_RECORDED, num=1000)).warnings
    beginnings = (
        "sub-second: A ran 125 ms, less than 1 s",
        'debt-left: settle = "none" reads sizes before compactions are done, 1 files were left in level 0',
        "small-tree: 17 flushes and 3 populated levels",
        "memtable-sized-data: the data (1.109 MiB) fits the memtables (4 MiB)",
        "low-found-rate: only 10.2 % of the reads found their key",
        "ignored-property: properties without meaning here: status",
        "tool-said: w",
    )
    assert len(warnings) == len(beginnings)
    for warning, beginning in zip(warnings, beginnings, strict=True):
        assert warning.startswith(beginning), warning


def test_a_process_that_hung_after_its_results_counts_with_a_warning() -> None:
    halt = Halt("it hung: nothing happened for 60 s after its last result", HaltKind.HUNG)
    found = parse_results(commands("rocksdb", AS_RECORDED), Configuration(), [record(printed("rocksdb.jsonl"), halt)])
    assert found.warnings[-1] == f"hung-engine: measure: {halt.reason}; the database was not closed"
