"""What has to fit together in an experiment of the tool ycsb, and which keys belong to which tool and engine."""

from collections.abc import Iterator
from fractions import Fraction

from lsmtune.backends.ycsb import CORE_WORKLOADS, LOAD, SETTLE
from lsmtune.experiment._checks import Check
from lsmtune.experiment._experiment import Experiment
from lsmtune.experiment._lines import KeyPath
from lsmtune.experiment._messages import Problem, one_of, suggestion
from lsmtune.experiment._tables import CompareTable
from lsmtune.model import Tool

_BENCHMARKS: KeyPath = ("workload", "benchmarks")
_LOAD: KeyPath = ("workload", "load")
_MEASURE: KeyPath = ("workload", "measure")
_PHASES: KeyPath = ("workload", "phases")
_TOOL: KeyPath = ("workload", "tool")

_OF_DB_BENCH = {"key_size_bytes": "key_size", "value_size_bytes": "value_size", "flags": "flags"}
"""Fields that mean nothing to ycsb, with their keys."""
_OF_YCSB = ("properties", "phases")
_SET_BY_LSMTUNE = {
    "recordcount": "workload.num",
    "operationcount": "workload.operations",
    "threadcount": "workload.threads",
    "maxexecutiontime": "workload.duration",
    "lsmtune.duration_s": "workload.duration",
    "lsmtune.value_compressibility": "workload.compression_ratio",
    "lsmtune.disable_wal": "workload.disable_wal",
    "lsmtune.statistics": "workload.statistics",
    "lsmtune.seed": "search.seed",
    "lsmtune.phases": "workload.benchmarks",
    "lsmtune.interval_s": "",
    "lsmtune.warmup_s": "",
}
"""Properties that lsmtune passes itself, with the key that decides them."""


def _keys_fit_the_tool(experiment: Experiment) -> Iterator[Problem]:
    table = experiment.workload_table
    yield from _builds_fit_the_tool(experiment)
    if table.tool is Tool.YCSB:
        for field, key in _OF_DB_BENCH.items():
            if field in table.model_fields_set:
                yield Problem(("workload", key), 'is for db_bench; with tool = "ycsb" write it as a property of YCSB')
        if experiment.engine.db_bench is not None:
            yield Problem(("engine", "db_bench"), "is not used by the tool ycsb; write driver, or take it out")
        return
    for key in _OF_YCSB:
        if key in table.model_fields_set:
            yield Problem(("workload", key), 'is for the tool ycsb; write tool = "ycsb", or take it out')
    if experiment.engine.driver is not None:
        yield Problem(("engine", "driver"), 'is not used by db_bench; write tool = "ycsb" under [workload]')


def _builds_fit_the_tool(experiment: Experiment) -> Iterator[Problem]:
    swept = {} if experiment.sweep is None else experiment.sweep.variants
    named: list[tuple[KeyPath, CompareTable]] = [
        (("compare", place), compared) for place, compared in enumerate(experiment.compare)
    ]
    for name, listed in swept.items():
        named += [(("sweep", "variants", name, place), variant) for place, variant in enumerate(listed)]
    for where, table in named:
        if experiment.workload_table.tool is Tool.YCSB and table.db_bench is not None:
            yield Problem((*where, "db_bench"), "is not used by the tool ycsb; write driver, or take it out")
        if experiment.workload_table.tool is Tool.DB_BENCH and table.driver is not None:
            yield Problem((*where, "driver"), "is not used by db_bench; write db_bench, or take it out")


def _engine_fits_the_tool(experiment: Experiment) -> Iterator[Problem]:
    engine, table = experiment.engine, experiment.workload_table
    if engine.reference in {"db_bench", "rocksdb", "leveldb"} - _baselines(experiment):
        known = one_of((*sorted(_baselines(experiment)), "options_file"))
        yield Problem(("engine", "reference"), f'"{engine.reference}" is no baseline here; write {known}')
    if engine.name != "leveldb":
        return
    if experiment.scale != Fraction(1):
        yield Problem(
            ("scale",),
            f"is {experiment.scale}, but the sizes of LevelDB's levels are compiled in, so that a smaller tree has "
            "another shape; write scale = 1 and take fewer keys",
        )
    if table.disable_wal and table.tool is Tool.YCSB:
        yield Problem(("workload", "disable_wal"), "is not possible with LevelDB, which always writes its log")
    if engine.options_file is not None:
        yield Problem(("engine", "options_file"), "is for RocksDB; put LevelDB's options under [space.fixed]")


