"""The linter: what makes measurements doubtful, each rule declared once with its threshold and the next step.

The rules are functions of plain values, so that benches, which know their tool, and `lsmtune.result`, which knows the
study, can both ask them. What a bench asks is stored with the run as a line, and read back by `read_finding`.
"""

from lsmtune.lint._of_caches import CacheBlocks, few_blocks
from lsmtune.lint._of_meaning import Compacted, little_compacted, memtable_sized_data, too_short
from lsmtune.lint._of_runs import (
    DataRead,
    cache_sized_data,
    debt_left,
    hung_engine,
    ignored_properties,
    low_found_rate,
    not_only_reads,
    overridden_value,
    reads_in_debt,
    settling_ended_early,
    small_tree,
    tool_said,
    wal_off,
)
from lsmtune.lint._of_studies import (
    anchors_drifted,
    anchors_scattered,
    assertion_build,
    bound_optimum,
    capped_runs,
    contaminated_host,
    differing_defaults,
    draws_again,
    failed_runs,
    fixed_seeds,
    missing_pairs,
    mixed_builds,
    one_load,
    repeated_seeds,
    seeds_of_the_clock,
    seeds_of_the_load,
)
from lsmtune.lint._registry import RULES, read_finding
from lsmtune.lint._rule import Finding, FindingJson, Rule

__all__ = [
    "RULES",
    "CacheBlocks",
    "Compacted",
    "DataRead",
    "Finding",
    "FindingJson",
    "Rule",
    "anchors_drifted",
    "anchors_scattered",
    "assertion_build",
    "bound_optimum",
    "cache_sized_data",
    "capped_runs",
    "contaminated_host",
    "debt_left",
    "differing_defaults",
    "draws_again",
    "failed_runs",
    "few_blocks",
    "fixed_seeds",
    "hung_engine",
    "ignored_properties",
    "little_compacted",
    "low_found_rate",
    "memtable_sized_data",
    "missing_pairs",
    "mixed_builds",
    "not_only_reads",
    "one_load",
    "overridden_value",
    "read_finding",
    "reads_in_debt",
    "repeated_seeds",
    "seeds_of_the_clock",
    "seeds_of_the_load",
    "settling_ended_early",
    "small_tree",
    "too_short",
    "tool_said",
    "wal_off",
]
