"""Runs one study of a kind in a hostile world by the functions that users call, and answers what is asked of it."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from lsmtune.analysis import pairwise_comparisons
from lsmtune.errors import LsmtuneError, RunSpoiledError
from lsmtune.experiment import NamedChange
from lsmtune.model import Value
from lsmtune.space import Space
from lsmtune.study import Budget, Listener, SampleSettings
from lsmtune.testing._builders import FakePlan, FakeStudy, fake_study
from lsmtune.testing.hostile._answers import Answers, of_result, of_sweep
from lsmtune.testing.hostile._questions import Kind, Question
from lsmtune.testing.hostile._worlds import RATE, HostileWorld

_MIB = 2**20
_MEMORY = Path("/dev/shm")  # noqa: S108 - a folder below it, as TemporaryDirectory makes it
_COMPARE_RUNS, _STEP_RUNS, _SWEEP_RUNS = 120, 180, 80
_COMPETING = "compression_type"
_COMPETING_CODECS: tuple[Value, ...] = ("snappy", "lz4", "zstd")
_BLOCK_SIZES: tuple[Value, ...] = (4096, 16384)
_CHANGES = (
    NamedChange("buffer", "", {"write_buffer_size": 256 * _MIB}),
    NamedChange("codec", "", {"compression_type": "lz4"}),
    NamedChange("tree", "", {"max_bytes_for_level_multiplier": 6.0, "block_size": 16384}),
)


def run_study(world: HostileWorld, kind: Kind, seed: int) -> Answers:
    """Run a study and answer every question that its world asks of its kind.

    A study that lsmtune itself ends with an error has come to no verdict, and answers nothing else.
    """
    with _study(world, kind, seed) as study:
        answers = Answers()
        try:
            answers = _gone_on(world, kind, study)
            answers.note(Question.ENDED, yes=True)
        except LsmtuneError as error:
            answers.problem = str(error)
            answers.note(Question.ENDED, yes=False)
    return answers.only(world.asks, kind)


def _gone_on(world: HostileWorld, kind: Kind, study: FakeStudy) -> Answers:
    """Answer what a world asks of a study; where a spoiled run ends it, the same command is given again."""
    while True:
        try:
            return _answered(world, kind, study)
        except RunSpoiledError:
            study.study.recover()
            study = FakeStudy(study.plan, study.study, study.executor, Listener())


def _answered(world: HostileWorld, kind: Kind, study: FakeStudy) -> Answers:
    if kind is Kind.SWEEP:
        runs = study.sample(_sweep_settings(study.plan.space, study.plan.seed))
        return of_sweep(world, study, pairwise_comparisons(runs, _COMPETING, RATE), _COMPETING)
    if kind is Kind.COMPARE:
        return of_result(world, study, study.compare(*_CHANGES))
    if kind is Kind.STEPS:
        return of_result(world, study, study.tune_by_steps(*_CHANGES))
    return of_result(world, study, study.tune())


@contextmanager
def _study(world: HostileWorld, kind: Kind, seed: int) -> Iterator[FakeStudy]:
    """A study in memory, where there is such a file system: no disks are tested here, and syncs cost nothing there."""
    seed = _seed(world, kind, seed)
    plan = FakePlan(
        budget=Budget(None, _budget(world, kind)),
        surface=world.surface,
        noise=world.noise,
        seed=seed,
        rules=world.rules(1 if kind is Kind.TUNE_1 else 3),
        space=_swept(world) if kind is Kind.SWEEP else world.space,
        first=_first(world, kind, seed),
        world=world.world,
    )
    with (
        TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as folder,
        fake_study(Path(folder) / "study", plan) as study,
    ):
        yield study


def _budget(world: HostileWorld, kind: Kind) -> int:
    return {Kind.COMPARE: _COMPARE_RUNS, Kind.STEPS: _STEP_RUNS, Kind.SWEEP: _SWEEP_RUNS}.get(kind, world.runs)


def _first(world: HostileWorld, kind: Kind, seed: int) -> tuple[dict[str, Value], ...]:
    """Return the trials of a search: random draws as the random sampler makes them, without its price of O(n²).

    Where backward elimination is asked for, the first trial is the best point: a winner with something to lose.
    """
    if not kind.tunes:
        return ()
    rng = np.random.default_rng([seed, 1])
    drawn = [
        world.space.canonical(world.space.from_unit(rng.random(len(world.space)))) for _ in range(world.runs * 2 // 5)
    ]
    best = [world.surface.best()] if Question.KEPT in world.asks else []
    return (*best, *drawn)


def _swept(world: HostileWorld) -> Space:
    """Return the grid of a sweep; where candidates go wrong, one of them competes with the reference alone."""
    codecs = _COMPETING_CODECS[:2] if world.struck_only else _COMPETING_CODECS
    lists = {_COMPETING: codecs, "block_size": _BLOCK_SIZES}
    axes = tuple(
        replace(axis, choices=lists[axis.name], low=None, high=None, log=False, specials=())
        for axis in world.space.dimensions
        if axis.name in lists
    )
    return replace(world.space, dimensions=axes)


def _seed(world: HostileWorld, kind: Kind, seed: int) -> int:
    """Return the seed of a study: kinds and worlds that shared it would share the noise of their runs."""
    digest = hashlib.sha256(f"{world.name}/{kind}/{seed}".encode()).digest()
    return int.from_bytes(digest[:4], "big") // 2 + 1


def _sweep_settings(space: Space, seed: int) -> SampleSettings:
    return SampleSettings(space, "factorial", 8, 0, 1000, 6, 5, 5, seed)
