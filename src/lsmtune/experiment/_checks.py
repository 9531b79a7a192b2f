"""What has to fit together in an experiment: checks over several keys, each with the keys that it reads."""

from collections.abc import Iterable, Iterator
from fractions import Fraction

from lsmtune.backends import Check, KeyPath, Problem, findings, one_of
from lsmtune.backends.registry import starting_points
from lsmtune.experiment._experiment import Experiment
from lsmtune.experiment._tables import CompareTable, EngineTable
from lsmtune.units import format_bytes, format_count

LEAST_KEYS = 1000
"""Fewer keys than this say nothing about a tree."""

_MOST_FINALISTS = 5  # of a study whose result is one configuration
_LEAST_AXES, _MOST_AXES = 2, 4  # of a front

_BENCHMARKS: KeyPath = ("workload", "benchmarks")
_DURATION: KeyPath = ("workload", "duration")
_TOOL: KeyPath = ("workload", "tool")
_RUNGS: KeyPath = ("search", "rungs")
_CLIMB: KeyPath = ("verify", "scales")


def _enough_keys(experiment: Experiment) -> Iterator[Problem]:
    table, scale = experiment.workload_table, experiment.scale
    keys = int(table.num * scale)
    if keys < LEAST_KEYS:
        yield Problem(
            ("workload", "num"),
            f"{format_count(table.num)} keys at scale {scale} are {format_count(keys)}; "
            f"at least {format_count(LEAST_KEYS)} are needed, so raise num or scale",
        )
    if table.operations is not None and table.operations * scale < 1:
        yield Problem(
            ("workload", "operations"), f"{table.operations} at scale {scale} are less than 1; raise operations"
        )


def _data_fits(experiment: Experiment) -> Iterator[Problem]:
    allowed = experiment.host.max_disk_bytes
    needed = _data_bytes(experiment, experiment.scale)
    if allowed is not None and needed > allowed:
        yield Problem(
            ("host", "max_disk"),
            f"{format_bytes(allowed)} is less than the {format_bytes(needed)} that the workload writes at scale "
            f"{experiment.scale}; raise max_disk or lower scale",
        )


