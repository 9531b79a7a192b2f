"""Parsing what a real db_bench of LevelDB 1.22 printed."""

import re

import pytest
from leveldb_bench_builders import printed

from lsmtune.backends._failure import failure_reason
from lsmtune.backends.leveldb import Level
from lsmtune.backends.leveldb_bench._output import Output, parse_output, percentile

MIB = 1 << 20


def output(name: str, threads: int = 1) -> Output:
    return parse_output(printed(f"{name}.stdout.txt"), printed(f"{name}.stderr.txt"), threads)


def test_results_rates_and_found_keys_are_read() -> None:
    found = output("fill_and_reads")
    assert found.version == "1.22"
    assert [phase.name for phase in found.phases] == ["fillrandom", "readrandom", "readwhilewriting"]
    fill, read, beside = found.phases
    assert fill.ops_s == pytest.approx(1e6 / 3.941)
    assert fill.bytes_s == pytest.approx(28.1 * MIB)
    assert fill.seconds == pytest.approx(120_000 * 116 / (28.1 * MIB), rel=0.005)  # by the other printed number
    assert (fill.operations, fill.found, fill.of) == (120_000, None, None)
    assert (read.found, read.of) == (120_000, 120_000)
    assert (beside.found, beside.of, beside.operations) == (87_293, 120_000, 120_000)
    assert found.problems == ()


def test_the_median_that_is_computed_is_the_one_that_leveldb_prints() -> None:
    for name, threads in (("fill_and_reads", 1), ("reads_of_a_load", 2)):
        medians = [phase.histograms["op"] for phase in output(name, threads).phases if phase.histograms]
        assert medians
        for histogram in medians:
            assert histogram.percentiles[50.0] == pytest.approx(histogram.median_s, abs=1e-10)
            ascending = list(histogram.percentiles.values())
            assert ascending == sorted(ascending)
            assert histogram.min_s <= ascending[0]
            assert ascending[-1] <= histogram.max_s


def test_percentiles_of_a_uniform_distribution_are_its_quantiles() -> None:
    buckets = [(0.0, 10.0, 100), (10.0, 12.0, 20), (20.0, 70.0, 500), (70.0, 100.0, 380)]
    assert percentile(buckets, 0.0, 99.0, 50) == pytest.approx(20 + 50 * (500 - 120) / 500)
    assert percentile(buckets, 3.0, 99.0, 1) == 3.0  # never below what was seen
    assert percentile(buckets, 0.0, 81.5, 99.9) == 81.5
    assert percentile(buckets, 0.0, 99.0, 10) == pytest.approx(10.0)


def test_several_threads_work_at_the_same_time() -> None:
    found = output("reads_of_a_load", threads=2)
    reads, compact = found.phases
    text = re.search(r"readseq +: +(\S+) micros/op", printed("reads_of_a_load.stdout.txt"))
    assert text is not None
    assert reads.operations == 2 * 5000
    assert reads.ops_s == pytest.approx(2e6 / float(text[1]))
    assert reads.seconds == pytest.approx(2 * 5000 / (2e6 / float(text[1])))
    assert (compact.name, compact.operations, compact.ops_s, dict(compact.histograms)) == ("compact", None, None, {})
    assert compact.seconds is not None
    assert 0 < compact.seconds < 1


def test_trees_are_read_with_the_results_before_them() -> None:
    first, last = output("fill_and_reads").trees
    assert (first.phases, last.phases) == (1, 3)
    assert first.levels[0] == Level(4, 116212 + 116235 + 116328 + 116179)
    assert [level.files for level in first.levels] == [4, 5, 1, 0, 0, 0, 0]
    assert len(last.levels) == 7


def test_the_table_of_compactions_is_summed_by_its_header() -> None:
    found = output("fill_and_reads")
    row = re.findall(r"^ +\d+ +(\d+) +\d+ +\d+ +(\d+) +\d+$", printed("fill_and_reads.stdout.txt"), re.MULTILINE)
    assert found.read_bytes == sum(int(read) for _, read in row) * MIB
    assert found.columns["Files"] == sum(int(files) for files, _ in row)
    assert output("unknown_benchmark").read_bytes == 0
    assert output("no_folder").read_bytes is None


def test_a_benchmark_that_the_program_does_not_know_is_told() -> None:
    assert output("unknown_benchmark").unknown == ("nonsense",)
    assert output("unknown_benchmark").phases == ()


BROKEN = {
    "a result without a number": "fillseq : many micros/op; 3 MB/s",
    "a result that is not finite": "fillseq : -nan micros/op;",
    "a level that has no number": "--- level x ---",
    "a level out of order": "--- level 3 ---",
    "a table with a cell too few": "Level  Files Size(MB)\n------\n  0   2",
    "a histogram that is cut off": "fillseq : 1.0 micros/op;\nMicroseconds per op:\nCount: 3  Aver",
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_line_that_cannot_be_read_is_a_problem_and_no_crash(name: str) -> None:
    found = parse_output(BROKEN[name], "", 1)
    assert len(found.problems) == 1
    assert found.problems[0].startswith("stdout:1 cannot be read: ")
    assert found.phases == ()


def test_a_step_without_operations_has_no_rate() -> None:
    empty = (
        "Microseconds per op:\nCount: 0  Average: 0.0000  StdDev: 0.00\nMin: 0.0000  Median: -nan  Max: 0.0000\n---\n"
    )
    (phase,) = parse_output(f"readseq      :       0.000 micros/op;\n{empty}", "", 1).phases
    assert (phase.ops_s, phase.operations, dict(phase.histograms)) == (None, None, {})


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("unknown_flag", "db_bench failed: Invalid flag '--nonsense=1'"),
        ("no_folder", "db_bench failed: open error: NotFound: /nowhere/deep/c/LOCK: No such file or directory"),
    ],
)
def test_the_reason_of_a_real_failure_is_one_sentence(name: str, reason: str) -> None:
    assert failure_reason(1, printed(f"{name}.stdout.txt"), printed(f"{name}.stderr.txt")) == reason
