"""The skeletons of the pages for contributors run as they stand; CONTRIBUTING has layers, packages and targets."""

import json
import re
import textwrap
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer
from doc_pages import DOCS, ROOT
from typer.testing import CliRunner

import lsmtune
from lsmtune import api
from lsmtune.exporters import ExportContext
from lsmtune.indicators import INDICATORS, Indicator
from lsmtune.testing.sampler_conformance import check_sampler

STUDY = ROOT / "tests" / "data" / "studies" / "tune-pruned"
_BLOCK = re.compile(r"^( *)```python\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)


def skeletons(page: str) -> list[str]:
    """The blocks of Python of a page for contributors, in their order."""
    text = (DOCS / "contribute" / page).read_text("utf-8")
    return [textwrap.dedent(block) for _, block in _BLOCK.findall(text)]


def made(text: str) -> dict[str, Any]:
    """What a skeleton defines, run as a module of its own."""
    names: dict[str, Any] = {"__name__": "skeleton"}
    exec(compile(text, "skeleton", "exec"), names)
    return names


def test_the_sampler_keeps_its_promises() -> None:
    check_sampler(made(skeletons("adding-a-sampler.md")[0])["NameSampler"])


def test_the_exporter_writes_the_result_with_its_evidence() -> None:
    (skeleton,) = skeletons("adding-an-exporter.md")
    result = lsmtune.load(STUDY).result
    text = made(skeleton)["NameExport"]().text(ExportContext(result, result.build))
    assert "# Verdict against the reference db_bench: improved" in text
    assert text.endswith("\nwrite_buffer_size=268435456\n")


def test_the_rule_speaks_above_its_threshold_alone() -> None:
    (skeleton,) = skeletons("adding-a-lint-rule.md")
    judge = made(skeleton)["many_changes"]
    assert judge(5) is None
    assert str(judge(6)).startswith("many-changes: result: the result changes 6 options")


def test_the_indicator_is_a_valid_declaration_of_a_new_name() -> None:
    (skeleton,) = skeletons("adding-an-indicator.md")
    declared = eval(skeleton, {"Indicator": Indicator})
    assert isinstance(declared, Indicator)
    assert declared.name not in INDICATORS


def test_the_command_prints_what_its_function_returns(monkeypatch: pytest.MonkeyPatch) -> None:
    function, command = (made(skeleton)["name"] for skeleton in skeletons("adding-a-command.md"))
    monkeypatch.setattr(api, "name", function, raising=False)
    app = typer.Typer()
    app.command()(command)
    runner = CliRunner()
    assert "114 ok" in runner.invoke(app, [str(STUDY)]).output.splitlines()
    assert json.loads(runner.invoke(app, [str(STUDY), "--json"]).output)["ok"] == 114
    assert f'lsmtune.name("studies/{STUDY.name}")["ok"]\n        114' in function.__doc__


def test_contributing_has_the_layers_of_the_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    layers = [layer.replace("lsmtune.", "") for layer in contracts[0]["layers"]]
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    shown = page.partition("## Direction of imports")[2].partition("```text\n")[2].partition("\n```")[0]
    assert shown.splitlines() == layers


def test_contributing_has_every_package_and_every_target() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    layout = page.partition("## Layout")[2].partition("## Direction of imports")[0]
    packages = {path.parent.name for path in Path(lsmtune.__file__).parent.glob("*/__init__.py")}
    assert packages <= set(re.findall(r"^  ([\w]+)/", layout, re.MULTILINE))
    targets = set(re.findall(r"^([a-z-]+):.* ## ", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    explained = set(re.findall(r"`make ([a-z-]+)", page))
    assert targets - {"help", "engine"} <= explained
