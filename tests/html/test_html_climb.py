"""Where a result holds, on its page."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from html_builders import page_of, tuned

from lsmtune.result import Climbing
from lsmtune.study import Budget
from lsmtune.testing import EachChange, FakePlan, Noise, fake_rules, fake_space

BUFFER, JOBS = "write_buffer_size", "max_background_jobs"


def plan(buffer: float, jobs: float) -> FakePlan:
    """A tuning at 1/64 with two finalists, which have these ratios to the reference at 1/16."""
    slow = dict.fromkeys(fake_space().names, 0.3)
    at = {Fraction(4): EachChange(gains={**slow, BUFFER: buffer, JOBS: jobs})}
    return FakePlan(
        Budget(None, 180),
        EachChange(gains={**slow, BUFFER: 1.5, JOBS: 1.3}),
        Noise(rate=0.02),
        rules=replace(fake_rules(), climbing=Climbing(Fraction(1, 64), (Fraction(1, 16),), 0.3)),
        first=({BUFFER: 256 << 20}, {JOBS: 8}),
        larger=at,
    )


def test_a_page_says_up_to_which_scale_a_result_holds_and_what_lost(tmp_path: Path) -> None:
    page = page_of(tuned(tmp_path / "study", plan(0.8, 1.3)))
    assert "At larger scales" in page.words
    assert "Where it holds: improved at 1/64 and 1/16." in page.words
    assert "Finalist-1 improved at 1/64 and lost at 1/16, so it is no winner: worse, 0.8" in page.words
    assert "finalist-1 (trial-1)" in page.words


def test_a_page_of_a_study_that_lost_everything_says_so(tmp_path: Path) -> None:
    page = page_of(tuned(tmp_path / "study", plan(0.8, 0.7)))
    assert "lost at a larger scale" in page.words
    assert "It was not shown to hold at any larger scale." in page.words
    assert "Where it holds: improved" not in page.words


def test_a_page_of_what_held_at_one_larger_scale_and_lost_at_the_next_says_both(tmp_path: Path) -> None:
    next_scale = plan(0.8, 0.7).larger[Fraction(4)]
    rules = replace(fake_rules(), climbing=Climbing(Fraction(1, 64), (Fraction(1, 16), Fraction(1, 4)), 0.45))
    held = replace(plan(1.4, 1.3), budget=Budget(None, 230), rules=rules)
    lost = replace(held, larger={**held.larger, Fraction(16): next_scale})
    page = page_of(tuned(tmp_path / "study", lost))
    assert "Lost at a larger scale: finalist-1 improved at 1/64 and 1/16 and lost at 1/4" in page.words
    assert "It was not shown to hold at any larger scale." not in page.words


def test_a_page_of_a_study_that_does_not_climb_has_no_such_section(tmp_path: Path) -> None:
    assert "At larger scales" not in page_of(tuned(tmp_path / "study")).words
