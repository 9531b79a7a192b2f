"""Recorded configurations as all that can be run, files of recorded sets, and differences between samplers."""

import io
import json
import math
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console, RenderableType

from lsmtune.analysis import Runs, fit_emulator
from lsmtune.errors import StatisticsError, UsageError
from lsmtune.indicators import Guard, Objective
from lsmtune.sampler_benchmark import (
    OutsideProblem,
    Question,
    RecordedPoints,
    SamplerBenchmark,
    Stand,
    Use,
    _outside,
    _search,
    benchmark_outside,
    benchmark_questions,
    benchmark_sampler,
    best_known,
    questions_card,
    questions_json,
    read_sets,
    recorded_points,
    sampler_benchmark_card,
    sampler_benchmark_figure,
)
from lsmtune.sampler_benchmark._paired import differences
from lsmtune.samplers import Trial, make_sampler
from lsmtune.space import Change, ComputedLimit, Factor, Kind, Space
from lsmtune.study import Budget, SampleSettings
from lsmtune.testing import FakePlan, Noise, Surface, fake_space, fake_study

RATE, TIME, SPACE = "throughput_settled_ops_s", "total_time_s", "space_bytes"
MIB = 1 << 20


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    drawn = SampleSettings(fake_space(), "random", 100, 0, 20, 3, anchor_every=10, noise_runs=5, seed=1)
    plan = FakePlan(Budget(math.inf, None), Surface(0.6), Noise(rate=0.03))
    with fake_study(tmp_path_factory.mktemp("recorded") / "study", plan) as study:
        return study.sample(drawn)


@pytest.fixture(scope="module")
def points(runs: Runs) -> RecordedPoints:
    return recorded_points(runs, fake_space(), fit_emulator(runs, (TIME, RATE, SPACE)))


def test_each_configuration_that_was_run_is_a_point_with_the_mean_of_its_runs(points: RecordedPoints) -> None:
    assert 95 <= len(points.points) <= 100
    assert points.log_ratios([{}]) == pytest.approx(np.zeros((1, 3)))
    assert points.log_ratios(points.points) == pytest.approx(points.ratios)
    assert points.values(np.zeros(3)) == pytest.approx(points.levels)


def test_a_proposal_is_carried_out_at_the_nearest_point_that_is_left(points: RecordedPoints) -> None:
    taken: list[dict[str, object]] = []
    for point in points.points[:3]:
        assert points.nearest(point, []) == point
        assert points.nearest(point, [point]) != point
        taken.append(dict(point))
    question = Question(fake_space(), points, Objective({RATE: 1.0}), (Guard(SPACE, 1.10),))
    told = [Trial(point, 0.0) for point in points.points[:-1]]
    assert question.carried_out({}, told) == points.points[-1]


def test_a_search_runs_nothing_twice_and_the_best_point_is_the_best_that_is_known(points: RecordedPoints) -> None:
    question = Question(fake_space(), points, Objective({RATE: 1.0}))
    make = partial(make_sampler, "random", question.space, 1, 8)
    found = benchmark_sampler(question, "random", make, 1, len(points.points))
    assert found.gains.max() == pytest.approx(best_known(question, []))
    assert found.held[-1], "without guards the first finalist holds them"
    assert 0 < found.changed[-1] <= len(question.space)


def test_points_beyond_a_bound_of_the_space_are_left_out(runs: Runs, points: RecordedPoints) -> None:
    space = fake_space()
    bound = ComputedLimit(
        "memory", 64.0 * MIB, "B", lambda values: float(values["write_buffer_size"]), frozenset({"write_buffer_size"})
    )
    bounded = Space(space.dimensions, space.reference, (*space.constraints, bound), space.conditions)
    emulator = fit_emulator(runs, (TIME, RATE, SPACE))
    with pytest.raises(StatisticsError, match=r"recorded configurations can be searched as they are; 60 are needed"):
        recorded_points(runs, bounded, emulator)
    held = [each for each in points.points if not bounded.violations(each)]
    assert 0 < len(held) < 60


def test_runs_of_another_workload_are_no_points(runs: Runs, points: RecordedPoints) -> None:
    threads = Factor("workload.threads", Kind.INT, "", 1, Change.WORKLOAD)
    asked = np.where(np.arange(len(runs)) % 4 == 0, 2, 1)
    varied = replace(runs, factors=(*runs.factors, threads), frame=runs.frame.assign(**{threads.column: asked}))
    emulator = fit_emulator(runs, (TIME, RATE, SPACE))
    found = recorded_points(varied, fake_space(), emulator)
    assert found.points == recorded_points(runs.where(asked == 1), fake_space(), emulator).points
    assert len(found.points) < len(points.points)


def test_a_difference_that_is_not_known_is_refused() -> None:
    with pytest.raises(StatisticsError, match="of the same seeds"):
        differences([("a", "tpe", np.array([0.1, math.nan, 0.2]))])


def test_a_question_without_any_known_gain_has_a_card_and_a_figure(points: RecordedPoints) -> None:
    question = Question(fake_space(), points, Objective({RATE: 1.0}))
    make = partial(make_sampler, "random", question.space, 1, 8)
    found = benchmark_sampler(question, "random", make, 1, 8)
    nothing = [replace(found, gains=np.zeros(8))]
    assert "nan" not in text_of(sampler_benchmark_card(nothing, 0.0))
    assert "<svg" in sampler_benchmark_figure(nothing, 0.0)


