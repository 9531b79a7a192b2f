"""The declarations of indicators and their look-up."""

import dataclasses

import pytest

from lsmtune.errors import UsageError
from lsmtune.indicators import INDICATORS, Indicator, indicator

ASKED = """
    throughput_ops_s max_rate_ops_s max_rate_latency_s throughput_bytes_s latency_mean_s latency_p50_s latency_p75_s
    latency_p99_s latency_p999_s
    latency_p9999_s latency_max_s read_latency_mean_s read_latency_p50_s read_latency_p75_s
    read_latency_p99_s read_latency_p999_s read_latency_p9999_s read_latency_max_s write_latency_mean_s
    write_latency_p50_s write_latency_p75_s write_latency_p99_s write_latency_p999_s write_latency_p9999_s
    write_latency_max_s operations load_time_s settle_time_s total_time_s throughput_settled_ops_s
    waf waf_wal waf_table space_bytes space_peak_bytes live_bytes space_amp debt_bytes pending_bytes l0_files_load_end
    waf_load_end space_load_end_bytes
    levels_populated flush_count flush_bytes compaction_count compaction_written_bytes compaction_read_bytes
    compaction_time_s trivial_move_count stall_time_s stall_share stall_count stop_count wal_bytes read_amp
    cache_hit_ratio bloom_fpr found_ratio cpu_s memory_peak_bytes io_written_bytes io_read_bytes elapsed_s
    memory_full_size_bytes space_full_size_bytes space_peak_full_size_bytes space_amp_full_size
    trial_score trial_loss
"""


def test_every_indicator_is_declared_once_under_its_name() -> None:
    assert sorted(INDICATORS) == sorted(ASKED.split())
    assert all(name == declared.name for name, declared in INDICATORS.items())


def test_rates_and_hits_are_better_high_and_costs_low() -> None:
    higher = {name for name, declared in INDICATORS.items() if declared.better == "higher"}
    rates = {"throughput_ops_s", "throughput_bytes_s", "throughput_settled_ops_s", "max_rate_ops_s"}
    assert higher == rates | {"cache_hit_ratio", "trial_score"}
    facts = {name for name, declared in INDICATORS.items() if declared.better is None}
    assert {"operations", "found_ratio", "levels_populated", "flush_count", "elapsed_s"} <= facts
    assert not facts & {"waf", "space_amp", "latency_p99_s", "stall_time_s", "debt_bytes"}


def test_no_two_indicators_say_the_same() -> None:
    summaries = [declared.summary for declared in INDICATORS.values()]
    assert len(set(summaries)) == len(summaries)


def test_every_latency_says_that_a_batch_of_keys_is_one_operation_of_it() -> None:
    latencies = [declared for name, declared in INDICATORS.items() if "latency" in name and "max_rate" not in name]
    assert len(latencies) == 21
    assert all("of a batch of RocksDB's db_bench" in declared.includes for declared in latencies)


def test_an_indicator_of_another_step_has_the_same_declaration() -> None:
    assert indicator("latency_p99_s@readrandom") is indicator("latency_p99_s")


def test_a_misspelt_indicator_is_answered_with_close_ones() -> None:
    with pytest.raises(UsageError, match=r'"latency_p98_s" is not an indicator; did you mean latency_p99_s'):
        indicator("latency_p98_s")


def test_an_indicator_unlike_any_other_is_answered_with_the_list() -> None:
    with pytest.raises(UsageError, match=r'"zzz" is not an indicator; there are throughput_ops_s, '):
        indicator("zzz")


def test_an_empty_step_is_refused() -> None:
    with pytest.raises(UsageError, match='"waf@" names no phase'):
        indicator("waf@")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "latency_p99"}, "must end in _s, its unit is s"),
        ({"name": "latency_bytes_s"}, "must end in _s, its unit is s"),
        ({"name": "waf_bytes", "unit": "ratio"}, "must end in no unit"),
        ({"unit": "ms"}, 'has the unit "ms"'),
        ({"formula": " "}, "has no formula"),
    ],
)
def test_a_wrong_declaration_is_refused(change: dict[str, str], message: str) -> None:
    declared = dataclasses.asdict(INDICATORS["latency_p99_s"])
    with pytest.raises(UsageError, match=message):
        Indicator(**{**declared, **change})
