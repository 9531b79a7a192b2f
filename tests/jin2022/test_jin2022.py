"""Repeating Jin et al. (2022) on the fake engine: the stages, and what the table of runs says of them."""

from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from lsmtune.analysis import Runs
from lsmtune.indicators import Objective
from lsmtune.jin2022 import (
    JIN2022_FOUND,
    JIN2022_FROZEN,
    JIN2022_PAPER,
    Jin2022Result,
    Jin2022Settings,
    Level,
    Reading,
    _result,
    jin2022_card,
    jin2022_figures,
    jin2022_json,
    levels_jin2022,
    nearest_reading,
    rank_jin2022,
    recorded_reproduction,
    reproduce_jin2022,
    summarise_jin2022,
)
from lsmtune.model import Purpose
from lsmtune.report import format_indicator
from lsmtune.samplers import Jin2022Indicators, fitness_jin2022
from lsmtune.space import Dimension, Kind
from lsmtune.stats import geometric_mean
from lsmtune.study import Budget, SampleSettings, runs_of
from lsmtune.testing import FakePlan, Noise, Surface, fake_rules, fake_space, fake_study

REPRODUCTIONS = Path(__file__).parents[2] / "reproductions"
READINGS = Jin2022Indicators(time="total_time_s", rate="throughput_settled_ops_s")
MATTERS = frozenset({"write_buffer_size", "compression_type"})
WEIGHTS = dict.fromkeys(("waf", "space_bytes", "total_time_s", "throughput_settled_ops_s"), 1.0)
PLAN = FakePlan(
    Budget(None, 1000),
    Surface(0.6, MATTERS),
    Noise(rate=0.02),
    rules=replace(fake_rules(), objective=Objective(WEIGHTS)),
)


