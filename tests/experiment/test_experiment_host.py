"""What an experiment says of the host of production, and what of it cannot be meant."""

from pathlib import Path

import pytest

from lsmtune.errors import ExperimentError
from lsmtune.experiment import Experiment, fixed_values, parse_experiment, searched_options
from lsmtune.space import catalogue

GIB = 1 << 30
B = '[workload]\nbenchmarks = "fillrandom"\nnum = "64M"\n[space]\npreset = "write-heavy"\n[host]\n'
LEVELDB = '[engine]\nname = "leveldb"\n' + B.replace("write-heavy", "balanced")


def parsed(text: str) -> Experiment:
    return parse_experiment(text, Path("x.toml"))


@pytest.mark.parametrize(
    ("text", "memory_bytes", "cached_by"),
    [
        ("", None, "free"),
        ('memory = "none"\n', None, "free"),
        ('memory = "64GiB"\n', 64 * GIB, "cgroup"),
        ("memory = 68719476736\n", 64 * GIB, "cgroup"),
        ('memory = "64GiB"\npage_cache = "free"\n', 64 * GIB, "free"),
        ('page_cache = "direct"\n', None, "direct"),
    ],
)
def test_a_memory_is_held_by_a_control_group_unless_another_way_is_said(
    text: str, memory_bytes: int | None, cached_by: str
) -> None:
    host = parsed(B + text).host
    assert (host.memory_bytes, host.cached_by) == (memory_bytes, cached_by)


def test_bandwidth_and_requests_are_read() -> None:
    text = 'read_bandwidth = "500MiB/s"\nwrite_bandwidth = "1GiB"\nread_iops = "16k"\nwrite_iops = 8000\n'
    host = parsed(B + text).host
    assert (host.read_bandwidth_bytes_s, host.write_bandwidth_bytes_s) == (500 << 20, GIB)
    assert (host.read_iops, host.write_iops) == (16_000, 8000)


def test_direct_io_is_a_part_of_every_configuration_and_not_searched() -> None:
    known = catalogue("rocksdb")
    direct = parsed(B.replace("write-heavy", "all") + 'page_cache = "direct"\n')
    free = parsed(B.replace("write-heavy", "all"))
    names = {"use_direct_reads", "use_direct_io_for_flush_and_compaction"}
    assert fixed_values(direct, known) == dict.fromkeys(names, True)
    assert fixed_values(free, known) == {}
    assert set(searched_options(free, known)) - set(searched_options(direct, known)) <= names
    assert not names.intersection(searched_options(direct, known))


WRONG = {
    "a memory that is none": (
        B + 'memory = "lots"\n',
        '7: host.memory: "lots" is no memory; write it like "64GiB", or "none"',
    ),
    "a memory that is on": (
        B + "memory = true\n",
        '7: host.memory: true is no memory; write it like "64GiB", or "none"',
    ),
    "hardly any memory": (
        B + 'memory = "1MiB"\n',
        '7: host.memory: "1MiB" is outside the range from 64 MiB to 8192 PiB',
    ),
    "a page cache of another kind": (
        B + 'memory = "64GiB"\npage_cache = "some"\n',
        '8: host.page_cache: "some" is not "cgroup", "direct" or "free"',
    ),
    "a control group without a memory": (
        B + 'page_cache = "cgroup"\n',
        '7: host.page_cache is "cgroup", but host.memory does not say how much there is; write memory = "64GiB"',
    ),
    "a bandwidth that is none": (
        B + 'read_bandwidth = "fast"\n',
        '7: host.read_bandwidth: "fast" is no bandwidth; write it like "500MiB/s"',
    ),
    "hardly any bandwidth": (
        B + 'write_bandwidth = "1KiB/s"\n',
        '7: host.write_bandwidth: "1KiB/s" is below 64 KiB/s; write it like "500MiB/s"',
    ),
    "no requests": (B + "read_iops = 0\n", "7: host.read_iops: 0 is outside the range from 1 to"),
    "direct I/O of an engine that has none": (
        LEVELDB + 'page_cache = "direct"\n',
        '9: host.page_cache is "direct", but LevelDB has no direct I/O; write "cgroup" and host.memory',
    ),
    "direct I/O that is searched, too": (
        B.replace("[host]", 'options = ["block_size", "use_direct_reads"]\n[host]') + 'page_cache = "direct"\n',
        '6: space.options names use_direct_reads, which is set by host.page_cache = "direct"; take one of them out',
    ),
    "direct I/O that is fixed otherwise": (
        B + 'page_cache = "direct"\n[space.fixed]\nuse_direct_reads = false\n',
        '9: space.fixed.use_direct_reads is set by host.page_cache = "direct"; take one of them out',
    ),
    "direct I/O that a step takes back": (
        B + 'page_cache = "direct"\n[[steps]]\nname = "a"\nset = { use_direct_reads = false }\n',
        '10: steps.set.use_direct_reads is set by host.page_cache = "direct"; take one of them out',
    ),
    "direct I/O that a sweep varies": (
        B + 'page_cache = "direct"\n[sweep.options]\nuse_direct_reads = [true, false]\n',
        '9: sweep.options.use_direct_reads is set by host.page_cache = "direct"; take one of them out',
    ),
    "direct I/O that a variant takes back": (
        B + 'page_cache = "direct"\n[sweep.variants]\n'
        'reads = [{ name = "a", set = { use_direct_reads = false } }, { name = "b", set = { bloom_bits = 10 } }]\n',
        'sweep.variants.reads.set.use_direct_reads is set by host.page_cache = "direct"; take one of them out',
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_meant_is_said_with_its_line(name: str) -> None:
    text, sentence = WRONG[name]
    with pytest.raises(ExperimentError) as told:
        parsed(text)
    assert sentence in str(told.value)
