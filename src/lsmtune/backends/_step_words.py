"""Experiment files of tools whose steps are benchmarks with names: `Benchmark` says what each does."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from lsmtune.backends._problems import Check, KeyPath, Problem, one_of, suggestion
from lsmtune.backends._request import Request
from lsmtune.backends._steps import Benchmark, BenchmarkKind
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


class StepVocabulary(Vocabulary):
    """The words of a tool whose steps have names and kinds.

    Attributes:
        steps: by name.
        program: what the tool is called where a step is none of its own.
        example: the step that is named where one is missing.
        set_by_lsmtune: flags that lsmtune passes itself, with the key that decides them, or "" where none does.
    """

    foreign: ClassVar[Mapping[str, str]] = MappingProxyType(
        {"properties": _OF_YCSB, "property_files": _OF_YCSB, "phases": _OF_YCSB}
    )

    def __init__(
        self,
        steps: Mapping[str, Benchmark],
        program: str,
        example: str,
        set_by_lsmtune: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.steps = steps
        self.program = program
        self.example = example
        self.set_by_lsmtune = set_by_lsmtune

    @property
    def checks(self) -> Sequence[Check[Request]]:
        """See `Vocabulary`."""
        return (
            Check(self._steps_are_known, (BENCHMARKS, LOAD, (*FLAGS, "trace_file"))),
            Check(self._measured_step_measures, (BENCHMARKS, MEASURE)),
            Check(self._data_is_built, (BENCHMARKS, LOAD)),
            Check(self._duration_counts, (BENCHMARKS, MEASURE, DURATION)),
            Check(_keys_differ, (("workload", "num"), ("workload", "key_size"), ("scale",))),
            Check(self._flags_are_the_users),
        )

    def measuring(self, benchmarks: Sequence[str]) -> tuple[str, ...]:
        """See `Vocabulary`."""
        return tuple(step for step in benchmarks if step in self.steps and self.steps[step].measures)

    def reads(self, workload: Workload) -> bool:
        """See `Vocabulary`."""
        return any(self.steps[step].reads for step in self.measuring(workload.benchmarks))

    def writes(self, workload: Workload) -> bool:
        """See `Vocabulary`."""
        return any(self.steps[step].writes for step in self.measuring(workload.benchmarks))

    def objective(self, workload: Workload) -> Objective:
        """Return the throughput; a fill that settles is judged by operations over write and settle time together.

        Otherwise a configuration wins by leaving its debt for later.
        """
        measured = self.steps.get(workload.measure)
        fills = measured is not None and measured.kind is BenchmarkKind.FILL
        settles = workload.settle is Settle.WAIT
        return Objective({"throughput_settled_ops_s" if fills and settles else "throughput_ops_s": 1.0})

    def wrong_step(self, step: str, request: Request) -> str:  # noqa: ARG002 - for tools whose steps need flags
        """Return what is wrong with a step, or nothing."""
        if "[" in step and step.partition("[")[0] in self.steps:
            return f'"{step}" asks for repeats, which lsmtune makes itself; write "{step.partition("[")[0]}"'
        if step not in self.steps:
            return f'"{step}" is not a benchmark of {self.program}{suggestion(step, self.steps)}'
        if self.steps[step].kind is BenchmarkKind.PROCESSOR:
            return f'"{step}" never touches a database, so no option changes it; take it out'
        return ""

    def _steps_are_known(self, request: Request) -> Iterator[Problem]:
        if not request.benchmarks:
            yield Problem(BENCHMARKS, f'names no benchmark; write it like benchmarks = "{self.example}"')
        for path, steps in ((BENCHMARKS, request.benchmarks), (LOAD, request.load)):
            for place, step in enumerate(steps):
                if step in steps[:place]:
                    yield Problem((*path, place), f'"{step}" stands there twice; lsmtune repeats runs itself')
                elif sentence := self.wrong_step(step, request):
                    yield Problem((*path, place), sentence)

    def _measured_step_measures(self, request: Request) -> Iterator[Problem]:
        if not request.benchmarks:
            return
        measure, steps = self.measure(request), request.benchmarks
        if request.measure is not None and request.measure not in steps:
            yield Problem(MEASURE, f'"{request.measure}" is not a step of benchmarks; write {one_of(steps)}')
        elif (measured := self.steps.get(measure)) is not None and not measured.measures:
            yield Problem(MEASURE, f'"{measure}" measures nothing; choose a step that writes or reads')
        elif all(step in self.steps and self.steps[step].kind is BenchmarkKind.UTILITY for step in steps):
            advice = f'add one that writes or reads, "{self.example}"'
            yield Problem(BENCHMARKS, f"has no step that measures anything; {advice}")

    def _data_is_built(self, request: Request) -> Iterator[Problem]:
        steps = self._known(request.benchmarks)
        if request.load:
            yield from self._load_builds(self._known(request.load))
            for step in steps:
                if step.kind is BenchmarkKind.FILL:
                    yield Problem(
                        BENCHMARKS,
                        f'"{step.name}" starts with an empty database, so it cannot follow workload.load; '
                        f"take load out{self._or_write(BenchmarkKind.WRITE)}",
                    )
        elif steps and steps[0].needs_data:
            verb = "changes data that is there" if steps[0].kind is BenchmarkKind.WRITE else "reads"
            yield Problem(
                LOAD,
                f"is missing; {steps[0].name} {verb}, so workload.load must say how the data is built, "
                f"for example {self._load}",
            )

    @property
    def _load(self) -> str:
        """How a file says that data is built."""
        return f'load = "{next((name for name, each in self.steps.items() if each.kind is BenchmarkKind.FILL), "")}"'

    def _or_write(self, kind: BenchmarkKind) -> str:
        found = next((name for name, each in self.steps.items() if each.kind is kind), None)
        return "" if found is None else f', or write "{found}"'

    def _load_builds(self, steps: list[Benchmark]) -> Iterator[Problem]:
        if steps and steps[0].needs_data:
            yield Problem(LOAD, f'begins with "{steps[0].name}", which builds no data; write {self._load}')
        for step in steps[1:]:
            if step.kind is BenchmarkKind.READ:
                yield Problem(LOAD, f'"{step.name}" builds no data; move it to workload.benchmarks')

    def _known(self, steps: Sequence[str]) -> list[Benchmark]:
        """Return the known steps that measure, in order."""
        return [self.steps[step] for step in self.measuring(steps)]

    def _duration_counts(self, request: Request) -> Iterator[Problem]:
        step = self.steps.get(self.measure(request))
        if request.duration_s is not None and step is not None and not step.timed:
            yield Problem(DURATION, f"{step.name} ignores it and runs its operation count; take duration out")

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
