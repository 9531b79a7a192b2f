"""Experiment files of tools whose phases are benchmarks with names: `Benchmark` says what each does."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from lsmtune.backends._benchmark import Benchmark, BenchmarkKind
from lsmtune.backends._problems import Check, KeyPath, Problem, one_of, suggestion
from lsmtune.backends._request import Request
from lsmtune.backends._vocabulary import Vocabulary
from lsmtune.indicators import Objective
from lsmtune.model import Settle, Workload
from lsmtune.units import format_count

BENCHMARKS: KeyPath = ("workload", "benchmarks")
LOAD: KeyPath = ("workload", "load")
MEASURE: KeyPath = ("workload", "measure")
FLAGS: KeyPath = ("workload", "flags")
DURATION: KeyPath = ("workload", "duration")

_OF_YCSB = 'is for the tool ycsb; write tool = "ycsb", or take it out'
_MAX_RATE = (
    "is for the tool ycsb, as db_bench does not tell how late operations are at a rate; write "
    'tool = "ycsb", or take it out'
)


class PhaseVocabulary(Vocabulary):
    """The words of a tool whose phases have names and kinds.

    Attributes:
        phases: by name.
        program: what the tool is called where a phase is none of its own.
        example: the phase that is named where one is missing.
        set_by_lsmtune: flags that lsmtune passes itself, with the key that decides them, or "" where none does.
    """

    foreign: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            **dict.fromkeys(("properties", "property_files", "phases", "reopen"), _OF_YCSB),
            "max_rate": _MAX_RATE,
        }
    )

    def __init__(
        self,
        phases: Mapping[str, Benchmark],
        program: str,
        example: str,
        set_by_lsmtune: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.phases = phases
        self.program = program
        self.example = example
        self.set_by_lsmtune = set_by_lsmtune

    @property
    def checks(self) -> Sequence[Check[Request]]:
        """See `Vocabulary`."""
        return (
            Check(self._phases_are_known, (BENCHMARKS, LOAD, (*FLAGS, "trace_file"))),
            Check(self._measured_phase_measures, (BENCHMARKS, MEASURE)),
            Check(self._data_is_built, (BENCHMARKS, LOAD)),
            Check(self._duration_counts, (BENCHMARKS, MEASURE, DURATION)),
            Check(_keys_differ, (("workload", "num"), ("workload", "key_size"), ("scale",))),
            Check(self._flags_are_the_users),
        )

    def measuring(self, benchmarks: Sequence[str]) -> tuple[str, ...]:
        """See `Vocabulary`."""
        return tuple(phase for phase in benchmarks if phase in self.phases and self.phases[phase].measures)

    def reads(self, workload: Workload) -> bool:
        """See `Vocabulary`."""
        return any(self.phases[phase].reads for phase in self.measuring(workload.benchmarks))

    def writes(self, workload: Workload) -> bool:
        """See `Vocabulary`."""
        return any(self.phases[phase].writes for phase in self.measuring(workload.benchmarks))

    def counts_in_total(self, phase: str) -> bool:
        """Return whether it does nothing but write, or measures nothing and so leaves its work to the settling."""
        known = self.phases.get(phase)
        return known is None or known.only_writes or not known.measures

    def objective(self, workload: Workload) -> Objective:
        """Return the throughput; a fill that settles is judged by operations over write and settle time together.

        Otherwise a configuration wins by leaving its debt for later.
        """
        measured = self.phases.get(workload.measure)
        fills = measured is not None and measured.kind is BenchmarkKind.FILL
        settles = workload.settle is Settle.WAIT
        return Objective({"throughput_settled_ops_s" if fills and settles else "throughput_ops_s": 1.0})

    def wrong_phase(self, phase: str, request: Request) -> str:  # noqa: ARG002 - for tools whose phases need flags
        """Return what is wrong with a phase, or nothing."""
        if "[" in phase and phase.partition("[")[0] in self.phases:
            return f'"{phase}" asks for repeats, which lsmtune makes itself; write "{phase.partition("[")[0]}"'
        if phase not in self.phases:
            return f'"{phase}" is not a benchmark of {self.program}{suggestion(phase, self.phases)}'
        if self.phases[phase].kind is BenchmarkKind.PROCESSOR:
            return f'"{phase}" never touches a database, so no option changes it; take it out'
        return ""

    def _phases_are_known(self, request: Request) -> Iterator[Problem]:
        if not request.benchmarks:
            yield Problem(BENCHMARKS, f'names no benchmark; write it like benchmarks = "{self.example}"')
        for path, phases in ((BENCHMARKS, request.benchmarks), (LOAD, request.load)):
            for place, phase in enumerate(phases):
                if phase in phases[:place]:
                    yield Problem((*path, place), f'"{phase}" stands there twice; lsmtune repeats runs itself')
                elif sentence := self.wrong_phase(phase, request):
                    yield Problem((*path, place), sentence)

    def _measured_phase_measures(self, request: Request) -> Iterator[Problem]:
        if not request.benchmarks:
            return
        measure, phases = self.measure(request), request.benchmarks
        if request.measure is not None and request.measure not in phases:
            yield Problem(MEASURE, f'"{request.measure}" is not a phase of benchmarks; write {one_of(phases)}')
        elif (measured := self.phases.get(measure)) is not None and not measured.measures:
            yield Problem(MEASURE, f'"{measure}" measures nothing; choose a phase that writes or reads')
        elif all(phase in self.phases and self.phases[phase].kind is BenchmarkKind.UTILITY for phase in phases):
            advice = f'add one that writes or reads, "{self.example}"'
            yield Problem(BENCHMARKS, f"has no phase that measures anything; {advice}")

    def _data_is_built(self, request: Request) -> Iterator[Problem]:
        phases = self._known(request.benchmarks)
        if request.load:
            yield from self._load_builds(self._known(request.load))
            for phase in phases:
                if phase.begins_empty:
                    yield Problem(
                        BENCHMARKS,
                        f'"{phase.name}" starts with an empty database, so it cannot follow workload.load; '
                        f"take load out{self._or_write(BenchmarkKind.WRITE)}",
                    )
        elif phases and phases[0].needs_data:
            verb = "changes data that is there" if phases[0].kind is BenchmarkKind.WRITE else "reads"
            yield Problem(
                LOAD,
                f"is missing; {phases[0].name} {verb}, so workload.load must say how the data is built, "
                f"for example {self._load}",
            )

    @property
    def _load(self) -> str:
        """How a file says that data is built."""
        return f'load = "{next((name for name, each in self.phases.items() if each.kind is BenchmarkKind.FILL), "")}"'

    def _or_write(self, kind: BenchmarkKind) -> str:
        found = next((name for name, each in self.phases.items() if each.kind is kind), None)
        return "" if found is None else f', or write "{found}"'

    def _load_builds(self, phases: list[Benchmark]) -> Iterator[Problem]:
        if phases and phases[0].needs_data:
            yield Problem(LOAD, f'begins with "{phases[0].name}", which builds no data; write {self._load}')
        for phase in phases[1:]:
            if phase.kind is BenchmarkKind.READ:
                yield Problem(LOAD, f'"{phase.name}" builds no data; move it to workload.benchmarks')

    def _known(self, phases: Sequence[str]) -> list[Benchmark]:
        """Return the known phases that measure, in order."""
        return [self.phases[phase] for phase in self.measuring(phases)]

    def _duration_counts(self, request: Request) -> Iterator[Problem]:
        phase = self.phases.get(self.measure(request))
        if request.duration_s is not None and phase is not None and not phase.timed:
            yield Problem(DURATION, f"{phase.name} ignores it and runs its operation count; take duration out")

    def _flags_are_the_users(self, request: Request) -> Iterator[Problem]:
        for flag in request.flags:
            bare = flag.lstrip("-")
            if bare != flag:
                yield Problem((*FLAGS, flag), f"is written with dashes; write {bare} alone")
            elif bare in self.set_by_lsmtune:
                yield Problem((*FLAGS, flag), set_itself(self.set_by_lsmtune[bare]))


def set_itself(key: str) -> str:
    """Return the rest of a sentence on what lsmtune passes itself; `key` decides it, where one does."""
    return f"is set by lsmtune itself; {f'write {key}' if key else 'take it out'}"


def _keys_differ(request: Request) -> Iterator[Problem]:
    keys, scale, size = int(request.num * request.scale), request.scale, request.key_size_bytes
    if size < 8 and keys > 256**size:
        yield Problem(
            ("workload", "key_size"),
            f"{size} bytes tell only {format_count(256**size)} keys apart, "
            f"fewer than the {format_count(keys)} at scale {scale}; write at least 8",
        )
