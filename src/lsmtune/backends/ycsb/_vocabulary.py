"""What an experiment file may say to lsmtune-ycsb."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import ClassVar

from lsmtune.backends._phase_words import BENCHMARKS, MEASURE, set_itself
from lsmtune.backends._phase_words import LOAD as LOAD_KEY
from lsmtune.backends._problems import Check, KeyPath, Problem, one_of, suggestion
from lsmtune.backends._request import Request
from lsmtune.backends._vocabulary import Vocabulary
from lsmtune.backends.ycsb._core import CORE_WORKLOADS
from lsmtune.backends.ycsb._owned import SET_BY_LSMTUNE
from lsmtune.backends.ycsb._phases import LOAD, RATES, SETTLE, phases_of
from lsmtune.backends.ycsb._records import ROW_PROPERTIES, record_bytes, with_rows_of
from lsmtune.errors import UsageError
from lsmtune.indicators import MAX_RATE, Objective
from lsmtune.model import Value, Workload
from lsmtune.units import format_seconds

_PHASES: KeyPath = ("workload", "phases")
_MAX_RATE: KeyPath = ("workload", "max_rate")
_OF_DB_BENCH = 'is for db_bench; with tool = "ycsb" write it as a property of YCSB'
_LOG_IS_WRITTEN = "is not possible with LevelDB, which always writes its log"


class YcsbVocabulary(Vocabulary):
    """Its phases are load, settle, the core workloads, and phases of the user's own."""

    foreign: ClassVar[Mapping[str, str]] = MappingProxyType(
        dict.fromkeys(("key_size", "value_size", "flags"), _OF_DB_BENCH)
    )
    fixed_axes: ClassVar[Mapping[str, str]] = MappingProxyType({"key_size": _OF_DB_BENCH})
    misnamed: ClassVar[str] = "is not used by the tool ycsb; write driver, or take it out"
    misnamed_engine: ClassVar[str] = misnamed
    offered_rate: ClassVar[str] = "target = 20000 under [workload.properties]"
    compression_ratio: ClassVar[float] = 1.0

    @property
    def checks(self) -> Sequence[Check[Request]]:
        """See `Vocabulary`."""
        return (
            Check(_phases_are_known, (BENCHMARKS, LOAD_KEY, _PHASES)),
            Check(_data_is_built, (BENCHMARKS, LOAD_KEY)),
            Check(self._measured_phase_measures, (BENCHMARKS, MEASURE)),
            Check(_properties_are_the_users),
            Check(self._rate_is_sought, (BENCHMARKS, MEASURE, _MAX_RATE)),
        )

    def measuring(self, benchmarks: Sequence[str]) -> tuple[str, ...]:
        """Return all phases but the settling; see `Vocabulary`."""
        return tuple(phase for phase in benchmarks if phase != SETTLE)

    def reads(self, workload: Workload) -> bool:
        """See `Vocabulary`."""
        return any(phase.may_read for phase in phases_of(workload))

    def writes(self, workload: Workload) -> bool:
        """See `Vocabulary`."""
        return any(phase.may_write for phase in phases_of(workload))

    def workload(self, request: Request) -> Workload:
        """Return what is asked of the engine; the sizes of records come from YCSB's properties.

        Raises:
            UsageError: a property is no whole number.
        """
        key_bytes, value_bytes = record_bytes(request.properties, request.num)
        sizes = replace(request, key_size_bytes=key_bytes, value_size_bytes=value_bytes, flags=request.properties)
        return replace(super().workload(sizes), target_ops_s=self._target_ops_s(request))

    def axis_problem(self, axis: str, values: Sequence[Value] | None, workload: Workload) -> str | None:
        """Return why sizes of records cannot vary so: all fields alike can be longer or shorter; see `Vocabulary`."""
        if axis != "value_size":
            return super().axis_problem(axis, values, workload)
        if values is None:
            return "has no range with YCSB, whose fields are equally long; list values"
        for phase, properties in workload.phases:
            for name, _ in properties:
                if name in ROW_PROPERTIES and phase in workload.benchmarks:
                    return f"is of all phases, and workload.phases.{phase} has rows of its own; take its {name} out"
        try:
            for value in values:
                with_rows_of(dict(workload.flags), int(value))
        except UsageError as error:
            return str(error)
        return None

    def objective(self, workload: Workload) -> Objective:
        """Return the throughput of each phase, which all count the same; where it is sought, the largest rate alone."""
        if workload.max_rate is not None:
            return Objective({MAX_RATE: 1.0})
        others = [phase for phase in self.measuring(workload.benchmarks) if phase != workload.measure]
        names = ("throughput_ops_s", *(f"throughput_ops_s@{phase}" for phase in others))
        return Objective(dict.fromkeys(names, 1.0))

    def _target_ops_s(self, request: Request) -> float | None:
        """Return the rate at which operations of a measured mix are due; None for a closed loop, and for a load."""
        measure = self.measure(request)
        if request.max_rate is not None or measure == LOAD:
            return None
        mix = {**request.properties, **request.phases.get(measure, {})}
        try:
            rate = float(next((mix[name] for name in RATES if name in mix), 0.0))
        except ValueError:
            return None  # the driver says what is wrong with it
        return rate if 0 < rate < math.inf else None

    def _rate_is_sought(self, request: Request) -> Iterator[Problem]:
        """Yield what keeps the measured phase from being a search for the largest rate."""
        if request.max_rate is None:
            return
        least_s = request.max_rate.least_hold_s
        if request.max_rate.hold_s < least_s:
            yield Problem(
                (*_MAX_RATE, "hold"),
                f"{format_seconds(request.max_rate.hold_s)} is too short for a limit of "
                f"{format_seconds(request.max_rate.limit_s)}: a queue as long as the limit has to be a small part "
                f'of it; write at least "{least_s:g}s"',
            )
        measure = self.measure(request)
        if measure == LOAD:
            yield Problem(_MAX_RATE, f'is of a phase that runs a mix, and "{LOAD}" is measured; add "a" to benchmarks')
        for path, properties in (
            (("workload", "properties"), request.properties),
            ((*_PHASES, measure), request.phases.get(measure, {})),
        ):
            for name in RATES:
                if name in properties:
                    yield Problem((*path, name), "is a rate, and workload.max_rate seeks one; take one of them out")

    def _measured_phase_measures(self, request: Request) -> Iterator[Problem]:
        measuring = self.measuring(request.benchmarks)
        if request.benchmarks and not measuring:
            yield Problem(BENCHMARKS, 'has no phase that measures anything; add "load" or a workload')
        elif request.measure is not None and request.measure not in measuring:
            yield Problem(MEASURE, f'"{request.measure}" is not a measured phase; write {one_of(measuring)}')


