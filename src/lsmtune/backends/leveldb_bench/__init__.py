"""The db_bench that comes with LevelDB and its forks: commands, output, measurements."""

from lsmtune.backends.leveldb_bench._bench import LevelDbBench
from lsmtune.backends.leveldb_bench._benchmarks import LEVELDB_BENCHMARKS
from lsmtune.backends.leveldb_bench._command import CommandBuilder
from lsmtune.backends.leveldb_bench._limits import beyond_flags, wrong_in

__all__ = ["LEVELDB_BENCHMARKS", "CommandBuilder", "LevelDbBench", "beyond_flags", "wrong_in"]
