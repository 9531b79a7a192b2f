"""Why a search ended, in words."""

from dataclasses import replace

from report_builders import UNITS, improved, on_page

from lsmtune.model import StudyKind
from lsmtune.report import search_end_sentence, tune_card
from lsmtune.result import Decisions, SearchStop


def ended(decisions: Decisions) -> str:
    return search_end_sentence(replace(improved(), decisions=decisions))


def test_a_search_that_spent_its_share_says_so() -> None:
    assert ended(Decisions(trials=40)) == "ended after 40 trials, with its share of the budget"


def test_an_early_end_says_what_was_given_up_and_its_chance() -> None:
    assert ended(Decisions(trials=87, stopped=SearchStop(113, 0.062))) == (
        "ended after 87 trials, early: 113 more trials had a chance of 6.2 % to find something more than 3.0 % "
        "better, judged by the trials"
    )


def test_a_search_that_goes_on_and_a_study_without_one_say_nothing() -> None:
    assert ended(Decisions()) == ""
    assert ended(Decisions(plan=StudyKind.STEPS)) == ""


def test_the_card_says_why_the_search_ended() -> None:
    early = replace(improved(), decisions=replace(improved().decisions, stopped=SearchStop(60, 0.0)))
    page = " ".join(on_page(tune_card(early, UNITS), 100).split())
    assert "search ended after 40 trials, early: 60 more trials had a chance of 0.0 %" in page
