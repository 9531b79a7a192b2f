"""Experiment files that are right: what they mean, and what is assumed where they say nothing."""

from fractions import Fraction
from pathlib import Path

import pytest

from lsmtune.backends.db_bench import CommandBuilder
from lsmtune.errors import ExperimentError, UsageError
from lsmtune.experiment import (
    Experiment,
    fixed_values,
    load_experiment,
    overrides,
    parse_experiment,
    recorded_experiment,
    searched_options,
    searching_with,
)
from lsmtune.indicators import Guard, Limit, Objective
from lsmtune.model import Configuration, EngineBuild, Purpose, Run, Settle, Workload
from lsmtune.space import Override, catalogue

LEAST = '[workload]\nbenchmarks = "fillrandom"\nnum = "64M"\n[space]\npreset = "write-heavy"\n'

FULL = """\
name = "mix"
scale = "1/64"
constraints = ["write_buffer_size * max_write_buffer_number + cache_size <= 1 GiB"]

[engine]
name = "rocksdb"
db_bench = "bin/db_bench"
options_file = "OPTIONS-000007"
reference = "rocksdb"

[workload]
load = ["fillseq", "compact"]
benchmarks = "readrandom, mixgraph"
measure = "readrandom"
num = "64M"
key_size = 24
value_size = "1KiB"
threads = 2
duration = "10s"
operations = "1M"
compression_ratio = 0.4
disable_wal = true
settle = "none"
statistics = false
[workload.flags]
mix_get_ratio = 0.9
verify_checksum = false

[space]
preset = "write-heavy"
options = ["bloom_bits", "max_open_files"]
exclude = ["compression_type"]
[space.ranges]
write_buffer_size = { low = "16MiB", high = "256MiB", log = true }
compaction_style = { values = ["level"] }
[space.fixed]
max_background_jobs = 4
block_size = "8KiB"

[objective]
throughput_ops_s = 1
waf = 0.5
[guards]
space_bytes = "1.10x"
read_latency_p99_s = "10%"
latency_p99_s = "<= 5ms"
memory_peak_bytes = "<= 2GiB"
"throughput_ops_s@mixgraph" = ">= 50k"

[budget]
time = "20m"
runs = 100

[search]
sampler = "sobol"
seed = 7

[host]
scratch = "/var/tmp"
min_free = "1GiB"
max_disk = "20GiB"
"""


@pytest.fixture
def full(tmp_path: Path) -> Experiment:
    (tmp_path / "OPTIONS-000007").touch()
    path = tmp_path / "experiment.toml"
    path.write_text(FULL)
    return load_experiment(path)


def least(text: str = LEAST, path: str = "fill.toml") -> Experiment:
    return parse_experiment(text, Path(path))


def test_every_key_of_the_workload_is_read(full: Experiment) -> None:
    assert full.workload() == Workload(
        benchmarks=("readrandom", "mixgraph"),
        measure="readrandom",
        num=64_000_000,
        load=("fillseq", "compact"),
        key_size_bytes=24,
        value_size_bytes=1024,
        threads=2,
        duration_s=10.0,
        operations=1_000_000,
        compression_ratio=0.4,
        disable_wal=True,
        settle=Settle.NONE,
        statistics=False,
        flags=(("mix_get_ratio", "0.9"), ("verify_checksum", "false")),
    )


def test_the_other_tables_are_read(full: Experiment, tmp_path: Path) -> None:
    assert (full.name, full.scale, full.reference) == ("mix", Fraction(1, 64), "rocksdb")
    assert full.engine.db_bench == tmp_path / "bin/db_bench"
    assert full.engine.options_file == tmp_path / "OPTIONS-000007"
    assert full.budget.time_s == 1200
    assert full.budget.runs == 100
    assert (full.search.sampler, full.search.seed, full.search.cap) == ("sobol", 7, 3.0)
    assert full.host.scratch == Path("/var/tmp")
    assert (full.host.min_free_bytes, full.host.max_disk_bytes) == (2**30, 20 * 2**30)


def test_the_objective_guards_and_limits_are_read(full: Experiment) -> None:
    assert full.objective() == Objective({"throughput_ops_s": 1.0, "waf": 0.5})
    assert full.guards() == (Guard("space_bytes", 1.1), Guard("read_latency_p99_s", 1.1))
    assert full.limits() == (
        Limit("latency_p99_s", "<=", 0.005),
        Limit("memory_peak_bytes", "<=", 2 * 2**30),
        Limit("throughput_ops_s@mixgraph", ">=", 50_000),
    )


def test_the_space_holds_preset_and_options_less_excluded_and_fixed_ones(full: Experiment) -> None:
    names = searched_options(full, catalogue())
    expected = [*catalogue().preset("write-heavy").options, "bloom_bits", "open_files"]
    assert names == tuple(name for name in expected if name not in ("compression_type", "max_background_jobs"))
    assert fixed_values(full, catalogue()) == {"max_background_jobs": 4, "block_size": 8192}
    assert overrides(full, catalogue()) == {
        "write_buffer_size": Override("16MiB", "256MiB", log=True),
        "compaction_style": Override(choices=("level",)),
    }


