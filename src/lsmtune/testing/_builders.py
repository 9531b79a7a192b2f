"""Small studies on the fake engine, in a line."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from types import TracebackType

import numpy as np

from lsmtune import __version__
from lsmtune.analysis import Runs, TableFacts
from lsmtune.executors import Limits
from lsmtune.experiment import NamedChange, Variants
from lsmtune.indicators import Guard, Objective
from lsmtune.model import Configuration, EngineBuild, HostFacts, Purpose, Run, Value
from lsmtune.result import Decisions, History, Rules, StudyFacts, TuneResult, WorkloadFacts, ranges_of, summarise
from lsmtune.samplers import Sampler, make_sampler
from lsmtune.space import Space, catalogue
from lsmtune.store import DATABASE, Study, StudyDescription, create_study, open_study
from lsmtune.study import (
    Budget,
    Figures,
    Listener,
    NamedChanges,
    Runner,
    RunPolicy,
    SampleSettings,
    SearchSettings,
    bundles_of,
    compare_configurations,
    factors_of,
    runs_of,
    sample,
    tune,
    tune_by_steps,
)
from lsmtune.testing._fake_executor import REALISTIC, FakeExecutor, Faults, Noise
from lsmtune.testing._surface import Surface, fake_space
from lsmtune.testing._worlds import CALM, World

_STARTUP = 8
_EXPERIMENT = 'name = "fake"\n[workload]\nbenchmarks = "fillrandom"\nnum = "1M"\n[space]\npreset = "write-heavy"\n'


def fake_rules() -> Rules:
    """Return rules: settled throughput counts, space must not grow by more than 10 %, three finalists."""
    return Rules(
        objective=Objective({"throughput_settled_ops_s": 1.0}),
        guards=(Guard("space_bytes", 1.10),),
        limits=(),
        reference="stock",
        baselines={"stock": Configuration()},
        minimum_effect=0.03,
        finalists=3,
        timed=True,
    )


def fake_description(rules: Rules, space: Space, variants: Sequence[Variants] = ()) -> StudyDescription:
    """Return the description of a study of the fake engine."""
    build = EngineBuild("rocksdb", "7.8.3", Path("/usr/bin/db_bench"), "0123456789abcdef", False, ("snappy",), ())
    host = HostFacts("bench-1", "fedcba9876543210", "Some CPU", 2, 8 << 30, "6.1.0", "ext4", 80 << 30)
    known = catalogue().for_version((7, 8, 3))
    facts = StudyFacts(
        rules=rules,
        scale=_scale_of(rules),
        reference_values=dict(space.reference),
        ranges=ranges_of(space),
        factors=factors_of(space, known, variants),
        bundles=bundles_of(space),
        workload=WorkloadFacts(keys=1_000_000),
    )
    return StudyDescription("fake", _EXPERIMENT, build, host, facts.to_json(), created_at=1.7e9)


def _scale_of(rules: Rules) -> Fraction:
    if rules.climbing is not None:
        return rules.climbing.start
    return Fraction(1) if rules.full_size is None else 1 / Fraction(rules.full_size.factor)


@dataclass(frozen=True)
class FakePlan:
    """A study on the fake engine.

    Attributes:
        budget: what it may spend.
        surface: the truth; flat unless given, so that nothing is better than the reference.
        noise: how much runs differ.
        seed: of the study, the sampler and the noise.
        sampler: its name.
        faults: what goes wrong.
        rules: by what it is judged.
        space: what is searched.
        noise_runs: repeats of the reference at the start.
        beat: see `lsmtune.study.RunPolicy`.
        first: what is tried before the sampler is asked.
        rungs: see `lsmtune.study.SearchSettings`.
        small: the truth of runs with less data; the surface itself unless given.
        larger: the truth of runs with more data, by how much more; the surface itself unless given.
        stop: whether the search ends where the trials leave little chance for a better one.
        variants: axes of the space whose values are names of variants.
        world: what befalls runs beside noise.
        figures: see `lsmtune.study.RunPolicy`.
    """

    budget: Budget = field(default_factory=lambda: Budget(None, 60))
    surface: Surface = field(default_factory=Surface)
    noise: Noise = REALISTIC
    seed: int = 1
    sampler: str = "random"
    faults: Faults = lambda _: None
    rules: Rules = field(default_factory=fake_rules)
    space: Space = field(default_factory=fake_space)
    noise_runs: int = 5
    beat: float | None = None
    first: tuple[Mapping[str, Value], ...] = ()
    rungs: tuple[Fraction, ...] = ()
    small: Surface | None = None
    larger: Mapping[Fraction, Surface] = field(default_factory=dict)
    stop: bool = False
    variants: tuple[Variants, ...] = ()
    world: World = CALM
    figures: Figures | None = None

    def settings(self) -> SearchSettings:
        """Return how the search goes."""

        def sampler() -> Sampler:
            return make_sampler(self.sampler, self.space, self.seed, _STARTUP)

        return SearchSettings(self.space, sampler, 5, self.noise_runs, self.first, self.rungs, self.stop)

    def at(self, rung: Fraction) -> Surface:
        """Return the truth of runs at a rung other than 1."""
        return (self.small or self.surface) if rung < 1 else self.larger.get(rung, self.surface)

    def executor(self) -> FakeExecutor:
        """Return a new executor."""
        return FakeExecutor(self.surface, self.noise, self.seed, self.faults, self.at, self.world)


class FakeStudy:
    """A study on the fake engine, open for work; closes its folder at the end of a ``with`` block.

    Attributes:
        plan: what it does.
        study: its folder.
        executor: makes its runs.
        runner: makes its runs.
    """

    def __init__(self, plan: FakePlan, study: Study, executor: FakeExecutor, listener: Listener) -> None:
        self.plan = plan
        self.study = study
        self.executor = executor
        policy = RunPolicy(
            plan.budget, Limits(3600.0, 3600.0), cap=3.0, seed=plan.seed, beat=plan.beat, figures=plan.figures
        )
        self.runner = Runner(study, executor, plan.rules, policy, listener)

    def tune(self) -> TuneResult:
        """Go the whole way and return what the study says."""
        tune(self.runner, self.plan.settings())
        return summarise(self.study)

    def tune_by_steps(self, *steps: NamedChange) -> TuneResult:
        """Try the steps in turn and return what the study says."""
        tune_by_steps(self.runner, NamedChanges(self.plan.space, steps, self.plan.noise_runs))
        return summarise(self.study)

    def compare(self, *configurations: NamedChange) -> TuneResult:
        """Compare the configurations with the reference and return what the study says."""
        settings = NamedChanges(self.plan.space, configurations, self.plan.noise_runs)
        compare_configurations(self.runner, settings)
        return summarise(self.study)

    def sample(self, settings: SampleSettings) -> Runs:
        """Run a design and return the runs as a table."""
        sample(self.runner, settings)
        return runs_of(self.study)

    def true_spread(self, blocks: int = 60, arms: int = 3) -> float:
        """Return the standard deviation of the log ratio of a pair, from blocks that follow the study and are not kept.

        In each, `arms` random configurations and the reference run in random order on one load.
        """
        rng, space, limits = np.random.default_rng([self.plan.seed, 4]), self.plan.space, Limits(None)
        drawn = [space.canonical(space.from_unit(rng.random(len(space)))) for _ in range(arms)]
        configurations = [Configuration(), *(Configuration.of(values) for values in drawn)]
        first = len(self.history.runs) + 1
        logs = np.empty((blocks, arms + 1))
        (name,) = self.plan.rules.objective.weights
        for block in range(blocks):
            for place, arm in enumerate(rng.permutation(arms + 1)):
                seed = int(rng.integers(1, 2**31))
                number = first + block * (arms + 1) + place
                run = Run(number, Purpose.VERIFY, f"arm-{arm}", block, configurations[arm], seed, block + 1)
                measured = self.executor.run(run, limits, lambda _: None).measurement
                value = measured.indicators[name] if measured else None
                logs[block, arm] = math.nan if value is None else math.log(value)
        return float(np.sqrt(np.nanvar(logs[:, 1:] - logs[:, :1], axis=0, ddof=1).mean()))

    @property
    def history(self) -> History:
        """All runs so far, as stored."""
        return History.read(self.study, self.plan.rules)

    @property
    def decisions(self) -> Decisions:
        """All decisions so far, as stored."""
        return Decisions.read(self.study)

    def __enter__(self) -> "FakeStudy":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.study.close()


def fake_study(
    folder: Path, plan: FakePlan | None = None, executor: FakeExecutor | None = None, listener: Listener | None = None
) -> FakeStudy:
    """Open the study in `folder` as a new process would, making it if there is none.

    Args:
        folder: of the study.
        plan: what it does.
        executor: makes the runs instead of the plan's own.
        listener: hears what happens.
    """
    wanted = plan or FakePlan()
    if (folder / DATABASE).exists():
        study = open_study(folder)
        study.recover()
    else:
        study = create_study(folder, fake_description(wanted.rules, wanted.space, wanted.variants))
    return FakeStudy(wanted, study, executor or wanted.executor(), listener or Listener())


def fake_table_facts(name: str) -> TableFacts:
    """Return what a table of runs without a study says of itself."""
    return TableFacts(
        name=name,
        engine="formula",
        version="1",
        build="0" * 16,
        assertions=False,
        host="none",
        cores=1,
        scale=Fraction(1),
        keys=None,
        reference="reference",
        created="2024-01-01T00:00:00+00:00",
        lsmtune=__version__,
        experiment=_EXPERIMENT,
        reference_values={},
    )
