"""A workload and a configuration become exactly these commands."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from db_bench_builders import FILL, READ, SIXTY_FOURTH, bench, build, commands, flags, run_of, started

from lsmtune.backends.db_bench import CommandBuilder, default_values
from lsmtune.backends.rocksdb import OptionsFile, effective_values, open_with
from lsmtune.errors import EngineError
from lsmtune.model import FULL_SIZE_OPTIONS, Configuration, Settle, Value, Workload
from lsmtune.space import catalogue, library_values

MIB = 1 << 20
DB = Path("/scratch/run-1/db")
SETTLED = f"flush{',stats' * 10}"
DROPPED = ("wal_dir", "db_log_dir", "listeners", "info_log_level", "max_log_file_size", "log_file_time_to_roll")
USERS_FILE = """
[Version]
  rocksdb_version=7.8.3
  options_file_version=1.1
[DBOptions]
  max_background_jobs=6
  wal_dir=/var/lib/product/wal
  db_log_dir=/var/log/product
  listeners={ErrorHandlerListener:ErrorHandlerListener}
  info_log_level=WARN_LEVEL
  max_log_file_size=1000
  log_file_time_to_roll=60
[CFOptions "default"]
  write_buffer_size=134217728
  max_write_buffer_number=4
  compression=kZSTD
[TableOptions/BlockBasedTable "default"]
  block_size=16384
