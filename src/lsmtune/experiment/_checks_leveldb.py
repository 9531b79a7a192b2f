"""What has to fit together in an experiment of LevelDB's own db_bench."""

from collections.abc import Iterator

from lsmtune.backends.leveldb_bench import beyond_flags, wrong_in
from lsmtune.errors import UsageError
from lsmtune.experiment._checks import Check
from lsmtune.experiment._experiment import Experiment
from lsmtune.experiment._lines import KeyPath
from lsmtune.experiment._messages import Problem
from lsmtune.model import Tool, Value
from lsmtune.space import catalogue, read_value

_BENCHMARKS: KeyPath = ("workload", "benchmarks")
_KEYS = {"key_size_bytes": "key_size", "value_size_bytes": "value_size", "duration_s": "duration"}
"""Key of a field of the workload, where it is not the field's name."""
_FIXED_AXES = ("key_size", "disable_wal")


def _workload_can_be_done(experiment: Experiment) -> Iterator[Problem]:
    if experiment.engine.name != "leveldb":
        return
    for field, sentence in wrong_in(experiment.workload()).items():
        yield Problem(("workload", _KEYS.get(field, field)), sentence)
    if "statistics" in experiment.workload_table.model_fields_set:
        yield Problem(("workload", "statistics"), "is for RocksDB: LevelDB has no counters to switch; take it out")
    for name in _FIXED_AXES:
        if name in experiment.sample.axes:
            yield Problem(("sample", "axes", name), "cannot vary under LevelDB's db_bench; take it out")


def _values_fit_flags(experiment: Experiment) -> Iterator[Problem]:
    if experiment.engine.name != "leveldb":
        return
    table = experiment.space
    asked: list[tuple[KeyPath, Value | None]] = [
        (("space", "fixed", name), value) for name, value in table.fixed.items()
    ]
    for name, given in table.ranges.items():
        values = (given.low, given.high, *(given.values or ()))
        asked += [(("space", "ranges", name), value) for value in values]
    for path, value in asked:
        if value is not None and (sentence := _beyond(str(path[-1]), value)):
            yield Problem(path, sentence)


def _beyond(name: str, value: Value) -> str:
    """Return what is wrong with a value that a flag cannot carry; what cannot be read is told elsewhere."""
    try:
        option = catalogue("leveldb").option(name)
        return "" if option.flag is None else beyond_flags(option, read_value(option, value))
    except UsageError:
        return ""


LEVELDB_CHECKS = (
    Check(_workload_can_be_done, (_BENCHMARKS,), Tool.DB_BENCH),
    Check(_values_fit_flags, (), Tool.DB_BENCH),
)
"""The checks of this module; they find nothing for another engine."""
