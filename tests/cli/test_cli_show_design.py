"""`lsmtune show` of samples and sweeps, and what `lsmtune sweep` refuses of a table."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from cli_fixtures import Lsmtune
from html_builders import sampled
from sweep_builders import swept

from lsmtune.analysis import Runs
from lsmtune.store import read_study
from lsmtune.study import runs_of
from lsmtune.testing import Fault

RATE = "throughput_settled_ops_s"


def table_of(study: Path) -> Path:
    """Write the table that lsmtune sweep leaves in a study."""
    with read_study(study) as opened:
        runs_of(opened).write(study / "runs.parquet")
    return study / "runs.parquet"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return table_of(swept(tmp_path / "grid"))


def refused(lsmtune: Lsmtune, *words: str) -> str:
    """The one sentence with which a sweep is refused, without a trace."""
    code, out, err = lsmtune("sweep", *words)
    assert code in (1, 2)
    assert "Traceback" not in err
    assert "Who wins" not in out
    return " ".join(err.split())


def test_a_sweep_is_shown_with_the_words_of_its_table_and_with_what_the_linter_found(
    lsmtune: Lsmtune, tmp_path: Path
) -> None:
    study = swept(tmp_path / "grid", faults=lambda run: Fault.FAIL if run.id == 9 else None)
    table = str(table_of(study))
    code, card, err = lsmtune("show", str(study))
    assert code == 0, err
    words = lsmtune("sweep", table)[1]
    assert "Who wins in settled throughput" in words
    assert card.startswith(words)
    said = card.removeprefix(words).split()
    assert said[:2] == ["Findings", "-"]
    assert "failed-runs:" in said
    shown = json.loads(lsmtune("show", str(study), "--json")[1])
    alone = json.loads(lsmtune("sweep", table, "--json")[1])
    assert alone["findings"] is None, "a bare table does not tell"
    assert alone["warnings"] is None
    assert "failed-runs" in {finding["code"] for finding in shown["findings"]}
    assert len(shown["warnings"]) == len(shown["findings"])
    assert {name: value for name, value in shown.items() if name not in ("warnings", "findings")} == {
        name: value for name, value in alone.items() if name not in ("warnings", "findings")
    }


def test_a_sweep_without_a_cell_says_so(lsmtune: Lsmtune, tmp_path: Path) -> None:
    study = str(swept(tmp_path / "grid", runs=2))
    code, out, err = lsmtune("show", study)
    assert code == 0, err
    assert "No cell of the sweep has run yet" in out
    found = json.loads(lsmtune("show", study, "--json")[1])
    assert found["cells"] == []
    assert found["duels"] == {RATE: []} or not any(found["duels"].values())
    code, out, err = lsmtune("sweep", str(table_of(Path(study))), "--figures", "maps")
    assert code == 0, err
    assert "No cell of the sweep has run yet" in out
    assert list(Path("maps").iterdir()) == []


def test_a_sample_is_shown_with_what_the_linter_found(lsmtune: Lsmtune, tmp_path: Path) -> None:
    study = str(sampled(tmp_path / "sample"))
    out = lsmtune("show", study)[1]
    assert out.index("The reference over the sample") < out.index("failed-runs: ") < out.index("Next: lsmtune analyze")
    found = json.loads(lsmtune("show", study, "--json")[1])
    assert {"failed-runs", "disturbed-host"} <= {finding["code"] for finding in found["findings"]}


def test_trials_of_a_sweep_are_not_ranked(lsmtune: Lsmtune, tmp_path: Path) -> None:
    study = swept(tmp_path / "grid", runs=2)
    code, _, err = lsmtune("show", str(study), "--by", "waf")
    assert code == 2
    assert f"is a sweep, without trials to rank; see lsmtune show {study}" in " ".join(err.split())


def test_an_unknown_indicator_is_refused_before_anything_runs(lsmtune: Lsmtune, table: Path) -> None:
    assert '"thruput_ops_s" is not an indicator; did you mean throughput_ops_s' in refused(
        lsmtune, str(table), "--indicator", "thruput_ops_s"
    )
    Path("x.toml").write_text(
        '[workload]\nbenchmarks = "fillrandom"\nnum = 100\n[sweep.options]\nblock_size = [1, 2]\n'
    )
    assert "is not an indicator" in refused(lsmtune, "x.toml", "--indicator", "nonsense")
    assert not Path("studies").exists()


def test_an_indicator_that_no_run_has_is_refused(lsmtune: Lsmtune, table: Path) -> None:
    assert 'no run of this study has the indicator "bloom_fpr"; take one of' in refused(
        lsmtune, str(table), "--indicator", "bloom_fpr"
    )


def test_a_table_whose_competing_factor_is_none_of_its_factors_is_refused(lsmtune: Lsmtune, table: Path) -> None:
    runs = Runs.read(table)
    text = runs.facts.experiment.replace('rival = "style"', 'rival = "bloom_bits"')
    replace(runs, facts=replace(runs.facts, experiment=text)).write(Path("other.parquet"))
    said = refused(lsmtune, "other.parquet")
    assert '"bloom_bits" is not swept; take one of' in said
    assert "variant.style" in said


def test_figures_that_cannot_be_written_are_told(lsmtune: Lsmtune, table: Path) -> None:
    Path("taken").write_text("a file")
    assert "taken cannot be made a folder" in refused(lsmtune, str(table), "--figures", "taken")
    Path("x.toml").write_text(
        '[workload]\nbenchmarks = "fillrandom"\nnum = 100\n[sweep.options]\nblock_size = [1, 2]\n'
    )
    assert "taken cannot be made a folder" in refused(lsmtune, "x.toml", "--figures", "taken")
    assert not Path("studies").exists(), "told before hours of runs"
    Path("maps", f"winner-{RATE}.svg").mkdir(parents=True)
    code, _, err = lsmtune("sweep", str(table), "--figures", "maps")
    assert code == 2
    assert f"winner-{RATE}.svg cannot be written: Is a directory; give another name" in " ".join(err.split())
