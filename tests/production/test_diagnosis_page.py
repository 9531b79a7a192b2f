"""What the LOG of a service says, as a page."""

from html import unescape
from pathlib import Path

import pytest
from test_canary import CUT_S, dump, head

from lsmtune.production import diagnosis_page, read_service
from lsmtune.report.html import MARK

DATA = Path(__file__).parent / "data"


def page_of(tmp_path: Path, text: str) -> str:
    (tmp_path / "LOG").write_text(text)
    return diagnosis_page(read_service([tmp_path / "LOG"]))


def test_the_page_has_the_card_and_pictures_and_loads_nothing(tmp_path: Path) -> None:
    text = head(0, 64, "A") + "".join(dump(at, at, 6, 0.01 if at < 2500 else 0.2) for at in (1000, 2000, 3000))
    page = page_of(tmp_path, text)
    assert page.startswith(MARK)
    assert "What happened since it was opened" in page
    assert page.count("<figure") == page.count("<svg") == 6
    assert "Between dumps of statistics: 1 to 58 share of the time [%], 58 at the end." in page
    assert "default-src 'none'; script-src 'none'" in unescape(page)
    assert "<script" not in page
    assert "src=" not in page
    assert "://" not in page.replace("http://www.w3.org", "")


def test_a_log_without_statistics_has_no_pictures(tmp_path: Path) -> None:
    page = page_of(tmp_path, head(0, 64, "A"))
    assert "<figure" not in page
    assert "set stats_dump_period_sec" in page


def test_a_new_opening_breaks_the_lines(tmp_path: Path) -> None:
    begin = head(0, 64, "A") + dump(1000, 1000, 6, 0.0) + dump(2000, 2000, 6, 0.0)
    page = page_of(
        tmp_path, begin + head(CUT_S, 64, "B") + dump(CUT_S + 1000, 1000, 6, 0.0) + dump(CUT_S + 2000, 2000, 6, 0.0)
    )
    assert "Opened 2 times" in page


def test_names_with_markup_stay_text(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script>"
    page = page_of(tmp_path, (head(0, 64, "A") + dump(1000, 1000, 6, 0.1)).replace("[default]", f"[{hostile}]"))
    assert hostile not in page
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize("name", ["sample.LOG.gz", "sample-statistics.LOG.gz"])
def test_real_logs_become_small_pages(name: str) -> None:
    page = diagnosis_page(read_service([DATA / name]))
    assert len(page.encode()) < 500_000