"""


def test_a_run_with_less_data_is_the_same_command_at_a_smaller_scale() -> None:
    run = run_of(target_file_size_base=128 * MIB)
    small = bench(READ, Fraction(1, 16)).processes(replace(run, rung=Fraction(1, 4)), DB)
    assert small == bench(READ, SIXTY_FOURTH).processes(run, DB)
    assert small != bench(READ, Fraction(1, 16)).processes(run, DB)


def test_less_data_with_the_options_of_production_leaves_every_size_option_as_it_is() -> None:
    run = run_of(target_file_size_base=128 * MIB)
    there = replace(run, rung=Fraction(16), scenario=((FULL_SIZE_OPTIONS, True),))
    found = flags(bench(FILL, SIXTY_FOURTH).processes(there, DB)[0].argv)
    whole = flags(bench(FILL).processes(run, DB)[0].argv)
    assert found.pop("num") == str(int(whole.pop("num")) // 4)
    assert found == whole
    in_proportion = flags(bench(FILL, SIXTY_FOURTH).processes(replace(run, rung=Fraction(16)), DB)[0].argv)
    assert int(in_proportion["target_file_size_base"]) == 32 * MIB


def asked(builder: CommandBuilder) -> dict[str, str]:
    return flags(builder.measuring(run_of(), DB))


def test_a_fill_at_full_size_is_this_command() -> None:
    assert commands().measuring(run_of(write_buffer_size=8 * MIB, compression_type="zstd"), DB) == (
        str(build().path),
        "--db=/scratch/run-1/db",
        f"--benchmarks=fillrandom,{SETTLED},levelstats,stats",
        "--seed=11",
        "--num=64000",
        "--key_size=16",
        "--value_size=100",
        "--threads=1",
        "--compression_ratio=0.5",
        "--disable_wal=0",
        "--statistics=1",
        "--histogram=1",
        "--stats_interval_seconds=1",
        "--compression_type=zstd",
        "--write_buffer_size=8388608",
    )


def test_a_scale_shrinks_keys_and_every_size_of_the_tree() -> None:
    found = flags(commands(scale=SIXTY_FOURTH).measuring(run_of(target_file_size_base=128 * MIB), DB))
    assert found["num"] == "1000"
    scaled = {name: int(found[name]) for name, option in catalogue().options.items() if option.scaled and name in found}
    defaults = default_values(build(), catalogue().for_version(build().version_tuple))
    missing = {name for name in defaults if catalogue().option(name).scaled and catalogue().option(name).flag} - set(
        scaled
    )
    assert missing == set()
    assert scaled["write_buffer_size"] == MIB
    assert scaled["target_file_size_base"] == 2 * MIB
    assert scaled["max_bytes_for_level_base"] == 4 * MIB
    assert scaled["cache_size"] * 64 == defaults["cache_size"]
    assert scaled["hard_pending_compaction_bytes_limit"] == 2 << 30
    assert (scaled["max_compaction_bytes"], scaled["db_write_buffer_size"]) == (0, 0)  # they mean the engine's choice
    assert not {"block_size", "delayed_write_rate", "level0_file_num_compaction_trigger"} & set(found)


def test_floors_hold_sizes_up() -> None:
    found = flags(commands(scale=Fraction(1, 4096)).measuring(run_of(write_buffer_size=8 * MIB), DB))
    assert found["write_buffer_size"] == "65536"
    assert found["cache_size"] == "65536"
    assert found["num"] == "16"


def test_options_that_stay_at_their_default_are_not_passed_at_full_size() -> None:
    assert not {option.flag for option in catalogue().options.values()} & set(asked(commands()))


def test_reads_of_loaded_data_have_a_load_with_its_own_seed_and_no_settling() -> None:
    tool = bench(READ)
    (load,) = tool.load_processes(run_of(), DB)
    (measure,) = tool.processes(run_of(), DB)
    loading, measuring = flags(load.argv), flags(measure.argv)
    assert (loading["benchmarks"], loading["seed"]) == (f"fillrandom,{SETTLED}", "7")
    assert (measuring["benchmarks"], measuring["seed"]) == ("readrandom,levelstats,stats", "11")
    assert "use_existing_db" not in loading
    assert measuring["use_existing_db"] == "1"
    assert (load.operations, measure.operations) == (64_000, 64_000)


def test_a_load_writes_every_key_once_whatever_the_measured_steps_do() -> None:
    workload = replace(READ, threads=4, operations=640, duration_s=30.0, flags=(("key_id_range", "5"),))
    loading = flags(bench(workload, SIXTY_FOURTH).load_processes(run_of(), DB)[0].argv)
    assert (loading["num"], loading["threads"], loading["key_id_range"]) == ("1000", "1", "5")
    assert not {"duration", "reads", "writes", "deletes"} & set(loading)
    (measure,) = bench(workload, SIXTY_FOURTH).processes(run_of(), DB)
    measuring = flags(measure.argv)
    amounts = ("num", "threads", "reads", "writes", "deletes", "duration")
    assert [measuring[name] for name in amounts] == ["1000", "4", "10", "10", "10", "30"]
    assert (measure.operations, measure.duration_s) == (None, 30.0)


def test_a_time_limit_is_no_expectation_for_steps_that_ignore_it() -> None:
    workload = replace(FILL, benchmarks=("fillseq",), measure="fillseq", duration_s=30.0)
    (process,) = bench(workload).processes(run_of(), DB)
    assert (process.operations, process.duration_s) == (64_000, 0.0)


def test_a_workload_that_shall_not_settle_is_read_at_once() -> None:
    assert asked(commands(replace(FILL, settle=Settle.NONE)))["benchmarks"] == "fillrandom,levelstats,stats"


def test_a_command_to_take_home_settles_by_itself() -> None:
    alone = CommandBuilder(build(), catalogue().for_version((7, 8, 3)), FILL)
    assert asked(alone)["benchmarks"] == "fillrandom,flush,waitforcompaction,levelstats,stats"
    assert flags(alone.settling(run_of(), DB))["benchmarks"] == "flush,waitforcompaction"


def test_a_process_is_held_behind_the_flush_that_settles_not_behind_those_of_the_user() -> None:
    phases = ("fillrandom", "flush", "readrandom", "flush[X2]", "overwrite")
    (process,) = bench(replace(FILL, benchmarks=phases, measure="overwrite")).processes(run_of(), DB)
    assert process.hold is not None
    assert process.hold.times == 3


@pytest.mark.parametrize(
    ("last", "prints"), [("compactall", "fillrandom"), ("compact1", "fillrandom"), ("compact", "compact")]
)
def test_the_last_result_is_that_of_a_phase_that_prints_one(last: str, prints: str) -> None:
    tool = bench(replace(READ, load=("fillrandom", last), benchmarks=("fillrandom", last), measure="fillrandom"))
    (load,) = tool.load_processes(run_of(), DB)
    assert (load.last_result, tool.processes(run_of(), DB)[-1].last_result) == (prints, prints)


def test_what_does_not_settle_is_not_held() -> None:
    scanned = replace(READ, benchmarks=("readwhilescanning",), measure="readwhilescanning")
    for workload in (replace(FILL, settle=Settle.NONE), READ, scanned):
        assert bench(workload).processes(run_of(), DB)[-1].hold is None
    (load,) = bench(READ).load_processes(run_of(), DB)
    assert load.hold is not None


def test_data_is_settled_in_its_new_shape_before_it_is_read() -> None:
    settle, measure = bench(READ).processes(run_of(max_bytes_for_level_base=64 * MIB), DB)
    assert (settle.name, measure.name) == ("settle", "measure")
    assert flags(settle.argv)["benchmarks"] == SETTLED
    for process in (settle, measure):
        assert flags(process.argv)["max_bytes_for_level_base"] == str(64 * MIB)
        assert flags(process.argv)["use_existing_db"] == "1"


def test_data_is_named_by_all_that_its_files_depend_on() -> None:
    key = bench(READ).data_key(run_of())
    same = [run_of(cache_size=64 * MIB), run_of(max_bytes_for_level_base=64 * MIB), replace(run_of(), id=2, seed=12)]
    assert {bench(READ).data_key(run) for run in same} == {key}
    assert bench(replace(READ, threads=8, operations=5)).data_key(run_of()) == key
    others = [
        bench(READ).data_key(run_of(compression_type="zstd")),
        bench(READ).data_key(run_of(options_file=USERS_FILE)),
        bench(READ).data_key(replace(run_of(), load_seed=8)),
        bench(READ, SIXTY_FOURTH).data_key(run_of()),
        bench(replace(READ, value_size_bytes=101)).data_key(run_of()),
        bench(replace(READ, load=("fillseq",))).data_key(run_of()),
    ]
    assert len({key, *others}) == 1 + len(others)
    assert bench(FILL).data_key(run_of()) is None


def test_the_library_baseline_sets_what_db_bench_does_otherwise() -> None:
    known = catalogue().for_version(build().version_tuple)
    defaults, library = default_values(build(), known), library_values(known, build().version_tuple)
    differing = {name: value for name, value in library.items() if defaults[name] != value}
    assert differing["enable_pipelined_write"] is False
    assert differing["hard_pending_compaction_bytes_limit"] == 256 << 30
    spelled = commands().option_flags({name: value for name, value in differing.items() if known.option(name).flag})
    effective = effective_values(
        open_with(build(), None, spelled), known.options.values(), build().version, Fraction(1)
    )
    assert (effective["enable_pipelined_write"], effective["hard_pending_compaction_bytes_limit"]) == (False, 256 << 30)


def test_a_flag_that_the_build_lacks_is_an_error() -> None:
    older = replace(build(), flags=tuple(flag for flag in build().flags if flag[0] != "block_size"))
    builder = replace(commands(scale=SIXTY_FOURTH), build=older)
    assert "block_size" not in asked(builder)
    with pytest.raises(EngineError, match=r"db_bench [\d.]+ has no flag --block_size, so block_size cannot be set"):
        builder.measuring(run_of(block_size=8192), DB)


def engine_takes(argv: tuple[str, ...], scale: Fraction) -> dict[str, object]:
    """What the real engine makes of a command, at full size."""
    database = Path(flags(argv)["db"])
    done = started((*(each for each in argv if not each.startswith("--benchmarks=")), "--benchmarks=levelstats"))
    assert done.returncode == 0, done.stderr
    (written,) = database.glob("OPTIONS-*[0-9]")
    known = catalogue().for_version(build().version_tuple)
    return dict(effective_values(written.read_text(), known.options.values(), build().version, scale))


def test_an_option_without_a_flag_travels_in_an_options_file_with_all_others(tmp_path: Path) -> None:
    run = run_of(bottommost_compression="zstd", write_buffer_size=128 * MIB, block_size=8192, cache_size=16 * MIB)
    argv = commands(scale=SIXTY_FOURTH).measuring(run, tmp_path / "db")
    found = flags(argv)
    assert found["options_file"] == str(tmp_path / "lsmtune.options")
    assert found["cache_size"] == str(MIB // 4)
    assert "write_buffer_size" not in found
    effective = engine_takes(argv, SIXTY_FOURTH)
    for name, value in run.configuration.items:
        if name != "cache_size":
            assert effective[name] == value, name
    assert effective["target_file_size_base"] == 64 * MIB
    assert effective["enable_pipelined_write"] is True  # db_bench's default, not RocksDB's


def test_a_users_options_file_is_the_base_at_scale_without_its_paths_and_log_settings(tmp_path: Path) -> None:
    run = run_of(USERS_FILE, max_write_buffer_number=3)
    argv = commands(scale=SIXTY_FOURTH).measuring(run, tmp_path / "db")
    text = (tmp_path / "lsmtune.options").read_text()
    assert not any(key in text for key in DROPPED)
    assert "  write_buffer_size=2097152\n" in text
    effective = engine_takes(argv, SIXTY_FOURTH)
    assert effective["write_buffer_size"] == 128 * MIB
    assert effective["max_write_buffer_number"] == 3
    assert (effective["max_background_jobs"], effective["block_size"]) == (6, 16384)
    assert effective["compression_type"] == "zstd"
    assert effective["target_file_size_base"] == 64 * MIB  # the file says nothing: RocksDB's default, at scale
    assert effective["max_bytes_for_level_base"] == 256 * MIB


def test_at_full_size_a_users_options_file_is_changed_only_where_asked() -> None:
    text = commands().options_text(Configuration.of({"block_size": 4096}, USERS_FILE))
    assert text is not None
    expected = [line for line in USERS_FILE.splitlines() if not any(key in line for key in DROPPED)]
    assert text.splitlines() == [line.replace("16384", "4096") for line in expected]


@pytest.mark.parametrize("start", [{"options_file": USERS_FILE}, {"bottommost_compression": "zstd"}])
def test_no_block_cache_is_said_in_an_options_file_beside_which_db_bench_takes_rocksdbs_own(
    start: dict[str, str],
) -> None:
    text = commands().options_text(run_of(**start, cache_size=0).configuration)
    assert text is not None
    assert "  no_block_cache=true\n" in text


def test_a_block_cache_is_allowed_again_over_an_options_file_that_has_none() -> None:
    without = f"{USERS_FILE}  no_block_cache=true\n  cache_index_and_filter_blocks=true\n"
    text = commands().options_text(run_of(without, cache_size=8 * MIB).configuration)
    assert text is not None
    assert "  no_block_cache=false\n" in text
    open_with(build(), text, ())  # RocksDB caches no indexes beside the other word
    untouched = commands(scale=SIXTY_FOURTH).options_text(run_of(without).configuration)
    assert untouched is not None
    assert "  no_block_cache=true\n" in untouched


def test_a_block_cache_that_is_left_to_the_options_file_changes_nothing_in_it() -> None:
    left = run_of(USERS_FILE, cache_size=-1).configuration
    assert commands().options_text(left) == commands().options_text(Configuration.of({}, USERS_FILE))


def test_limits_of_fifo_compaction_are_kept_where_options_travel_in_a_file() -> None:
    limits = (("fifo_compaction_max_table_files_size_mb", "64"), ("fifo_compaction_allow_compaction", "false"))
    asked = Configuration.of({"compaction_style": "fifo", "bottommost_compression": "zlib"})
    text = commands(replace(FILL, flags=limits)).options_text(asked)
    assert text is not None
    file = OptionsFile.parse(text, "made of flags")
    assert file.get("CF", "compaction_options_fifo.max_table_files_size") == str(64 * MIB)
    assert file.get("CF", "compaction_options_fifo.allow_compaction") == "false"


def test_options_among_the_flags_of_a_workload_are_kept_where_options_travel_in_a_file(tmp_path: Path) -> None:
    options = (("periodic_compaction_seconds", "3600"), ("prefix_size", "20"))
    others = (("use_existing_keys", "true"), ("num_column_families", "2"), ("trace_file", str(tmp_path / "trace")))
    workload = replace(FILL, key_size_bytes=32, flags=(*options, *others))
    text = commands(workload).options_text(Configuration.of({"bottommost_compression": "zlib"}))
    assert text is not None
    file = OptionsFile.parse(text, "made of flags")
    assert file.get("CF", "periodic_compaction_seconds") == "3600"
    assert "20" in (file.get("CF", "prefix_extractor") or "")
    assert file.other_families == ()
    assert not any(tmp_path.iterdir())


def test_limits_of_fifo_compaction_shrink_with_the_data_unless_they_would_keep_nothing() -> None:
    flag = "fifo_compaction_max_table_files_size_mb"
    limited = [replace(FILL, flags=((flag, text),)) for text in ("640", "6", "0", "64MB")]
    assert [asked(commands(each, SIXTY_FOURTH))[flag] for each in limited] == ["10", "1", "0", "64MB"]
    assert asked(commands(limited[0]))[flag] == "640"
    there = replace(run_of(), scenario=((FULL_SIZE_OPTIONS, True),))
    assert flags(bench(limited[0], SIXTY_FOURTH).processes(there, DB)[0].argv)[flag] == "640"


def test_a_users_options_file_keeps_less_under_fifo_compaction_where_there_is_less_data() -> None:
    key = "compaction_options_fifo.max_table_files_size"
    fifo = USERS_FILE.replace("compression=kZSTD", "compaction_style=kCompactionStyleFIFO")
    limit = "compaction_options_fifo={max_table_files_size=640m;}"
    stated = fifo.replace("[Table", f"  {limit}\n[Table")

    def kept(text: str, scale: Fraction, **values: Value) -> str | None:
        made = commands(scale=scale).options_text(Configuration.of(values, text))
        assert made is not None
        return OptionsFile.parse(made, "made").get("CF", key)

    assert kept(fifo, SIXTY_FOURTH) == str(16 * MIB), "RocksDB's own limit of 1 GiB"
    assert kept(stated, SIXTY_FOURTH) == str(10 * MIB)
    assert (kept(stated, Fraction(1)), kept(fifo, Fraction(1))) == ("640m", None)
    assert kept(stated, SIXTY_FOURTH, compaction_style="level") == "640m"


def test_a_configuration_of_flags_needs_no_file() -> None:
    assert commands().options_text(Configuration.of({"block_size": 4096})) is None


def test_a_trace_is_named_to_the_replay_and_never_to_a_load_which_would_write_over_it() -> None:
    given = (("num_column_families", "2"), ("trace_file", "/traces/one"), ("trace_replay_fast_forward", "1000000"))
    workload = Workload(("replay",), "replay", num=1000, load=("fillseq",), operations=5000, flags=given)
    replaying = flags(commands(workload).measuring(run_of(), DB))
    assert {name: replaying[name] for name, _ in given} == dict(given)
    assert replaying["benchmarks"] == f"replay,{SETTLED},levelstats,stats"
    loading = flags(commands(workload).loading(Configuration(), 7, DB))
    assert "trace_file" not in loading
    assert loading["num_column_families"] == "2"


def test_flags_with_which_no_data_is_built_are_those_of_the_measured_process_alone() -> None:
    reading = replace(READ, flags=(("use_existing_keys", "true"), ("readonly", "true")))
    builder, names = commands(reading), {"use_existing_keys", "readonly"}
    assert names < flags(builder.measuring(run_of(), DB)).keys()
    for other in (builder.loading(Configuration(), 7, DB), builder.settling(run_of(), DB)):
        assert names.isdisjoint(flags(other))


def test_a_build_without_interval_reports_is_not_asked_for_them() -> None:
    without = replace(build(), flags=tuple(flag for flag in build().flags if flag[0] != "stats_interval_seconds"))
    builder = CommandBuilder(without, commands().catalogue, commands().workload)
    assert "stats_interval_seconds" not in flags(builder.measuring(run_of(), DB))
