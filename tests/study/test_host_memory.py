"""What production's host has becomes what a run has of this one, and what cannot fit it is not run."""

from pathlib import Path

import pytest

from lsmtune.errors import UsageError
from lsmtune.executors import ResourceLimits
from lsmtune.study import Budget, Prepared, prepare
from lsmtune.testing import fake_db_bench

MIB, GIB = 1 << 20, 1 << 30
TEXT = """
scale = "1/16"
[workload]
benchmarks = "fillrandom"
num = "40M"
threads = 2
[space]
options = ["write_buffer_size", "block_size"]
"""


@pytest.fixture
def prepared(tmp_path: Path) -> "Prepare":
    return Prepare(tmp_path)


class Prepare:
    """Prepares an experiment with more in it."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._program = folder, fake_db_bench.install(folder)

    def __call__(self, more: str, scale: str = "1/16") -> Prepared:
        from lsmtune.experiment import parse_experiment

        text = TEXT.replace("1/16", scale) + more
        return prepare(parse_experiment(text, self._folder / "fill.toml"), self._program)


def resources(prepared: Prepared) -> ResourceLimits | None:
    return prepared.policy(Budget(None, 9)).limits.resources


def test_a_run_has_its_share_of_the_memory_and_all_of_the_bandwidth(prepared: Prepare) -> None:
    held = resources(prepared('[host]\nmemory = "8GiB"\nread_bandwidth = "100MiB/s"\nwrite_iops = 500\n'))
    process = 16 * MIB  # what was measured of db_bench, with two threads
    assert held == ResourceLimits(512 * MIB, process, read_bytes_s=100 * MIB, write_ops_s=500)


@pytest.mark.parametrize(
    "more", ["", '[host]\nmemory = "8GiB"\npage_cache = "free"\n', '[host]\npage_cache = "direct"\n']
)
def test_nothing_is_held_where_nothing_was_asked_for(prepared: Prepare, more: str) -> None:
    assert resources(prepared(more)) is None


@pytest.mark.parametrize("page_cache", ["cgroup", "direct", "free"])
def test_what_surely_needs_more_than_production_has_is_left_out_of_the_search(
    prepared: Prepare, page_cache: str
) -> None:
    small = prepared(f'[host]\nmemory = "100MiB"\npage_cache = "{page_cache}"\n').searching()
    (note,) = [each for each in small.notes if "of the space is left out" in each]
    assert "would pass the limit of host.memory, 22.25 MiB at this scale" in note  # a 16th of 100 MiB, and 16 MiB
    large = prepared(f'[host]\nmemory = "64GiB"\npage_cache = "{page_cache}"\n').searching()
    assert large.notes == prepared("").searching().notes


def test_a_limit_at_full_size_and_the_host_of_runs_both_count(prepared: Prepare) -> None:
    host, limit = '[host]\nmemory = "100MiB"\n', '[guards]\nmemory_peak_bytes = "<= {}MiB"\n'
    words = ("the limit on memory_peak_bytes is", "host.memory, 22.25 MiB at this scale")
    for more, said in (
        (host + limit.format(1000), [True, True]),
        (host + limit.format(200), [True, False]),  # what is left fits the host, too
        (limit.format(1000), [True, False]),
        (host, [False, True]),
    ):
        notes = " ".join(prepared(more).searching().notes)
        assert [word in notes for word in words] == said


def test_at_full_size_the_tighter_of_a_limit_and_a_host_counts(prepared: Prepare) -> None:
    whole = '[host]\nmemory = "100MiB"\n[guards]\nmemory_peak_bytes = "<= {}MiB"\n'
    for limit, words in ((20, "the limit of 20 MiB on memory_peak_bytes"), (500, "host.memory")):
        notes = prepared(whole.format(limit), scale="1").searching().notes
        assert words in " ".join(notes)


def test_a_reference_that_cannot_fit_production_is_refused_before_a_run(prepared: Prepare) -> None:
    fixed = "[space.fixed]\nmin_write_buffer_number_to_merge = 2\nmax_write_buffer_number = 4\n"
    with pytest.raises(UsageError, match=r"memory: the reference does not fit, as one full memtable alone passes"):
        prepared(
            '[engine]\nreference = "options"\n[engine.options]\nwrite_buffer_size = "1GiB"\n[host]\nmemory = "256MiB"\n'
        )
    with pytest.raises(UsageError, match="the memtables of one flush alone passes the limit"):
        prepared(
            fixed + '[engine]\nreference = "options"\n[engine.options]\nwrite_buffer_size = "320MiB"\n'
            '[host]\nmemory = "256MiB"\n'
        )


def test_direct_io_is_set_in_every_starting_point(prepared: Prepare) -> None:
    direct = prepared('[host]\npage_cache = "direct"\n')
    assert {start.values["use_direct_reads"] for start in direct.rules.baselines.values()} == {True}
    assert direct.space.reference["use_direct_io_for_flush_and_compaction"] is True
