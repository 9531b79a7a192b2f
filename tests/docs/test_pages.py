"""The documentation as a whole: kinds, lengths, what a stranger finds from README, what a page names is there."""

import re
import statistics
from functools import cache
from pathlib import Path

import pytest
from doc_pages import DOCS, ROOT, links, pages, sentences

from lsmtune.analysis import RUN_COLUMNS

README = ROOT / "README.md"
_MOST_CLICKS = 3
_MOST_WORDS = 20
READ_BY_ALL = [README, *pages("tutorials"), *pages("how-to")]


@cache
def clicks(start: Path) -> dict[Path, int]:
    """How many links lead from a page to each other."""
    found, edge = {start: 0}, [start]
    for number in range(1, _MOST_CLICKS + 1):
        edge = [each for page in edge for each in links(page) if each.suffix == ".md" and each not in found]
        found |= dict.fromkeys(edge, number)
    return found


@pytest.mark.parametrize(
    "page",
    [
        "tutorials/your-configuration.md",
        "how-to/read-your-card.md",
        "how-to/deploy.md",
        "how-to/repeat-a-paper.md",
        "contribute/adding-an-engine.md",
    ],
)
def test_a_stranger_finds_it_in_three_clicks_from_the_readme(page: str) -> None:
    assert clicks(README)[DOCS / page] <= _MOST_CLICKS


def test_every_page_is_found_from_the_readme() -> None:
    assert {page for page in DOCS.rglob("*.md") if "decisions" not in page.parts} <= clicks(README).keys()


def test_every_link_leads_to_a_file() -> None:
    everywhere = [*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "reproductions").rglob("*.md")]
    everywhere += (ROOT / "examples").rglob("*.md")
    broken = [f"{page.relative_to(ROOT)}: {link}" for page in everywhere for link in links(page) if not link.exists()]
    assert not broken


def test_pages_are_of_one_kind() -> None:
    kinds = {path.name for path in DOCS.iterdir() if path.is_dir()}
    assert kinds == {"tutorials", "how-to", "reference", "explanation", "contribute", "share"}
    assert [path.name for path in DOCS.glob("*.md")] == ["README.md"]


def test_the_readme_fits_its_pages_and_begins_with_what_to_type() -> None:
    lines = README.read_text("utf-8").splitlines()
    assert len(lines) <= 120
    first = "\n".join(lines[:40])
    assert "make demo" in first
    assert "make test" in first
    rows = [part for part in re.split(r"\n\s*\n", "\n".join(lines)) if part.count("](") > 4 and "|" not in part]
    assert not rows, "a paragraph that is a row of links"


def test_the_first_screen_says_what_lsmtune_is_for_and_how_to_begin() -> None:
    screen = README.read_text("utf-8").partition("\n## ")[0]
    what, *_ = (part for part in screen.split("\n\n") if not part.startswith("#"))
    assert what.count(". ") + what.count(".\n") == 1, "two sentences say what it does"
    assert re.search(r"^    git clone .*\n    make demo ", screen, re.MULTILINE)
    assert [link for link in re.findall(r"!\[[^\]]*\]\(([^)]*)\)", screen) if (ROOT / link).is_file()]
    assert "(reproductions/quickstart/fillrandom/card.txt)" in screen
    assert "lsmtune tune examples/fillrandom.toml" in screen
    starts, refuses = (screen.partition(f"**{title}**")[2].partition("\n\n")[0] for title in ("What it starts from.", "What it does not do."))
    assert "OPTIONS file" in starts
    assert "LOG" in starts
    assert refuses.strip()


def test_the_headline_figure_is_the_recorded_one() -> None:
    card = " ".join(
        re.sub("[│╭╮╰╯─]", " ", (ROOT / "reproductions/quickstart/fillrandom/card.txt").read_text()).split()
    )
    figure = re.search(r"\*\*([\d.]+x)\*\* the settled throughput \[([^\]]*)\]", " ".join(README.read_text().split()))
    assert figure is not None
    assert f"Improved: {figure[1]} the settled throughput of db_bench's default [{figure[2]}]" in card
    experiment = "\n".join(re.findall(r"```toml\n(.*?)```", README.read_text("utf-8"), re.DOTALL))
    recorded = (ROOT / "reproductions/quickstart/fillrandom/experiment.toml").read_text("utf-8")
    assert _bare(experiment) == _bare(recorded)
    assert _bare(experiment) == _bare((ROOT / "examples/fillrandom.toml").read_text("utf-8"))


def _bare(text: str) -> list[str]:
    return [line.strip() for line in re.sub(r"(?m)#.*$", "", text).splitlines() if line.strip()]


@pytest.mark.parametrize("page", READ_BY_ALL, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_sentences_are_short(page: Path) -> None:
    assert statistics.median(sentences(page)) <= _MOST_WORDS


def test_the_sentences_of_a_text_are_counted(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A title\n\nOne two three. Four `five six` seven\neight.\n\n- nine ten eleven\n\n```\nno code\n```\n"
    )
    assert sentences(page) == [3, 4, 3]


@pytest.mark.parametrize("page", [ROOT / "CONTRIBUTING.md", *pages("contribute")], ids=lambda page: page.stem)
def test_what_a_contributor_is_told_to_change_is_there(page: Path) -> None:
    named = re.findall(r"`((?:src|tests|tools|docs|examples|benchmarks|native)/[\w./-]+)`", page.read_text("utf-8"))
    invented = re.compile(r"NAME|TOOL|VERSION|cabinet|SCRATCH")
    missing = [path for path in named if not invented.search(path) and not (ROOT / path).exists()]
    assert not missing


def test_the_columns_of_the_table_of_runs_are_explained() -> None:
    page = (DOCS / "reference" / "runs-table.md").read_text("utf-8")
    explained = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert explained == list(dict.fromkeys(explained))
    assert set(explained) == set(RUN_COLUMNS)