def _page_cache_is_possible(experiment: Experiment) -> Iterator[Problem]:
    host = experiment.host
    if host.page_cache == "cgroup" and host.memory_bytes is None:
        yield Problem(
            ("host", "page_cache"),
            'is "cgroup", but host.memory does not say how much there is; write memory = "64GiB", as production has it',
        )


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
    if file is None and experiment.engine.column_family is not None:
        yield Problem(
            ("engine", "column_family"), "names one of an OPTIONS file, but engine.options_file is missing; write it"
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


def _genes_are_known(experiment: Experiment) -> Iterator[Problem]:
    wanted = experiment.reproduce
    if wanted is not None and not wanted.sample and not wanted.genes:
        yield Problem(
            ("reproduce", "sample"), 'is false, so that no ranking gives the genes; write genes = ["write_buffer_size"]'
        )


def _rungs_pay(experiment: Experiment) -> Iterator[Problem]:
    rungs, table = experiment.search.rungs, experiment.workload_table
    if not rungs:
        return
    keys = int(table.num * experiment.scale * rungs[0])
    if experiment.backend.one_size:
        title = experiment.backend.title
        yield Problem(_RUNGS, f"need a tree that shrinks with its data, which {title}'s does not; take rungs out")
    elif table.duration_s is not None:
        yield Problem(_RUNGS, "save no time where workload.duration says how long a run takes; take one of them out")
    elif table.max_rate is not None:
        yield Problem(_RUNGS, "save no time where workload.max_rate holds rates for a time; take one of them out")
    elif keys < LEAST_KEYS:
        yield Problem(
            _RUNGS,
            f"the lowest of {rungs[0]} leaves {format_count(keys)} keys; at least {format_count(LEAST_KEYS)} are "
            "needed, so write a larger one",
        )


def _climb_is_possible(experiment: Experiment) -> Iterator[Problem]:
    table, scale = experiment.verify, experiment.scale
    if not table.scales:
        for key in sorted(table.model_fields_set - {"scales"}):
            yield Problem(("verify", key), 'has no effect without scales; write scales = ["1/4"] beside it')
        return
    if experiment.backend.one_size:
        title = experiment.backend.title
        yield Problem(_CLIMB, f"need a tree that shrinks with its data, which {title}'s does not; take scales out")
    elif table.scales[0] <= scale:
        yield Problem(
            _CLIMB,
            f"begin with {table.scales[0]}, no larger scale than that of the study, {scale}; write larger ones",
        )
    if experiment.by_steps or experiment.search.pareto:
        what = 'with sampler = "steps"' if experiment.by_steps else "where pareto = true asks for a front"
        yield Problem(_CLIMB, f"are climbed with one result of a search, not {what}; take scales out")
    needed, allowed = _data_bytes(experiment, table.scales[-1]), experiment.host.max_disk_bytes
    if allowed is not None and needed > allowed >= _data_bytes(experiment, scale):
        yield Problem(
            _CLIMB,
            f"go up to {table.scales[-1]}, where the workload writes {format_bytes(needed)}, more than host.max_disk "
            f"= {format_bytes(allowed)}; raise that or take the scale out",
        )


def _data_bytes(experiment: Experiment, scale: Fraction) -> float:
    """Return what the workload writes at a scale, once and compressed, in B."""
    asked = experiment.workload()
    return float(asked.num * scale * (asked.key_size_bytes + asked.value_size_bytes * asked.compression_ratio))


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


def _keys_fit_the_tool(experiment: Experiment) -> Iterator[Problem]:
    yield from _programs_fit_the_tool(experiment)
    said = experiment.request.said
    for key, sentence in experiment.backend.vocabulary.foreign.items():
        if key in said:
            yield Problem(("workload", key), sentence)


def _programs_fit_the_tool(experiment: Experiment) -> Iterator[Problem]:
    swept = {} if experiment.sweep is None else experiment.sweep.variants
    named: list[tuple[KeyPath, CompareTable | EngineTable]] = [
        (("compare", place), compared) for place, compared in enumerate(experiment.compare)
    ]
    for name, listed in swept.items():
        named += [(("sweep", "variants", name, place), variant) for place, variant in enumerate(listed)]
    backend = experiment.backend
    for where, table in (*named, (("engine",), experiment.engine)):
        for key, path in table.programs.items():
            if path is not None and key != backend.key:
                words = backend.vocabulary
                yield Problem((*where, key), words.misnamed_engine if table is experiment.engine else words.misnamed)


def _engine_fits_the_tool(experiment: Experiment) -> Iterator[Problem]:
    engine, backend = experiment.engine, experiment.backend
    if engine.reference in starting_points().keys() - backend.starting_points.keys():
        known = one_of((*sorted(backend.starting_points), "options_file"))
        yield Problem(("engine", "reference"), f'"{engine.reference}" is no starting point here; write {known}')
    if backend.one_size and experiment.scale != 1:
        yield Problem(("scale",), f"is {experiment.scale}, but {backend.one_size}; write scale = 1 and take fewer keys")
    if engine.options_file is not None and not backend.takes_options_file:
        yield Problem(("engine", "options_file"), f"is for RocksDB; put {backend.title}'s options under [space.fixed]")


CHECKS = (
    Check(_enough_keys, (("workload", "num"), ("workload", "operations"), ("scale",))),
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
    Check(
        _reference_is_there,
        (("engine", "options_file"), ("engine", "column_family"), ("engine", "options"), ("engine", "reference")),
    ),
    Check(_page_cache_is_possible, (("host", "page_cache"), ("host", "memory"))),
    Check(_runs_are_enough, (("budget", "runs"), ("search", "noise_runs"))),
    Check(_genes_are_known, (("reproduce", "sample"), ("reproduce", "genes"))),
    Check(_rungs_pay, (("workload", "num"), _DURATION, ("engine", "name"), ("scale",), _RUNGS)),
    Check(
        _climb_is_possible,
        (
            ("workload", "num"),
            ("workload", "key_size"),
            ("workload", "value_size"),
            ("workload", "compression_ratio"),
            ("engine", "name"),
            _TOOL,
            ("scale",),
            ("search", "sampler"),
            ("search", "pareto"),
            ("host", "max_disk"),
            _CLIMB,
        ),
    ),
    Check(_front_is_possible, (("search", "pareto"), ("search", "finalists"), ("objective",), _BENCHMARKS)),
    Check(_keys_fit_the_tool, (_TOOL,)),
    Check(_engine_fits_the_tool, (_TOOL, ("engine", "name"), ("engine", "reference"), ("scale",))),
)
"""All checks that need nothing but the experiment; those of what is asked of its tool are the tool's own."""


def tool_findings(experiment: Experiment, wrong: Iterable[KeyPath]) -> list[Problem]:
    """Return what its tool finds wrong in what an experiment asks of it."""
    return findings(experiment.request, experiment.backend.vocabulary.checks, wrong)
