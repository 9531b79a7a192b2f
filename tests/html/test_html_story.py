"""The report as a story: chapters in order, a sentence at the head of each section, one page for who decides."""

import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeAlias

import pytest
from html_builders import Page, page_of

FROZEN = Path(__file__).parents[1] / "data" / "studies"
CHAPTERS = ("The verdict and its evidence", "Where it holds", "The search", "Inside single runs")
KINDS = ("tune-pruned", "tune-front", "tune-nothing", "compare", "steps", "sweep", "sample", "nni-command")
LETTER, A4 = (8.5, 11.0), (8.27, 11.69)
"""Width and height of a sheet in inches."""


Told: TypeAlias = Callable[[str, bool], Page]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """The page of a frozen study, or its small page; each is written once."""

    @cache
    def page(kind: str, lite: bool) -> Page:
        folder = tmp_path_factory.mktemp("story") / kind
        return page_of(Path(shutil.copytree(FROZEN / kind, folder)), lite=lite)

    return page


def printed(page: Page, folder: Path, sheet: tuple[float, float] | None = None) -> list[str]:
    """Print a page through the browser as a user would, and return the text of each sheet."""
    source, pdf, text = folder / "page.html", folder / "page.pdf", page.source
    if sheet is not None:  # what a user sets in the dialogue of the browser
        text = text.replace("@page { ", f"@page {{ size: {sheet[0]}in {sheet[1]}in; ")
    source.write_text(text)
    quiet = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-pdf-header-footer")
    command = ["chromium", *quiet, f"--user-data-dir={folder / 'profile'}", f"--print-to-pdf={pdf}"]
    subprocess.run([*command, source.as_uri()], check=True, capture_output=True, timeout=120)
    done = subprocess.run(["pdftotext", "-layout", pdf, "-"], check=True, capture_output=True, text=True, timeout=60)
    return [" ".join(each.split()) for each in done.stdout.split("\f")]


def sections(page: Page) -> list[str]:
    return [its["id"] for tag, its in page.elements if tag == "section"]


def test_the_chapters_stand_in_the_order_of_the_story(told: Told) -> None:
    page = told("tune-pruned", True)
    body = page.words.partition("In short The question")[2]
    places = [body.find(words) for words in ("Before and after, pair by pair", *CHAPTERS[1:3])]
    assert -1 not in places
    assert places == sorted(places)
    assert page.words.index(CHAPTERS[0]) < page.words.index(CHAPTERS[1]) < page.words.index(CHAPTERS[2])


@pytest.mark.parametrize("kind", KINDS)
def test_each_section_begins_with_a_sentence_on_what_is_to_be_seen(kind: str, told: Told) -> None:
    page = told(kind, True)
    leads = [its for tag, its in page.elements if tag == "p" and its.get("class") == "lead"]
    assert len(leads) == len(sections(page)) >= 4
    for number, (tag, its) in enumerate(page.elements):
        if tag == "section":
            (_, title), (after, lead) = page.elements[number + 1 : number + 3]
            assert title["class"] == "title"
            assert (after, lead.get("class")) == ("p", "lead"), its["id"]


def test_a_sample_shows_first_which_options_matter(told: Told) -> None:
    found = sections(told("sample", True))
    assert found[:2] == ["summary", "importance"]


def test_costs_have_what_had_to_hold_and_what_grew(told: Told) -> None:
    page = told("tune-pruned", True)
    costs = page.words.rpartition("What it costs The guards and limits")[2].partition("Where it holds")[0]
    assert "worsening <= 1.10xworsening 1.03x [1.02, 1.05], n = 6held" in costs
    assert "peak memory190 MiB291.5 MiB1.53x [1.50, 1.57]- worse" in costs
    assert "settled throughput" not in costs, "what is weighed is no cost"


@pytest.mark.parametrize("sheet", [LETTER, A4], ids=["letter", "a4"])
@pytest.mark.parametrize("lite", [False, True], ids=["page", "lite"])
def test_the_first_printed_page_has_all_that_decides(
    told: Told, tmp_path: Path, sheet: tuple[float, float], *, lite: bool
) -> None:
    first, second, *_ = printed(told("tune-pruned", lite), tmp_path, sheet)
    for words in (
        "Improved",
        "1.62x",
        "1.50x to 1.75x, 6 pairs",
        "Do other values of 6 options give a higher settled throughput than db_bench's default, for fillrandom",
        "What changed",
        "write_buffer_size 64 MiB 256 MiB 1.34x",
        "held",
        "peak memory 190 MiB 291.5 MiB 1.53x [1.50, 1.57]",
        "Holds for rocksdb 7.8.3, assertion build",
        "db_bench 7.8.3 checks assertions",
        "the ratio from 6 pairs of fresh runs side by side",
        "lsmtune tune experiment.toml --study again/tune-pruned",
    ):
        assert words in first
    for interactive in ("Skip to the report", "Save SVG", "Whole range", "Dark", "The numbers of this figure"):
        assert interactive not in first
    assert "Before and after, pair by pair" not in first
    assert "Before and after, pair by pair" in second, "the evidence begins on a page of its own"


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "tune-pruned"])
def test_of_every_kind_of_study_the_summary_fits_one_page(kind: str, told: Told, tmp_path: Path) -> None:
    first, second, *_ = printed(told(kind, True), tmp_path)
    assert "Question" in first
    assert f"lsmtune show again/{kind}" in first
    assert "Question" not in second
