"""Sampling: the points of a design are run in random order among anchors, to learn which options matter."""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lsmtune.errors import StudyError
from lsmtune.experiment import Variants
from lsmtune.model import Configuration, Purpose, StudyKind, Value
from lsmtune.result import Design, Point, checkpoints, noise_of_gain
from lsmtune.space import WORKLOAD_PREFIX, Space
from lsmtune.stats import Part, pairs_needed
from lsmtune.store import Study
from lsmtune.study._contenders import Column
from lsmtune.study._runner import RunKey, Runner, RunRequest
from lsmtune.study.plans._dealt_runs import DESIGNED, DealtRuns
from lsmtune.study.plans._designs import FACTORIAL, design_points
from lsmtune.study.plans._single_runs import SingleRunHosts
from lsmtune.study.plans._stages import measure_baselines
from lsmtune.units import format_percent

_TEST_SEED = 1_000_003  # added to the study's seed, so that the test design is another one
_DIFFERENCE = 0.10  # that blocks of cells should be able to show
_LEAST_REPEATS, _MOST_REPEATS = 3, 10


@dataclass(frozen=True)
class SampleSettings:
    """What a sample runs.

    Attributes:
        space: the options, and axes of the workload named ``workload.<field>``.
        design: name of the design, see `design_points`.
        runs: points to learn from.
        test: points of a scrambled Sobol sequence that no model is fitted to.
        replicates: points that are run `repeats` times; of the test's where there are any, else of the design's.
        repeats: runs of a replicated point; None: as many as the noise of the machine asks for.
        anchor_every: of so many runs one is the reference.
        noise_runs: repeats of the reference at the start.
        seed: decides the designs and the order of runs.
        variants: axes of a factorial design whose values are names of variants.
        part: of a factorial design that is run; None for all of it.
        columns: the variants that run on another engine or build.
        kind: of the study.
    """

    space: Space
    design: str
    runs: int
    test: int
    replicates: int
    repeats: int | None
    anchor_every: int
    noise_runs: int
    seed: int
    variants: tuple[Variants, ...] = ()
    part: Part | None = None
    columns: tuple[Column, ...] = ()
    kind: StudyKind = StudyKind.SAMPLE


@dataclass(frozen=True)
class _Planned:
    key: RunKey
    point: Point


def sample(runner: Runner, settings: SampleSettings) -> None:
    """Run the design, what an earlier process ran excepted, until it or the budget ends.

    Raises:
        RunError: the reference cannot be run.
        StudyError: the study was begun with another design.
        KeyboardInterrupt: stopped; the same call on the reopened study goes on.
    """
    runner.study.begin(settings.kind)
    if settings.kind is StudyKind.SWEEP:
        own = _reference_cell(runner, settings)
        if own is not None and not _began_with_baselines(runner):
            _sweep(runner, settings, own)
            return
    is_sweep = settings.kind is StudyKind.SWEEP
    hosts = measure_baselines(runner, settings.noise_runs, alone=is_sweep, everywhere=True)
    settings = replace(settings, repeats=_repeats(runner, settings))
    planned = _with_anchors(runner, _planned(_kept_design(runner, settings), settings), settings.anchor_every)
    runner.listener.stage("sample", f"{len(planned)} runs of a {settings.design} design in random order")
    planned = _make(runner, settings, planned, hosts, settings.noise_runs)
    if _all_run(runner, planned):
        runner.study.save(checkpoints.DONE, value=True)


def _sweep(runner: Runner, settings: SampleSettings, own: str) -> None:
    """Run a grid that holds the reference: one run of it gives the cap, its cells among the others give the noise.

    Without a number of repeats there are the least ones, and then as many more as the noise over them asks for.
    """
    hosts = measure_baselines(runner, 1, alone=True, everywhere=True)
    most = settings.repeats or _MOST_REPEATS
    every = _with_anchors(
        runner,
        _planned(_kept_design(runner, settings), replace(settings, repeats=most)),
        settings.anchor_every,
    )
    first = settings.repeats or _LEAST_REPEATS
    planned = _of_blocks(every, first)
    runner.listener.stage("sample", f"{len(planned)} runs of a {settings.design} design in random order")
    planned = _make(runner, settings, planned, hosts, 1)
    if settings.repeats is None and _all_run(runner, planned):
        planned = _of_blocks(every, _repeats(runner, settings, own))
        planned = _make(runner, settings, planned, hosts, 1)
    if _all_run(runner, planned):
        runner.study.save(checkpoints.DONE, value=True)


