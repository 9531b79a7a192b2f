"""The fake db_bench is taken for the real one by everything that lsmtune does with it."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from executor_builders import FILL, READ, Fake, run_of, unwatched

from lsmtune.backends.db_bench import default_values
from lsmtune.backends.db_bench._output import parse_output
from lsmtune.backends.rocksdb import effective_values, open_with, parse_help, read_events
from lsmtune.executors import Limits
from lsmtune.model import EngineBuild, Outcome, Value
from lsmtune.space import catalogue, changed_defaults, missing_flags

HELP = Path(__file__).parents[1] / "fixtures" / "db_bench-7.8.3" / "help.txt"


def outcome(fake: Fake, number: int = 1, **values: Value) -> Outcome:
    return fake.executor(replace(FILL, num=1_000_000)).run(run_of(number, **values), Limits(), unwatched)


def value(result: Outcome, name: str) -> float:
    assert result.measurement is not None
    found = result.measurement.indicators[name]
    assert found is not None, name
    return found


def test_its_flags_are_those_of_the_catalogue_with_the_defaults_of_7_8_3(fake_build: EngineBuild) -> None:
    known = catalogue().for_version(fake_build.version_tuple)
    flags = dict(fake_build.flags)
    assert missing_flags(known, flags) == ()
    assert changed_defaults(known, fake_build.version_tuple, flags) == ()
    real = parse_help(HELP.read_text())
    different = {name for name in flags if name in real and real[name].default != flags[name]}
    assert different <= {"benchmarks", "db", "statistics", "histogram"}
    assert set(flags) <= set(real)


def test_it_has_the_compressors_of_debian(fake_build: EngineBuild) -> None:
    assert (fake_build.version, fake_build.assertions) == ("7.8.3", False)
    assert set(fake_build.compressors) == {"none", "snappy", "zlib", "lz4", "lz4hc", "zstd"}


def test_every_option_that_it_is_given_is_effective(fake_build: EngineBuild) -> None:
    known = catalogue().for_version(fake_build.version_tuple)
    defaults = default_values(fake_build, known)
    text = open_with(fake_build, None, ())
    effective = effective_values(text, known.options.values(), fake_build.version, Fraction(1))
    rewritten = {"arena_block_size", "max_compaction_bytes", "db_write_buffer_size", "bottommost_compression"}
    for name, found in effective.items():
        if name not in rewritten and not name.startswith("universal_"):
            assert found == defaults[name], name
    without_key = {name for name, option in known.options.items() if option.key is None}
    assert set(defaults) - set(effective) == without_key | {"db_write_buffer_size", "bottommost_compression"}


def test_its_output_and_log_are_read_without_problems(fake: Fake) -> None:
    result = outcome(fake, write_buffer_size=1 << 20)
    assert parse_output(result.artefacts["measure.stdout"]).problems == ()
    assert read_events(result.artefacts["measure.LOG"].splitlines()).problems == ()
    assert value(result, "flush_count") > 50
    assert 1 < value(result, "waf") < 20
    assert value(result, "settle_time_s") > 0
    assert value(result, "space_bytes") > 0
    assert result.measurement is not None
    assert result.measurement.overridden == ()


def test_the_same_seed_gives_the_same_and_another_one_nearly_the_same(fake: Fake) -> None:
    fake.behave("noise=0.02")
    first, again, other = (value(outcome(fake, number), "throughput_ops_s") for number in (1, 1, 2))
    assert first == again
    assert first != other
    assert 0.8 < first / other < 1.25


def test_larger_memtables_and_lighter_compressors_are_faster(fake: Fake) -> None:
    fake.behave("noise=0")
    plain = value(outcome(fake), "throughput_ops_s")
    assert value(outcome(fake, write_buffer_size=4 << 20), "throughput_ops_s") < plain
    assert value(outcome(fake, compression_type="zstd"), "throughput_ops_s") < plain
    assert value(outcome(fake, max_background_jobs=4), "throughput_ops_s") > plain


def test_reads_find_what_the_load_left_and_everything_with_its_seed(fake: Fake) -> None:
    read = replace(READ, load=("fillrandom",))
    run = run_of()
    assert 0.6 < value(fake.executor(read).run(run, Limits(), unwatched), "found_ratio") < 0.66
    trapped = replace(run, seed=run.load_seed)
    assert value(fake.executor(read).run(trapped, Limits(), unwatched), "found_ratio") == 1.0


def test_filters_help_reads(fake: Fake) -> None:
    plain = fake.executor(READ).run(run_of(), Limits(), unwatched)
    filtered = fake.executor(READ).run(run_of(bloom_bits=10), Limits(), unwatched)
    assert value(filtered, "read_amp") < value(plain, "read_amp")
    assert 0 < value(filtered, "bloom_fpr") < 0.1
