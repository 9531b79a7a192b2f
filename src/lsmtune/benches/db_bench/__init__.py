"""db_bench, the benchmark that comes with RocksDB: commands, output, measurements."""

from lsmtune.benches.db_bench._bench import DbBench
from lsmtune.benches.db_bench._benchmarks import BENCHMARKS
from lsmtune.benches.db_bench._command import CommandBuilder
from lsmtune.benches.db_bench._defaults import stock_values

__all__ = [
    "BENCHMARKS",
    "CommandBuilder",
    "DbBench",
    "stock_values",
]