@pytest.fixture(autouse=True, scope="module")
def few_splits() -> Iterator[None]:
    """Each forest is fitted on 3 splits instead of 10: what leads here leads in any."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_result, "_SEEDS", (0, 1, 2))
        yield


def settings(**changes: object) -> Jin2022Settings:
    sampled = SampleSettings(fake_space(), "random", 60, 0, 5, 3, anchor_every=10, noise_runs=3, seed=5)
    plain = Jin2022Settings(sampled, READINGS, genes=(), leaders=2, left_to_users=(), generations=3, pairs=4)
    return replace(plain, **changes)  # type: ignore[arg-type]  # fields by name


def repeated(folder: Path, wanted: Jin2022Settings, plan: FakePlan = PLAN) -> Runs:
    with fake_study(folder, plan) as study:
        reproduce_jin2022(study.runner, wanted)
        return runs_of(study.study)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """The runs of a whole repetition."""
    return repeated(tmp_path_factory.mktemp("whole") / "s", settings())


def test_the_leaders_of_the_forest_become_the_genes(whole: Runs) -> None:
    leaders = list(rank_jin2022(whole, READINGS))[:2]
    assert set(leaders) == MATTERS
    trials = whole.of(Purpose.TRIAL)
    assert len(trials) == 8 + 4 * 3
    moved = {factor.name for factor in whole.factors if len(set(trials.values(factor.name))) > 1}
    assert moved == MATTERS


def test_the_best_chromosome_is_compared_in_fresh_blocks(whole: Runs) -> None:
    result = summarise_jin2022(whole, READINGS)
    assert result.left.keys() == {JIN2022_FOUND}
    pairs = result.left[JIN2022_FOUND]
    assert {name: each.n for name, each in pairs.items()} == dict.fromkeys(WEIGHTS, 4)
    assert pairs["throughput_settled_ops_s"].ratio > 1.05
    assert result.best.keys() <= MATTERS
    assert [each.trials for each in result.generations] == [8, 12, 16, 20]
    best = [each.best for each in result.generations]
    assert best == sorted(best, key=lambda fitness: fitness or 0.0)
    assert best[-1] == pytest.approx(fitness_jin2022(result.claimed, READINGS))


def test_the_genetic_algorithm_ends_with_the_generation_that_is_fit_enough(tmp_path: Path, whole: Runs) -> None:
    first, second, *_ = (each.best for each in summarise_jin2022(whole, READINGS).generations)
    assert second is not None
    early = repeated(tmp_path / "early", settings(fitness=min(second, first or 0.0) / 2))
    assert len(early.of(Purpose.TRIAL)) == 8, "the first population was fit enough"
    late = repeated(tmp_path / "late", settings(fitness=1e6))
    assert len(late.of(Purpose.TRIAL)) == 8 + 4 * 3
    with fake_study(tmp_path / "early", PLAN) as study:
        reproduce_jin2022(study.runner, settings(fitness=1e6))
        assert len(runs_of(study.study).of(Purpose.TRIAL)) == 8, "what was chosen stays"


def of_the_workload(**changes: object) -> tuple[Jin2022Settings, FakePlan]:
    """A repetition that searches client threads, too."""
    space = fake_space()
    axis = Dimension("workload.threads", Kind.INT, 1, choices=(1, 2, 4))
    wider = replace(space, dimensions=(*space.dimensions, axis), reference={**space.reference, axis.name: 1})
    wanted = settings(genes=("write_buffer_size", "workload.threads"), **changes)
    return replace(wanted, sample=replace(wanted.sample, space=wider)), replace(PLAN, space=wider)


def test_what_is_searched_of_the_workload_is_put_back_in_an_arm_of_its_own(tmp_path: Path) -> None:
    runs = repeated(tmp_path / "s", *of_the_workload())
    compared = runs.of(Purpose.VERIFY)
    arms = compared.frame.groupby("arm")["workload.threads"].agg(set)
    assert arms["stock"] == {1}
    assert arms[JIN2022_FROZEN] == {1}
    buffers = compared.frame.groupby("arm")["option.write_buffer_size"].agg(set)
    assert buffers[JIN2022_FROZEN] == buffers[JIN2022_FOUND]


def test_a_repetition_that_is_stopped_and_goes_on_is_the_uninterrupted_one(tmp_path: Path, whole: Runs) -> None:
    for runs in (40, 85, 95, 1000):
        part = repeated(tmp_path / "parts", settings(), replace(PLAN, budget=Budget(None, runs)))
    columns = ["purpose", "arm", "block", "seed", "indicator.waf", *(factor.column for factor in whole.factors)]
    assert part.frame[columns].equals(whole.frame[columns])


def test_no_chromosome_is_run_again_where_a_search_of_the_workload_is_stopped(tmp_path: Path) -> None:
    wanted, plan = of_the_workload(samples=False, pairs=2)
    whole = repeated(tmp_path / "whole", wanted, plan)
    arms = list(whole.frame["arm"])
    for before in (arms.index("trial-9") + 1, arms.index("trial-11")):  # an anchor is due, a generation is half run
        part = repeated(tmp_path / "parts", wanted, replace(plan, budget=Budget(None, before)))
        assert len(part) == before
    on = repeated(tmp_path / "parts", wanted, plan)
    columns = ["purpose", "arm", "block", "seed", *(factor.column for factor in whole.factors)]
    assert on.frame[columns].equals(whole.frame[columns])


def test_a_generation_that_was_stopped_is_run_to_its_end_though_it_is_fit_enough(tmp_path: Path) -> None:
    wanted = settings(genes=tuple(sorted(MATTERS)), samples=False, generations=1, pairs=2)
    part = repeated(tmp_path / "s", wanted, replace(PLAN, budget=Budget(None, 15)))
    assert len(part.of(Purpose.TRIAL)) == 11, "beside three runs of the reference and an anchor"
    on = repeated(tmp_path / "s", replace(wanted, fitness=-1e9))
    assert len(on.of(Purpose.TRIAL)) == 12


def test_a_repetition_can_be_read_while_it_goes_on(tmp_path: Path) -> None:
    part = repeated(tmp_path / "s", settings(), replace(PLAN, budget=Budget(None, 70)))
    result = summarise_jin2022(part, READINGS)
    assert result.ranking
    assert (result.generations, result.best, result.left) == ((), {}, {})


def test_the_paper_s_figures_are_drawn_from_the_runs(whole: Runs) -> None:
    result = summarise_jin2022(whole, READINGS)
    forest = result.forests["waf"]
    assert len(forest.points) == round(0.2 * forest.n)
    assert all(0 < observed < 1e3 for observed, _ in forest.points)
    figures = jin2022_figures(result, whole)
    assert [name.split("-")[1] for name in figures] == ["5", "6", "7", "8", "9"]
    said = dict(zip("56789", figures.values(), strict=True))
    assert f"R² {forest.r2_test.median:.2f}, published 0.663" in said["5"]
    assert "compression_type (paper: 2)" in said["6"]
    assert "published p 8.53e-68" in said["7"]
    assert "not here: the option was not varied" in said["7"]
    assert "published, about" in said["8"]
    assert "fresh runs, 95 %" in said["9"]
    assert JIN2022_PAPER.fitness == (1600.0, 7)
    assert figures == jin2022_figures(result, whole)


def test_a_sample_alone_has_the_figures_of_its_models(whole: Runs) -> None:
    runs = whole.of(Purpose.SAMPLE)
    assert len(jin2022_figures(summarise_jin2022(runs, READINGS), runs)) == 3


def test_the_groups_of_the_paper_s_tests_are_told_with_their_means(whole: Runs) -> None:
    runs = whole.of(Purpose.SAMPLE)
    result = summarise_jin2022(runs, READINGS)
    rates = runs.frame.groupby("option.compression_type")[f"indicator.{READINGS.rate}"].mean()
    (published,) = (test for test in JIN2022_PAPER.tests if test.factor == "compression_type")
    assert published.means == (36.57, 80.16)
    test = result.test_of(published)
    assert test is not None
    assert {each.label: each.mean for each in test.means} == pytest.approx(dict(rates))
    told = jin2022_json(result)["tests"]["RATE"]["compression_type"]["groups"]
    assert told == [{"label": each.label, "n": each.n, "mean": each.mean} for each in test.means]
    (line,) = (line for line in card_of(result, runs).splitlines() if "RATE by compression_type, means" in line)
    assert line.rstrip().endswith("; published 36.57 to 80.16.")
    assert all(
        f"{each.label} {format_indicator(READINGS.rate, each.mean)} (n = {each.n})" in line for each in test.means
    )


def test_a_parameter_is_tested_as_well_over_the_runs_in_which_it_has_an_effect() -> None:
    runs = Runs.read(REPRODUCTIONS / "jin2022" / "sound" / "runs.parquet").of(Purpose.SAMPLE)
    indicators = recorded_reproduction(runs)
    result = summarise_jin2022(runs, indicators)
    by_level, *others = JIN2022_PAPER.tests
    frame = runs.where(runs.counting(indicators.space)).frame
    compressed = frame[~frame["option.compression_type"].isin(["none", "bzip2"])]  # bzip2 took no such level then
    assert 0 < len(compressed) < len(frame)
    means = compressed.groupby("option.min_level_to_compress")[f"indicator.{indicators.space}"].mean()
    test = result.test_in_effect(by_level)
    assert test is not None
    assert [each.mean for each in test.means] == pytest.approx(list(means))
    assert all(result.test_in_effect(other) is None for other in others)
    assert f"In the {len(compressed)} runs in which it has an effect: p " in card_of(result, runs)
    told = jin2022_json(result)["tests_in_effect"]["SA"]["min_level_to_compress"]
    assert sum(group["n"] for group in told["groups"]) == len(compressed)


def test_named_genes_are_searched_without_a_sample(tmp_path: Path) -> None:
    wanted = settings(genes=tuple(sorted(MATTERS)), samples=False, generations=1, pairs=2)
    runs = repeated(tmp_path / "s", wanted)
    counted = {purpose: len(runs.of(purpose)) for purpose in (Purpose.SAMPLE, Purpose.TRIAL, Purpose.VERIFY)}
    assert counted == {Purpose.SAMPLE: 0, Purpose.TRIAL: 12, Purpose.VERIFY: 4}
    assert len(runs.of(Purpose.BASELINE)) >= 3
    result = summarise_jin2022(runs, READINGS)
    assert (result.forests, result.ranking, result.tests) == ({}, {}, {})
    assert result.left.keys() == {JIN2022_FOUND}
    assert jin2022_figures(result, runs).keys() == {"figure-8-convergence.svg", "figure-9-improvement.svg"}
    said = card_of(result, runs)
    assert "Forests" not in said
    assert "Genetic algorithm" in said
    begun = runs.where(~runs.frame["purpose"].isin(["trial", "verify"]).to_numpy() | (runs.frame["arm"] == "trial-1"))
    assert summarise_jin2022(begun, READINGS).claimed.keys() == WEIGHTS.keys()


def test_the_comparison_ends_with_the_budget_after_whole_pairs_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    wanted = settings(genes=tuple(sorted(MATTERS)), samples=False, generations=1, pairs=3)
    whole = repeated(tmp_path / "whole", wanted)
    before = len(whole) - len(whole.of(Purpose.VERIFY))
    part = repeated(tmp_path / "s", wanted, replace(PLAN, budget=Budget(None, before + 3)))
    assert (len(part), len(part.of(Purpose.VERIFY))) == (before + 2, 2)
    assert {pairs.n for pairs in summarise_jin2022(whole, READINGS).left[JIN2022_FOUND].values()} == {3}
    on = repeated(tmp_path / "s", wanted)
    assert on.frame[["purpose", "arm", "block", "seed"]].equals(whole.frame[["purpose", "arm", "block", "seed"]])


def test_a_fresh_run_that_lacks_an_indicator_costs_its_pair_alone(whole: Runs) -> None:
    frame = whole.of(Purpose.VERIFY).frame
    lacking = (frame["block"] == 1).to_numpy()
    frame["indicator.waf"] = frame["indicator.waf"].where(~lacking)
    result = summarise_jin2022(replace(whole, frame=frame), READINGS)
    pairs = {name: each.n for name, each in result.left[JIN2022_FOUND].items()}
    assert pairs == {**dict.fromkeys(WEIGHTS, 4), "waf": 3}
    there = frame[(frame["arm"] == "stock").to_numpy() & ~lacking]
    assert result.levels["stock"]["waf"] == pytest.approx(geometric_mean(there["indicator.waf"].tolist()))


def test_default_and_best_stand_beside_table_2_by_every_reading(whole: Runs) -> None:
    result = summarise_jin2022(whole, READINGS)
    by_name = {each.name: each for each in result.readings}
    assert [by_name[name].paper for name in ("total_time_s", "space_bytes", "waf")] == ["TIME", "SA", "WAF"]
    found = by_name["waf"].arms
    assert found.keys() == {"stock", JIN2022_FOUND}
    fresh = whole.of(Purpose.VERIFY)
    measured = fresh.indicator("waf")[(fresh.frame["arm"] == JIN2022_FOUND).to_numpy()]
    assert found[JIN2022_FOUND].n == len(measured) == 4
    assert found[JIN2022_FOUND].mean == pytest.approx(geometric_mean(measured.tolist()))
    assert (found["stock"].low or 0) < found["stock"].mean < (found["stock"].high or 0)
    said = card_of(result, whole)
    assert "9.2, 7" in said
    assert "432.9 MiB, 197 MiB" in said
    assert "0.76x, in the text 0.79x" in said
    assert "0.46x, in the text" not in said


def test_before_the_comparison_the_default_stands_there_in_its_anchors(tmp_path: Path) -> None:
    part = repeated(tmp_path / "s", settings(), replace(PLAN, budget=Budget(None, 70)))
    (waf,) = (each for each in levels_jin2022(part) if each.name == "waf")
    assert {arm: level.n for arm, level in waf.arms.items()} == {"stock": len(part.of(Purpose.ANCHOR))}


def test_the_reading_nearest_to_the_published_default_is_named() -> None:
    levels = {"waf_load_end": 3.8, "waf": 7.0, "waf_table": 10.0}
    readings = tuple(Reading("WAF", name, {"stock": Level(1, mean, None, None)}) for name, mean in levels.items())
    name, ratio = nearest_reading(readings, "WAF", "stock") or ("", 0.0)
    assert name == "waf_table"
    assert ratio == pytest.approx(10 / 9.2)
    assert nearest_reading(readings, "SA", "stock") is None


def card_of(result: Jin2022Result, runs: Runs) -> str:
    console = Console(width=400, file=StringIO())
    console.print(jin2022_card(result, runs))
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()
