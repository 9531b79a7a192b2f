"""What an analysis looks like: on a terminal, as JSON, as figures."""

import json
import re
import tomllib
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from analysis_report_builders import (
    BARE,
    BUNDLE,
    CURVES,
    FULL,
    PACKED,
    SPACE,
    THREADS,
    TRIGGER,
    TRUST,
    WAF,
    around,
    curve,
)
from report_builders import on_page

from lsmtune.analysis import Analysis, JudgedPoints
from lsmtune.report import analysis_card, analysis_figures, analysis_json
from lsmtune.report._analysis_words import direction_words, trust_verdict
from lsmtune.space import Factor

PAGES: dict[str, tuple[Analysis, int]] = {
    "analysis.txt": (FULL, 120),
    "analysis_narrow.txt": (FULL, 80),
    "analysis_without_model.txt": (BARE, 100),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_card_looks_as_it_should(name: str, golden: Callable[[str, str], None]) -> None:
    analysis, width = PAGES[name]
    golden(name, on_page(analysis_card(analysis), width))


@pytest.mark.parametrize("width", [70, 80, 100, 120, 200])
def test_no_line_of_a_card_is_longer_than_the_terminal_is_wide(width: int) -> None:
    assert max(len(line) for line in on_page(analysis_card(FULL), width).splitlines()) <= width


def test_a_card_without_unicode_is_ascii() -> None:
    assert on_page(analysis_card(FULL), 120, encoding="ascii").isascii()


def test_the_shadow_feature_stands_among_the_factors_as_a_row() -> None:
    lines = on_page(analysis_card(FULL), 120).splitlines()
    rows = [
        line.split()[0] for line in lines if "[" in line and line.startswith(("write", "compr", "level0", "shadow"))
    ]
    assert rows[:5] == [
        "write_buffer_size",  # the bundle
        "write_buffer_size",
        "compression_type",
        "level0_file_num_compaction_trigger",
        "shadow",
    ]


def test_what_was_not_seen_to_matter_is_one_line_and_spares_members_of_a_bundle() -> None:
    page = on_page(analysis_card(replace(FULL, indicators=(WAF,))), 120)
    assert "No effect was seen of: workload.threads.\n" in page


def test_a_warning_of_all_indicators_is_said_once_and_one_of_some_with_their_names() -> None:
    page = " ".join(on_page(analysis_card(FULL), 200).split())
    assert page.count("never varied where it has an effect") == 1
    assert "- never varied" in page
    assert "- space on disk: there are no test runs" in page


@pytest.mark.parametrize("width", [60, 120])
def test_what_matters_can_be_pasted_into_an_experiment_file(width: int) -> None:
    page = on_page(analysis_card(FULL), width)
    table = page[page.index("[space]") :].partition("\n\n")[0]
    assert tomllib.loads(table)["space"]["options"] == [
        "write_buffer_size",
        "compression_type",
        "level0_file_num_compaction_trigger",
        "max_bytes_for_level_base",  # as a member of a bundle
        "max_background_jobs",
    ]


def test_where_nothing_matters_nothing_is_offered_to_be_tuned() -> None:
    nothing = replace(FULL, indicators=FULL.indicators[1:])
    assert "[space]" not in on_page(analysis_card(nothing), 120)


def test_words_of_users_are_no_markup_on_the_card() -> None:
    named = replace(FULL, facts={"name": "[red]jin[/red]"})
    assert "[red]jin[/red]" in on_page(analysis_card(named), 100)


@pytest.mark.parametrize(
    ("r2", "ceiling", "word"),
    [(0.9, 0.98, "good"), (0.7, 0.8, "noise"), (0.6, 0.98, "fair"), (0.3, 0.98, "weak"), (0.1, 0.98, "none")],
)
def test_trust_follows_from_what_the_model_reaches(r2: float, ceiling: float, word: str) -> None:
    assert TRUST.test is not None
    assert TRUST.ceiling is not None
    top = replace(TRUST.ceiling, r2=around(ceiling, 0.01))
    assert word in trust_verdict(replace(TRUST, test=replace(TRUST.test, r2=around(r2, 0.05)), ceiling=top))


@pytest.mark.parametrize(
    ("factor", "values", "ratios", "words"),
    [
        (TRIGGER, (2, 4, 8), [1.5, 1.0, 1.0], "larger is better up to 4 files (1.00x to 1.50x)"),
        (TRIGGER, (2, 4, 8), [1.0, 1.2, 1.5], "smaller is better, to 2 files, where the range ends (1.00x to 1.50x)"),
        (TRIGGER, (2, 4, 8, 16), [1.4, 1.0, 1.0, 1.3], "best from 4 files to 8 files (1.00x to 1.40x)"),
        (TRIGGER, (2, 4, 8), [1.4, 1.0, 1.3], "best near 4 files (1.00x to 1.40x)"),
        (PACKED, PACKED.choices, [1.0, 1.0, 0.98, 1.3], "worst: bzip2 (0.98x to 1.30x)"),
        (PACKED, PACKED.choices, [1.0, 1.1, 0.7, 1.3], "best: zstd (0.70x to 1.30x)"),
        (TRIGGER, (2, 4, 8), [1.01, 1.0, 0.99], "unclear (0.99x to 1.01x)"),
    ],
)
def test_directions_in_words(factor: Factor, values: Any, ratios: list[float], words: str) -> None:
    assert direction_words(curve(factor, values, ratios), factor, "waf") == words


def test_an_indicator_that_is_not_judged_has_more_and_not_better() -> None:
    found = curve(TRIGGER, (2, 4, 8), [1.0, 1.5, 1.5])
    assert direction_words(found, TRIGGER, "levels_populated") == "larger gives more up to 4 files (1.00x to 1.50x)"
    assert direction_words(found, TRIGGER, "throughput_ops_s").startswith("larger is better up to 4 files")


def test_json_holds_what_the_card_says_and_no_nan() -> None:
    told = json.loads(json.dumps(analysis_json(FULL), allow_nan=False))
    assert told["format"] == 1
    waf, space = told["indicators"]
    assert waf["matters"][0] == BUNDLE
    assert waf["trust"]["test"]["r2"] == {"value": 0.93, "low": pytest.approx(0.91), "high": pytest.approx(0.95)}
    assert waf["one_way"][1]["largest_difference"] is None
    assert waf["curves"][0]["direction"] == {"trend": "larger", "values": [256 * 2**20], "at_end": False}
    assert "rug" not in waf["curves"][0]
    assert waf["anova"]["tests"][0]["p"]["significant"] is True
    assert space["anova"] is None
    assert space["sobol"] is None
    assert told["groups"]["online"] == {
        "write_buffer_size": ["waf"],
        "max_bytes_for_level_base": ["waf"],
        TRIGGER.name: ["waf"],
    }
    assert told["groups"]["workload"] == {}
    assert told["stopped"][0]["sentence"].startswith("31 of 40 stopped runs had compression_type = bzip2")
    assert json.dumps(analysis_json(BARE), allow_nan=False)


def test_figures_are_small_labelled_pictures_that_do_not_change() -> None:
    figures = analysis_figures(FULL)
    assert set(figures) == {"importance-waf.svg", "effects-waf.svg", "predicted-waf.svg", "learning-waf.svg"} | {
        "importance-space_bytes.svg"
    }
    again = analysis_figures(FULL)
    for name, text in figures.items():
        assert text == again[name]
        assert len(text.encode()) <= 300_000
        assert "<dc:date>" not in text
        ElementTree.fromstring(text)
    for part in ("training runs", "R² of write amplification on the test runs", "ceiling"):
        assert part in figures["learning-waf.svg"]
    for part in ("predicted, ratio to the reference", "60 test runs"):
        assert part in figures["predicted-waf.svg"]
    for part in ("write_buffer_size [B]", "256 MiB", "bzip2", "n=6"):
        assert part in figures["effects-waf.svg"]
    for part in (PACKED.name, THREADS.name, "95 % interval, n = 200 runs", "larger shadow feature"):
        assert part in figures["importance-waf.svg"]


def test_figures_use_no_colour() -> None:
    for text in analysis_figures(FULL).values():
        for red, green, blue in re.findall(r"#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})\b", text):
            assert red == green == blue


def test_a_figure_of_many_runs_stays_small() -> None:
    rng = np.random.default_rng(0)
    crowded = replace(CURVES[0], rug=rng.uniform(2**24, 2**29, 5000))
    points = replace(WAF.trust, points=JudgedPoints(rng.normal(size=5000), rng.normal(size=5000)))
    many = replace(FULL, indicators=(replace(WAF, curves=(crowded,) * 8, trust=points), SPACE))
    assert max(len(text.encode()) for text in analysis_figures(many).values()) <= 300_000
