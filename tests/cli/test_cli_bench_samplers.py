"""`lsmtune bench-samplers` on recorded runs, which needs no engine."""

import json
import math
import re
from pathlib import Path

import pandas as pd
import pytest
from cli_fixtures import Lsmtune

from lsmtune.sampler_benchmark import _search
from lsmtune.study import Budget, SampleSettings
from lsmtune.testing import FakePlan, Noise, Surface, fake_space, fake_study

KINDS = ("rate", "space", "memory", "mean")


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runs of a small sample of the fake engine."""
    folder = tmp_path_factory.mktemp("recorded")
    drawn = SampleSettings(fake_space(), "sobol", 64, 0, 10, 3, anchor_every=10, noise_runs=5, seed=1)
    with fake_study(folder / "study", FakePlan(Budget(math.inf, None), Surface(0.6), Noise(rate=0.02))) as study:
        study.sample(drawn).write(folder / "runs.parquet")
    return folder / "runs.parquet"


def test_the_samplers_that_are_named_search_so_often_as_is_said(lsmtune: Lsmtune, table: Path, tmp_path: Path) -> None:
    words = ["--sampler", "random", "--sampler", "ga", "--runs", "12", "--seeds", "2"]
    code, out, err = lsmtune("bench-samplers", str(table), *words, "--json", "--quiet", "--figure", "bench.svg")
    assert code == 0, err
    found = json.loads(out)
    searches = found["races"]
    assert {(each["sampler"], each["seed"]) for each in searches} == {
        (name, seed) for name in ("random", "ga") for seed in (1, 2)
    }
    assert len(searches) == 4
    assert {len(each["log_gains"]) for each in searches} == {12}
    assert "<svg" in (tmp_path / "bench.svg").read_text()


def test_where_stderr_is_no_terminal_searches_are_told_of_in_lines(lsmtune: Lsmtune, table: Path) -> None:
    words = ["--sampler", "random", "--sampler", "sobol", "--runs", "6", "--seeds", "2", "--json"]
    code, _, err = lsmtune("bench-samplers", str(table), *words)
    assert code == 0
    told = [line for line in err.splitlines() if " of 4 searches, the last by " in line]
    assert [line.split()[0] for line in told] == ["1", "2", "3", "4"]
    assert all(re.search(r", about \S.* left$", line) for line in told), told
    assert " searches" not in lsmtune("bench-samplers", str(table), *words, "--quiet")[2]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--guard", "space_bytes"], '--guard space_bytes says no bound; write it like --guard "space_bytes=1.10x"'),
        (["--sampler", "annealing"], 'there is no sampler "annealing"; choose from random'),
        (["--objective", "speed"], '"speed"'),
    ],
)
def test_wrong_use_is_one_sentence(lsmtune: Lsmtune, table: Path, words: list[str], sentence: str) -> None:
    code, out, err = lsmtune("bench-samplers", str(table), *words)
    assert (code, out) == (2, "")
    assert sentence in err
    assert len(err.splitlines()) == 1


def test_a_file_of_sets_is_asked_four_questions_and_what_is_not_recorded_is_named(
    lsmtune: Lsmtune, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_search, "_DRAWS", 30)
    monkeypatch.setattr(_search, "_ROUNDS", 2)
    both = "".join(
        f'[[set]]\nname = "{name}"\nuse = "development"\nruns = "{runs}"\nobjective = "throughput_settled_ops_s"\n'
        "mean = { throughput_settled_ops_s = 1, total_time_s = 1 }\n"
        for name, runs in (("here", table), ("later", tmp_path / "none.parquet"))
    )
    (tmp_path / "sets.toml").write_text(both)
    words = ["--sampler", "random", "--sampler", "sobol", "--runs", "6", "--seeds", "2"]
    code, out, err = lsmtune("bench-samplers", "sets.toml", *words, "--json", "--quiet", "--searches", "all.parquet")
    assert code == 0, err
    assert "not recorded yet: later" in err
    found = json.loads(out)
    assert [each["question"] for each in found["questions"]] == [f"here, {kind}" for kind in KINDS]
    assert len(found["differences"]) == 4
    kept = pd.read_parquet(tmp_path / "all.parquet")
    assert len(kept) == 4 * 2 * 2 * 6
    last = kept[kept["run"] == 6].set_index(["question", "sampler", "seed"])["log_gain"]
    for question in found["questions"]:
        for each in question["searches"]:
            assert last[question["question"], each["sampler"], each["seed"]] == each["log_gains"][-1]
    fresh = ["--first-seed", "2", "--noise", "0.25", "--searches", "fresh.parquet"]
    code, out, err = lsmtune("bench-samplers", "sets.toml", *words, "--quiet", *fresh)
    assert code == 0, err
    assert "wrote fresh.parquet" in err
    assert sorted(pd.read_parquet(tmp_path / "fresh.parquet")["seed"].unique()) == [2, 3]
    assert "One run varies 0.25 times as much as the recorded ones did." in " ".join(out.split())
    code, out, err = lsmtune("bench-samplers", "sets.toml", "--use", "judging")
    assert (code, out) == (2, "")
    assert "none of the sets asked for was recorded yet" in err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "name recorded runs, a .parquet or a .toml of several sets, or take --outside"),
        (["sets.toml", "--beat", "2"], "leave out --objective, --guard, --beat, --at-once, --figure"),
        (["sets.toml", "--searches", "none/all.parquet"], "none/all.parquet lies in a folder that does not exist"),
        (["runs.parquet", "--searches", "all.parquet"], "--searches goes with a file of sets or --outside"),
        (["--outside", "--noise", "0.5"], "--noise goes with recorded runs; the problems of --outside have none"),
        (["runs.parquet", "--beat", "inf"], "'--beat': inf is not a finite number"),
        (["runs.parquet", "--noise", "inf"], "'--noise': inf is not a finite number"),
        (["runs.parquet", "--figure", "none/a.svg"], "none/a.svg lies in a folder that does not exist"),
        (["--outside", "--points"], "--points goes with recorded runs"),
        (["--outside", "--use", "judging"], "--use goes with recorded runs"),
        (["sets.toml", "--outside"], "--outside takes problems of its own instead of sets.toml"),
        (["runs.parquet", "--use", "judging"], '--use "judging" chooses from a file of sets'),
        (["sets.toml", "--use", "fun"], '--use "fun" is none of development, judging'),
    ],
)
def test_what_does_not_go_together_is_one_sentence(lsmtune: Lsmtune, words: list[str], sentence: str) -> None:
    code, out, err = lsmtune("bench-samplers", *words)
    assert (code, out) == (2, "")
    assert sentence in err
    assert len(err.splitlines()) == 1
