"""Trials against the anchored reference."""

import math
from dataclasses import replace

import pytest
from result_builders import RATE, anchor, baseline, history, rules, trial

from lsmtune.indicators import Limit, Objective
from lsmtune.model import Status
from lsmtune.result import Disturbed, fit_reference, noise_floors, noise_of_gain, rank, score
from lsmtune.result._ranking import reference_gains


def test_a_steady_reference_is_its_geometric_mean() -> None:
    made = history(baseline(0, 80.0), baseline(1, 125.0), trial(1, 120.0))
    (ranked,) = rank(made, rules())
    assert ranked.log_gain == pytest.approx(math.log(1.2))
    assert ranked.violation == 0


def test_trials_are_compared_with_the_reference_of_their_moment() -> None:
    steps = [100.0 * 1.05**number for number in range(8)]
    made = history(*(each for step in steps for each in (anchor(step), trial(round(step), 1.1 * step * 1.05**0.5))))
    gains = [ranked.log_gain or 0.0 for ranked in rank(made, rules())]
    assert gains[1:-1] == pytest.approx([math.log(1.1)] * 6, abs=0.03)
    raw = [math.log(each.rate or 1) for each in (trial(0, steps[0]), trial(0, steps[-1]))]
    assert raw[1] - raw[0] > 0.3


def test_lost_runs_have_no_place_in_the_order() -> None:
    rates = [100.0, 104.0, 109.0, 113.0, 120.0]
    runs = [each for rate in rates for each in (anchor(rate), trial(round(rate), rate * 1.1))]
    lost = trial(99, None, status=Status.LOST)
    plain = history(*runs)
    broken = history(*runs[:3], lost, lost, lost, *runs[3:])
    assert [ranked.log_gain for ranked in rank(plain, rules())] == [ranked.log_gain for ranked in rank(broken, rules())]


def test_trials_that_hold_their_guards_come_first_then_the_best() -> None:
    made = history(
        baseline(0, 100.0),
        trial(1, 110.0),
        trial(2, 150.0, space=130.0),
        trial(3, 120.0),
        trial(4, None, status=Status.FAILED),
        trial(5, 160.0, space=120.0),
        trial(6, None, status=Status.CENSORED),
        trial(8, None, status=Status.LOST),
        trial(9, None),
    )
    ranked = rank(made, rules())
    assert [each.stored.run.arm for each in ranked] == [f"trial-{number}" for number in (3, 1, 5, 2, 4, 6, 9)]
    assert [each.violation > 0 for each in ranked] == [False, False, True, True, False, False, False]
    assert [each.log_gain for each in ranked[-3:]] == [None] * 3


def test_a_guard_is_measured_by_its_excess_over_what_it_allows() -> None:
    made = history(baseline(0, 100.0), trial(1, 110.0, space=121.0))
    (ranked,) = rank(made, rules(worse=1.10))
    assert ranked.violation == pytest.approx(math.log(1.1))


def test_a_limit_is_measured_against_its_bound() -> None:
    limited = rules((Limit("space_bytes", "<=", 80.0),), worse=2.0)
    made = history(baseline(0, 100.0), trial(1, 110.0, space=100.0), judged=limited)
    (ranked,) = rank(made, limited)
    assert ranked.violation == pytest.approx(0.25)


def test_what_was_nothing_and_is_something_has_a_bounded_violation() -> None:
    made = history(baseline(0, 100.0, space=0.0), trial(1, 110.0, space=5.0))
    (ranked,) = rank(made, rules())
    assert ranked.violation == 10.0


def test_a_value_without_bound_in_the_reference_gives_no_gain_instead_of_an_error() -> None:
    made = history(baseline(0, math.inf), baseline(1, 100.0), trial(1, 110.0))
    (ranked,) = rank(made, rules())
    assert ranked.log_gain is None


def test_without_a_reference_nothing_has_a_gain() -> None:
    made = history(baseline(0, 100.0, status=Status.FAILED), trial(1, 110.0))
    (ranked,) = rank(made, rules())
    assert ranked.log_gain is None


