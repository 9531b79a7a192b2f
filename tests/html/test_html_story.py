"""The report as a story: chapters in order, a sentence at the head of each section, one page for who decides."""

import shutil
import subprocess
from pathlib import Path

import pytest
from html_builders import Page, page_of

FROZEN = Path(__file__).parents[1] / "data" / "studies"
CHAPTERS = ("The verdict and its evidence", "Where it holds", "The search", "Inside single runs")
KINDS = ("tune-pruned", "tune-front", "tune-nothing", "compare", "steps", "sweep", "sample", "nni-command")
LETTER, A4 = (8.5, 11.0), (8.27, 11.69)
"""Width and height of a sheet in inches."""


def frozen(folder: Path, name: str) -> Path:
    """Copy a frozen study."""
    return Path(shutil.copytree(FROZEN / name, folder / name))


def printed(page: Path, sheet: tuple[float, float] | None = None) -> list[str]:
    """Print a page through the browser as a user would, and return the text of each sheet."""
    pdf = page.with_suffix(".pdf")
    source = page
    if sheet is not None:  # what a user sets in the dialogue of the browser
        source = page.with_name(f"sized-{page.name}")
        source.write_text(page.read_text().replace("@page { ", f"@page {{ size: {sheet[0]}in {sheet[1]}in; "))
    quiet = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-pdf-header-footer")
    command = ["chromium", *quiet, f"--user-data-dir={page.parent / 'profile'}", f"--print-to-pdf={pdf}"]
    subprocess.run([*command, source.as_uri()], check=True, capture_output=True, timeout=120)
    text = subprocess.run(["pdftotext", "-layout", pdf, "-"], check=True, capture_output=True, text=True, timeout=60)
    return [" ".join(each.split()) for each in text.stdout.split("\f")]


def sections(page: Page) -> list[str]:
    return [its["id"] for tag, its in page.elements if tag == "section"]


def test_the_chapters_stand_in_the_order_of_the_story(tmp_path: Path) -> None:
    page = page_of(frozen(tmp_path, "tune-pruned"), lite=True)
    body = page.words.partition("In short The question")[2]
    places = [body.find(words) for words in ("Before and after, pair by pair", *CHAPTERS[1:3])]
    assert -1 not in places
    assert places == sorted(places)
    assert page.words.index(CHAPTERS[0]) < page.words.index(CHAPTERS[1]) < page.words.index(CHAPTERS[2])


@pytest.mark.parametrize("kind", KINDS)
def test_each_section_begins_with_a_sentence_on_what_is_to_be_seen(kind: str, tmp_path: Path) -> None:
    page = page_of(frozen(tmp_path, kind), lite=True)
    leads = [its for tag, its in page.elements if tag == "p" and its.get("class") == "lead"]
    assert len(leads) == len(sections(page)) >= 4
    for number, (tag, its) in enumerate(page.elements):
        if tag == "section":
            (_, title), (after, lead) = page.elements[number + 1 : number + 3]
            assert title["class"] == "title"
            assert (after, lead.get("class")) == ("p", "lead"), its["id"]


def test_a_sample_shows_first_which_options_matter(tmp_path: Path) -> None:
    found = sections(page_of(frozen(tmp_path, "sample"), lite=True))
    assert found[:2] == ["summary", "importance"]


def test_costs_have_what_had_to_hold_and_what_grew(tmp_path: Path) -> None:
    page = page_of(frozen(tmp_path, "tune-pruned"), lite=True)
    costs = page.words.rpartition("What it costs The guards and limits")[2].partition("Where it holds")[0]
    assert "worsening <= 1.10xworsening 1.03x [1.02, 1.05], n = 6held" in costs
    assert "peak memory190 MiB291.5 MiB1.53x [1.50, 1.57]- worse" in costs
    assert "settled throughput" not in costs, "what is weighed is no cost"


@pytest.mark.parametrize("sheet", [LETTER, A4], ids=["letter", "a4"])
@pytest.mark.parametrize("lite", [False, True], ids=["page", "lite"])
def test_the_first_printed_page_has_all_that_decides(tmp_path: Path, sheet: tuple[float, float], *, lite: bool) -> None:
    folder = frozen(tmp_path, "tune-pruned")
    page_of(folder, lite=lite)
    first, second, *_ = printed(tmp_path / f"tune-pruned{'-lite' if lite else ''}.html", sheet)
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
def test_of_every_kind_of_study_the_summary_fits_one_page(kind: str, tmp_path: Path) -> None:
    page_of(frozen(tmp_path, kind), lite=True)
    first, second, *_ = printed(tmp_path / f"{kind}-lite.html")
    assert "Question" in first
    assert f"lsmtune show again/{kind}" in first
    assert "Question" not in second
