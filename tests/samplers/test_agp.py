"""The additive process and the sampler that uses it: what they learn that others do not."""

from collections.abc import Mapping, Sequence
from statistics import median

import numpy as np
import pytest

from lsmtune.errors import SamplerError
from lsmtune.model import Value
from lsmtune.samplers import Floats, Outlook, SobolSampler, Trial, make_sampler
from lsmtune.samplers._additive import Points, _distinct, _joint, _sums, fit_additive
from lsmtune.samplers._agp import _Axes, _Judge, _used
from lsmtune.samplers._prior import FLAT, Trend
from lsmtune.samplers._view import View
from lsmtune.space import Dimension, Kind, Space

OPTIONS = 20


def lone(columns: Floats) -> Points:
    """Return points of options with one column each."""
    return Points(columns, columns, (1,) * columns.shape[1])


def test_a_process_knows_a_point_that_it_saw_and_doubts_one_far_away() -> None:
    rng = np.random.default_rng(3)
    points = rng.random((40, 2))
    process = fit_additive(lone(points), np.sin(3 * points[:, 0]) + points[:, 1] ** 2)
    means, deviations = process.predict(lone(np.array([points[0], [4.0, -3.0]])))
    assert means[0] == pytest.approx(np.sin(3 * points[0, 0]) + points[0, 1] ** 2, abs=0.05)
    assert deviations[0] < 0.2 * deviations[1]


def linear(slopes: Sequence[float]) -> Trend:
    """Return a trend with a slope for each option, in bins that are as fine as the tests ask for."""
    return Trend(np.outer(slopes, (np.arange(4096) + 0.5) / 4096))


@pytest.mark.parametrize("trend", [FLAT, linear([1.0, -1.0, 0.0])])
def test_mean_and_deviation_are_those_of_the_textbook(trend: Trend) -> None:
    """Rasmussen and Williams, 2006, equations 2.23 and 2.24, with the kernel written out; section 2.7 for the trend."""
    rng = np.random.default_rng(4)
    points, asked = rng.random((12, 3)), rng.random((5, 3))
    values = points @ np.array([1.0, -2.0, 0.5]) + rng.normal(0, 0.1, 12)
    process = fit_additive(lone(points), values, trend=trend)
    rest = values - 0.5 * trend.at(points)

    def kernel(left: np.ndarray, right: np.ndarray) -> np.ndarray:
        squares = (left[:, None, :] - right[None, :, :]) ** 2
        sums = np.exp(-0.5 * squares / process.kernel.length**2).mean(axis=2)
        joint = np.exp(-0.5 * squares.mean(axis=2) / 0.4**2)
        trends = (0.5 / rest.std()) ** 2 * np.outer(trend.at(left), trend.at(right))
        return np.asarray(process.kernel.shares[0] * sums + process.kernel.shares[1] * joint + trends)

    noise = (process.noise / process.scale) ** 2 + 1e-8
    inverse = np.linalg.inv(kernel(points, points) + noise * np.eye(12))
    standard = (rest - rest.mean()) / rest.std()
    means = rest.mean() + rest.std() * kernel(asked, points) @ inverse @ standard + 0.5 * trend.at(asked)
    prior = np.diag(kernel(asked, asked))
    spread = prior - np.einsum("ij,jk,ik->i", kernel(asked, points), inverse, kernel(asked, points))
    assert process.predict(lone(asked))[0] == pytest.approx(means)
    assert process.predict(lone(asked))[1] == pytest.approx(rest.std() * np.sqrt(spread))


def test_a_trend_that_is_true_is_believed_soon_and_one_that_is_not_does_no_harm() -> None:
    """Of a trend that is the opposite of the truth the trials say so soon: it, too, is one number to learn."""
    rng = np.random.default_rng(6)
    slopes, others = rng.normal(0, 1.0, (2, OPTIONS))
    places, asked = rng.random((120, OPTIONS)), rng.random((200, OPTIONS))
    noisy = places @ slopes + rng.normal(0, 0.3, len(places))

    def error(count: int, trend: Trend) -> float:
        process = fit_additive(lone(places[:count]), noisy[:count], 0.3, trend=trend)
        return float(np.std(process.predict(lone(asked))[0] - asked @ slopes))

    true, opposite, unrelated = linear(slopes), linear(-slopes), linear(others)
    assert max(error(12, true), error(12, opposite)) < 0.4 * error(12, FLAT)
    assert error(12, unrelated) < 1.2 * error(12, FLAT)
    assert error(120, unrelated) < 1.1 * error(120, FLAT)


