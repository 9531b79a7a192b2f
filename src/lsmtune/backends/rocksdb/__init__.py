"""RocksDB through db_bench or the driver: builds, OPTIONS files, effective configurations, and what the LOG tells."""

from lsmtune.backends.rocksdb._build import (
    ENVIRONMENT_VARIABLE,
    Flag,
    compressors_of,
    discover,
    find_db_bench,
    locate_db_bench,
    parse_help,
)
from lsmtune.backends.rocksdb._effective import effective_values, overridden, with_unwritten
from lsmtune.backends.rocksdb._families import read_families
from lsmtune.backends.rocksdb._fifo import keeping, limits_at_scale, may_lack_keys
from lsmtune.backends.rocksdb._in_code import (
    demanded_beside,
    has_no_block_cache,
    lost_filter,
    may_limit_rate,
    names_write_buffer_limit,
    with_own_cache,
)
from lsmtune.backends.rocksdb._log import Compaction, EventLog, Flush, LogProblem, Stall, TrivialMove
from lsmtune.backends.rocksdb._log_reader import read_events
from lsmtune.backends.rocksdb._open import open_with
from lsmtune.backends.rocksdb._options_file import (
    DEFAULT_FAMILY,
    OptionsFile,
    newest_options,
    numbered_options,
)
from lsmtune.backends.rocksdb._query_trace import Damage, Query, QueryKind, QueryTrace
from lsmtune.backends.rocksdb._timeline import read_timeline, rocksdb_timeline
from lsmtune.backends.rocksdb._values import (
    derived_values,
    own_value,
    read_values,
    unread_of,
    unread_texts,
    write_values,
)

__all__ = [
    "DEFAULT_FAMILY",
    "ENVIRONMENT_VARIABLE",
    "Compaction",
    "Damage",
    "EventLog",
    "Flag",
    "Flush",
    "LogProblem",
    "OptionsFile",
    "Query",
    "QueryKind",
    "QueryTrace",
    "Stall",
    "TrivialMove",
    "compressors_of",
    "demanded_beside",
    "derived_values",
    "discover",
    "effective_values",
    "find_db_bench",
    "has_no_block_cache",
    "keeping",
    "limits_at_scale",
    "locate_db_bench",
    "lost_filter",
    "may_lack_keys",
    "may_limit_rate",
    "names_write_buffer_limit",
    "newest_options",
    "numbered_options",
    "open_with",
    "overridden",
    "own_value",
    "parse_help",
    "read_events",
    "read_families",
    "read_timeline",
    "read_values",
    "rocksdb_timeline",
    "unread_of",
    "unread_texts",
    "with_own_cache",
    "with_unwritten",
    "write_values",
]
