"""The whole way of Jin et al. (2022): sample, rank by a forest, genetic algorithm over the leaders, comparison."""

from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass, replace
from typing import Any

from lsmtune.analysis import Runs
from lsmtune.codec import listed, text
from lsmtune.errors import StudyError, UsageError
from lsmtune.jin2022._result import JIN2022_FOUND, JIN2022_FROZEN, rank_jin2022
from lsmtune.model import Configuration, Purpose, StudyKind
from lsmtune.result import Point, checkpoints, fit_reference, score
from lsmtune.samplers import GaJin2022Sampler, Jin2022Indicators, Parents, fitness_jin2022
from lsmtune.space import WORKLOAD_PREFIX, Space
from lsmtune.store import Checkpoint
from lsmtune.study import (
    Prepared,
    RunKey,
    Runner,
    RunRequest,
    SampleSettings,
    measure_baselines,
    mirrored_order,
    point_of,
    runs_of,
    sample,
    trial_history,
)

GENES = Checkpoint("jin2022_genes", listed(text))
"""The leaders of the forest's ranking that the genetic algorithm searches."""
BEST = Checkpoint("jin2022_best", text)
"""Arm of the best chromosome."""

AS_PUBLISHED = Jin2022Indicators(waf="waf_load_end", space="space_load_end_bytes")
"""The readings of the mode as-published: right after the load, its debt unpaid."""

SOUND = Jin2022Indicators(time="total_time_s", rate="throughput_settled_ops_s")
"""The readings of the mode sound: after compactions have finished."""

_MODES = {"sound": SOUND, "as-published": AS_PUBLISHED}
_POPULATION, _CHILDREN = 8, 4


@dataclass(frozen=True)
class Jin2022Settings:
    """What is repeated, and how far.

    Attributes:
        sample: the design that the forest learns from, and what else the runs of all stages share.
        indicators: the four readings that count.
        genes: options that the genetic algorithm searches; empty for the forest's leaders.
        leaders: how many of the forest's leaders.
        left_to_users: factors that are no genes whatever their rank; the paper leaves threads out.
        generations: of the genetic algorithm, the first population not counted.
        pairs: fresh runs of each arm in the comparison.
        parents: which chromosomes the genetic algorithm crosses.
        fitness: ends it with the generation whose best chromosome has so much; None: all generations are run.
        samples: whether the design is run; genes are named where it is not.
    """

    sample: SampleSettings
    indicators: Jin2022Indicators
    genes: tuple[str, ...]
    leaders: int
    left_to_users: tuple[str, ...]
    generations: int
    pairs: int
    parents: Parents = Parents.TWO_BEST
    fitness: float | None = None
    samples: bool = True

    @property
    def trials(self) -> int:
        """Number of chromosomes that are run."""
        return _POPULATION + _CHILDREN * self.generations


def jin2022_settings(prepared: Prepared) -> Jin2022Settings:
    """Return how the pipeline of Jin et al. (2022) is repeated.

    Raises:
        UsageError: the experiment does not say so, or weighs other indicators than the mode reads.
    """
    wanted = prepared.experiment.reproduce
    if wanted is None:
        raise UsageError(
            f'the experiment "{prepared.experiment.name}" has no table [reproduce]; add it with of = "jin2022"'
        )
    indicators = _MODES[wanted.mode]
    missing = [name for name in astuple(indicators) if name not in prepared.rules.judged]
    if missing:
        raise UsageError(
            f"[objective] does not weigh {', '.join(missing)}, which the fitness of Jin et al. needs in the mode "
            f"{wanted.mode}; add {missing[0]} = 1.0"
        )
    settings = prepared.sample_settings()
    unknown = sorted(set(wanted.genes) - set(settings.space.names))
    if unknown:
        raise UsageError(f'reproduce.genes: "{unknown[0]}" is not sampled; take names from [space] or [sample.axes]')
    return Jin2022Settings(
        sample=replace(settings, kind=StudyKind.REPRODUCE),
        indicators=indicators,
        genes=wanted.genes,
        leaders=wanted.leaders,
        left_to_users=_left_to_users(settings.space, sound=wanted.mode == "sound"),
        generations=wanted.generations,
        pairs=wanted.pairs,
        parents=Parents(wanted.parents),
        fitness=wanted.fitness,
        samples=wanted.sample,
    )


