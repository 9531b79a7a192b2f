"""Trials ranked by one indicator at a time."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
from phase_builders import RATES, RULES, WORKLOAD, Ran, phase_study, reference, trial

from lsmtune.errors import UsageError
from lsmtune.indicators import Objective
from lsmtune.model import Purpose, Status, Workload
from lsmtune.result import Ranking, Rankings, checkpoints, phase_indicators, rank_by

LOAD, A, B = RATES


def rankings(folder: Path, *ran: Ran, names: tuple[str, ...] = RATES, most: int = 10) -> Rankings:
    with phase_study(folder / "s", *ran) as study:
        return rank_by(study, WORKLOAD, names, most)


def ranking(folder: Path, *ran: Ran, name: str = A) -> Ranking:
    (found,) = rankings(folder, *ran, names=(name,)).by
    return found


def arms(found: Ranking) -> list[str]:
    return [each.stored.run.arm for each in found.trials]


SPLIT = (
    reference(),
    trial(1, load=150.0, a=90.0, b=100.0),
    trial(2, load=80.0, a=120.0, b=100.0),
    trial(3, load=120.0, a=110.0, b=130.0),
)


def test_each_indicator_has_an_order_and_gains_of_its_own(tmp_path: Path) -> None:
    found = rankings(tmp_path, *SPLIT)
    assert [arms(each) for each in found.by] == [
        ["trial-1", "trial-3", "trial-2"],
        ["trial-2", "trial-3", "trial-1"],
        ["trial-3", "trial-1", "trial-2"],
    ]
    gains = [each.log_gain for each in found.by[0].trials]
    assert gains == pytest.approx([math.log(1.5), math.log(1.2), math.log(0.8)])
    assert [found.by[0].values[each.stored.run.id] for each in found.by[0].trials] == [150.0, 120.0, 80.0]


def test_gains_in_the_objective_stand_beside_those_in_the_indicator(tmp_path: Path) -> None:
    found = rankings(tmp_path, *SPLIT, names=(A,))
    assert found.gains == pytest.approx(
        {2: math.log(1.5 * 0.9) / 3, 3: math.log(0.8 * 1.2) / 3, 4: math.log(1.2 * 1.1 * 1.3) / 3}
    )


def test_less_of_a_latency_is_a_gain(tmp_path: Path) -> None:
    p99 = "read_latency_p99_s@a"
    found = ranking(
        tmp_path,
        replace(reference(), more={p99: 0.002}),
        trial(1, 100.0, 100.0, 100.0, more={p99: 0.004}),
        trial(2, 100.0, 100.0, 100.0, more={p99: 0.001}),
        name=p99,
    )
    assert arms(found) == ["trial-2", "trial-1"]
    assert [each.log_gain for each in found.trials] == pytest.approx([math.log(2), -math.log(2)])


def test_trials_are_compared_with_the_reference_at_their_moment(tmp_path: Path) -> None:
    levels = [100.0 * 1.05**step for step in range(8)]
    ran = [
        each
        for number, level in enumerate(levels, start=1)
        for each in (reference(level, Purpose.ANCHOR), trial(number, 100.0, 1.1 * level * 1.05**0.5, 100.0))
    ]
    gains = {each.stored.run.arm: each.log_gain for each in ranking(tmp_path, *ran).trials}
    middle = [gains[f"trial-{number}"] for number in range(2, 8)]
    assert middle == pytest.approx([math.log(1.1)] * 6, abs=0.03), "the machine became 1.4 times as fast meanwhile"


def test_a_trial_that_breaks_a_guard_does_not_lead_however_fast_it_is(tmp_path: Path) -> None:
    found = ranking(tmp_path, *SPLIT, trial(4, 100.0, 300.0, 100.0, space=121.0))
    assert arms(found) == ["trial-2", "trial-3", "trial-1", "trial-4"]
    assert found.trials[-1].violation == pytest.approx(math.log(1.1))
    assert found.leader is found.trials[0]


def test_where_every_trial_breaks_a_guard_none_leads(tmp_path: Path) -> None:
    found = ranking(tmp_path, reference(), trial(1, 150.0, 150.0, 150.0, space=150.0))
    assert (arms(found), found.leader) == (["trial-1"], None)


def test_a_trial_that_is_no_better_than_the_reference_does_not_lead(tmp_path: Path) -> None:
    found = rankings(tmp_path, reference(), trial(1, 99.0, 101.0, 100.0))
    assert [each.leader is None for each in found.by] == [True, False, True]


def test_before_a_verification_the_winner_is_the_leader_by_the_objective(tmp_path: Path) -> None:
    found = rankings(tmp_path, *SPLIT)
    assert found.winner is not None
    assert (found.winner.stored.run.arm, found.verified) == ("trial-3", False)
    assert [each.winner_leads for each in found.by] == [False, False, True]
    assert [each.winner.log_gain for each in found.by if each.winner] == pytest.approx(
        [math.log(1.2), math.log(1.1), math.log(1.3)]
    )


def test_the_verified_trial_is_the_winner_even_where_another_leads_the_search(tmp_path: Path) -> None:
    with phase_study(tmp_path / "s", *SPLIT) as study:
        study.save(checkpoints.FINALISTS, ("trial-3", "trial-1"))
        study.save(checkpoints.WINNER, "finalist-2")
        found = rank_by(study, WORKLOAD, RATES)
    assert found.winner is not None
    assert (found.winner.stored.run.arm, found.verified) == ("trial-1", True)
    assert [each.winner_leads for each in found.by] == [True, False, False]


def test_without_anything_better_there_is_no_winner(tmp_path: Path) -> None:
    found = rankings(tmp_path, reference(), trial(1, 50.0, 110.0, 90.0))
    assert found.winner is None
    assert [each.winner_leads for each in found.by] == [False] * 3


def test_trials_that_ran_the_same_configuration_count_as_one_leader(tmp_path: Path) -> None:
    first = replace(trial(1, 150.0, 100.0, 120.0), effective={"write_buffer_size": 4 << 20})
    second = replace(trial(2, 140.0, 130.0, 100.0), effective={"write_buffer_size": 4 << 20})
    found = rankings(tmp_path, reference(), first, second)
    assert [arms(each)[0] for each in found.by] == ["trial-1", "trial-2", "trial-1"]
    assert [each.winner_leads for each in found.by] == [True] * 3


def test_only_as_many_trials_are_kept_as_were_asked_for(tmp_path: Path) -> None:
    (found,) = rankings(tmp_path, *SPLIT, replace(SPLIT[1], status=Status.FAILED), names=(A,), most=1).by
    assert arms(found) == ["trial-2"]
    assert found.compared == 3
    assert found.winner is not None, "it is known where it does not stand in the table too"


def test_an_indicator_without_a_step_is_that_of_the_measured_one_where_others_have_it(tmp_path: Path) -> None:
    steps = [each.phase for each in rankings(tmp_path, *SPLIT, names=(*RATES, "space_bytes")).by]
    assert steps == ["load", "a", "b", ""]


def test_the_noise_of_each_indicator_is_its_own(tmp_path: Path) -> None:
    steady = Ran(Purpose.BASELINE, "leveldb", (100.0, 100.0, 100.0))
    moved = Ran(Purpose.BASELINE, "leveldb", (100.0, 100.0 * math.exp(0.2), 100.0))
    noise = [each.noise for each in rankings(tmp_path, steady, moved, trial(1, 110.0, 110.0, 110.0)).by]
    assert [each.sd_log for each in noise if each] == pytest.approx([0.0, 0.2 / math.sqrt(2), 0.0])


def test_a_value_of_0_has_no_ratio_and_no_rank(tmp_path: Path) -> None:
    stalls = {"stall_time_s": 0.0}
    found = ranking(
        tmp_path, replace(reference(), more=stalls), trial(1, 110.0, 110.0, 110.0, more=stalls), name="stall_time_s"
    )
    assert (found.trials, found.compared, found.leader) == ((), 0, None)


def test_phases_are_those_of_the_workload_that_have_the_first_indicator_of_the_objective(tmp_path: Path) -> None:
    with phase_study(tmp_path / "s", *SPLIT) as study:
        assert phase_indicators(study, WORKLOAD) == RATES


def test_steps_of_db_bench_are_phases_too(tmp_path: Path) -> None:
    steps = Workload(("fillrandom", "waitforcompaction", "readrandom"), "readrandom", num=1000)
    filled = {"throughput_ops_s@fillrandom": 100.0}
    with phase_study(tmp_path / "s", replace(reference(), more=filled), trial(1, 1, 1, 120.0, more=filled)) as study:
        names = phase_indicators(study, steps)
        found = rank_by(study, steps, names)
    assert names == ("throughput_ops_s@fillrandom", "throughput_ops_s")
    assert [each.phase for each in found.by] == ["fillrandom", "readrandom"]
    assert [each.log_gain for ranking in found.by for each in ranking.trials] == pytest.approx([0.0, math.log(1.2)])


def test_an_objective_that_phases_do_not_have_is_refused_with_what_they_have(tmp_path: Path) -> None:
    rules = replace(RULES, objective=Objective({"space_bytes": 1.0}))
    with (
        phase_study(tmp_path / "s", *SPLIT, rules=rules) as study,
        pytest.raises(UsageError, match=r"space_bytes, the first of the objective, .* --by throughput_ops_s@load"),
    ):
        phase_indicators(study, WORKLOAD)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("throughputs_ops_s", "is not an indicator; did you mean throughput_ops_s"),
        ("throughput_ops_s@lod", '"throughput_ops_s@lod"; did you mean throughput_ops_s@load'),
        ("throughput_ops_s@b", '"b" is the measured phase; write throughput_ops_s alone'),
        ("throughput_ops_s@", "names no phase"),
        ("operations@a", "neither more nor less of it is better"),
        ("waf", "they have .*space_bytes"),
        ("latency_p99_s", "did you mean read_latency_p99_s@a"),
    ],
)
def test_a_name_that_cannot_be_used_is_refused_with_what_can(tmp_path: Path, name: str, sentence: str) -> None:
    gave = {"waf": None, "operations@a": 5.0, "read_latency_p99_s@a": 0.002}
    with pytest.raises(UsageError, match=sentence):
        rankings(tmp_path, replace(reference(), more=gave), names=(name,))


def test_a_study_without_results_says_to_ask_again(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="ask again when trials have ended"):
        rankings(tmp_path)