def _make(
    runner: Runner, settings: SampleSettings, planned: list[_Planned], hosts: SingleRunHosts, noise_runs: int
) -> list[_Planned]:
    """Make runs until they or the budget end, over hosts where there are several; return those that belong to it.

    One host makes the anchors that are planned among the runs; of several each makes its own.
    """
    if len(hosts.names) < 2:
        runner.make_all(_requests(runner, settings, planned))
        return planned
    cells = {each.key: each.point for each in planned if each.key.purpose in DESIGNED}

    def request(run_key: RunKey) -> RunRequest:
        about = f"{run_key.arm}, {len(cells) - dealt.open} of {len(cells)}"
        return RunRequest(run_key, _configuration(runner, settings, cells[run_key]), about)

    whole_blocks = settings.design == FACTORIAL
    repeats = hosts.repeats(noise_runs)
    dealt = DealtRuns(hosts, settings.anchor_every, repeats, list(cells), request, whole_blocks)
    runner.make_all(_within_budget(runner, dealt))
    return [each for each in planned if each.key in cells]


def _within_budget(runner: Runner, dealt: DealtRuns) -> Iterator[RunRequest | None]:
    """Yield the runs that are dealt out, until the budget ends."""
    for request in dealt.requests():
        if request is not None and runner.spending().left < 1:
            runner.listener.note(f"the budget ends with {dealt.open + 1} runs to go; a larger one goes on")
            return
        runner.expect(dealt.open + 1)
        yield request


def _of_blocks(planned: Sequence[_Planned], blocks: int) -> list[_Planned]:
    """Return the runs of the first blocks, with the runs of the reference among them."""
    ends = [place for place, each in enumerate(planned, start=1) if _is_cell(each) and (each.key.block or 0) < blocks]
    last = ends[-1] if ends else 0
    return list(planned[: last + 1] if last < len(planned) and not _is_cell(planned[last]) else planned[:last])


def _is_cell(each: _Planned) -> bool:
    return each.key.purpose is Purpose.SAMPLE


def _all_run(runner: Runner, planned: Sequence[_Planned]) -> bool:
    return all(runner.run_of(each.key) is not None for each in planned)


def _began_with_baselines(runner: Runner) -> bool:
    """Whether an earlier lsmtune began the study, which repeated the reference before the grid in every case."""
    return runner.run_of(RunKey(Purpose.BASELINE, runner.rules.reference, 1)) is not None


def _reference_cell(runner: Runner, settings: SampleSettings) -> str | None:
    """Return the arm of the combination that is the reference itself; None where the grid does not hold it."""
    for place, point in enumerate(_kept_design(runner, settings)[Purpose.SAMPLE]):
        usual = all(settings.space.reference.get(f"{WORKLOAD_PREFIX}{name}") == value for name, value in point.scenario)
        if usual and _column(settings, point) is None and _configuration(runner, settings, point) == runner.rules.start:
            return _arm(Purpose.SAMPLE, place)
    return None


def _requests(runner: Runner, settings: SampleSettings, planned: Sequence[_Planned]) -> Iterator[RunRequest]:
    """Yield the runs that are not there yet, until the budget ends."""
    open_runs = [each for each in planned if runner.run_of(each.key) is None]
    for place, each in enumerate(open_runs):
        if runner.spending().left < 1:
            runner.listener.note(f"the budget ends with {len(open_runs) - place} runs to go; a larger one goes on")
            return
        runner.expect(len(open_runs) - place)
        about = f"{each.key.arm}, {len(planned) - len(open_runs) + place + 1} of {len(planned)}"
        yield RunRequest(each.key, _configuration(runner, settings, each.point), about)


def column_arms(settings: SampleSettings) -> dict[str, Column]:
    """Return the arms of a sweep that run on another engine or build."""
    if not settings.columns:
        return {}
    drawn = {place: _column(settings, point) for place, point in enumerate(_design(settings))}
    return {_arm(Purpose.SAMPLE, place): column for place, column in drawn.items() if column is not None}


def kept_variants(study: Study) -> dict[tuple[Purpose, str], dict[str, Value]]:
    """Return the names of the variants of each point of a design, by the purpose and the arm of its runs."""
    kept = study.saved(checkpoints.DESIGN)
    return {
        (purpose, _arm(purpose, place)): dict(point.variants)
        for purpose, drawn in (kept.points if kept is not None else {}).items()
        for place, point in enumerate(drawn)
    }


