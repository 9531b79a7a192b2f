"""Everything recorded under ``reproductions`` is read today, and says today what it said when its golden file was made.

In full an analysis takes minutes a table, so that here a sweep says who wins where, and everything else what the
analysis of variance finds; where neither can be said, the sentence why.
"""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import lsmtune
from lsmtune.analysis import (
    RUN_COLUMNS,
    AnovaPlan,
    Outcome,
    Runs,
    Sample,
    anova,
    default_indicators,
    response,
    sweep_cells,
    training_rows,
)
from lsmtune.errors import StatisticsError, UsageError
from lsmtune.experiment import competing_factor
from lsmtune.indicators import indicator
from lsmtune.report import sweep_json, usual_indicators

ROOT = Path(__file__).parents[2]
RECORDED = ROOT / "reproductions"
TABLES = sorted(RECORDED.rglob("runs.parquet"))
RESULTS = sorted(RECORDED.rglob("result.json"))
ANALYSES = sorted(RECORDED.rglob("analysis.json"))
WHOLE = sorted({path.relative_to(RECORDED).parts[0] for path in (*TABLES, *RESULTS)})
_MOST_TERMS = 4


def name_of(path: Path) -> str:
    return path.relative_to(RECORDED).parent.as_posix()


def told_of_table(path: Path) -> Iterator[str]:
    """Yield what the runs of a table are, and what they say."""
    runs = Runs.read(path)
    kinds = ", ".join(f"{kind} {count}" for kind, count in runs.frame["purpose"].value_counts().sort_index().items())
    yield f"{len(runs)} runs of {len(runs.factors)} factors on {runs.facts.engine} {runs.facts.version}: {kinds}"
    try:
        competing = competing_factor(runs.facts.asked)
    except UsageError:
        yield from told_by_variance(runs)
        return
    cells = sweep_cells(runs, usual_indicators(runs))
    yield f"{len(cells)} cells of {sum(cell.runs for cell in cells)} runs, {sum(cell.lost for cell in cells)} lost"
    yield from (rule["words"] for rule in sweep_json(runs, usual_indicators(runs), competing)["rules"].values())


def told_by_variance(runs: Runs) -> Iterator[str]:
    """Yield for the first indicator the terms that are significant, the strongest first, with omega squared."""
    (name, *_) = default_indicators(runs)
    try:
        answer = response(runs, name)
        rows = training_rows(runs, answer)
        sample = Sample.of(runs.where(rows), answer.where(rows), seed=0)
        stopped = answer.bounded[rows & (answer.known | answer.bounded)]
        (table,) = anova([Outcome(name, sample, stopped)], AnovaPlan(draws=20))
    except StatisticsError as error:
        yield f"{name}: {error}"
        return
    found = sorted((test for test in table.tests if test.p.significant), key=lambda test: -test.overall.value)
    terms = ", ".join(f"{test.term} {test.overall.value:.2f}" for test in found[:_MOST_TERMS])
    yield f"{name} in {table.runs} runs: {len(found)} of {len(table.tests)} terms are significant; {terms or 'none'}"


def told_of_result(path: Path) -> str:
    """Return the first sentence of a result, or of a repetition of Jin et al. what its best does."""
    result = json.loads(path.read_text())
    if "sentence" in result:
        return f"{result['state']}: {result['sentence']}"
    ratios = (f"{name} {value:.2f}x" for name, value in result["claimed"].items())
    return f"{sum(each['runs'] for each in result['runs'])} runs, claimed of the best: {', '.join(ratios)}"


@pytest.mark.parametrize("whole", WHOLE)
def test_a_reproduction_says_what_it_said(whole: str, golden: Callable[[str, str], None]) -> None:
    lines: list[str] = []
    for path in (each for each in TABLES if name_of(each).startswith(whole)):
        lines += [f"{name_of(path)}/runs.parquet", *(f"  {line}" for line in told_of_table(path))]
    for path in (each for each in RESULTS if name_of(each).startswith(whole)):
        lines += [f"{name_of(path)}/result.json", f"  {told_of_result(path)}"]
    golden(f"{whole}.txt", "\n".join(lines) + "\n")


@pytest.mark.parametrize("path", TABLES, ids=name_of)
def test_a_recorded_table_has_the_columns_that_are_documented(path: Path) -> None:
    runs = Runs.read(path)
    told = {*RUN_COLUMNS, *(factor.column for factor in runs.factors)}
    assert told <= set(runs.frame.columns)
    rest = set(runs.frame.columns) - told
    assert all(column.startswith("indicator.") for column in rest)
    assert {indicator(column.removeprefix("indicator.").partition("@")[0]).better for column in rest}
    assert runs.frame["run"].is_unique


@pytest.mark.parametrize("path", ANALYSES, ids=name_of)
def test_a_recorded_analysis_is_shown_by_the_report_of_a_study(path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "sample"
    shutil.copytree(ROOT / "tests" / "data" / "studies" / "sample", folder)
    shutil.copy(path, folder)
    page = lsmtune.load(folder).report(lite=True).read_text()
    assert "The analysis of this study cannot be read" not in page
    assert f"Made of {json.loads(path.read_text())['runs']} runs" in page
