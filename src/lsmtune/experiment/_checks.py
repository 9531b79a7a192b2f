"""What has to fit together in an experiment: checks over several keys, each with the keys that it reads."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from lsmtune.backends import Benchmark, BenchmarkKind
from lsmtune.experiment._experiment import Experiment
from lsmtune.experiment._lines import KeyPath
from lsmtune.experiment._messages import Problem, one_of, suggestion
from lsmtune.model import Tool
from lsmtune.units import format_bytes, format_count

LEAST_KEYS = 1000
"""Fewer keys than this say nothing about a tree."""

_MOST_FINALISTS = 5  # of a study whose result is one configuration
_LEAST_AXES, _MOST_AXES = 2, 4  # of a front

_BENCHMARKS: KeyPath = ("workload", "benchmarks")
_LOAD: KeyPath = ("workload", "load")
_MEASURE: KeyPath = ("workload", "measure")
_FLAGS: KeyPath = ("workload", "flags")
_DURATION: KeyPath = ("workload", "duration")
_RUNGS: KeyPath = ("search", "rungs")

_SET_BY_LSMTUNE = {
    "benchmarks": "workload.benchmarks",
    "num": "workload.num",
    "key_size": "workload.key_size",
    "value_size": "workload.value_size",
    "threads": "workload.threads",
    "duration": "workload.duration",
    "reads": "workload.operations",
    "writes": "workload.operations",
    "compression_ratio": "workload.compression_ratio",
    "disable_wal": "workload.disable_wal",
    "statistics": "workload.statistics",
    "seed": "search.seed",
    "options_file": "engine.options_file",
    "db": "host.scratch",
    "wal_dir": "host.scratch",
    "use_existing_db": "",
    "histogram": "",
    "report_file": "",
    "report_interval_seconds": "",
    "stats_per_interval": "",
    "stats_interval": "",
    "stats_interval_seconds": "",
    "flagfile": "",
    "help": "",
}
"""Flags that lsmtune passes itself, with the key that decides them."""


@dataclass(frozen=True)
class Check:
    """A check and the keys that it reads: where one of them is wrong already, the check is not made.

    With `tool`, it is made for workloads of this tool only.
    """

    find: Callable[[Experiment], Iterator[Problem]]
    reads: tuple[KeyPath, ...]
    tool: Tool | None = None


def _steps_are_known(experiment: Experiment) -> Iterator[Problem]:
    table = experiment.workload_table
    if not table.benchmarks:
        yield Problem(_BENCHMARKS, 'names no benchmark; write it like benchmarks = "fillrandom"')
    for path, steps in ((_BENCHMARKS, table.benchmarks), (_LOAD, table.load)):
        for place, step in enumerate(steps):
            if step in steps[:place]:
                yield Problem((*path, place), f'"{step}" stands there twice; lsmtune repeats runs itself')
            elif sentence := _wrong_step(step, experiment.known_steps, table.flags):
                yield Problem((*path, place), sentence)


def _wrong_step(step: str, known: Mapping[str, Benchmark], flags: dict[str, str]) -> str:
    """Return what is wrong with a step, or nothing."""
    if "[" in step and step.partition("[")[0] in known:
        return f'"{step}" asks for repeats, which lsmtune makes itself; write "{step.partition("[")[0]}"'
    if step not in known:
        return f'"{step}" is not a benchmark of db_bench{suggestion(step, known)}'
    if known[step].kind is BenchmarkKind.PROCESSOR:
        return f'"{step}" never touches a database, so no option changes it; take it out'
    if step == "replay" and "trace_file" not in flags:
        return '"replay" needs a trace; write trace_file = "/path/to/trace" under [workload.flags]'
    return ""


def _measured_step_measures(experiment: Experiment) -> Iterator[Problem]:
    table, known = experiment.workload_table, experiment.known_steps
    if not table.benchmarks:
        return
    if table.measure is not None and table.measure not in table.benchmarks:
        yield Problem(_MEASURE, f'"{table.measure}" is not a step of benchmarks; write {one_of(table.benchmarks)}')
    elif (measured := known.get(experiment.measure)) is not None and not measured.measures:
        yield Problem(_MEASURE, f'"{experiment.measure}" measures nothing; choose a step that writes or reads')
    elif all(step in known and known[step].kind is BenchmarkKind.UTILITY for step in table.benchmarks):
        yield Problem(_BENCHMARKS, 'has no step that measures anything; add one that writes or reads, "fillrandom"')


def _data_is_built(experiment: Experiment) -> Iterator[Problem]:
    table = experiment.workload_table
    steps = _known(experiment, table.benchmarks)
    if table.load:
        yield from _load_builds(_known(experiment, table.load))
        for step in steps:
            if step.kind is BenchmarkKind.FILL:
                yield Problem(
                    _BENCHMARKS,
                    f'"{step.name}" starts with an empty database, so it cannot follow workload.load; '
                    'take load out, or write "overwrite"',
                )
    elif steps and steps[0].needs_data:
        verb = "changes data that is there" if steps[0].kind is BenchmarkKind.WRITE else "reads"
        yield Problem(
            _LOAD,
            f"is missing; {steps[0].name} {verb}, so workload.load must say how the data is built, "
            'for example load = "fillseq"',
        )


def _load_builds(steps: list[Benchmark]) -> Iterator[Problem]:
    if steps and steps[0].needs_data:
        yield Problem(_LOAD, f'begins with "{steps[0].name}", which builds no data; write load = "fillseq"')
    for step in steps[1:]:
        if step.kind is BenchmarkKind.READ:
            yield Problem(_LOAD, f'"{step.name}" builds no data; move it to workload.benchmarks')


def _known(experiment: Experiment, steps: tuple[str, ...]) -> list[Benchmark]:
    """Return the known steps that measure, in order."""
    found = (experiment.known_steps.get(step) for step in steps)
    return [step for step in found if step is not None and step.measures]


def _duration_counts(experiment: Experiment) -> Iterator[Problem]:
    step = experiment.known_steps.get(experiment.measure)
    if experiment.workload_table.duration_s is not None and step is not None and not step.timed:
        yield Problem(_DURATION, f"{step.name} ignores it and runs its operation count; take duration out")


def _enough_keys(experiment: Experiment) -> Iterator[Problem]:
    table, scale = experiment.workload_table, experiment.scale
    keys = int(table.num * scale)
    if keys < LEAST_KEYS:
        yield Problem(
            ("workload", "num"),
            f"{format_count(table.num)} keys at scale {scale} are {format_count(keys)}; "
            f"at least {format_count(LEAST_KEYS)} are needed, so raise num or scale",
        )
    if table.tool is Tool.DB_BENCH and table.key_size_bytes < 8 and keys > 256**table.key_size_bytes:
        yield Problem(
            ("workload", "key_size"),
            f"{table.key_size_bytes} bytes tell only {format_count(256**table.key_size_bytes)} keys apart, "
            f"fewer than the {format_count(keys)} at scale {scale}; write at least 8",
        )
    if table.operations is not None and table.operations * scale < 1:
        yield Problem(
            ("workload", "operations"), f"{table.operations} at scale {scale} are less than 1; raise operations"
        )


def _data_fits(experiment: Experiment) -> Iterator[Problem]:
    allowed = experiment.host.max_disk_bytes
    asked = experiment.workload()
    needed = asked.num * experiment.scale * (asked.key_size_bytes + asked.value_size_bytes * asked.compression_ratio)
    if allowed is not None and needed > allowed:
        yield Problem(
            ("host", "max_disk"),
            f"{format_bytes(allowed)} is less than the {format_bytes(float(needed))} that the workload writes at scale "
            f"{experiment.scale}; raise max_disk or lower scale",
        )


def _flags_are_the_users(experiment: Experiment) -> Iterator[Problem]:
    for flag in experiment.workload_table.flags:
        bare = flag.lstrip("-")
        if bare != flag:
            yield Problem((*_FLAGS, flag), f"is written with dashes; write {bare} alone")
        elif bare in _SET_BY_LSMTUNE:
            key = _SET_BY_LSMTUNE[bare]
            yield Problem((*_FLAGS, flag), f"is set by lsmtune itself; {f'write {key}' if key else 'take it out'}")


def _reference_is_there(experiment: Experiment) -> Iterator[Problem]:
    file = experiment.engine.options_file
    if file is None and experiment.engine.reference == "options_file":
        yield Problem(
            ("engine", "reference"), 'is "options_file", but engine.options_file is missing; write its path there'
        )
    if experiment.engine.reference == "options" and not experiment.engine.options:
        yield Problem(("engine", "reference"), 'is "options", but the table [engine.options] is missing; write it')
    elif experiment.engine.reference == "options" and file is not None:
        yield Problem(
            ("engine", "reference"), 'is "options", which are set over engine.options_file; write "options_file"'
        )
    if file is not None and not file.is_file():
        reason = "is a folder, not a file" if file.is_dir() else "does not exist"
        yield Problem(("engine", "options_file"), f"{file} {reason}; write the path of an OPTIONS file")


def _runs_are_enough(experiment: Experiment) -> Iterator[Problem]:
    runs, noise_runs = experiment.budget.runs, experiment.search.noise_runs
    if runs is not None and runs <= noise_runs:
        yield Problem(
            ("budget", "runs"),
            f"{runs} are used up by the {noise_runs} search.noise_runs; write at least {noise_runs + 1}",
        )


def _rungs_pay(experiment: Experiment) -> Iterator[Problem]:
    rungs, table = experiment.search.rungs, experiment.workload_table
    if not rungs:
        return
    keys = int(table.num * experiment.scale * rungs[0])
    if experiment.engine.name == "leveldb":
        yield Problem(_RUNGS, "need a tree that shrinks with its data, which LevelDB's does not; take rungs out")
    elif table.duration_s is not None:
        yield Problem(_RUNGS, "save no time where workload.duration says how long a run takes; take one of them out")
    elif keys < LEAST_KEYS:
        yield Problem(
            _RUNGS,
            f"the lowest of {rungs[0]} leaves {format_count(keys)} keys; at least {format_count(LEAST_KEYS)} are "
            "needed, so write a larger one",
        )


def _front_is_possible(experiment: Experiment) -> Iterator[Problem]:
    search = experiment.search
    if not search.pareto:
        if search.finalists > _MOST_FINALISTS:
            yield Problem(
                ("search", "finalists"),
                f"{search.finalists} are more than a single result needs; write at most {_MOST_FINALISTS}, or "
                "pareto = true for a front",
            )
        return
    number = len(experiment.weights) or len(experiment.objective().weights)
    if not _LEAST_AXES <= number <= _MOST_AXES:
        yield Problem(
            ("search", "pareto"),
            f"is a front between {_LEAST_AXES} to {_MOST_AXES} indicators, but the objective weighs {number}; write "
            "them in [objective], for example throughput_ops_s = 1 and space_bytes = 1",
        )


CHECKS = (
    Check(_steps_are_known, (_BENCHMARKS, _LOAD, (*_FLAGS, "trace_file")), Tool.DB_BENCH),
    Check(_measured_step_measures, (_BENCHMARKS, _MEASURE), Tool.DB_BENCH),
    Check(_data_is_built, (_BENCHMARKS, _LOAD), Tool.DB_BENCH),
    Check(_duration_counts, (_BENCHMARKS, _MEASURE, _DURATION), Tool.DB_BENCH),
    Check(_enough_keys, (("workload", "num"), ("workload", "key_size"), ("workload", "operations"), ("scale",))),
    Check(
        _data_fits,
        (
            ("workload", "num"),
            ("workload", "key_size"),
            ("workload", "value_size"),
            ("workload", "compression_ratio"),
            ("scale",),
            ("host", "max_disk"),
        ),
    ),
    Check(_flags_are_the_users, (), Tool.DB_BENCH),
    Check(_reference_is_there, (("engine", "options_file"), ("engine", "options"), ("engine", "reference"))),
    Check(_runs_are_enough, (("budget", "runs"), ("search", "noise_runs"))),
    Check(_rungs_pay, (("workload", "num"), _DURATION, ("engine", "name"), ("scale",), _RUNGS)),
    Check(_front_is_possible, (("search", "pareto"), ("search", "finalists"), ("objective",), _BENCHMARKS)),
)
"""All checks that need nothing but the experiment, but those of the tool ycsb."""


def findings(experiment: Experiment, checks: Iterable[Check], wrong: Iterable[KeyPath]) -> list[Problem]:
    """Return what the checks find, without those that read a key that is wrong already."""
    places = tuple(wrong)
    return [
        problem
        for check in checks
        if check.tool in (None, experiment.workload_table.tool)
        and not any(_touches(place, read) for place in places for read in check.reads)
        for problem in check.find(experiment)
    ]


def _touches(place: KeyPath, read: KeyPath) -> bool:
    """Whether one of the two is the other or lies in it."""
    shorter = min(len(place), len(read))
    return place[:shorter] == read[:shorter]