def _baselines(experiment: Experiment) -> set[str]:
    if experiment.workload_table.tool is Tool.DB_BENCH and experiment.engine.name == "rocksdb":
        return {"db_bench", "rocksdb"}
    return {experiment.engine.name}


def _steps_are_known(experiment: Experiment) -> Iterator[Problem]:
    table = experiment.workload_table
    if not table.benchmarks:
        yield Problem(_BENCHMARKS, 'names no phase; write it like benchmarks = ["load", "a", "b"]')
    known = (LOAD, SETTLE, *CORE_WORKLOADS, *table.phases)
    for place, step in enumerate(table.benchmarks):
        if step in table.benchmarks[:place]:
            yield Problem((*_BENCHMARKS, place), f'"{step}" stands there twice; lsmtune repeats runs itself')
        elif step not in known:
            yield Problem((*_BENCHMARKS, place), f'"{step}" is not a phase{suggestion(step, known)}')
    if table.load not in ((), (LOAD,)):
        yield Problem(_LOAD, f'"{table.load[0]}" does not build the data of ycsb; write load = "{LOAD}"')
    for name in table.phases:
        if name in (LOAD, SETTLE, *CORE_WORKLOADS):
            yield Problem((*_PHASES, name), "has the name of a phase of YCSB; give it another")


def _data_is_built(experiment: Experiment) -> Iterator[Problem]:
    table = experiment.workload_table
    if table.load and LOAD in table.benchmarks:
        yield Problem(_LOAD, "builds the data that benchmarks load as well; take one of them out")
    elif table.benchmarks and not table.load and table.benchmarks[0] != LOAD:
        yield Problem(
            _LOAD,
            f'is missing; "{table.benchmarks[0]}" needs records: write load = "{LOAD}", which runs share and do not '
            f'measure, or begin benchmarks with "{LOAD}"',
        )
    if LOAD in table.benchmarks[1:]:
        yield Problem(_BENCHMARKS, f'has "{LOAD}" after other phases; it comes first')


def _measured_step_measures(experiment: Experiment) -> Iterator[Problem]:
    table = experiment.workload_table
    if table.benchmarks and not experiment.measuring:
        yield Problem(_BENCHMARKS, 'has no phase that measures anything; add "load" or a workload')
    elif table.measure is not None and table.measure not in experiment.measuring:
        yield Problem(_MEASURE, f'"{table.measure}" is not a measured phase; write {one_of(experiment.measuring)}')


def _properties_are_the_users(experiment: Experiment) -> Iterator[Problem]:
    table = experiment.workload_table
    places: list[tuple[KeyPath, dict[str, str]]] = [(("workload", "properties"), table.properties)]
    places += [((*_PHASES, name), properties) for name, properties in table.phases.items()]
    for path, properties in places:
        for name in properties:
            if name in _SET_BY_LSMTUNE:
                key = _SET_BY_LSMTUNE[name]
                yield Problem((*path, name), f"is set by lsmtune itself; {f'write {key}' if key else 'take it out'}")
            elif name.startswith(("rocksdb.", "leveldb.")):
                bare = name.partition(".")[2]
                yield Problem((*path, name), f"is an option of the engine; write {bare} under [space.fixed]")


YCSB_CHECKS = (
    Check(_keys_fit_the_tool, (_TOOL,)),
    Check(_engine_fits_the_tool, (_TOOL, ("engine", "name"), ("engine", "reference"), ("scale",))),
    Check(_steps_are_known, (_BENCHMARKS, _LOAD, _PHASES), Tool.YCSB),
    Check(_data_is_built, (_BENCHMARKS, _LOAD), Tool.YCSB),
    Check(_measured_step_measures, (_BENCHMARKS, _MEASURE), Tool.YCSB),
    Check(_properties_are_the_users, (), Tool.YCSB),
)
"""The checks of this module; those without a tool tell which keys belong to which."""
