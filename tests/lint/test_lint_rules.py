"""Rules of the linter, one by one, on values whose answer is known."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lsmtune import lint
from lsmtune.errors import UsageError
from lsmtune.lint import (
    RULES,
    CacheBlocks,
    Compacted,
    DataRead,
    DisturbedRuns,
    Finding,
    Merges,
    PageCache,
    Rule,
    read_finding,
)
from lsmtune.model import EngineBuild, Overridden
from lsmtune.stats import Scatter

GIB = 1 << 30
MIB = 1 << 20
KIB = 1 << 10
BUILD = EngineBuild("rocksdb", "7.8.3", Path("/usr/bin/db_bench"), "0" * 16, False, ("none",), ())

Ask = Callable[[], Finding | None]

SPEAKS: dict[str, list[Ask]] = {
    "too-short": [lambda: lint.too_short("fillrandom", 2.99), lambda: lint.too_short("fillrandom", 1.0)],
    "sub-second": [lambda: lint.too_short("fillrandom", 0.99)],
    "debt-left": [
        lambda: lint.debt_left("sizes", None),
        lambda: lint.reads_in_debt("readrandom", "fillrandom"),
        lambda: lint.settling_ended_early(("time_limit",)),
    ],
    "not-only-reads": [lambda: lint.not_only_reads(1, 54.0)],
    "small-tree": [lambda: lint.small_tree(49, 3), lambda: lint.small_tree(50, 2)],
    "few-flushes-held": [lambda: lint.few_flushes_held(7), lambda: lint.few_flushes_held(0)],
    "rate-not-settled": [
        lambda: lint.rate_not_settled(100.0, 104.0, 16, settled=False),
        lambda: lint.rate_not_settled(100.0, None, 16, settled=False),
    ],
    "memtable-sized-data": [lambda: lint.memtable_sized_data(128 * MIB, 128 * MIB)],
    "little-compacted": [
        lambda: lint.little_compacted(Compacted(0, 0.0, 0.0), Compacted(5, 9.0, 4.0)),
        lambda: lint.little_compacted(Compacted(0, None, None), Compacted(5, None, None)),
        lambda: lint.little_compacted(Compacted(3, 99.0, 100.0), Compacted(30, 900.0, 100.0)),
    ],
    "cache-sized-data": [
        lambda: lint.cache_sized_data(DataRead(8 * MIB, 8 * MIB, direct=True), GIB),
        lambda: lint.cache_sized_data(DataRead(GIB, 8 * MIB, direct=False), GIB),
        lambda: lint.cache_sized_data(DataRead(GIB, 0, direct=False), GIB),
    ],
    "memtable-in-cache": [
        lambda: lint.memtable_in_cache(MIB, 64 * MIB, 32 * MIB),
        lambda: lint.memtable_in_cache(32 * MIB, 32 * MIB + 1, 32 * MIB),
    ],
    "cached-at-scale": [
        lambda: lint.cached_at_scale(PageCache(GIB, 64 * GIB, GIB, 64 * GIB - 1, is_said=True)),
        lambda: lint.cached_at_scale(PageCache(GIB, 64 * GIB, 8 * GIB, 8 * GIB, is_said=False)),
    ],
    "fewer-levels": [lambda: lint.fewer_levels(1, 2), lambda: lint.fewer_levels(3, 4)],
    "no-merges": [
        lambda: lint.no_merges(Merges(0, 0, None, 8, 4, None)),
        lambda: lint.no_merges(Merges(0, None, 0, 8, 4, 3)),
        lambda: lint.no_merges(Merges(9, 0, 1, 800, 4, 2)),
        lambda: lint.no_merges(Merges(9, 0, 0, 800, 4, 2)),
    ],
    "tiny-cache": [lambda: lint.few_blocks(CacheBlocks(64 * KIB, MIB - 4 * KIB, 4 * KIB))],
    "shrunk-cache": [lambda: lint.few_blocks(CacheBlocks(MIB - 4 * KIB, MIB, 4 * KIB))],
    "low-found-rate": [lambda: lint.low_found_rate(0.49), lambda: lint.low_found_rate(0.0)],
    "wal-off": [lambda: lint.wal_off(disabled=True, writes=True)],
    "seed-reuse": [
        lambda: lint.fixed_seeds("x"),
        lambda: lint.draws_again("readrandom"),
        lambda: lint.repeated_seeds(1),
        lambda: lint.seeds_of_the_clock(1),
        lambda: lint.seeds_of_the_load(1),
    ],
    "one-load": [lambda: lint.one_load([7, 7])],
    "older-rules": [lambda: lint.older_rules(verified=True, is_older=True)],
    "overridden-value": [lambda: lint.overridden_value(Overridden("sync", 1, 2))],
    "assertion-build": [lambda: lint.assertion_build(replace(BUILD, assertions=True), "db_bench", "a tool makes one")],
    "bound-optimum": [
        lambda: lint.bound_optimum("jobs", 8, [2, 8]),
        lambda: lint.bound_optimum("jobs", 2, [2, 8]),
    ],
    "disturbed-host": [
        lambda: lint.disturbed_host(DisturbedRuns(1, 9, 0, 1, 4.0), "others used 20 %"),
        lambda: lint.spoiled_runs(1, 9, "1 GiB are left"),
    ],
    "disturbed-pairs": [lambda: lint.disturbed_pairs(1, 6)],
    "anchors-disagree": [
        lambda: lint.anchors_drifted("waf", 1.11),
        lambda: lint.anchors_drifted("waf", 0.89),
        lambda: lint.anchors_scattered("waf", Scatter(0.09, 0.03, 0.001)),
    ],
    "unlike-builds": [
        lambda: lint.mixed_builds([True, False]),
        lambda: lint.differing_defaults("the default of 1 option differs between 7.8.3 and 11.8.1: sync 1 -> 2"),
    ],
    "failed-runs": [lambda: lint.failed_runs(1, 9, "full disk")],
    "capped-runs": [lambda: lint.capped_runs(1, 9)],
    "missing-pairs": [lambda: lint.missing_pairs(1)],
    "hung-engine": [lambda: lint.hung_engine("measure", "it hung", "the database was not closed")],
    "ignored-property": [lambda: lint.ignored_properties(("status",))],
    "tool-said": [lambda: lint.tool_said("the proportions add up to 0.9")],
}

SILENT: dict[str, list[Ask]] = {
    "one-load": [lambda: lint.one_load([7]), lambda: lint.one_load([7, 8, 7])],
    "older-rules": [
        lambda: lint.older_rules(verified=False, is_older=True),
        lambda: lint.older_rules(verified=True, is_older=False),
    ],
    "too-short": [lambda: lint.too_short("fillrandom", 3.0), lambda: lint.too_short("fillrandom", None)],
    "debt-left": [lambda: lint.settling_ended_early(())],
    "not-only-reads": [lambda: lint.not_only_reads(0, 0.0)],
    "small-tree": [lambda: lint.small_tree(50, 3), lambda: lint.small_tree(None, 1), lambda: lint.small_tree(1, None)],
    "few-flushes-held": [lambda: lint.few_flushes_held(8)],
    "rate-not-settled": [lambda: lint.rate_not_settled(100.0, 104.0, 9, settled=True)],
    "memtable-sized-data": [lambda: lint.memtable_sized_data(128 * MIB + 1, 128 * MIB)],
    "little-compacted": [
        lambda: lint.little_compacted(Compacted(0, 0.0, 0.0), Compacted(4, 9.0, 4.0)),  # may be chance
        lambda: lint.little_compacted(Compacted(4, 9.0, 100.0), Compacted(500, 900.0, 100.0)),  # as with blob files
        lambda: lint.little_compacted(Compacted(3, 9.0, 100.0), Compacted(29, 900.0, 100.0)),  # more than a tenth
        lambda: lint.little_compacted(Compacted(3, 100.0, 100.0), Compacted(30, 900.0, 100.0)),  # few that write much
        lambda: lint.little_compacted(Compacted(None, None, None), Compacted(30, 900.0, 100.0)),
        lambda: lint.little_compacted(Compacted(0, 0.0, 9.0), Compacted(None, None, None)),
    ],
    "cache-sized-data": [
        lambda: lint.cache_sized_data(DataRead(GIB, 8 * MIB, direct=True), GIB),
        lambda: lint.cache_sized_data(DataRead(GIB + 1, 8 * MIB, direct=False), GIB),
    ],
    "memtable-in-cache": [
        lambda: lint.memtable_in_cache(MIB, 64 * MIB, None),
        lambda: lint.memtable_in_cache(MIB, 64 * MIB, 64 * MIB),  # at full size, too
        lambda: lint.memtable_in_cache(33 * MIB, 64 * MIB, 32 * MIB),  # at neither
    ],
    "cached-at-scale": [
        lambda: lint.cached_at_scale(PageCache(GIB + 1, 64 * GIB, GIB, 32 * GIB, is_said=True)),
        lambda: lint.cached_at_scale(PageCache(GIB, 64 * GIB, GIB, 64 * GIB, is_said=True)),  # at full size, too
    ],
    "fewer-levels": [lambda: lint.fewer_levels(3, 3), lambda: lint.fewer_levels(4, 3)],
    "no-merges": [
        lambda: lint.no_merges(Merges(0, 0, 0, 7.9, 4, 3)),  # hardly any at full size
        lambda: lint.no_merges(Merges(0, 1, 1, 800, 4, 3)),  # keys in order
        lambda: lint.no_merges(Merges(None, 0, 1, 800, 4, 3)),
        lambda: lint.no_merges(Merges(9, 0, 2, 800, 4, 3)),
        lambda: lint.no_merges(Merges(9, 0, 1, 800, 4, 1)),
        lambda: lint.no_merges(Merges(9, 0, 1, 800, 4, None)),
        lambda: lint.no_merges(Merges(9, 0, None, 800, 4, 3)),
    ],
    # readrandom found 37,989 of 60,000 keys after fillrandom: what drawing with replacement leaves, 1 - 1/e
    "low-found-rate": [
        lambda: lint.low_found_rate(37_989 / 60_000),
        lambda: lint.low_found_rate(0.5),
        lambda: lint.low_found_rate(None),
    ],
    "wal-off": [
        lambda: lint.wal_off(disabled=False, writes=True),
        lambda: lint.wal_off(disabled=True, writes=False),
    ],
    "seed-reuse": [
        lambda: lint.repeated_seeds(0),
        lambda: lint.seeds_of_the_clock(0),
        lambda: lint.seeds_of_the_load(0),
    ],
    "assertion-build": [lambda: lint.assertion_build(BUILD, "db_bench", "")],
    "bound-optimum": [
        lambda: lint.bound_optimum("jobs", 7, [2, 8]),
        lambda: lint.bound_optimum("jobs", 0, [2, 8]),  # a special value outside
        lambda: lint.bound_optimum("jobs", True, [0, 1]),
        lambda: lint.bound_optimum("jobs", 8, None),
    ],
    "disturbed-host": [
        lambda: lint.disturbed_host(DisturbedRuns(0, 9, 0, 0, 0.0), ""),
        lambda: lint.spoiled_runs(0, 9, ""),
    ],
    "disturbed-pairs": [lambda: lint.disturbed_pairs(0, 6)],
    "anchors-disagree": [
        lambda: lint.anchors_drifted("waf", 1.099),
        lambda: lint.anchors_drifted("waf", None),
        lambda: lint.anchors_scattered("waf", None),
        lambda: lint.anchors_scattered("waf", Scatter(0.09, 0.05, 0.001)),  # less than twice
        lambda: lint.anchors_scattered("waf", Scatter(0.09, 0.03, 0.02)),  # may be chance
        lambda: lint.anchors_scattered("waf", Scatter(0.015, 0.001, 0.0)),  # no matter
    ],
    "unlike-builds": [
        lambda: lint.mixed_builds([True, True]),
        lambda: lint.mixed_builds([False]),
        lambda: lint.differing_defaults(""),
    ],
    "failed-runs": [lambda: lint.failed_runs(0, 9, "")],
    "capped-runs": [lambda: lint.capped_runs(0, 9)],
    "missing-pairs": [lambda: lint.missing_pairs(0)],
    "ignored-property": [lambda: lint.ignored_properties(())],
    "tiny-cache": [lambda: lint.few_blocks(CacheBlocks(0, 0, 4 * KIB))],  # no cache at all is a choice
    "shrunk-cache": [
        lambda: lint.few_blocks(CacheBlocks(MIB, 64 * MIB, 4 * KIB)),
        lambda: lint.few_blocks(CacheBlocks(64 * KIB, 4 * MIB, 0)),  # blocks are not known
    ],
}


def _cases(table: dict[str, list[Ask]]) -> list[object]:
    return [pytest.param(code, ask, id=f"{code}-{n}") for code, asks in table.items() for n, ask in enumerate(asks)]


def test_every_rule_is_tried() -> None:
    assert set(SPEAKS) == set(RULES)
    always = {
        "hung-engine",
        "overridden-value",
        "sub-second",
        "tool-said",
    }  # no question of their own that may be in vain
    assert set(SILENT) == set(RULES) - always


@pytest.mark.parametrize(("code", "ask"), _cases(SPEAKS))
def test_a_rule_speaks_from_its_threshold_on_in_one_line_that_reads_back(code: str, ask: Ask) -> None:
    found = ask()
    assert found is not None
    assert str(found) == f"{code}: {found.sentence}"
    assert "\n" not in found.sentence
    assert not found.sentence.endswith(".")
    assert read_finding(str(found)) == found


@pytest.mark.parametrize(("code", "ask"), _cases(SILENT))
def test_a_rule_is_silent_below_its_threshold(code: str, ask: Ask) -> None:
    assert ask() is None


@pytest.mark.parametrize("of_reference", [5, 10, 29, 30, 1000])
@pytest.mark.parametrize("written", [None, 99.0, 100.0])
def test_the_slack_of_little_compacted_has_the_sign_of_its_finding(of_reference: int, written: float | None) -> None:
    reference = Compacted(of_reference, 900.0, 100.0)
    slacks = []
    for count in (0, 0.5, 1, 1.5, 2, 3, 3.5, 4, of_reference):
        ran = Compacted(count, written, 100.0)
        slack = lint.compacted_slack(ran, reference)
        assert slack is not None
        assert (slack < 0) == (lint.little_compacted(ran, reference) is not None)
        slacks.append(slack)
    assert slacks == sorted(slacks)
    assert lint.compacted_slack(Compacted(None, None, None), reference) is None
    assert lint.compacted_slack(Compacted(9, 9.0, 9.0), Compacted(4, 9.0, 4.0)) is None


def test_data_in_memory_is_said_with_both_sizes_that_it_is_compared_with() -> None:
    cached = lint.cache_sized_data(DataRead(100 * MIB, 512 * MIB, direct=False), 8 * GIB)
    paged = lint.cache_sized_data(DataRead(100 * MIB, 8 * MIB, direct=False), 8 * GIB)
    assert cached is not None
    assert paged is not None
    for size in ("100 MiB", "512 MiB", "8 GiB"):
        assert size in cached.sentence
    assert paged.sentence == (
        "the data of a run (100 MiB) fits the machine's memory (8 GiB), not the block cache (8 MiB); "
        "reads of the disk are not tested"
    )


def test_a_small_cache_is_said_in_blocks_and_with_what_made_it_small() -> None:
    tiny = lint.few_blocks(CacheBlocks(MIB, MIB, 16 * KIB))
    shrunk = lint.few_blocks(CacheBlocks(128 * KIB, 8 * MIB, 16 * KIB))
    assert tiny is not None
    assert shrunk is not None
    assert tiny.sentence.startswith("the block cache of 1 MiB holds 64 blocks of 16 KiB, fewer than 256; ")
    assert shrunk.sentence.startswith(
        "the scale makes 128 KiB of the block cache of 8 MiB: 8 blocks of 16 KiB, fewer than 256; "
    )


def test_facts_of_what_was_read_come_back() -> None:
    read = DataRead(100, -1, direct=True)
    assert DataRead.of(read.facts()) == read
    in_blocks = replace(read, blocks=CacheBlocks(-1, -1, 4096))
    assert DataRead.of(in_blocks.facts()) == in_blocks
    assert DataRead.of({"levels": "L0 1 files 3 KiB"}) is None


@pytest.mark.parametrize(
    ("old", "code", "sentence"),
    [
        ("too short: fillrandom ran 1.04 s, less than 3 s", "too-short", "fillrandom ran 1.04 s, less than 3 s"),
        ('debt is left: settle = "none" reads sizes', "debt-left", 'settle = "none" reads sizes'),
        ("small tree: 15 flushes and 3 populated levels", "small-tree", "15 flushes and 3 populated levels"),
        ("same keys: LevelDB's db_bench has fixed seeds", "seed-reuse", "LevelDB's db_bench has fixed seeds"),
        ("readrandom draws the keys of fillrandom again, in", "seed-reuse", None),
        ("the data (110.9 MiB) fits the memtables (1 GiB); more keys are needed", "memtable-sized-data", None),
        ("the data (110.9 MiB) fits the block cache (384 MiB); reads are not tested", "cache-sized-data", None),
        ("only 10.2 % of the reads found their key; the load", "low-found-rate", None),
        ("measure: it hung: nothing happened for 8 s after its last result; w", "hung-engine", None),
        (
            "not only reads: 1 compaction wrote 54 KiB meanwhile",
            "not-only-reads",
            "1 compaction wrote 54 KiB meanwhile",
        ),
        ("properties without meaning here: status", "ignored-property", None),
        ("phase a: the proportions add up to 0.9", "tool-said", None),
        ("too-short", "tool-said", None),
    ],
)
def test_sentences_of_older_studies_still_show_with_their_code(old: str, code: str, sentence: str | None) -> None:
    found = read_finding(old)
    assert (found.rule.code, found.sentence) == (code, old if sentence is None else sentence)


def test_a_finding_for_programs_has_code_about_sentence_and_next_step() -> None:
    rule = RULES["too-short"]
    assert rule.says("a ran 1 s", "reference").to_json() == {
        "code": "too-short",
        "about": "reference",
        "sentence": "a ran 1 s",
        "next": rule.next,
    }
    assert rule.says("a ran 1 s").to_json()["about"] is None
    assert str(rule.says("a ran 1 s", "reference")) == "too-short: reference: a ran 1 s"


def test_only_what_takes_the_meaning_from_a_result_qualifies_it() -> None:
    assert {code for code, rule in RULES.items() if rule.qualifies} == {
        "memtable-sized-data",
        "little-compacted",
        "sub-second",
    }


def test_a_rule_without_its_texts_is_refused() -> None:
    with pytest.raises(UsageError, match='rule "no-text" has no why'):
        Rule("no-text", "a", "b", " ", "d")
    with pytest.raises(UsageError, match="kebab case"):
        Rule("No Text", "a", "b", "c", "d")


def test_a_size_on_a_bound_is_spelled_with_its_unit() -> None:
    found = lint.bound_optimum("write_buffer_size", 512 << 20, [16 << 20, 512 << 20], "512 MiB")
    assert found is not None
    assert "the best write_buffer_size = 512 MiB is the most of its range" in found.sentence