def _arm(purpose: Purpose, place: int) -> str:
    return f"{purpose}-{place + 1}"


def _kept_design(runner: Runner, settings: SampleSettings) -> Mapping[Purpose, Sequence[Point]]:
    """Return the points of both designs; they are drawn once and kept, since libraries may draw otherwise later."""
    wanted = (settings.design, settings.runs, settings.test, settings.seed)
    kept = runner.study.saved(checkpoints.DESIGN)
    if kept is None:
        test = (
            design_points(settings.space, "sobol", settings.test, settings.seed + _TEST_SEED) if settings.test else ()
        )
        kept = Design(wanted, {Purpose.SAMPLE: tuple(_design(settings)), Purpose.TEST: tuple(test)})
        runner.study.save(checkpoints.DESIGN, kept)
    if kept.wanted != wanted:
        raise StudyError(
            f"the study was begun with the design {list(kept.wanted)} and the experiment now wants {list(wanted)} "
            "(design, runs, test, seed); take a new study folder"
        )
    return kept.points


def _design(settings: SampleSettings) -> list[Point]:
    return design_points(
        settings.space, settings.design, settings.runs, settings.seed, settings.variants, settings.part
    )


def _column(settings: SampleSettings, point: Point) -> Column | None:
    """Return where a point runs; None where that is the build of the study."""
    return next((each for each in settings.columns if (each.factor, each.kept.name) in point.variants), None)


def _configuration(runner: Runner, settings: SampleSettings, point: Point) -> Configuration:
    column = _column(settings, point)
    if column is not None:
        return column.configuration
    return runner.rules.start.changed(settings.space.canonical(point.values))


def _repeats(runner: Runner, settings: SampleSettings, own: str | None = None) -> int:
    """Return how often a point is run; chosen once, where that was not said.

    It is chosen after the baseline, or after the first blocks, where `own` is the arm of the reference among them.
    """
    if settings.repeats is not None:
        return settings.repeats
    kept = runner.study.saved(checkpoints.REPEATS)
    if kept is not None:
        return kept
    spread = noise_of_gain(runner.history, runner.rules, own)
    needed = _MOST_REPEATS if spread is None else pairs_needed(spread, _DIFFERENCE)
    chosen = max(_LEAST_REPEATS, min(_MOST_REPEATS, needed))
    runner.study.save(checkpoints.REPEATS, chosen)
    if spread is not None:
        runner.listener.note(
            f"pairs of equal runs differ by {format_percent(spread)} in the objective, so that {needed} of them show a "
            f"difference of {format_percent(_DIFFERENCE)} in 8 of 10 cases: every combination is run {chosen} times"
        )
    return chosen


def _planned(points: Mapping[Purpose, Sequence[Point]], settings: SampleSettings) -> list[_Planned]:
    """Return all runs in their order: shuffled, so that drift and what stands side by side are unrelated."""
    repeated = Purpose.TEST if points[Purpose.TEST] else Purpose.SAMPLE
    planned = []
    for purpose, drawn in points.items():
        for place, point in enumerate(drawn):
            times = settings.repeats or 1 if purpose is repeated and place < settings.replicates else 1
            planned += list(_run_keys(purpose, _arm(purpose, place), point, times))
    rng = random.Random(settings.seed)
    rng.shuffle(planned)
    if settings.design == FACTORIAL:  # blocks hold every cell once, so that cells of a block can be compared as pairs
        planned.sort(key=lambda each: each.key.block or 0)
    return planned


def _with_anchors(runner: Runner, planned: Sequence[_Planned], every: int) -> list[_Planned]:
    """Return the runs with one of the reference after every `every` - 1 of them."""
    runs: list[_Planned] = []
    for number, each in enumerate(planned, start=1):
        runs.append(each)
        if number % (every - 1) == 0:
            anchor = RunKey(Purpose.ANCHOR, runner.rules.reference, number, load=each.key.load_name)
            runs.append(_Planned(anchor, Point({})))
    return runs


def _run_keys(purpose: Purpose, arm: str, point: Point, times: int) -> Iterable[_Planned]:
    for block in range(times):
        yield _Planned(RunKey(purpose, arm, block, point.scenario), point)
