"""Cards and tables on a terminal."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from report_builders import (
    CHANGES,
    FINAL,
    PLANS,
    RATE,
    RULES,
    SPACE,
    STATES,
    TESTS,
    UNITS,
    comparison,
    detectable,
    improved,
    on_page,
    result,
    scatter,
    stored_run,
)
from rich.console import RenderableType

from lsmtune.indicators import Limit
from lsmtune.model import Configuration, Purpose, Status
from lsmtune.report import card_svg, runs_table, trials_table, tune_card, verdict_sentence
from lsmtune.result import EliminationTest, Evidence, History, LimitSeen
from lsmtune.stats import Decision, many_to_one, within

RUNS = History(
    (
        stored_run(1, Purpose.BASELINE, "db_bench", block=0),
        stored_run(2, Purpose.TRIAL, "trial-1", status=Status.FAILED, reason="db_bench ended with signal 6: [assert]"),
        stored_run(3, Purpose.VERIFY, "finalist-1", block=4),
    ),
    {RATE: {1: 125_000.0, 3: 151_000.0}, SPACE: {1: 9.4e8}},
)
PAGES: dict[str, RenderableType] = {
    **{f"card_{name}.txt": tune_card(each, UNITS) for name, each in {**STATES, **PLANS}.items()},
    "trials.txt": trials_table(improved(), UNITS),
    "runs.txt": runs_table(RUNS, [RATE, SPACE]),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_looks_as_it_should(name: str, golden: Callable[[str, str], None]) -> None:
    golden(name, on_page(PAGES[name], 100))


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", PAGES)
def test_no_line_is_longer_than_the_terminal_is_wide(name: str, width: int) -> None:
    assert max(len(line) for line in on_page(PAGES[name], width).splitlines()) <= width


@pytest.mark.parametrize("name", PAGES)
def test_a_page_without_unicode_is_ascii(name: str) -> None:
    assert on_page(PAGES[name], 100, encoding="ascii").isascii()


def test_a_card_without_colour_has_no_escapes_and_still_marks_better_and_worse() -> None:
    page = on_page(tune_card(improved(), UNITS), 80)
    assert "\x1b" not in page
    assert "+ better" in page
    assert "- worse" in page


def test_an_interval_around_one_is_marked_open() -> None:
    page = on_page(tune_card(result(comparison(1.2, 0.03, 6, others={SPACE: 1.0}))), 100)
    (line,) = [line for line in page.splitlines() if line.startswith("space on disk") and "guard" in line]
    assert "= open" in line


def test_options_are_printed_with_their_units() -> None:
    page = on_page(tune_card(improved(), UNITS), 100)
    assert "64 MiB  256 MiB" in page
    assert "2 threads  4 threads" in page
    assert "67108864  268435456" in on_page(tune_card(improved()), 100)


def test_words_of_users_are_no_markup() -> None:
    named = improved()
    named = replace(named, description=replace(named.description, name="[red]fill[/red]"))
    assert "[red]fill[/red]" in on_page(tune_card(named), 100)


def test_a_limit_on_something_that_was_not_measured_is_unknown() -> None:
    rules = replace(RULES, limits=(Limit("stall_share", "<=", 0.1),))
    unknown = LimitSeen(rules.limits[0], within([], "<=", 0.1))
    page = on_page(tune_card(replace(result(replace(comparison(1.2, 0.03, 6), limits=(unknown,))), rules=rules)), 100)
    (line,) = [line for line in page.splitlines() if line.startswith("stall share")]
    assert line.split()[-2:] == ["?", "open"]


def test_an_indicator_without_a_ratio_keeps_its_levels() -> None:
    found = comparison(1.2, 0.03, 6)
    without = {name: pairs for name, pairs in found.indicators.items() if name != SPACE}
    page = on_page(tune_card(result(replace(found, indicators=without))), 100)
    assert "900 MiB" in page


def test_changes_that_the_confirmation_did_not_let_go_are_not_listed_as_put_back() -> None:
    found = improved().repetition
    assert found is not None
    assert found.retained is not None
    less = replace(found.retained, decision=Decision.INCONCLUSIVE, gain=0.95, low=0.9, high=1.002)
    page = on_page(tune_card(replace(improved(), repetition=replace(found, retained=less))), 100)
    words = " ".join(page.split())
    assert "Without bloom_bits and block_size it has 0.95x [0.90x, 1.00x at 95 %, adjusted, n = 6 pairs]" in words
    assert "n = 6 pairs] of the winner's objective. It is not shown to reach at least" in words
    assert ", so all changes stay." in words
    assert "reverted to the reference" not in page


def test_changes_tested_together_have_a_row_of_their_own_and_others_say_where_they_were_tested() -> None:
    names = ("compression_type", "max_background_jobs")
    (effect,) = many_to_one(scatter(1.02, 0.1, 3), [[0.0] * 3])
    step = EliminationTest(1, names, accepted=False, control=1, final=True)
    tests = (*TESTS, Evidence(step, effect, Configuration.of(FINAL)))
    found = improved(tests=tests, changes=(replace(CHANGES[0], taken_back_since=2), *CHANGES[1:]))
    rows = [" ".join(line.split()) for line in on_page(tune_card(found, UNITS), 140).splitlines()]
    where = "in the winner, before 2 changes were reverted"
    assert f"write_buffer_size 64 MiB 256 MiB 1.09x [1.06, 1.12], n = 8, {where}" in rows
    assert "compression_type snappy lz4 tested with 1 other, see below" in rows
    assert "these 2 together 1.02x [0.80, 1.31], n = 3, not shown" in rows
    assert verdict_sentence(found).endswith(
        "; 3 options changed, 2 of them not tested alone, but together have the ablation effect 1.02x "
        "[0.80x, 1.31x at 95 %, n = 3 pairs], not shown to be one."
    )


def test_a_change_whose_test_has_no_estimate_counts_as_not_tested() -> None:
    without = Evidence(EliminationTest(2, ("write_buffer_size",), accepted=False), None, Configuration.of(FINAL))
    found = improved(changes=(replace(CHANGES[0], evidence=without), *CHANGES[1:]))
    rows = [" ".join(line.split()) for line in on_page(tune_card(found, UNITS), 140).splitlines()]
    assert "write_buffer_size 64 MiB 256 MiB ?, too few complete blocks" in rows
    assert verdict_sentence(found).endswith("3 options changed, none of them tested alone.")


def test_a_configuration_of_which_no_run_ended_well_is_not_said_to_set_nothing() -> None:
    found = PLANS["compared"]
    assert "sets block_size 2048" in on_page(tune_card(found, UNITS), 100)
    page = on_page(tune_card(replace(found, candidates={"finalist-2": found.candidates["finalist-2"]}), UNITS), 100)
    assert "\nsmall blocks\n" in page
    assert "sets nothing" not in page


def test_a_picture_names_no_address() -> None:
    svg = card_svg(tune_card(improved(), UNITS), "lsmtune show fill")
    assert svg.replace('xmlns="http://www.w3.org/2000/svg"', "").count("http") == 0
    assert "@font-face" not in svg
    assert "Improved:" in svg.replace("&#160;", " ")


@pytest.mark.parametrize(
    ("looks", "pairs", "source"),
    [
        (0, 0, "from 13 runs of the reference)"),
        (0, 2, "from 13 runs of the reference and 2 pairs with other starting points)"),
        (1, 18, "from the 18 pairs of the first look)"),
        (2, 36, "from the 36 pairs of 2 looks)"),
    ],
)
def test_the_smallest_detectable_gain_says_what_it_is_estimated_from(looks: int, pairs: int, source: str) -> None:
    shown = replace(STATES["no_finalists"], detectable=detectable(looks, 0 if looks else 13, pairs))
    page = " ".join(on_page(tune_card(shown), 100).split())
    assert "6, 12, 20 pairs can show gains from 6.3 % [4.4 %, 11.6 %], 3.7 % [2.5 %, 6.7 %]" in page
    assert source in page


def test_the_smallest_detectable_gain_says_for_how_many_claims_it_is() -> None:
    first, look = STATES["no_finalists"], replace(detectable(1, 0, 18), claims=3)
    pages = (" ".join(on_page(tune_card(each), 100).split()) for each in (first, replace(first, detectable=look)))
    before, after = pages
    assert "in settled throughput for a single claim (95 % intervals, from 13 runs of the reference" in before
    assert "in settled throughput for each of 3 claims (95 % intervals, from the 18 pairs of the first look)" in after
