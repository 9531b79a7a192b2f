"""Samplers on an emulator of runs whose truth is known: the fake engine's."""

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from lsmtune.analysis import Emulator, Runs, fit_emulator
from lsmtune.analysis._emulator import WithinLearnt
from lsmtune.analysis._kernel import KernelRidge
from lsmtune.errors import StatisticsError, UsageError
from lsmtune.experiment import Experiment
from lsmtune.indicators import Guard, Objective
from lsmtune.model import Value
from lsmtune.sampler_benchmark import (
    BenchmarkedSearch,
    Question,
    SamplerBenchmark,
    benchmark_sampler,
    benchmark_samplers,
    best_known,
    sampler_benchmark_card,
    sampler_benchmark_figure,
    sampler_benchmark_json,
)
from lsmtune.samplers import Outlook, RandomSampler, Sampler, Trial, make_sampler
from lsmtune.space import Change, Dimension, Factor, Kind, Space
from lsmtune.study import Budget, SampleSettings, space_of, startup_runs
from lsmtune.testing import FakePlan, Noise, Surface, fake_space, fake_study, fake_table_facts

RATE, TIME, SPACE = "throughput_settled_ops_s", "total_time_s", "space_bytes"
SURFACE = Surface(0.6)
NOISE = Noise(rate=0.05)


def record(folder: Path, replicates: int = 20) -> Runs:
    settings = SampleSettings(
        space=fake_space(),
        design="sobol",
        runs=256,
        test=0,
        replicates=replicates,
        repeats=3,
        anchor_every=10,
        noise_runs=5,
        seed=1,
    )
    with fake_study(folder, FakePlan(Budget(math.inf, None), SURFACE, NOISE)) as study:
        return study.sample(settings)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    return record(tmp_path_factory.mktemp("recorded") / "study")


@pytest.fixture(scope="module")
def question(runs: Runs) -> Question:
    emulator = fit_emulator(runs, (TIME, RATE, SPACE))
    return Question(fake_space(), emulator, Objective({RATE: 1.0}), (Guard(SPACE, 1.10),))


def makes(name: str, space: Space, seed: int) -> Sampler:
    return make_sampler(name, space, seed, 12)


def truth(values: Mapping[str, Value]) -> float:
    return math.log(SURFACE.indicators(values)[RATE] / SURFACE.indicators({})[RATE])


def test_an_emulator_knows_the_truth_that_was_sampled(question: Question) -> None:
    rng = np.random.default_rng(7)
    drawn = [question.space.sample(rng) for _ in range(200)]
    emulated = question.emulator.log_ratios(drawn)[:, 1]
    true = np.array([truth(values) for values in drawn])
    assert 1 - np.var(emulated - true) / np.var(true) > 0.9
    assert question.emulator.log_ratios([{}]) == pytest.approx(np.zeros((1, 3)))
    assert question.emulator.levels[RATE] == pytest.approx(SURFACE.indicators({})[RATE], rel=0.05)


def test_an_emulator_takes_no_run_s_noise_for_the_truth(runs: Runs, question: Question) -> None:
    single = runs.where((runs.frame["purpose"] == "sample").to_numpy()).frame.drop_duplicates("arm", keep=False)
    asked = [{factor.name: row[factor.column] for factor in runs.factors} for _, row in single.iterrows()]
    rows = range(min(150, len(asked)))
    emulated = question.emulator.log_ratios([asked[row] for row in rows])[:, 1]
    measured = np.log(single[f"indicator.{RATE}"].to_numpy()[: len(rows)] / question.emulator.levels[RATE])
    true = np.array([truth(asked[row]) for row in rows])
    assert np.std(measured - emulated) > 0.03, "its noise is 0.05, and a model that repeats each run leaves none of it"
    luck = np.corrcoef(measured - true, emulated - true)[0, 1]
    assert luck < 0.6, "where a run was lucky, the emulator is not as lucky"


def test_what_an_emulator_knows_ends_where_the_measured_ends() -> None:
    places = np.linspace(-1.0, 1.0, 60)[:, np.newaxis]
    far = np.array([[-5.0], [0.5], [5.0]])
    free, bounded = KernelRidge(0).fit(places, places[:, 0]), WithinLearnt(KernelRidge(0)).fit(places, places[:, 0])
    assert np.abs(free.predict(far)[[0, 2]]).min() > 1.0, "a kernel with a trend goes on"
    assert bounded.predict(far).tolist() == pytest.approx([-1.0, float(free.predict(far)[1]), 1.0])


def test_the_reference_is_among_what_an_emulator_learns(runs: Runs, question: Question) -> None:
    emulator = question.emulator
    assert isinstance(emulator, Emulator)
    reference = {factor.name: np.array([factor.reference]) for factor in runs.factors}
    assert [float(each.predict(reference)[0]) for each in emulator.surrogates] == pytest.approx([0, 0, 0], abs=0.02)


def test_its_noise_is_that_of_the_repeats(question: Question) -> None:
    rng = np.random.default_rng(1)
    drawn = np.array([question.emulator.noise(rng) for _ in range(2000)])
    assert drawn.std(axis=0) == pytest.approx([0.05, 0.05, 0.008], rel=0.25)
    assert np.corrcoef(drawn[:, 0], drawn[:, 1])[0, 1] < -0.9, "a slow run has a long time and a low rate"