def recorded_reproduction(runs: Runs) -> Jin2022Indicators:
    """Return the readings of a repetition, of the experiment that its runs have kept.

    Raises:
        UsageError: the experiment repeats nothing.
    """
    wanted = runs.facts.asked.reproduce
    if wanted is None:
        raise UsageError(
            f'the experiment "{runs.facts.name}" of these runs has no [reproduce]; show them with lsmtune analyze'
        )
    return _MODES[wanted.mode]


def reproduce_jin2022(runner: Runner, settings: Jin2022Settings) -> None:
    """Go through all stages; what was done by an earlier process is taken as it is.

    Raises:
        RunError: the reference cannot be run.
        StudyError: no chromosome could be run.
        KeyboardInterrupt: stopped; the same call on the reopened study goes on.
    """
    if settings.samples:
        sample(runner, settings.sample)
        if not runner.study.saved(checkpoints.DONE):
            return  # the budget ended
    else:
        runner.study.begin(settings.sample.kind)
        measure_baselines(runner, settings.sample.noise_runs, everywhere=True)
    genes = _genes(runner, settings)
    space = _narrowed(settings.sample.space, genes)
    runner.listener.stage("evolve", f"{settings.trials} chromosomes of {', '.join(genes)}")
    if runner.study.saved(BEST) is None and not _evolve(runner, settings, space):
        return
    point = _best(runner, settings)
    runner.listener.stage("compare", "the best chromosome and the default, fresh interleaved runs")
    _compare(runner, settings, point)


def _genes(runner: Runner, settings: Jin2022Settings) -> tuple[str, ...]:
    if settings.genes:
        return settings.genes
    kept = runner.study.saved(GENES)
    if kept is None:
        ranking = rank_jin2022(runs_of(runner.study), settings.indicators)
        kept = tuple(name for name in ranking if name not in settings.left_to_users)[: settings.leaders]
        runner.study.save(GENES, kept)
    return kept


def _narrowed(space: Space, genes: tuple[str, ...]) -> Space:
    return replace(space, dimensions=tuple(space.by_name[name] for name in genes))


def _evolve(runner: Runner, settings: Jin2022Settings, space: Space) -> bool:
    """Run generations until the best chromosome is fit enough, or all; False where the budget ended before.

    Chromosomes of an earlier process are passed over: their successors, which are known now, had no part in them, nor
    in whether the search went on.
    """
    made = {run_key.arm for run_key in runner.runs_by_key if run_key.purpose is Purpose.TRIAL}
    for number in range(1, settings.trials + 1):
        arm = f"trial-{number}"
        if arm not in made:
            if _is_fit(runner, settings, number - 1):
                runner.listener.note(f"the fitness of {settings.fitness:g} was reached with chromosome {number - 1}")
                return True
            if _is_spent(runner, f"chromosome {number}"):
                return False
            runner.expect(settings.trials - number + 1 + 3 * settings.pairs)
            point = point_of(_ask(runner, settings, space))
            run_key = RunKey(Purpose.TRIAL, arm, None, point.scenario)
            runner.make(run_key, runner.rules.start.changed(space.canonical(point.values)), f"trial {number}")
        if number % (settings.sample.anchor_every - 1) == 0:
            # The sample's anchors count its runs; these go on behind them.
            anchor = RunKey(Purpose.ANCHOR, runner.rules.reference, 1_000_000 + number)
            if runner.run_of(anchor) is None and _is_spent(runner, f"the reference after chromosome {number}"):
                return False
            runner.make(anchor, runner.rules.start, "anchor")
    return True


