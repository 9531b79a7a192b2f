"""What an experiment file may say to LevelDB's own db_bench."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from lsmtune.backends._db_bench_words import DbBenchVocabulary
from lsmtune.backends._phase_words import BENCHMARKS
from lsmtune.backends._problems import Check, Problem
from lsmtune.backends._request import Request
from lsmtune.backends.leveldb_bench._benchmarks import LEVELDB_BENCHMARKS
from lsmtune.backends.leveldb_bench._limits import beyond_flags, wrong_in
from lsmtune.errors import UsageError
from lsmtune.model import Settle, Value
from lsmtune.space import catalogue, read_value

_KEYS = {"key_size_bytes": "key_size", "value_size_bytes": "value_size", "duration_s": "duration"}
"""Key of a field of the workload, where it is not the field's name."""


class LevelDbBenchVocabulary(DbBenchVocabulary):
    """A db_bench that cannot settle, and whose numbers are small."""

    settle: ClassVar[Settle] = Settle.NONE
    fixed_axes: ClassVar[Mapping[str, str]] = MappingProxyType(
        dict.fromkeys(("key_size", "disable_wal"), "cannot vary under LevelDB's db_bench; take it out")
    )

    def __init__(self) -> None:
        super().__init__(LEVELDB_BENCHMARKS)

    @property
    def checks(self) -> Sequence[Check[Request]]:
        """See `Vocabulary`."""
        return (*super().checks, Check(self._workload_can_be_done, (BENCHMARKS,)), Check(_values_fit_flags))

    def _workload_can_be_done(self, request: Request) -> Iterator[Problem]:
        for field, sentence in wrong_in(self.workload(request)).items():
            yield Problem(("workload", _KEYS.get(field, field)), sentence)
        if "statistics" in request.said:
            yield Problem(("workload", "statistics"), "is for RocksDB: LevelDB has no counters to switch; take it out")


def _values_fit_flags(request: Request) -> Iterator[Problem]:
    for path, value in request.values:
        if sentence := _beyond(str(path[-1]), value):
            yield Problem(path, sentence)


def _beyond(name: str, value: Value) -> str:
    """Return what is wrong with a value that a flag cannot carry; what cannot be read is told elsewhere."""
    try:
        option = catalogue("leveldb").option(name)
        return "" if option.flag is None else beyond_flags(option, read_value(option, value))
    except UsageError:
        return ""
