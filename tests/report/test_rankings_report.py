"""Rankings by single indicators: tables, the sentence under them, JSON."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from report_builders import FINAL, UNITS, improved, on_page, ranked

from lsmtune.model import Value
from lsmtune.report import leaders_sentence, rankings_json, rankings_view
from lsmtune.result import Ranked, Ranking, Rankings
from lsmtune.stats import noise_floor

RATE = "throughput_ops_s"


def gain(ratio: float, number: int, violation: float = 0.0) -> Ranked:
    values: dict[int, Mapping[str, Value]] = {12: FINAL, 31: {"write_buffer_size": 512 << 20}, 7: {"bloom_bits": 10}}
    return ranked(number, math.log(ratio), values[number], violation=violation)


def ranking(phase: str, *trials: Ranked, winner: int | None = 12) -> Ranking:
    measured = phase in ("", "b")
    return Ranking(
        indicator=RATE if measured else f"{RATE}@{phase}",
        phase=phase,
        noise=noise_floor([100.0, 103.0, 99.0]),
        trials=trials,
        compared=37,
        values={each.stored.run.id: 1000.0 * math.exp(each.log_gain or 0.0) for each in trials},
        winner=next((each for each in trials if each.stored.run.id == winner), None),
    )


def rankings(*by: Ranking, winner: int | None = 12, verified: bool = True) -> Rankings:
    gains = {12: math.log(1.21), 31: math.log(1.13), 7: math.log(0.9)}
    return Rankings(None if winner is None else gain(1.21, winner), verified, gains, by)


LOAD = ranking("load", gain(1.5, 31), gain(1.12, 12), gain(0.7, 7))
A = ranking("a", gain(1.3, 12), gain(1.1, 31), gain(1.6, 7, violation=0.2))
B = ranking("b", gain(0.97, 12), gain(0.9, 31))
SHOWN = rankings(LOAD, A, B)


def test_the_tables_look_as_they_should(golden: Callable[[str, str], None]) -> None:
    golden("rankings.txt", on_page(rankings_view(improved(), SHOWN, UNITS), 100))


@pytest.mark.parametrize("width", [80, 120])
def test_no_line_is_longer_than_the_terminal_is_wide(width: int) -> None:
    page = on_page(rankings_view(improved(), SHOWN, UNITS), width)
    assert max(len(line) for line in page.splitlines()) <= width


def test_tables_without_unicode_are_ascii() -> None:
    assert on_page(rankings_view(improved(), SHOWN, UNITS), 100, encoding="ascii").isascii()


def test_every_page_says_that_nothing_is_claimed() -> None:
    page = on_page(rankings_view(improved(), rankings(A), UNITS), 200)
    assert "not a claim" in page
    assert "Nothing here is a claim: each trial ran once" in page


def test_a_winner_that_leads_everywhere_is_said_to_do_so() -> None:
    same = ranking("load", *A.trials)
    assert leaders_sentence(rankings(A, same)) == "trial-12, the verified winner, leads in every ranking."
    assert leaders_sentence(rankings(A)) == "trial-12, the verified winner, leads in throughput of a."


def test_other_leaders_are_named_with_their_gain_and_that_of_the_winner() -> None:
    assert leaders_sentence(rankings(A, LOAD, verified=False)) == (
        "trial-12, the leader by the objective, leads in throughput of a; in throughput of load trial-31 leads "
        "(1.50x; trial-12 has 1.12x)."
    )


def test_a_phase_in_which_nothing_is_better_is_said_to_be_one() -> None:
    assert leaders_sentence(rankings(B)) == (
        "trial-12, the verified winner, leads in none of these; in throughput of b no trial that holds its bounds is "
        "better than the reference."
    )


def test_without_a_winner_the_leaders_stand_alone() -> None:
    alone = replace(LOAD, winner=None)
    assert leaders_sentence(rankings(alone, winner=None, verified=False)) == (
        "By the objective no trial that holds its bounds is better than the reference; in throughput of load trial-31 "
        "leads (1.50x)."
    )


def test_an_indicator_without_ratios_says_why_its_table_is_empty() -> None:
    page = on_page(rankings_view(improved(), rankings(replace(A, trials=(), compared=0, winner=None)), UNITS), 100)
    assert "No trial has a ratio to the reference in it" in page


def test_an_indicator_of_the_whole_run_names_no_phase() -> None:
    whole = ranking("", gain(1.3, 12))
    assert leaders_sentence(rankings(whole)).endswith("leads in throughput.")


def test_noise_that_is_not_known_is_said_not_to_be() -> None:
    page = on_page(rankings_view(improved(), rankings(replace(A, noise=None)), UNITS), 100)
    assert "vary is not known" in page


def test_rankings_survive_json_with_nothing_rounded() -> None:
    data = rankings_json(SHOWN)
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    load, a, b = data["by"]
    assert (data["winner"], data["verified"], data["sentence"]) == ("trial-12", True, leaders_sentence(SHOWN))
    assert (load["indicator"], load["step"], load["leader"], load["winner_leads"]) == (
        "throughput_ops_s@load",
        "load",
        "trial-31",
        False,
    )
    assert (a["leader"], a["winner_leads"], b["leader"]) == ("trial-12", True, None)
    first = load["trials"][0]
    assert (first["run"], first["log_gain"], first["objective_log_gain"]) == (31, math.log(1.5), math.log(1.13))
    assert first["value"] == pytest.approx(1500.0)
    assert first["values"] == {"write_buffer_size": 512 << 20}
    assert a["trials"][2]["violation"] == 0.2