def _is_spent(runner: Runner, following: str) -> bool:
    """Return whether the budget holds no further run, and say before what it ends."""
    if runner.spending().left >= 1:
        return False
    runner.listener.note(f"the budget ends before {following}; a larger one goes on")
    return True


def _ask(runner: Runner, settings: Jin2022Settings, space: Space) -> Mapping[str, Any]:
    sampler = GaJin2022Sampler(space, settings.sample.seed, indicators=settings.indicators, parents=settings.parents)
    for trial in trial_history(runner):
        sampler.tell(trial)
    return sampler.ask()


def _is_fit(runner: Runner, settings: Jin2022Settings, born: int) -> bool:
    """Return whether a generation is complete and the best of all chromosomes so far is fit enough."""
    is_complete = born >= _POPULATION and (born - _POPULATION) % _CHILDREN == 0
    if settings.fitness is None or not is_complete:
        return False
    return max(_fitness(runner, settings).values(), default=0.0) >= settings.fitness


def _fitness(runner: Runner, settings: Jin2022Settings) -> dict[str, float]:
    """Return the fitness of each chromosome by its arm, from its single run, as the paper chose."""
    history, rules = runner.history, runner.rules
    reference = fit_reference(history, rules)
    found: dict[str, float] = {}
    for stored in history.select((Purpose.TRIAL,)):
        fitness = fitness_jin2022(score(history, rules, reference, stored).ratios, settings.indicators)
        if fitness is not None:
            found[stored.run.arm] = fitness
    return found


def _best(runner: Runner, settings: Jin2022Settings) -> Point:
    """Return the chromosome with the largest fitness."""
    kept, history = runner.study.saved(BEST), runner.history
    if kept is None:
        fitness = _fitness(runner, settings)
        if not fitness:
            raise StudyError("no chromosome could be run to its end, so there is none to compare; look at lsmtune show")
        kept = max(fitness, key=lambda arm: fitness[arm])
        runner.study.save(BEST, kept)
    best = next(stored for stored in history.select((Purpose.TRIAL,)) if stored.run.arm == kept)
    return Point(dict(best.run.configuration.values), best.run.scenario)


def _compare(runner: Runner, settings: Jin2022Settings, best: Point) -> None:
    """Run whole pairs until all are there or the budget ends."""
    reference = runner.rules.reference
    found = Configuration.of(best.values, runner.rules.start.options_file)
    arms = {reference: runner.rules.start, JIN2022_FOUND: found}
    if best.scenario:
        arms[JIN2022_FROZEN] = found

    def key_of(arm: str, block: int) -> RunKey:
        return RunKey(Purpose.VERIFY, arm, block, best.scenario if arm == JIN2022_FOUND else ())

    def requests() -> Iterator[RunRequest]:
        for block in range(settings.pairs):
            order = mirrored_order(arms, f"{runner.study.description.name} compare", block)
            keys = {arm: key_of(arm, block) for arm in order}
            lacking = sum(not runner.is_taken(run_key) for run_key in keys.values())
            if lacking and runner.spending().left < lacking:
                runner.listener.note(f"the budget ends before pair {block + 1}; a larger one goes on")
                return
            for arm, run_key in keys.items():
                runner.expect(len(arms) * (settings.pairs - block))
                yield RunRequest(run_key, arms[arm], f"{arm}, pair {block + 1} of {settings.pairs}")

    runner.make_all(requests())


def _left_to_users(space: Space, *, sound: bool) -> tuple[str, ...]:
    """Return the factors that are never genes: threads as in the paper, and in the sound mode the whole workload."""
    axes = tuple(name for name in space.names if name.startswith(WORKLOAD_PREFIX))
    return axes if sound else tuple(name for name in axes if name == f"{WORKLOAD_PREFIX}threads")