def test_runs_without_repeats_do_not_tell_the_noise_unless_the_reference_was_repeated(tmp_path: Path) -> None:
    alone = record(tmp_path / "study", replicates=0)
    assert fit_emulator(alone, (RATE,)).residuals.shape[0] >= 10
    no_reference = alone.where(alone.frame["purpose"].isin(["sample", "baseline"]).to_numpy())
    with pytest.raises(StatisticsError, match="sample with replicates"):
        fit_emulator(no_reference, (RATE,))


def races_of(question: Question, names: tuple[str, ...], seeds: int, runs: int) -> list[BenchmarkedSearch]:
    return [
        benchmark_sampler(question, name, partial(makes, name, question.space, seed), seed, runs)
        for name in names
        for seed in range(1, seeds + 1)
    ]


def test_a_search_is_repeatable_and_nothing_beats_the_best_that_is_known(question: Question) -> None:
    (first,), (again,) = (races_of(question, ("random",), 1, 15) for _ in range(2))
    assert first.gains == pytest.approx(again.gains)
    assert (np.diff(first.seconds) > 0).all()
    best = best_known(question, [first])
    assert best >= first.gains.max()
    highest = math.log(1.6)
    assert 0.7 * highest < best < 1.1 * highest


def test_samplers_are_told_the_noise_and_how_many_runs_there_will_be(question: Question) -> None:
    heard: list[Outlook] = []

    class _Listening(RandomSampler):
        def ask(self) -> dict[str, Value]:
            heard.append(self.outlook)
            return super().ask()

    benchmark_sampler(question, "random", lambda: _Listening(question.space, 1), 1, 6)
    assert {each.trials for each in heard} == {6}
    assert heard[0].noise == pytest.approx(0.05, rel=0.8)
    assert heard[0].slack_noise[SPACE] == pytest.approx(0.008, rel=0.8)


def test_all_samplers_begin_with_as_many_points_that_are_spread_evenly() -> None:
    axes = tuple(Dimension(f"x{number}", Kind.FLOAT, 0.5, low=0.0, high=1.0) for number in range(28))
    space = Space(axes, {axis.name: axis.default for axis in axes})
    begun = {}
    for name in ("agp", "tpe", "smac"):
        sampler, sobol = (make_sampler(each, space, 1, startup_runs(space)) for each in (name, "sobol"))
        same = []
        for number in range(12):
            values = sampler.ask()
            same.append(values == sobol.ask())
            for each in (sampler, sobol):
                each.tell(Trial(values, math.sin(number)))
        begun[name] = same.index(False)
    assert begun == dict.fromkeys(begun, 10)


def test_a_model_needs_fewer_runs_than_chance(question: Question) -> None:
    searches = races_of(question, ("random", "tpe"), 4, 40)
    found = {
        name: np.median([each.gains[-1] for each in searches if each.sampler == name]) for name in ("random", "tpe")
    }
    assert found["tpe"] > found["random"]


def test_a_run_beyond_the_cap_costs_the_cap_and_hands_nothing_over(question: Question) -> None:
    strict = replace(question, cap=1.0001, guards=())
    (each,) = races_of(strict, ("random",), 1, 20)
    assert each.seconds[-1] <= 20 * 1.0001 * strict.emulator.levels[TIME]


def test_a_run_that_was_stopped_is_a_bound_only_of_what_its_time_tells(question: Question) -> None:
    def stopped(weights: Mapping[str, float], *, times_all_work: bool = True) -> list[Trial]:
        told: list[Trial] = []

        class _Telling(RandomSampler):
            def tell(self, trial: Trial) -> None:
                told.append(trial)
                super().tell(trial)

        objective = Objective(weights)
        strict = replace(question, cap=1.0, guards=(), objective=objective, times_all_work=times_all_work)
        benchmark_sampler(strict, "random", lambda: _Telling(question.space, 1), 1, 12)
        return [each for each in told if each.response is None]

    of_rate, of_mean = stopped({RATE: 1.0}), stopped({RATE: 2.0, SPACE: 1.0})
    assert len(of_rate) == len(of_mean) > 0
    assert all(each.bound is not None and each.bound >= 0 for each in of_rate)
    assert all(each.bound is None for each in of_mean)
    of_some_work = stopped({RATE: 1.0}, times_all_work=False)
    assert len(of_some_work) == len(of_rate)
    assert all(each.bound is None for each in of_some_work)


def test_where_no_time_of_all_work_is_known_the_clock_says_what_a_run_takes(runs: Runs, tmp_path: Path) -> None:
    source = tmp_path / "runs.parquet"
    clocked = runs.frame.drop(columns=f"indicator.{TIME}").assign(**{"indicator.elapsed_s": runs.frame["elapsed_s"]})
    Runs(runs.factors, runs.bundles, runs.facts, clocked).write(source)
    found = SamplerBenchmark(source, ((RATE, 1.0),), (), runs=4, seeds=1).question()
    reference = runs.frame["arm"] == runs.facts.reference
    typical_s = float(np.exp(np.log(runs.frame["elapsed_s"][reference]).mean()))
    assert found.seconds(np.zeros(2)) == pytest.approx(typical_s, rel=0.02)
    (search,) = races_of(found, ("random",), 1, 4)
    assert 0 < search.seconds[-1] <= 4 * found.cap * typical_s * 1.001