def test_a_sum_over_many_columns_is_learnt_from_few_points() -> None:
    rng = np.random.default_rng(5)
    slopes = np.linspace(-1, 1, OPTIONS)
    points, asked = rng.random((50, OPTIONS)), rng.random((200, OPTIONS))
    process = fit_additive(lone(points), points @ slopes + rng.normal(0, 0.05, 50))
    assert np.corrcoef(process.predict(lone(asked))[0], asked @ slopes)[0, 1] > 0.9


@pytest.mark.parametrize("width", [1, 3])
def test_rows_are_found_again_among_the_distinct_ones(width: int) -> None:
    rows = np.random.default_rng(11).integers(0, 3, (60, width)) / 2
    distinct, numbers = _distinct(rows)
    assert np.array_equal(distinct[numbers], rows)
    assert len(distinct) == len(np.unique(rows, axis=0))


def test_different_rows_of_the_same_sum_stay_apart() -> None:
    rows = np.array([[np.sqrt(3.0), 0.0], [0.0, np.sqrt(2.0)], [1.0, 1.0]])
    distinct, numbers = _distinct(rows)
    assert np.array_equal(distinct[numbers], rows)


def test_options_that_matter_get_variance_from_those_that_do_not() -> None:
    rng = np.random.default_rng(9)
    slopes = np.where(np.arange(OPTIONS) < 3, 2.0, 0.0)
    points, asked = rng.random((40, OPTIONS)), rng.random((200, OPTIONS))
    values = points @ slopes + rng.normal(0, 0.1, 40)
    alike, told_apart = (fit_additive(lone(points), values, 0.1, relevance=relevance) for relevance in (False, True))
    variances = told_apart.kernel.options
    assert variances[:3].min() > 2 * np.median(variances[3:])
    assert (alike.kernel.options == 1.0).all()
    errors = [np.std(process.predict(lone(asked))[0] - asked @ slopes) for process in (alike, told_apart)]
    assert errors[1] < 0.9 * errors[0]


def test_variances_of_options_are_kept_where_there_are_too_many_values_to_choose_by() -> None:
    rng = np.random.default_rng(10)
    points = rng.random((150, 4))
    process = fit_additive(lone(points), 2 * points[:, 0] + rng.normal(0, 0.1, 150), 0.1, relevance=True)
    assert process.kernel.options[0] > 2 * process.kernel.options[1:].max()
    assert process.predict(lone(points))[0] == pytest.approx(2 * points[:, 0], abs=0.1)


def test_noise_is_told_from_the_function() -> None:
    rng = np.random.default_rng(6)
    points = rng.random((150, 2))
    process = fit_additive(lone(points), 3 * points[:, 0] + rng.normal(0, 0.3, 150))
    assert 0.2 < process.noise < 0.5


def test_values_that_do_not_fit_the_points_are_refused() -> None:
    with pytest.raises(SamplerError, match="give one value for each point"):
        fit_additive(lone(np.zeros((3, 2))), np.zeros(2))
    with pytest.raises(SamplerError, match="0 points"):
        fit_additive(lone(np.zeros((0, 2))), np.zeros(0))


def test_equal_values_are_no_obstacle() -> None:
    means, deviations = fit_additive(lone(np.random.default_rng(7).random((5, 2))), np.ones(5)).predict(
        lone(np.zeros((1, 2)))
    )
    assert means == pytest.approx([1.0])
    assert np.isfinite(deviations).all()


def _space() -> Space:
    axes = tuple(Dimension(f"x{number}", Kind.FLOAT, 0.5, low=0.0, high=1.0) for number in range(OPTIONS))
    return Space(axes, {axis.name: axis.default for axis in axes})


def _truth(values: Mapping[str, Value]) -> tuple[float, float]:
    """Return response and slack: what is best of the first option breaks the guard, where the second does not help."""
    known = {f"x{number}": 0.5 for number in range(OPTIONS)} | {name: float(value) for name, value in values.items()}
    response = -known["x0"] + 0.3 * known["x1"] + 0.05 * sum((known[f"x{n}"] - 0.3) ** 2 for n in range(2, OPTIONS))
    return response, 0.3 - 0.8 * known["x0"] + 0.8 * known["x1"]


def _found(name: str, seed: int, rounds: int = 40) -> float:
    """Return the lowest true response of a trial whose guard truly holds, with noise in all that is told."""
    space = _space()
    rng = np.random.default_rng(seed)
    sampler = make_sampler(name, space, seed)
    best = 0.0
    for _ in range(rounds):
        values = sampler.ask()
        response, slack = _truth(values)
        seen, told = response + rng.normal(0, 0.03), slack + rng.normal(0, 0.03)
        sampler.tell(Trial(values, seen, max(0.0, -told), slacks={"space_bytes": told}))
        best = min(best, response if slack >= 0 else 0.0)
    return best