def test_what_is_left_out_has_a_default() -> None:
    experiment = least()
    assert experiment.name == "fill"
    assert experiment.scale == 1
    assert experiment.reference == "db_bench"
    assert experiment.budget.time_s == 1800
    assert experiment.budget.runs is None
    assert experiment.objective() == Objective({"throughput_settled_ops_s": 1.0})
    assert experiment.workload() == Workload(benchmarks=("fillrandom",), measure="fillrandom", num=64_000_000)


def test_runs_alone_leave_the_time_open() -> None:
    budget = least(LEAST + "[budget]\nruns = 20\n").budget
    assert (budget.time_s, budget.runs) == (None, 20)


def test_an_options_file_is_the_reference_where_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine.ini").touch()
    text = LEAST + '[engine]\noptions_file = "mine.ini"\n'
    assert parse_experiment(text, tmp_path / "a.toml").reference == "options_file"


def test_the_measured_step_is_the_last_that_measures() -> None:
    text = LEAST.replace('"fillrandom"', '["fillseq", "readrandom", "flush", "stats"]')
    assert least(text).workload().measure == "readrandom"


@pytest.mark.parametrize(
    ("workload", "indicator"),
    [
        ("", "throughput_settled_ops_s"),
        ('settle = "none"\n', "throughput_ops_s"),
        ('load = "fillseq"\n', "throughput_ops_s"),
    ],
)
def test_a_settled_fill_is_judged_with_its_debt_and_others_by_throughput(workload: str, indicator: str) -> None:
    text = LEAST.replace("[space]", workload + "[space]")
    if "load" in workload:
        text = text.replace('"fillrandom"', '"readrandom"')
    assert least(text).objective() == Objective({indicator: 1.0})


@pytest.mark.parametrize(
    ("file", "name"), [("a b.toml", "a-b"), ("été.toml", "t"), ("...toml", "experiment"), ("x.y.toml", "x.y")]
)
def test_the_default_name_is_fit_for_a_folder(file: str, name: str) -> None:
    assert least(path=file).name == name


def test_a_byte_order_mark_and_windows_line_ends_are_read(tmp_path: Path) -> None:
    path = tmp_path / "windows.toml"
    path.write_bytes(b"\xef\xbb\xbf" + LEAST.replace("\n", "\r\n").encode())
    assert load_experiment(path).workload().num == 64_000_000


def test_the_text_that_was_read_is_kept_whatever_the_file_holds_later(tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(LEAST, encoding="utf-8-sig", newline="\r\n")
    experiment = load_experiment(tmp_path / "e.toml")
    (tmp_path / "e.toml").write_text("broken")
    assert experiment.text == searching_with(experiment, "tpe").text == LEAST


def test_what_does_not_go_with_a_sampler_is_refused_wherever_it_is_named() -> None:
    climbs = f'scale = "1/64"\n{LEAST}[verify]\nscales = ["1/4"]\n'
    assert searching_with(least(climbs), "tpe").search.sampler == "tpe"
    sentence = 'verify.scales: are climbed with one result of a search, not with sampler = "steps"; take scales out'
    with pytest.raises(UsageError) as refusal:
        searching_with(least(climbs), "steps")
    assert str(refusal.value) == f"with --sampler steps: {sentence}"
    with pytest.raises(ExperimentError) as of_file:
        least(f'{climbs}[search]\nsampler = "steps"\n')
    assert str(of_file.value) == f"fill.toml:8: {sentence}"


def test_every_flag_that_the_bench_sets_is_kept_from_the_user() -> None:
    build = EngineBuild("rocksdb", "7.8.3", Path("db_bench"), "0" * 16, False, ("none",), ())
    commands = CommandBuilder(build, catalogue().for_version((7, 8, 3)), least().workload())
    run = Run(1, Purpose.TRIAL, "trial-1", None, Configuration(), 1, 1)
    for word in commands.measuring(run, Path("db"))[1:]:
        flag = word.removeprefix("--").partition("=")[0]
        text = LEAST.replace("[space]", f"[workload.flags]\n{flag} = 1\n[space]")
        with pytest.raises(ExperimentError, match=rf"fill\.toml:5: workload\.flags\.{flag} is set by lsmtune itself; "):
            least(text)


def test_the_workload_of_a_kept_experiment_needs_none_of_its_files() -> None:
    text = (
        '[engine]\noptions_file = "gone/OPTIONS"\n[workload]\nbenchmarks = "overwrite"\nload = "fillseq"\n'
        'num = "64K"\n[space]\noptions = ["block_size"]\n'
    )
    assert recorded_experiment(text).workload().load == ("fillseq",)


def test_named_changes_are_the_space_where_none_is_given() -> None:
    text = (
        '[workload]\nbenchmarks = "fillrandom"\nnum = "64M"\n'
        '[[compare]]\nname = "a"\nset = { write_buffer_size = "32MiB", bloom_bits = 10 }\n'
        '[[steps]]\nname = "b"\nset = { block_size = 8192 }\n'
    )
    experiment = parse_experiment(text, Path("experiment.toml"))
    assert set(searched_options(experiment, catalogue())) == {"write_buffer_size", "bloom_bits", "block_size"}
