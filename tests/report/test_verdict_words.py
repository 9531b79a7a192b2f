"""Verdicts in words."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from report_builders import (
    FINAL,
    P99,
    RATE,
    RULES,
    SPACE,
    STATES,
    WAF,
    climbed,
    comparison,
    improved,
    named,
    on_page,
    result,
)

from lsmtune.indicators import Guard, Objective
from lsmtune.model import Configuration, Purpose, Status
from lsmtune.report import State, next_step, state_of, tune_card, tune_json, verdict_sentence
from lsmtune.report._climb import holds_sentence, unheld_sentence
from lsmtune.report._words import troubles_words
from lsmtune.report.html import ReportView
from lsmtune.report.html._summary_parts import summary_parts
from lsmtune.result import Comparison, Decisions, History, OnHosts, Repetition, Standing, Troubles
from lsmtune.stats import POCOCK_ALPHA, Decision, HostGain, compare_log_ratios, pairs_needed


@pytest.mark.parametrize("name", STATES)
def test_every_state_is_recognised(name: str) -> None:
    assert state_of(STATES[name]) is State[name.upper()]


def test_every_state_is_tested() -> None:
    assert {State[name.upper()] for name in STATES} == set(State)


def test_the_sentences_of_all_states_read_as_they_should(golden: Callable[[str, str], None]) -> None:
    lines = [f"{name}\n  {verdict_sentence(each)}\n  {next_step(each)}\n" for name, each in STATES.items()]
    golden("sentences.txt", "\n".join(lines))


@pytest.mark.parametrize("name", [name for name in STATES if name not in ("running", "no_finalists", "unknown")])
def test_every_estimate_has_its_interval_and_n(name: str) -> None:
    best = STATES[name].verdict
    assert best is not None
    assert f"at 95 %, adjusted, n = {best.claim.n} pairs]" in verdict_sentence(STATES[name])


def test_an_improvement_names_gain_reference_and_number_of_changes() -> None:
    sentence = verdict_sentence(improved())
    assert sentence.startswith("Improved: 1.20x the settled throughput of db_bench's default [1.08x, ")
    assert sentence.endswith("; 3 options changed, 2 of them not tested alone.")


def test_the_runs_of_a_number_are_said_to_have_chosen_what_they_chose() -> None:
    found = improved().repetition
    assert found is not None
    assert " in runs that chose only between it and the winner; 3 options" in verdict_sentence(improved())
    winner = replace(improved(), repetition=replace(found, smaller=None, retained=None))
    assert " in runs that did not choose it; 3 options" in verdict_sentence(winner)


def test_an_open_guard_is_said_with_the_improvement() -> None:
    rules = replace(RULES, guards=(Guard(SPACE, 1.0),))
    open_guard = result(comparison(1.2, 0.03, 6, rules=rules, others={SPACE: 1.0}), rules=rules)
    assert state_of(open_guard) is State.GUARD_UNDECIDED
    assert "cannot tell whether the guard on space on disk holds" in verdict_sentence(open_guard)
    assert "--guard-undecided" in next_step(open_guard)


def test_a_number_from_the_runs_that_chose_it_says_so() -> None:
    sentence = verdict_sentence(result(comparison(1.2, 0.03, 6)))
    assert ", in the runs that chose it, so the true gain may be smaller;" in sentence


def test_changes_of_which_none_was_tested_are_named_in_the_first_sentence() -> None:
    untested = replace(improved(), changes=tuple(replace(each, evidence=None) for each in improved().changes))
    assert verdict_sentence(untested).endswith("3 options changed, none of them tested alone.")


def test_an_improvement_on_one_load_holds_for_this_data() -> None:
    assert verdict_sentence(replace(improved(), on_one_load=True)).startswith("Improved on this data: 1.20x")


def test_what_failed_is_the_first_thing_that_is_said() -> None:
    sentence = verdict_sentence(STATES["failed_runs"])
    assert sentence.startswith("Not accepted: 2 fresh runs of the best finalist failed (Segmentation fault)")
    assert "no claim" in sentence


def test_what_was_not_confirmed_gives_the_gain_that_the_later_runs_saw() -> None:
    assert verdict_sentence(STATES["not_confirmed"]).startswith(
        "Not confirmed: in runs that did not choose it the winner has 0.90x"
    )


def test_a_winner_that_later_runs_contradict_has_its_own_number_and_the_reason_though_a_smaller_one_held() -> None:
    found = improved().repetition
    assert found is not None
    assert found.winner is not None
    broken = comparison(1.14, 0.03, 6, arm="winner", others={SPACE: 1.3, P99: 3.0})
    told = replace(improved(), repetition=replace(found, winner=broken))
    assert (told.standing, told.verdict) == (Standing.REFUSED, broken)
    assert state_of(told) is State.NOT_CONFIRMED
    sentence = verdict_sentence(told)
    assert sentence.startswith("Not confirmed: in runs that did not choose it the winner has 1.14x")
    assert "; there the guard on space on disk is broken and a limit is passed: p99 latency is 6.3 ms [" in sentence
    failed = replace(found.winner, troubles=Troubles(failures=("it crashed",)))
    crashed = replace(improved(), repetition=replace(found, winner=failed))
    assert state_of(crashed) is State.FAILED_RUNS
    assert verdict_sentence(crashed).startswith("Not accepted: 1 fresh run of the best finalist failed (it crashed)")
    assert "so all changes stay" not in on_page(tune_card(crashed), 200)


def test_what_held_at_a_larger_scale_holds_nowhere_once_other_runs_contradict_it() -> None:
    won = climbed(1.2)
    assert holds_sentence(won) == "Where it holds: improved at 1/64 and 1/16; not tried at 1/4."
    failed = replace(comparison(1.2, 0.03, 6, arm="winner"), troubles=Troubles(failures=("it crashed",)))
    told = replace(won, repetition=Repetition(failed, None, None, 1.05))
    assert holds_sentence(told) == ""
    assert unheld_sentence(told) == (
        "Finalist-1 improved at 1/64 and 1/16; not tried at 1/4; it is no winner, as other runs speak against it."
    )
    assert [tune_json(each)["climb"]["holds_to"] for each in (won, told)] == ["1/16", None]
    in_short = [repr(tuple(summary_parts(ReportView(each, History((), {}), ())))) for each in (won, told)]
    assert ["improved at 1/64 and 1/16" in each for each in in_short] == [True, False]


def test_pairs_that_the_cap_stopped_whole_count_at_no_bound() -> None:
    stopped = replace(BEST, troubles=Troubles(stopped=3, reference_stopped=2, both_stopped=2))
    assert troubles_words(stopped) == (
        "1 fresh run of the candidate passed the cap and counts at its bound; "
        "both runs of 2 pairs passed the cap, and nothing is known of their ratio"
    )


def test_a_run_of_the_reference_whose_bound_says_nothing_is_not_said_to_count() -> None:
    stopped = replace(BEST, troubles=Troubles(reference_stopped=1, reference_unbounded=1))
    assert troubles_words(stopped) == (
        "1 fresh run of the reference passed the cap, which says nothing of the objective; its pair is missing"
    )


def test_an_unstable_winner_tells_its_worst_run_and_what_stalls_are_left_open() -> None:
    sentence = verdict_sentence(STATES["unstable"])
    assert sentence.startswith("Unstable: its worst run is ")
    assert "; none of 6 runs stalled; up to 39.3 % of all its runs may stall (at 95 %)" in sentence
    assert "--unstable" in next_step(STATES["unstable"])


def test_a_gain_below_the_minimum_effect_of_interest_is_said_to_be_small() -> None:
    assert "less than the minimum effect of interest, 3.0 %" in verdict_sentence(result(comparison(1.02, 0.01, 6)))
    assert "interest" not in verdict_sentence(improved())


def test_a_gain_in_an_indicator_that_is_better_when_lower_is_worded_as_a_gain() -> None:
    rules = replace(RULES, objective=Objective({WAF: 1.0}))
    better = result(comparison(1.2, 0.03, 6, rules=rules), rules=rules)
    assert "a gain of 1.20x in write amplification over db_bench's default" in verdict_sentence(better)


def test_a_mixed_objective_names_its_indicators() -> None:
    rules = replace(RULES, objective=Objective({RATE: 1.0, WAF: 0.5}), reference="mine")
    mixed = replace(improved(), rules=replace(rules, baselines={"mine": Configuration()}))
    phrase = 'a gain of 1.20x over "mine" in the weighted mean of settled throughput and write amplification'
    assert phrase in verdict_sentence(mixed)


def test_a_claim_without_any_possible_gain_says_so() -> None:
    futile = comparison(0.99, 0.05, 6)
    capped = replace(futile, claim=replace(futile.claim, high=0.999))
    assert "any gain is excluded" in verdict_sentence(result(capped))


def test_an_unbounded_interval_prints_a_question_mark() -> None:
    found = comparison(0.99, 0.05, 6)
    wild = replace(found, claim=replace(found.claim, high=float("inf")))
    assert "[0.94x, ? at 95 %, adjusted" in verdict_sentence(result(wild))


@pytest.mark.parametrize(
    ("decisions", "stage"),
    [
        (Decisions(), "search"),
        (Decisions(trials=40), "search"),
        (Decisions(trials=40, finalists=("trial-1",)), "verify"),
        (Decisions(trials=40, finalists=("trial-1",), winner="finalist-1"), "prune"),
        (Decisions(trials=40, finalists=("trial-1",), winner="finalist-1", smaller=FINAL), "confirm"),
    ],
)
def test_a_study_that_goes_on_names_its_stage(decisions: Decisions, stage: str) -> None:
    assert f"in the stage {stage}" in verdict_sentence(result(decisions=decisions))


def test_a_study_without_trials_is_at_its_baseline() -> None:
    young = result(done=False)
    counts = {(Purpose.BASELINE, Status.OK): 3}
    young = replace(young, decisions=Decisions(), summary=replace(young.summary, counts=counts))
    assert verdict_sentence(young) == "Still going on, in the stage baseline: nothing is claimed yet."


def test_noise_is_named_as_the_reason_where_it_is() -> None:
    noisy = result(comparison(0.99, 0.3, 6))
    assert next_step(noisy).startswith("Lower the noise, as the gains of single pairs scatter by")


def test_pairs_that_were_lost_at_the_last_look_do_not_make_a_claim_futile() -> None:
    found = comparison(1.03, -0.15, 20)
    fewer = replace(found, claim=replace(found.claim, n=12))
    assert state_of(result(fewer)) is State.INCONCLUSIVE


def test_a_gain_that_a_host_contradicts_is_inconclusive_for_that_reason_alone() -> None:
    found = comparison(1.2, 0.03, 6)
    hosts = OnHosts({"lab-1": HostGain(15, 1.3, False), "lab-2": HostGain(5, 0.95, True)}, None)
    contradicted = replace(found.claim, decision=Decision.INCONCLUSIVE, n=20, looks=3)
    told = result(replace(found, claim=contradicted, hosts=hosts))
    assert state_of(told) is State.INCONCLUSIVE
    sentence = verdict_sentence(told)
    assert sentence.startswith("Inconclusive: the best finalist has 1.20x the settled throughput")
    assert sentence.endswith("n = 20 pairs]; its sign differs between hosts: lab-2 has 0.95x.")
    assert "lsmtune doctor --hosts" in next_step(told)


def test_the_pairs_that_would_be_needed_are_those_of_a_claim_that_shares_its_level() -> None:
    found = comparison(1.03, 0.05, 6)
    spread = compare_log_ratios(found.gains).sd_log
    alone, shared = (pairs_needed(spread, 0.03, POCOCK_ALPHA / claims) for claims in (1, 3))
    assert alone < shared
    assert f"about {alone} pairs would be needed" in verdict_sentence(result(found))
    several = replace(found, claim=replace(found.claim, family=3))
    assert f"about {shared} pairs would be needed" in verdict_sentence(result(several))


BEST = comparison(1.0, 0.01, 6)
LESS = comparison(0.98, 0.01, 6, arm="finalist-2")


@pytest.mark.parametrize(
    ("verified", "done", "words"),
    [
        ((BEST, LESS), True, 'No difference larger than 1.0 %: the best of them, "large buffers", has 1.00x the'),
        ((BEST,), True, 'No difference larger than 1.0 %: "large buffers" has 1.00x the settled throughput'),
        ((comparison(0.9, 0.03, 6),), True, 'Worse: "large buffers" has 0.90x'),
        ((comparison(1.2, 0.03, 6), LESS), True, 'Improved by "large buffers": 1.20x'),
        (
            (comparison(1.2, 0.03, 6, others={P99: 3.0}),),
            True,
            'in the objective by "large buffers", but not accepted:',
        ),
        (
            (comparison(1.2, 0.03, 6, others={SPACE: 1.3}),),
            True,
            'in the objective by "large buffers", but not accepted',
        ),
        ((BEST, LESS), False, 'the best of them so far, "large buffers", has 1.00x'),
        ((BEST,), False, '; "large buffers" so far has 1.00x'),
    ],
)
def test_what_the_user_named_is_called_by_its_name(verified: tuple[Comparison, ...], done: bool, words: str) -> None:
    found = named(*verified, done=done)
    assert words in verdict_sentence(found)
    page = on_page(tune_card(found), 100)
    assert "finalist" not in page
    (head,) = [line for line in page.splitlines() if line.startswith("indicator") and "part" in line]
    assert "large buffers" in head


def test_a_long_name_leaves_a_card_its_width() -> None:
    found = named(BEST)
    long = "everything as it is, but for buffers that hold an hour of writes of the busiest day"
    found = replace(found, decisions=replace(found.decisions, finalists=(long,)))
    assert max(len(line) for line in on_page(tune_card(found), 80).splitlines()) <= 80
