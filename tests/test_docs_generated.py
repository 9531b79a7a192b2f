"""The generated pages of docs/ say what the code says."""

import importlib
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from lsmtune.indicators import INDICATORS
from lsmtune.space import catalogue

ROOT = Path(__file__).parent.parent


@pytest.fixture
def gen_docs(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return importlib.import_module("gen_docs")


def test_every_page_is_current(gen_docs: Any) -> None:
    assert gen_docs.stale(ROOT / "docs") == [], "run python tools/gen_docs.py"


def test_the_check_names_what_is_missing_or_edited(
    gen_docs: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gen_docs.write(tmp_path)
    assert gen_docs.main(["--check"], tmp_path) == 0
    (tmp_path / "reference" / "options.md").write_text("edited by hand\n")
    (tmp_path / "reference" / "cli.md").unlink()
    assert gen_docs.main(["--check"], tmp_path) == 1
    named = [line.partition(" ")[0] for line in capsys.readouterr().err.splitlines()]
    assert named == [str(tmp_path / "reference" / "options.md"), str(tmp_path / "reference" / "cli.md")]


def test_an_unknown_argument_is_refused_and_nothing_is_written(gen_docs: Any, tmp_path: Path) -> None:
    assert gen_docs.main(["--chekc"], tmp_path) == 2
    assert list(tmp_path.iterdir()) == []


def test_every_option_and_indicator_has_an_entry(gen_docs: Any) -> None:
    names = ("reference/options.md", "reference/indicators.md")
    options, indicators = (gen_docs.PAGES[name]().splitlines() for name in names)
    assert {f"### {name}" for name in catalogue().options} <= set(options)
    assert {f"## {name}" for name in INDICATORS} <= set(indicators)


def test_every_link_within_a_page_has_its_heading(gen_docs: Any) -> None:
    for name, make in gen_docs.PAGES.items():
        text = make()
        headings = {line.lstrip("# ").lower().replace(" ", "-") for line in text.splitlines() if line.startswith("#")}
        links = {part.partition(")")[0] for part in text.split("](#")[1:]}
        assert links <= headings, name


def test_the_schema_is_one(gen_docs: Any) -> None:
    text = gen_docs.PAGES["reference/schema/experiment.schema.json"]()
    jsonschema.Draft202012Validator.check_schema(json.loads(text))


def test_help_is_plain_text_of_a_fixed_width(gen_docs: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = gen_docs.PAGES["reference/cli.md"]()
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert gen_docs.PAGES["reference/cli.md"]() == usual
    assert "\x1b" not in usual