@pytest.mark.parametrize("wanted", [*Disturbed, None])
def test_a_disturbed_trial_has_a_gain_for_the_search_but_no_rank_where_it_is_refused(
    wanted: Disturbed | None,
) -> None:
    judged = replace(rules(), disturbed=wanted)
    made = history(baseline(0, 100.0), trial(1, 90.0, status=Status.DISTURBED), judged=judged)
    assert score(made, judged, fit_reference(made, judged), made.runs[1]).log_gain == pytest.approx(math.log(0.9))
    assert len(rank(made, judged)) == (wanted in (Disturbed.WAIT, Disturbed.USE))


@pytest.mark.parametrize(("wanted", "level"), [(Disturbed.USE, math.sqrt(1000.0)), (Disturbed.REFUSE, 100.0)])
def test_a_disturbed_reference_counts_where_it_is_used(wanted: Disturbed, level: float) -> None:
    judged = replace(rules(), disturbed=wanted)
    disturbed = baseline(1, 10.0, space=50.0, status=Status.DISTURBED)
    made = history(baseline(0, 100.0), disturbed, trial(1, 110.0), judged=judged)
    assert noise_floors(made, judged)["space_bytes"].n == 2, "others cannot change it"
    (ranked,) = rank(made, judged)
    assert (RATE in noise_floors(made, judged)) == (wanted is Disturbed.USE)
    if wanted is Disturbed.REFUSE:
        assert ranked.log_gain == pytest.approx(math.log(110 / level))


def test_what_is_refused_is_no_noise_either() -> None:
    judged = replace(rules(), disturbed=Disturbed.REFUSE)
    quiet = [baseline(block, rate) for block, rate in enumerate([100.0, 101.0, 99.0, 100.0])]
    half = baseline(4, 50.0, status=Status.DISTURBED)
    alone, beside = history(*quiet, judged=judged), history(*quiet, half, judged=judged)
    assert noise_of_gain(beside, judged) == pytest.approx(noise_of_gain(alone, judged))
    assert len(reference_gains(beside, judged)) == 4
    used = replace(judged, disturbed=Disturbed.USE)
    assert len(reference_gains(history(*quiet, half, judged=used), used)) == 5


def test_a_disturbed_trial_is_ranked_by_what_others_cannot_change() -> None:
    of_space = replace(rules(), objective=Objective({"space_bytes": 1.0}), guards=(), disturbed=Disturbed.REFUSE)
    made = history(baseline(0, 100.0), trial(1, 90.0, space=80.0, status=Status.DISTURBED), judged=of_space)
    (ranked,) = rank(made, of_space)
    assert ranked.log_gain == pytest.approx(math.log(100 / 80))


def test_the_noise_floor_comes_from_the_baseline_runs_alone() -> None:
    made = history(baseline(0, 100.0, space=None), baseline(1, 110.0, space=100.0), anchor(500.0), trial(1, 900.0))
    floors = noise_floors(made, rules())
    assert set(floors) == {RATE}
    assert floors[RATE].n == 2
    assert floors[RATE].mean == pytest.approx(math.sqrt(100 * 110))


def test_the_noise_of_a_gain_is_that_of_two_neighbouring_runs() -> None:
    up, down = 100 * math.exp(0.1), 100 * math.exp(-0.1)
    assert noise_of_gain(history(baseline(0, up), baseline(1, down)), rules()) is None
    made = history(baseline(0, up), baseline(1, down), baseline(2, 100.0))
    assert noise_of_gain(made, rules()) == pytest.approx(math.sqrt((0.2**2 + 0.1**2) / 2))


def test_a_reference_that_drifts_steadily_is_not_noisy_between_neighbours() -> None:
    rising = [baseline(block, 100 * math.exp(0.1 * block)) for block in range(9)]
    assert noise_of_gain(history(*rising), rules()) == pytest.approx(0.1)
