"""A backend that there is not goes every way of lsmtune, by its folder and one line in the registry."""

import json
import os
import sys
from pathlib import Path

import pytest
from cli_fixtures import AS_IT_IS, Lsmtune
from invented.backend import FOLDER, CabinetBackend

from lsmtune.backends import registry

BENCH = FOLDER / "cabinet-bench"
ENGINE = '[engine]\nname = "cabinet"\n'
FILL = '[workload]\nbenchmarks = "fill"\nnum = "2k"\n'
QUICK = """
[search]
noise_runs = 3
finalists = 1
[host]
min_free = "1MiB"
disturbed = "use"
"""


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register the backend, name its program, and run that by the Python of the tests.

    The first python3 of a PATH may be a script that looks for one, which takes longer than a run.
    """
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(registry, "BACKENDS", {**registry.BACKENDS, ("cabinet_bench", "cabinet"): CabinetBackend()})
    monkeypatch.setenv("LSMTUNE_CABINET", str(BENCH))


def done(called: tuple[int, str, str]) -> str:
    """Return what a command printed, in one line."""
    code, out, err = called
    assert code == 0, err
    return " ".join(out.split())


def test_a_file_is_begun_tuned_shown_reported_and_exported(lsmtune: Lsmtune, monkeypatch: pytest.MonkeyPatch) -> None:
    done(lsmtune("init", "x.toml", "--engine", "cabinet"))
    begun = Path("x.toml").read_text()
    assert "1.0 was found" in begun
    Path("x.toml").write_text(begun.replace('"20k"', '"2k"') + QUICK)
    done(lsmtune("tune", "x.toml", "--quiet", "--budget", "20 runs"))
    card = done(lsmtune("show", "studies/x"))
    assert "cabinet 1.0" in card
    assert "Cabinet's default" in card
    assert "drawer_size" in done(lsmtune("show", "studies/x", "--trials", "3"))
    done(lsmtune("report", "studies/x"))
    assert "cabinet 1.0" in Path("studies/x/report.html").read_text()
    found = json.loads(done(lsmtune("export", "studies/x", *AS_IT_IS)))
    assert found["engine"]["written_for"]["engine"] == "cabinet"
    assert set(found["values"]) == {"drawer_size", "max_drawers", "merge", "sync"}
    code, _, err = lsmtune("export", "studies/x", "--format", "options-file", *AS_IT_IS)
    assert code != 0
    assert "choose one of json" in err
    monkeypatch.setattr(CabinetBackend, "formats", ())
    assert json.loads(done(lsmtune("export", "studies/x", *AS_IT_IS)))["values"] == found["values"]


def test_configurations_and_builds_are_compared(lsmtune: Lsmtune, tmp_path: Path) -> None:
    other = tmp_path / "cabinet-bench"
    other.write_text(BENCH.read_text().replace('VERSION = "1.0"', 'VERSION = "1.1"'))
    other.chmod(0o755)
    text = '[[compare]]\nname = "one drawer"\nset = { max_drawers = 1 }\n'
    Path("x.toml").write_text(ENGINE + FILL + QUICK + text)
    done(lsmtune("compare", "x.toml", "--quiet", "--budget", "20 runs", "--against", str(other)))
    card = done(lsmtune("show", "studies/x-compare"))
    assert "one drawer" in card
    assert "cabinet 1.1" in card


def test_a_grid_is_swept_over_options_and_axes_with_loaded_data(lsmtune: Lsmtune) -> None:
    sweep = '[sweep]\nrepeats = 2\n[sweep.options]\nmerge = ["newest", "all"]\n[sweep.axes]\nvalue_size = [50, 100]\n'
    reads = '[workload]\nload = "fill"\nbenchmarks = ["update", "read"]\nnum = "2k"\n'
    Path("x.toml").write_text(ENGINE + reads + QUICK + sweep)
    assert "merge" in done(lsmtune("sweep", "x.toml", "--quiet"))
    found = json.loads(done(lsmtune("sweep", "studies/x-sweep/runs.parquet", "--json", "--indicator", "waf")))
    assert len(found["cells"]) == 4
    done(lsmtune("report", "studies/x-sweep"))


def test_axes_alone_are_swept_while_an_option_of_its_own_stands_still(lsmtune: Lsmtune) -> None:
    Path("x.toml").write_text(ENGINE + FILL + QUICK + "[sweep]\nrepeats = 2\n[sweep.axes]\nvalue_size = [50, 100]\n")
    assert "drawer_size" not in done(lsmtune("sweep", "x.toml", "--quiet"))


def test_a_design_is_sampled_and_analysed(lsmtune: Lsmtune) -> None:
    sample = '[sample]\nruns = 24\nreplicates = 0\n[space]\noptions = ["max_drawers", "merge"]\n'
    Path("x.toml").write_text(ENGINE + FILL + QUICK + sample)
    done(lsmtune("sample", "x.toml", "--quiet"))
    assert "max_drawers" in done(lsmtune("analyze", "studies/x", "--indicator", "waf"))
    done(lsmtune("report", "studies/x"))


def test_the_doctor_shows_it_and_its_noise(lsmtune: Lsmtune, monkeypatch: pytest.MonkeyPatch) -> None:
    only = {("cabinet_bench", "cabinet"): CabinetBackend()}
    monkeypatch.setattr(registry, "BACKENDS", only)
    assert "cabinet 1.0" in done(lsmtune("doctor", "--runs", "2", "--quiet"))
    found = json.loads(done(lsmtune("doctor", "--runs", "2", "--json")))
    assert found["build"]["engine"] == "cabinet"
    assert found["runs"] == 2
    assert found["noise"]["waf"]["n"] == 2


def test_the_doctor_says_what_is_left_out_and_measures_the_rest(
    lsmtune: Lsmtune, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("db_bench", "rocksdb")
    known = {names: registry.BACKENDS[names], ("cabinet_bench", "cabinet"): CabinetBackend()}
    monkeypatch.setattr(registry, "BACKENDS", known)
    monkeypatch.setenv("LSMTUNE_DB_BENCH", "gone")
    found = json.loads(done(lsmtune("doctor", "--runs", "0", "--json")))
    assert found["build"]["engine"] == "cabinet"
    assert found["advice"][0].startswith("db_bench of rocksdb is left out: the db_bench of LSMTUNE_DB_BENCH")
    code, _, err = lsmtune("doctor", "--runs", "0", "--db-bench", "gone")
    assert code == 1
    assert "gone" in err


def test_its_options_are_listed_and_explained(lsmtune: Lsmtune) -> None:
    assert "4 options" in done(lsmtune("options", "--engine", "cabinet"))
    assert "merged" in done(lsmtune("options", "max_drawers", "--engine", "cabinet"))
    assert "3 options" in done(lsmtune("options", "--preset", "write-heavy", "--engine", "cabinet"))


WRONG = {
    "a phase that it does not have": (FILL.replace("fill", "fil"), '"fil" is not a benchmark of cabinet-bench'),
    "reads without data": (FILL.replace("fill", "read"), 'for example load = "fill"'),
    "what lsmtune passes itself": (FILL + "[workload.flags]\nsteps = 1\n", "write workload.benchmarks"),
    "properties of YCSB": (FILL + "[workload.properties]\nfieldcount = 1\n", "is for the tool ycsb"),
    "another tool": (FILL + 'tool = "ycsb"\n', 'ycsb does not drive "cabinet"'),
    "another program": (FILL + '[[compare]]\nname = "x"\ndb_bench = "x"\n', "is not the program that runs here"),
    "an option of RocksDB": (FILL + "[space.fixed]\nblock_size = 4096\n", "is not an option of cabinet"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_a_file_cannot_ask_of_it_is_told(lsmtune: Lsmtune, name: str) -> None:
    text, sentence = WRONG[name]
    Path("x.toml").write_text(ENGINE + text + ("" if "[space" in text else '[space]\npreset = "all"\n'))
    code, _, err = lsmtune("tune", "x.toml")
    assert code == 2
    assert sentence in " ".join(err.split())


def test_a_program_that_refuses_is_a_failed_run_in_its_own_words(lsmtune: Lsmtune) -> None:
    compare = '[[compare]]\nname = "tiny"\nset = { drawer_size = 100 }\n'
    Path("x.toml").write_text(ENGINE + FILL + QUICK + compare)
    done(lsmtune("compare", "x.toml", "--quiet", "--budget", "12 runs"))
    assert "a drawer holds at least 256 bytes" in done(lsmtune("show", "studies/x-compare", "--runs"))
