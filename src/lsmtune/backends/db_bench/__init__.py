"""db_bench, the benchmark that comes with RocksDB: commands, output, measurements."""

from lsmtune.backends.db_bench._bench import DbBench
from lsmtune.backends.db_bench._benchmarks import BENCHMARKS, can_flush
from lsmtune.backends.db_bench._command import ASKS_NOTHING, CommandBuilder
from lsmtune.backends.db_bench._defaults import default_values
from lsmtune.backends.db_bench._intervals import interval_series
from lsmtune.backends.db_bench._template import commented_experiment

__all__ = [
    "ASKS_NOTHING",
    "BENCHMARKS",
    "CommandBuilder",
    "DbBench",
    "can_flush",
    "commented_experiment",
    "default_values",
    "interval_series",
]
