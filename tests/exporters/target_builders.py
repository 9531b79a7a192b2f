"""Builders for tests of targets: values that no target has by itself, and texts without an engine that checks them."""

from collections.abc import Mapping
from functools import cache

from export_builders import prepared, result

from lsmtune.exporters import ExportContext
from lsmtune.exporters.targets import Plan, Target, code, plan
from lsmtune.model import Value
from lsmtune.space import Kind, Option
from lsmtune.study import Prepared

TUNED: Mapping[str, Value] = {
    "write_buffer_size": 96 << 20,
    "max_write_buffer_number": 6,
    "max_bytes_for_level_multiplier": 8.0,
    "level0_slowdown_writes_trigger": 24,
    "compression_type": "zstd",
    "bottommost_compression": "zlib",
    "compaction_pri": "oldest_smallest_seq_first",
    "min_level_to_compress": 2,
    "bloom_bits": 12,
    "block_size": 8 << 10,
    "cache_size": 640 << 20,
    "rate_limiter_bytes_per_sec": 100 << 20,
    "subcompactions": 4,
    "enable_pipelined_write": False,
    "open_files": 500,
}
"""A configuration as a study may end with, with something for each section of each target."""

_NEIGHBOURS: Mapping[str, Mapping[str, Value]] = {
    "min_write_buffer_number_to_merge": {"max_write_buffer_number": 6},
    "memtablerep": {"allow_concurrent_memtable_write": False},
    "level0_stop_writes_trigger": {"level0_slowdown_writes_trigger": 20},
    "memtable_bloom_size_ratio": {"memtable_whole_key_filtering": True},
}
"""What else has to be set for an engine to keep a value as it was asked for."""


@cache
def study() -> Prepared:
    """An experiment that was prepared for the real db_bench."""
    from pathlib import Path

    return prepared(Path())


def context(values: Mapping[str, Value]) -> ExportContext:
    """What a study that ended with `values` is exported from."""
    told = study()
    return ExportContext(result(told, values), told.build)


def planned(target: Target, values: Mapping[str, Value]) -> Plan:
    """What is written for a target, without asking an engine."""
    return plan(target, context(values))


def code_of(target: Target, values: Mapping[str, Value]) -> str:
    """The text below the head, without asking an engine."""
    return "\n".join(code(target, planned(target, values))) + "\n"


def unusual(option: Option) -> Value:
    """A value of an option that is the default of no target, within its range."""
    if option.kind is Kind.BOOL:
        return not option.library_default[max(option.library_default)]
    if option.kind is Kind.CHOICE:
        usual = {"compaction_style": "universal", "compression_type": "zstd"}  # what every engine was built with
        others = (choice for choice in reversed(option.choices) if choice != option.library_default["7.8"])
        return usual.get(option.name) or next(others)
    if option.kind is Kind.FLOAT:
        return {"blob_garbage_collection_age_cutoff": 0.5, "max_bytes_for_level_multiplier": 6.0}.get(option.name, 0.05)
    chosen: dict[str, Value] = {
        "compression_level": 3,
        "min_level_to_compress": 3,
        "universal_max_merge_width": 9,
        "universal_max_read_amp": 5,
        "bloom_locality": 2,
        "format_version": 4,
        "num_levels": 5,
        "row_cache_size": 64 << 20,
        "bloom_bits": 14,
        "level0_stop_writes_trigger": 40,
    }
    if option.name in chosen:
        return chosen[option.name]
    assert option.low is not None, option.name
    assert option.high is not None
    step = 3 << 20 if option.unit.startswith("B") and option.low >= 1 << 20 else 1
    return int(min(option.low + step, option.high))


def with_neighbours(option: Option) -> dict[str, Value]:
    """An unusual value of an option, with what the engine needs beside it."""
    return {**_NEIGHBOURS.get(option.name, {}), option.name: unusual(option)}