class YcsbOnLevelDbVocabulary(YcsbVocabulary):
    """The same on an engine that always writes its log."""

    fixed_axes: ClassVar[Mapping[str, str]] = MappingProxyType(
        {**YcsbVocabulary.fixed_axes, "disable_wal": _LOG_IS_WRITTEN}
    )

    @property
    def checks(self) -> Sequence[Check[Request]]:
        """See `Vocabulary`."""
        return (*super().checks, Check(_log_is_written))


def _log_is_written(request: Request) -> Iterator[Problem]:
    if request.disable_wal:
        yield Problem(("workload", "disable_wal"), _LOG_IS_WRITTEN)


def _phases_are_known(request: Request) -> Iterator[Problem]:
    if not request.benchmarks:
        yield Problem(BENCHMARKS, 'names no phase; write it like benchmarks = ["load", "a", "b"]')
    known = (LOAD, SETTLE, *CORE_WORKLOADS, *request.phases)
    for place, phase in enumerate(request.benchmarks):
        if phase in request.benchmarks[:place]:
            yield Problem((*BENCHMARKS, place), f'"{phase}" stands there twice; lsmtune repeats runs itself')
        elif phase not in known:
            yield Problem((*BENCHMARKS, place), f'"{phase}" is not a phase{suggestion(phase, known)}')
    if request.load not in ((), (LOAD,)):
        yield Problem(LOAD_KEY, f'"{request.load[0]}" does not build the data of ycsb; write load = "{LOAD}"')
    for name in request.phases:
        if name in (LOAD, SETTLE, *CORE_WORKLOADS):
            yield Problem((*_PHASES, name), "has the name of a phase of YCSB; give it another")


def _data_is_built(request: Request) -> Iterator[Problem]:
    phases = request.benchmarks
    if request.load and LOAD in phases:
        yield Problem(LOAD_KEY, "builds the data that benchmarks load as well; take one of them out")
    elif phases and not request.load and phases[0] != LOAD:
        yield Problem(
            LOAD_KEY,
            f'is missing; "{phases[0]}" needs records: write load = "{LOAD}", which runs share and do not '
            f'measure, or begin benchmarks with "{LOAD}"',
        )
    if LOAD in phases[1:]:
        yield Problem(BENCHMARKS, f'has "{LOAD}" after other phases; it comes first')


def _properties_are_the_users(request: Request) -> Iterator[Problem]:
    places: list[tuple[KeyPath, Mapping[str, str]]] = [(("workload", "properties"), request.properties)]
    places += [((*_PHASES, name), properties) for name, properties in request.phases.items()]
    for path, properties in places:
        for name in properties:
            if name in SET_BY_LSMTUNE:
                yield Problem((*path, name), set_itself(SET_BY_LSMTUNE[name]))
            elif name.startswith(("rocksdb.", "leveldb.")):
                bare = name.partition(".")[2]
                yield Problem((*path, name), f"is an option of the engine; write {bare} under [space.fixed]")
