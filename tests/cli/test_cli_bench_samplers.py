"""`lsmtune bench-samplers` on recorded runs, which needs no engine."""

import json
import math
from pathlib import Path

import pytest
from cli_fixtures import Lsmtune

from lsmtune.study import Budget, SampleSettings
from lsmtune.testing import FakePlan, Noise, Surface, fake_space, fake_study


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
