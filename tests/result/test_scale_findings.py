"""What the linter says of runs at a scale, in whole studies."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from result_builders import Made, baseline, rules, store

from lsmtune.lint import DataRead
from lsmtune.model import Measurement, Purpose, Value
from lsmtune.result import ArmBuild, History
from lsmtune.result._warnings import study_warnings
from lsmtune.store import create_study
from lsmtune.testing import fake_description, fake_space

MIB, GIB = 1 << 20, 1 << 30
QUIET = tuple(baseline(block, 100.0 + block % 2) for block in range(5))
FILL = """
[workload]
benchmarks = "fillrandom"
num = "60M"
key_size = 24
value_size = 1000
"""
READ = FILL.replace("fillrandom", "readrandom") + 'load = "fillseq"\n'
SCALE = Fraction(1, 64)
TREE: dict[str, Value] = {
    "write_buffer_size": 64 * MIB,
    "min_write_buffer_number_to_merge": 1,
    "level0_file_num_compaction_trigger": 4,
    "max_bytes_for_level_base": 256 * MIB,
    "max_bytes_for_level_multiplier": 10,
    "num_levels": 7,
    "compaction_style": "level",
}
WROTE: dict[str, float | None] = {
    "flush_count": 800.0,
    "compaction_count": 300.0,
    "trivial_move_count": 0.0,
    "space_bytes": 500.0 * MIB,
    "operations": 60e6 / 64,
}
LEVELS = {"levels": "L0 2 files 1000 KiB, L1 9 files 4000 KiB, L2 70 files 40000 KiB, L3 400 files 400000 KiB"}


def codes(
    folder: Path,
    measurement: Measurement,
    *,
    experiment: str = FILL,
    scale: Fraction | None = SCALE,
    cache_bytes: int | None = 32 * MIB,
    tree: dict[str, Value] = TREE,
) -> set[str]:
    """The codes of what is found in a study on a machine of 8 GiB whose last run of the reference gave this."""
    described = fake_description(rules(), fake_space())
    reference = {**fake_space().reference, **tree}
    facts = {**described.facts, "scale": None if scale is None else str(scale), "reference_values": reference}
    facts = {name: value for name, value in facts.items() if value is not None}
    host = replace(described.host, processor_cache_bytes=cache_bytes)
    described = replace(described, facts=facts, experiment=experiment, host=host)
    with create_study(folder, described) as study:
        store(study, *QUIET, measurement=measurement)
        found = study_warnings(study, History.read(study, rules()), rules(), rules().start)
    return {finding.rule.code for finding in found}


def test_a_memtable_that_the_scale_puts_into_the_processors_cache_is_named(tmp_path: Path) -> None:
    wrote = Measurement(WROTE, facts=LEVELS)
    assert codes(tmp_path / "a", wrote) == {"memtable-in-cache"}
    assert codes(tmp_path / "b", wrote, cache_bytes=64 * MIB) == set()
    assert codes(tmp_path / "c", wrote, cache_bytes=None) == set()  # as in studies that were made before it was kept
    assert codes(tmp_path / "d", wrote, scale=Fraction(1)) == set()
    assert codes(tmp_path / "e", replace(wrote, indicators={**WROTE, "flush_count": 0.0})) == set()


@pytest.mark.parametrize(
    ("read_gib", "host", "facts", "code"),
    [
        (1, "", {}, "cached-at-scale"),  # 64 GiB at full size, 8 GiB of memory here
        (1, 'memory = "32GiB"', {}, "cached-at-scale"),
        (1, 'memory = "128GiB"', {}, "cache-sized-data"),
        (0.0625, "", {}, "cache-sized-data"),  # 4 GiB at full size
        (9, "", {}, None),  # more than this machine has
        (1, 'memory = "32GiB"', {"group_memory_limit_bytes": str(GIB // 2)}, None),
        (1, 'memory = "32GiB"', {"group_memory_limit_bytes": str(GIB + 1)}, None),  # less what the process needs
        (1, 'memory = "32GiB"', {"group_memory_limit_bytes": str(GIB + 100 * MIB)}, "cached-at-scale"),
    ],
)
def test_data_that_only_the_scale_puts_into_the_page_cache_is_named(
    tmp_path: Path, read_gib: float, host: str, facts: dict[str, str], code: str | None
) -> None:
    read = DataRead(int(read_gib * GIB), 8 * MIB, direct=False)
    measured = Measurement({"memory_peak_bytes": 100.0 * MIB}, facts={**read.facts(), **facts})
    found = codes(tmp_path / "s", measured, experiment=f"{READ}[host]\n{host}\n")
    assert found == ({code} if code else set())


def test_reads_past_the_page_cache_and_those_of_the_block_cache_are_not_the_scales_doing(tmp_path: Path) -> None:
    past = Measurement({}, facts=DataRead(GIB, 8 * MIB, direct=True).facts())
    assert codes(tmp_path / "a", past, experiment=READ) == set()
    cached = Measurement({}, facts=DataRead(GIB, GIB, direct=False).facts())
    assert codes(tmp_path / "b", cached, experiment=READ) == {"cache-sized-data"}


def test_a_run_on_another_engine_is_judged_by_the_options_of_that_engine(tmp_path: Path) -> None:
    described = fake_description(rules(), fake_space())
    other = ArmBuild("on LevelDB", replace(described.build, engine="leveldb"), {"write_buffer_size": 4 * MIB})
    facts: dict[str, Any] = {
        **described.facts,
        "scale": str(SCALE),
        "reference_values": {**fake_space().reference, **TREE},
        "builds": {"sample-1": other.to_json()},
    }
    host = replace(described.host, processor_cache_bytes=32 * MIB)
    with create_study(tmp_path / "s", replace(described, facts=facts, experiment=FILL, host=host)) as study:
        made = (*QUIET, Made(Purpose.SAMPLE, "sample-1", 0))
        store(study, *made, measurement=Measurement(WROTE, facts=LEVELS))
        found = study_warnings(study, History.read(study, rules()), rules(), rules().start)
    assert [each.about for each in found if each.rule.code == "memtable-in-cache"] == ["reference"]


def test_a_tree_that_has_fewer_levels_than_at_full_size_is_named(tmp_path: Path) -> None:
    cut_short = {**WROTE, "space_bytes": 30.0 * MIB, "operations": 60e6 / 64 / 17}  # a duration ended it
    found = codes(tmp_path / "a", Measurement(cut_short, facts=LEVELS), cache_bytes=None)
    assert found == {"fewer-levels"}
    in_proportion = {**WROTE, "space_bytes": 30.0 * MIB}
    assert codes(tmp_path / "b", Measurement(in_proportion, facts=LEVELS), cache_bytes=None) == set()
    held = {**TREE, "max_bytes_for_level_base": MIB}  # 64 KiB is the least at the scale, 4 MiB in proportion
    assert codes(tmp_path / "c", Measurement(WROTE, facts=LEVELS), cache_bytes=None, tree=held) == {"fewer-levels"}
    universal = {**TREE, "compaction_style": "universal"}
    assert codes(tmp_path / "d", Measurement(cut_short, facts=LEVELS), cache_bytes=None, tree=universal) == set()


def test_merges_that_never_happened_are_named(tmp_path: Path) -> None:
    none = {**WROTE, "compaction_count": 0.0}
    assert codes(tmp_path / "a", Measurement(none), cache_bytes=None) == {"no-merges"}
    universal = {**TREE, "compaction_style": "universal"}
    assert codes(tmp_path / "b", Measurement(none), cache_bytes=None, tree=universal) == {"no-merges"}
    fifo = {**TREE, "compaction_style": "fifo"}
    assert codes(tmp_path / "c", Measurement(none), cache_bytes=None, tree=fifo) == set()
    moved = {**none, "trivial_move_count": 700.0}
    assert codes(tmp_path / "d", Measurement(moved), cache_bytes=None) == set()
    large = {**TREE, "write_buffer_size": 16 * GIB}  # fewer than eight flushes at full size, too
    assert codes(tmp_path / "e", Measurement(none), cache_bytes=None, tree=large) == set()
    only_reads = {**none, "flush_count": 0.0}
    assert codes(tmp_path / "f", Measurement(only_reads), cache_bytes=None, experiment=READ) == set()


def test_merges_that_never_went_below_the_first_level_are_named(tmp_path: Path) -> None:
    shallow = {"levels": "L0 3 files 1000 KiB, L1 90 files 500000 KiB, L2 0 files 0 KiB"}
    assert codes(tmp_path / "a", Measurement(WROTE, facts=shallow), cache_bytes=None) == {"no-merges"}
    small = {**WROTE, "space_bytes": 2.0 * MIB, "operations": 60e6}  # a single level at full size, too
    assert codes(tmp_path / "b", Measurement(small, facts=shallow), cache_bytes=None) == set()