def test_an_optimum_at_the_edge_of_a_guard_is_found() -> None:
    ours, chance = ([_found(name, seed) for seed in range(3)] for name in ("agp", "random"))
    assert median(ours) < median(chance) - 0.05


def test_at_most_ten_proposals_are_spread_evenly() -> None:
    space = _space()
    agp, sobol = make_sampler("agp", space, 2, 20), SobolSampler(space, 2)
    same = []
    for _ in range(12):
        ours = agp.ask()
        same.append(ours == sobol.ask())
        for sampler in (agp, sobol):
            sampler.tell(Trial(ours, _truth(ours)[0]))
    assert same == [True] * 10 + [False] * 2


@pytest.mark.parametrize(("trials", "changed"), [(5, OPTIONS // 4), (OPTIONS - 1, OPTIONS // 4), (OPTIONS, OPTIONS)])
def test_where_there_will_be_fewer_trials_than_options_each_changes_few_and_all_have_their_turn(
    trials: int, changed: int
) -> None:
    sampler = make_sampler("agp", _space(), 3, 8)
    sampler.expect(Outlook(trials=trials))
    asked = [sampler.ask() for _ in range(4)]
    assert [len(values) for values in asked] == pytest.approx([changed] * 4, abs=1)
    assert len({name for values in asked for name in values}) > 0.8 * OPTIONS


@pytest.mark.parametrize(("trials", "first"), [(5, 5), (9, 5), (OPTIONS - 4, (OPTIONS - 4) // 2), (60, 10), (None, 10)])
def test_half_of_a_short_search_is_left_to_the_model(trials: int | None, first: int) -> None:
    space = _space()
    told, untold = (make_sampler("agp", space, 2) for _ in range(2))
    told.expect(Outlook(trials=trials))
    untold.expect(Outlook(trials=trials))
    same = []
    for number in range(first + 1):
        values = untold.ask()
        same.append(told.ask() == values)
        told.tell(Trial(values, _truth(values)[0]))
        untold.tell(Trial(values, float(number)))
    assert same == [True] * first + [False], "what trials showed matters from then on"


def _uneven(reference: int) -> Space:
    """A space whose reference lies between the steps of its ranges, or below them."""
    axes = [
        Dimension(f"x{n}", Kind.INT, reference, unit="B", low=1 << 20, high=1 << 28, log=True) for n in range(OPTIONS)
    ]
    return Space(tuple(axes), {axis.name: reference for axis in axes})


@pytest.mark.parametrize("space", [_space(), _uneven(100_000_000), _uneven(1 << 18)])
def test_no_proposal_of_a_short_search_changes_more_than_half_of_the_options(space: Space) -> None:
    sampler = make_sampler("agp", space, 3)
    sampler.expect(Outlook(trials=OPTIONS - 1))
    changed = []
    for _ in range(OPTIONS - 1):
        values = sampler.ask()
        changed.append(len(values))
        places = dict(zip(space.names, space.to_unit(values).tolist(), strict=True))
        sampler.tell(Trial(values, _truth(places)[0]))
    assert OPTIONS // 4 < max(changed) <= OPTIONS // 2


def test_of_many_trials_the_best_and_the_last_are_used() -> None:
    trials = [Trial({"x0": number / 1000}, -1.0 if number == 7 else 0.001 * number) for number in range(450)]
    used = _used(trials)
    assert len(used) == 200
    assert trials[7] in used
    assert trials[309] not in used
    assert list(used[-140:]) == trials[-140:]
    assert list(_used(trials[:200])) == trials[:200]


def _judged(space: Space, trials: list[Trial], asked: list[Mapping[str, Value]], outlook: Outlook) -> Floats:
    """Return the responses that the sampler's model expects of configurations."""
    view = View(space)
    places = view.places([{}, *(trial.values for trial in trials)])
    judge = _Judge.fit(view, places, trials, outlook)
    return judge.response.predict(view.points(view.places(asked)))[0]


def _line(reference: float = 0.0) -> Space:
    axis = Dimension("x", Kind.FLOAT, reference, low=0.0, high=1.0, specials=(-1.0,))
    return Space((axis,), {"x": reference})


def test_the_noise_of_a_model_is_near_to_what_was_measured() -> None:
    rng = np.random.default_rng(8)
    points = lone(rng.random((30, 2)))
    values = points.columns[:, 0] + rng.normal(0, 0.02, 30)
    assert fit_additive(points, values).noise < 0.1
    for measured in (0.005, 0.3):
        assert 0.5 * measured <= fit_additive(points, values, measured).noise <= 2 * measured


def test_a_model_that_is_told_the_noise_does_not_follow_it() -> None:
    space, rng = _line(), np.random.default_rng(9)
    told = [Trial({"x": x}, float(rng.normal(0, 0.3))) for x in np.linspace(0.02, 1, 12).round(2).tolist()]
    asked: list[Mapping[str, Value]] = [{"x": x} for x in np.linspace(0, 1, 21).tolist()]
    ignorant, knowing = (_judged(space, told, asked, outlook) for outlook in (Outlook(), Outlook(0.3)))
    assert np.ptp(knowing) < np.ptp(ignorant)


def test_a_stopped_trial_is_expected_beyond_its_bound_where_the_others_say_so() -> None:
    """The response rises by 3 along the axis, and runs are stopped at 1."""
    space = _line()
    places = np.linspace(0.05, 1, 20).round(2).tolist()
    trials = [Trial({"x": x}, None, bound=1.0) if 3 * x > 1 else Trial({"x": x}, 3 * x) for x in places]
    at_bounds = [Trial(trial.values, trial.bound if trial.response is None else trial.response) for trial in trials]
    asked: list[Mapping[str, Value]] = [{"x": 0.6}]
    (known,) = _judged(space, trials, asked, Outlook(0.03))
    (naive,) = _judged(space, at_bounds, asked, Outlook(0.03))
    assert naive == pytest.approx(1.0, abs=0.15)
    assert known > 1.25


def test_what_is_expected_beyond_a_bound_is_the_mean_of_a_normal_that_is_cut_off() -> None:
    process = fit_additive(lone(np.array([[0.0], [0.5], [1.0]])), np.array([0.0, 0.3, 0.2]), 0.1)
    asked = lone(np.array([[0.7], [3.0]]))
    means, deviations = process.predict(asked)
    drawn = np.random.default_rng(2).normal(means, np.hypot(deviations, process.noise), (400_000, 2))
    bounds = np.array([0.4, -0.1])
    expected = [column[column > bound].mean() for column, bound in zip(drawn.T, bounds, strict=True)]
    assert process.beyond(asked, bounds) == pytest.approx(expected, abs=0.01)


def test_a_region_that_crashes_is_left_where_all_that_runs_is_alike() -> None:
    """What fails counts as nothing worse than what ran, so only the failures themselves say to stay away."""
    axes = tuple(Dimension(f"x{number}", Kind.FLOAT, 0.1, low=0.0, high=1.0) for number in range(4))
    space = Space(axes, {axis.name: axis.default for axis in axes})
    failed = []
    for seed in range(2):
        sampler = make_sampler("agp", space, seed)
        for _ in range(24):
            values = sampler.ask()
            first = values.get("x0", 0.1)
            assert isinstance(first, float)
            sampler.tell(Trial(values, None if first > 0.4 else -0.5))
        failed += [trial.response is None for trial in sampler.trials[12:]]
    assert sum(failed) <= 0.25 * len(failed)


def test_a_special_value_says_nothing_of_the_range_beside_it() -> None:
    """Off is bad, and the low end of the range, next to it on the axis, is the best of all."""
    space = _line(1.0)
    trials = [Trial({"x": -1.0}, 1.0), *(Trial({"x": x}, x - 1.0) for x in np.linspace(0.2, 0.9, 8).round(2).tolist())]
    low, off = _judged(space, trials, [{"x": 0.02}, {"x": -1.0}], Outlook(0.03))
    assert low < -0.85
    assert off > 0.7


@pytest.mark.parametrize("levels", [2, 8])
def test_a_category_weighs_what_a_number_weighs_however_many_levels_it_has(levels: int) -> None:
    names = tuple("abcdefgh"[:levels])
    axes = (
        Dimension("codec", Kind.CHOICE, "a", choices=names),
        Dimension("size", Kind.FLOAT, 0.0, low=0.0, high=1.0),
    )
    space = Space(axes, {"codec": "a", "size": 0.0})
    view = View(space)
    points = view.points(view.places([{}, {"codec": "b"}, {"size": 1.0}]))
    for kernel in (_sums(points, points, 0.5, np.ones(2)), _joint(points, points)):
        assert kernel[0, 1] == pytest.approx(kernel[0, 2], rel=0.05)


def test_steps_along_a_range_do_not_end_at_its_special_value() -> None:
    space = _line(1.0)
    moved = _Axes.of(space).changed(View(space).places([{"x": 0.02}])[0], 1.0, 400, np.random.default_rng(1))
    off = sum(space.from_unit(place)["x"] == -1.0 for place in moved)
    assert off < 0.1 * len(moved), "only of what is drawn anew, half of all, a share of 0.1 may be off"