def test_a_table_without_an_indicator_is_refused_before_anything_is_searched(runs: Runs, tmp_path: Path) -> None:
    runs.write(tmp_path / "runs.parquet")
    asked = partial(SamplerBenchmark, tmp_path / "runs.parquet", guards=(), runs=8, seeds=1)
    told: list[str] = []
    benches = [asked(objective=((RATE, 1.0),)), asked(objective=(("waf@elsewhere", 1.0),))]
    with pytest.raises(UsageError, match='no run of this study has the indicator "waf@elsewhere"'):
        list(benchmark_questions(benches, ("random",), lambda sampler, *_: told.append(sampler)))
    assert not told


def test_differences_of_pairs_have_p_values_for_all_of_them() -> None:
    rng = np.random.default_rng(4)
    pairs = [
        ("a", "tpe", rng.normal(0.2, 0.1, 20)),
        ("a", "smac", rng.normal(0.0, 0.1, 20)),
        ("b", "tpe", np.zeros(20)),
    ]
    clear, open_, equal = differences(pairs)
    assert clear.median == pytest.approx(np.median(pairs[0][2]))
    assert clear.quartiles[0] < clear.median < clear.quartiles[1]
    assert clear.p.holm < 0.001
    assert open_.p.holm > 0.05
    assert equal.p.holm == 1.0
    assert clear.p.log10_holm > clear.p.log10


SETS = """
[[set]]
name = "first"
use = "development"
runs = "runs.parquet"
objective = "throughput_settled_ops_s"
mean = { throughput_settled_ops_s = 2, waf = 1, space_bytes = 1 }

[[set]]
name = "second"
use = "judging"
objective = "waf"
mean = { waf = 1 }
"""


def test_a_file_of_sets_asks_four_questions_of_each(tmp_path: Path) -> None:
    path = tmp_path / "sets.toml"
    path.write_text(SETS)
    first, second = read_sets(path)
    assert (first.use, second.use) == (Use.DEVELOPMENT, Use.JUDGING)
    assert second.runs == tmp_path / "sets" / "second" / "runs.parquet"
    how = SamplerBenchmark(path, (), (), 50, 20, stand=Stand.POINTS, first_seed=21)
    asked = list(first.benches(how))
    assert {(each.source, each.stand, each.all_seeds) for each in asked} == {(first.runs, Stand.POINTS, range(21, 41))}
    assert [each.name for each in asked] == ["first, rate", "first, space", "first, memory", "first, mean"]
    assert [each.guards for each in asked] == [
        (),
        (("space_bytes", "1.10x"),),
        (("memory_peak_bytes", "1.00x"),),
        (),
    ]
    assert asked[3].objective == (("throughput_settled_ops_s", 2.0), ("waf", 1.0), ("space_bytes", 1.0))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "has no recorded set"),
        ("[[set]]\nname = 'a'", 'the set "a" lacks "mean"'),
        (SETS.replace("judging", "fun"), 'the set "second" has use "fun"; write one of development, judging'),
        (SETS + "\nspeed = 1", 'the set "second" has "speed", which is not known'),
        ("[[set", "cannot be read as a file of recorded sets"),
        (SETS.replace("[[set]]", "[set]", 1).partition("[[set]]")[0], r"set is no list of tables; write \[\[set\]\]"),
        ("set = [1]", r"set is no list of tables; write \[\[set\]\]"),
        (SETS.replace("{ waf = 1 }", '"waf"'), 'mean of the set "second" is no table of weights; write it like'),
        (SETS.replace("{ waf = 1 }", '{ waf = "much" }'), 'mean of the set "second" is no table of weights'),
        (SETS.replace('"judging"', '["judging"]'), 'the set "second" has use'),
    ],
)
def test_a_file_of_sets_that_cannot_be_meant_is_refused(text: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "sets.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=sentence):
        read_sets(path)


def text_of(card: RenderableType) -> str:
    console = Console(width=1000, file=io.StringIO(), record=True)
    console.print(card)
    return console.export_text()


def test_all_questions_come_in_one_table_with_what_tells_samplers_apart(
    runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_search, "_DRAWS", 30)
    monkeypatch.setattr(_search, "_ROUNDS", 2)
    runs.write(tmp_path / "runs.parquet")
    benches = [
        SamplerBenchmark(tmp_path / "runs.parquet", ((RATE, 1.0),), guards, 8, 2, stand=stand, name=name)
        for name, guards, stand in (("alone", (), Stand.EMULATOR), ("guarded", ((SPACE, "1.10x"),), Stand.POINTS))
    ]
    asked = benchmark_questions(benches, ("sobol", "random"))
    first = next(asked)
    assert first.name == "alone", "what came of a question is told before the next one is asked"
    answers = (first, *asked)
    document = questions_json(answers)
    assert json.dumps(document)
    assert [len(each["searches"]) for each in document["questions"]] == [4, 4]
    assert {(each["question"], each["rival"], each["after"]) for each in document["differences"]} == {
        ("alone", "random", 8),
        ("guarded", "random", 8),
    }
    assert questions_card(answers) is not None
    assert "One run varies" not in text_of(questions_card(answers))
    noiseless = [replace(answer, noise=0.0) for answer in answers]
    assert "One run varies 0 times as much as the recorded ones did." in text_of(questions_card(noiseless))


def test_problems_of_others_are_searched_as_functions_without_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = OutsideProblem(function=1, dimension=5)
    found, again = (problem.search("random", 3, 12) for _ in range(2))
    assert found.gains == pytest.approx(again.gains)
    assert (np.diff(found.gains) >= 0).all()
    assert found.gains[-1] > 0
    assert found.held.all()
    assert found.changed[-1] <= 5
    monkeypatch.setattr(_outside, "PROCESSES", 1)
    (answer,) = benchmark_outside([problem], ["random"], 12, [1, 2])
    assert [each.seed for each in answer.searches] == [1, 2]
    assert answer.best == max(each.gains[-1] for each in answer.searches)
    assert answer.name == "bbob-mixint f1, 5 variables"