def test_single_runs_may_vary_less_than_the_recorded_ones(runs: Runs, tmp_path: Path) -> None:
    source = tmp_path / "runs.parquet"
    runs.write(source)
    bench = SamplerBenchmark(source, ((RATE, 1.0),), ((SPACE, "1.10x"),), runs=30, seeds=1)
    whole, half, none = (replace(bench, noise=noise).question() for noise in (1.0, 0.5, 0.0))
    assert half.emulator.residuals == pytest.approx(whole.emulator.residuals / 2)
    found = races_of(none, ("random", "agp"), 1, 30)
    for search in found:
        assert (np.diff(search.gains) >= 0).all(), "each run shows the truth, so that nothing worse is handed over"
        assert search.gains[-1] > 0
        assert search.held[-1]


def test_stopping_what_cannot_win_saves_time(question: Question) -> None:
    (whole,), (cut,) = (races_of(replace(question, beat=beat), ("random",), 1, 30) for beat in (None, 1.2))
    assert cut.seconds[-1] < 0.95 * whole.seconds[-1]
    assert cut.gains[-1] == pytest.approx(whole.gains[-1]), "a random search does not look at what came of its runs"


def test_what_cannot_win_is_stopped_only_where_time_tells(
    runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs.write(tmp_path / "runs.parquet")
    bench = SamplerBenchmark(tmp_path / "runs.parquet", ((SPACE, 1.0),), (), runs=30, seeds=1, beat=1.2)
    assert bench.question().beat is None
    timed = replace(bench, objective=((RATE, 1.0),))
    assert timed.question().beat == 1.2
    assert timed.question().times_all_work
    monkeypatch.setattr(Experiment, "times_all_work", False)  # as where reads follow the fill
    assert timed.question().beat is None
    assert not timed.question().times_all_work


def test_a_guard_that_is_broken_hands_over_the_reference(question: Question) -> None:
    impossible = replace(question, guards=(Guard(SPACE, 1.0), Guard(TIME, 1.0), Guard(RATE, 1.0)))
    assert (impossible.true_gains([{"max_background_jobs": 16}, {"write_buffer_size": 8 * 2**20}]) == 0).all()


def test_an_indicator_that_was_not_fitted_is_named(question: Question) -> None:
    with pytest.raises(UsageError, match='does not know "waf"'):
        replace(question, objective=Objective({"waf": 1.0}))


def test_the_space_of_recorded_runs_is_what_varied(runs: Runs) -> None:
    space = space_of(runs)
    assert set(space.names) == set(fake_space().names)
    assert set(space.by_name["compression_type"].choices) <= {"none", "snappy", "lz4", "zstd"}


@pytest.mark.parametrize(
    ("file", "holds"), [(None, False), ('[Version]\n  rocksdb_version=7.8.3\n[CFOptions "default"]\n', True)]
)
def test_recorded_runs_cache_indexes_where_the_cache_was_left_to_an_options_file(
    file: str | None, *, holds: bool
) -> None:
    indexes = Factor("cache_index_and_filter_blocks", Kind.BOOL, "", False, Change.ONLINE, choices=(False, True))
    reference: dict[str, Value] = {indexes.name: False, "cache_size": -1}
    facts = replace(fake_table_facts("left"), engine="rocksdb", version="7.8.3", reference_values=reference)
    frame = pd.DataFrame({indexes.column: [False, True]})
    space = space_of(Runs((indexes,), (), replace(facts, options_file=file), frame))
    assert (space.violations({indexes.name: True}) == ()) is holds


def test_the_bench_ranks_samplers_in_a_table_a_figure_and_json(runs: Runs, tmp_path: Path) -> None:
    source = tmp_path / "runs.parquet"
    runs.write(source)
    bench = SamplerBenchmark(source, ((RATE, 1.0),), ((SPACE, "1.10x"),), runs=6, seeds=2)
    told: list[int] = []
    searches, best = benchmark_samplers(bench, ("random", "sobol"), lambda _name, done, _of: told.append(done))
    assert [(each.sampler, each.seed) for each in searches] == [
        ("random", 1),
        ("random", 2),
        ("sobol", 1),
        ("sobol", 2),
    ]
    assert told == [1, 2, 3, 4]
    assert json.dumps(sampler_benchmark_json(searches, best))
    figure = sampler_benchmark_figure(searches, best)
    assert "random" in figure
    assert figure.startswith("<?xml")
    assert sampler_benchmark_card(searches, best) is not None
    with pytest.raises(UsageError, match="no sampler"):
        benchmark_samplers(bench, ("annealer",))
    with pytest.raises(UsageError, match="is a bound in a unit"):
        replace(bench, guards=((SPACE, "<= 1GiB"),)).question()
