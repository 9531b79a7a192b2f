"""The samplers made of SMAC's pieces: what they fit, what they propose, and that no process differs from another."""

import os
import subprocess
import sys
from pathlib import Path
from statistics import median

import numpy as np
import pytest
from ConfigSpace import Configuration, ConfigurationSpace, Float
from smac import Scenario
from smac.runhistory import RunHistory, StatusType
from smac.runhistory.encoder import RunHistoryLogScaledEncoder

from lsmtune.samplers import SAMPLERS, SobolSampler, Trial, losses, make_sampler
from lsmtune.samplers._configspace import ConfigSpaceWords
from lsmtune.samplers._smac import _log_scaled
from lsmtune.space import Dimension, Kind, Space
from lsmtune.testing.sampler_conformance import conformance_space


def _bowl_space() -> Space:
    axes = (
        Dimension("x", Kind.FLOAT, 0.5, low=0.0, high=1.0),
        Dimension("y", Kind.INT, 50, low=0, high=100),
        Dimension("codec", Kind.CHOICE, "none", choices=("none", "lz4", "zstd")),
        Dimension("rate", Kind.INT, 0, low=1, high=1000, log=True, specials=(0,)),
    )
    return Space(axes, {axis.name: axis.default for axis in axes})


def _best_of(name: str, seed: int, rounds: int) -> float:
    """Return the lowest response on a bowl whose least is 0, with a special value that is best."""
    space = _bowl_space()
    sampler = make_sampler(name, space, seed, 6)
    for _ in range(rounds):
        values = sampler.ask()
        x, y, codec, rate = ({**space.reference, **values}[each] for each in space.names)
        assert not isinstance(x, str)
        assert not isinstance(y, str)
        bowl = (x - 0.8) ** 2 + (y / 100 - 0.3) ** 2
        sampler.tell(Trial(values, bowl + 0.1 * (codec != "lz4") + 0.1 * (rate != 0)))
    return min(losses(sampler.trials))


@pytest.mark.parametrize("name", ["smac", "gp"])
def test_a_model_finds_better_configurations_than_chance(name: str) -> None:
    found = [_best_of(name, seed, 24) for seed in range(2)]
    chance = [_best_of("random", seed, 24) for seed in range(30)]
    assert max(found) < 0.8 * median(chance)


_PROPOSE = """
import numpy as np
from lsmtune.samplers import Trial, make_sampler
from lsmtune.testing.sampler_conformance import conformance_space
space = conformance_space()
for name in ("smac", "gp"):
    for seed in range(2):
        sampler = make_sampler(name, space, seed, 4)
        for number in range(9):
            sampler.tell(Trial(space.from_unit(np.full(7, number / 9)), (number - 4.2) ** 2 / 10))
        print(name, sampler.ask())
"""


def test_another_process_proposes_the_same_and_the_folder_stays_empty(tmp_path: Path) -> None:
    """Each process has its own hashes of text, and with them its own order of sets."""
    told = []
    for hashes in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hashes}
        done = subprocess.run(
            [sys.executable, "-c", _PROPOSE], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
        assert done.stderr == ""
        told.append(done.stdout)
    assert told[0] == told[1]
    assert len(set(told[0].splitlines())) == 4
    assert list(tmp_path.iterdir()) == []


def test_costs_are_scaled_as_by_smac() -> None:
    costs = np.array([0.3, -0.2, 0.7, 0.1, -0.15, 2.5, 0.0])
    twin = ConfigurationSpace(seed=1)
    twin.add(Float("x", (0.0, 1.0)))
    history = RunHistory()
    for number, cost in enumerate(costs):
        history.add(Configuration(twin, {"x": number / 10}), cost=float(cost), status=StatusType.SUCCESS, seed=0)
    encoder = RunHistoryLogScaledEncoder(Scenario(twin, deterministic=True))
    encoder.runhistory = history
    assert _log_scaled(costs) == pytest.approx(encoder.transform()[1][:, 0], abs=1e-9)
    assert _log_scaled(np.zeros(3)) == pytest.approx(np.zeros(3))


def test_conditions_on_choices_are_those_of_configspace() -> None:
    words = ConfigSpaceWords(conformance_space(), 3)
    drawn = [words.values(each) for each in words.twin.sample_configuration(60)]
    assert {values["compression"] for values in drawn} == {"none", "snappy", "zstd"}
    assert all(("level" in values) == (values["compression"] == "zstd") for values in drawn)
    assert {values["limit_bytes"] == 0 for values in drawn} == {True, False}  # the special value keeps its share


def test_a_trial_is_translated_there_and_back() -> None:
    space = conformance_space()
    words = ConfigSpaceWords(space, 3)
    trials = [space.sample(np.random.default_rng(number)) for number in range(20)]
    back = words.configurations(words.rows(list(trials)))
    assert [space.canonical(words.values(each)) for each in back] == [space.canonical(each) for each in trials]


def test_a_value_without_a_place_is_seen_by_the_model_and_no_starting_point() -> None:
    axes = (
        Dimension("codec", Kind.CHOICE, "snappy", choices=("none", "lz4")),
        Dimension("x", Kind.FLOAT, 0.5, low=0.0, high=1.0),
    )
    words = ConfigSpaceWords(Space(axes, {"codec": "snappy", "x": 0.5}), 1)
    rows = words.rows([{"x": 0.25}, {"x": 0.25, "codec": "lz4"}])
    assert rows.tolist() == [[-1.0, 0.25], [1.0, 0.25]]
    assert [words.values(each) for each in words.configurations(rows)] == [{"codec": "lz4", "x": 0.25}]


def test_a_condition_that_configspace_cannot_express_stands_at_the_reference() -> None:
    axes = (
        Dimension("jobs", Kind.INT, 1, low=1, high=4),
        Dimension("x", Kind.FLOAT, 0.5, low=0.0, high=1.0),
    )
    words = ConfigSpaceWords(Space(axes, {"jobs": 1, "x": 0.5}, (), {"x": {"jobs": (2, 3)}}), 1)
    rows = words.rows([{"jobs": 4, "x": 0.9}, {"jobs": 3, "x": 0.9}])
    assert rows[:, 1].tolist() == [0.5, 0.9]
    assert len(words.configurations(rows)) == 2


@pytest.mark.parametrize("name", [name for name in SAMPLERS if name not in {"random", "sobol", "grid", "ga-jin2022"}])
def test_models_wait_for_the_startup(name: str) -> None:
    space = conformance_space()
    sampler, sobol = make_sampler(name, space, 4, 10), SobolSampler(space, 4)
    for number in range(10):
        values = sampler.ask()
        assert values == sobol.ask()
        for each in (sampler, sobol):
            each.tell(Trial(values, float(number)))
