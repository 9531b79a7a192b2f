"""All rules, and how a line that a run was stored with becomes a finding again."""

import re
from collections.abc import Mapping

from lsmtune.lint._of_caches import SHRUNK_CACHE, TINY_CACHE
from lsmtune.lint._of_meaning import LITTLE_COMPACTED, MEMTABLE_SIZED_DATA, SUB_SECOND, TOO_SHORT
from lsmtune.lint._of_rates import FEW_FLUSHES_HELD, RATE_NOT_SETTLED
from lsmtune.lint._of_runs import (
    CACHE_SIZED_DATA,
    DEBT_LEFT,
    HUNG_ENGINE,
    IGNORED_PROPERTY,
    LOW_FOUND_RATE,
    NOT_ONLY_READS,
    OVERRIDDEN_VALUE,
    SMALL_TREE,
    TOOL_SAID,
    WAL_OFF,
    tool_said,
)
from lsmtune.lint._of_scale import CACHED_AT_SCALE, FEWER_LEVELS, MEMTABLE_IN_CACHE, NO_MERGES
from lsmtune.lint._of_studies import (
    ANCHORS_DISAGREE,
    ASSERTION_BUILD,
    BOUND_OPTIMUM,
    CAPPED_RUNS,
    DISTURBED_HOST,
    DISTURBED_PAIRS,
    FAILED_RUNS,
    MISSING_PAIRS,
    OLDER_RULES,
    ONE_LOAD,
    SEED_REUSE,
    UNLIKE_BUILDS,
)
from lsmtune.lint._rule import Finding, Rule

RULES: Mapping[str, Rule] = {
    rule.code: rule
    for rule in (
        *(TOO_SHORT, SUB_SECOND, DEBT_LEFT, NOT_ONLY_READS, SMALL_TREE, MEMTABLE_SIZED_DATA, LITTLE_COMPACTED),
        *(FEW_FLUSHES_HELD, RATE_NOT_SETTLED),
        *(MEMTABLE_IN_CACHE, CACHED_AT_SCALE, FEWER_LEVELS, NO_MERGES),
        *(CACHE_SIZED_DATA, TINY_CACHE, SHRUNK_CACHE, LOW_FOUND_RATE),
        *(WAL_OFF, SEED_REUSE, OVERRIDDEN_VALUE, BOUND_OPTIMUM, ASSERTION_BUILD, UNLIKE_BUILDS, DISTURBED_HOST),
        *(ONE_LOAD, OLDER_RULES, ANCHORS_DISAGREE, FAILED_RUNS, CAPPED_RUNS, MISSING_PAIRS, DISTURBED_PAIRS),
        *(HUNG_ENGINE, IGNORED_PROPERTY, TOOL_SAID),
    )
}
"""Every rule by its code."""


def read_finding(line: str) -> Finding:
    """Return the finding that a measurement was stored with.

    Args:
        line: a finding as text; or a sentence from before sentences carried codes, which is known by its beginning.
            What no rule knows counts as said by the tool.
    """
    code, _, sentence = line.partition(": ")
    if code in RULES and sentence:
        return RULES[code].says(sentence)
    for rule in RULES.values():
        known = re.match(rule.before, line) if rule.before else None
        if known is not None:
            return rule.says(line[known.end() :])
    return tool_said(line)
