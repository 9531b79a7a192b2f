"""What every sampler promises, and what each adds."""

import sys
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any, get_args

import numpy as np
import pytest
from scipy.stats import qmc

from lsmtune.errors import MissingLibraryError, SamplerError, UsageError
from lsmtune.experiment import SearchTable
from lsmtune.extras import extra_of
from lsmtune.model import Value
from lsmtune.samplers import (
    SAMPLERS,
    Outlook,
    RandomSampler,
    Sampler,
    SobolSampler,
    TpeSampler,
    Trial,
    _gp,
    _smac,
    losses,
    make_sampler,
)
from lsmtune.space import Dimension, Kind, Space
from lsmtune.testing.sampler_conformance import check_sampler, conformance_space

MIB = 2**20


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the package smac takes long for is cut short, as no promise is about how good a proposal is."""
    monkeypatch.setattr(_gp, "_FIT_STEPS", 3)
    for name, number in {"_CANDIDATES": 100, "_LOCAL_SEARCHES": 2, "_MOST_ROUNDS": 3}.items():
        monkeypatch.setattr(_smac, name, number)


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("name", SAMPLERS)
def test_a_sampler_keeps_its_promises(name: str) -> None:
    check_sampler(SAMPLERS[name])


class _Forgetful(RandomSampler):
    """Counts its proposals, so that it goes another way after a resume."""

    def __init__(self, space: Space, seed: int, startup: int = 10) -> None:
        super().__init__(space, seed, startup)
        self._count = 0

    def propose(self, index: int, attempt: int) -> dict[str, Value]:
        self._count += 1
        return self.space.from_unit(np.random.default_rng([self.seed, index, self._count]).random(len(self.space)))


class _Deaf(RandomSampler):
    """Proposes the same configuration for ever."""

    def propose(self, index: int, attempt: int) -> dict[str, Value]:
        return {"multiplier": 5.0 + self.seed}


@pytest.mark.parametrize(
    ("broken", "promise"), [(_Forgetful, "resumed after 1 trials"), (_Deaf, "still open was proposed again")]
)
def test_the_suite_notices_a_broken_promise(broken: type[Sampler], promise: str) -> None:
    with pytest.raises(AssertionError, match=promise):
        check_sampler(broken)


def test_sobol_walks_along_its_sequence_wherever_it_was_resumed() -> None:
    axes = tuple(Dimension(f"x{number}", Kind.FLOAT, 0.0, low=0.0, high=1.0) for number in range(3))
    space = Space(axes, {axis.name: axis.default for axis in axes})
    points = qmc.Sobol(3, scramble=True, rng=np.random.default_rng(11)).random(16)
    sampler = SobolSampler(space, 11)
    for done, point in enumerate(points, start=1):
        assert sampler.ask() == space.from_unit(point)
        sampler = SobolSampler(space, 11)
        for told in points[:done]:
            sampler.tell(Trial(space.from_unit(told), 0.0))


def test_tpe_starts_with_the_points_of_sobol() -> None:
    space = conformance_space()
    tpe, sobol = TpeSampler(space, 4, 5), SobolSampler(space, 4)
    asked = []
    for number in range(6):
        asked.append((tpe.ask(), sobol.ask()))
        for sampler, values in zip((tpe, sobol), asked[-1], strict=True):
            sampler.tell(Trial(values, float(number)))
    assert all(ours == theirs for ours, theirs in asked[:5])
    assert asked[5][0] != asked[5][1]


def _synthetic_space() -> Space:
    axes = (
        Dimension("buffer", Kind.INT, 64 * MIB, "B", low=4 * MIB, high=1024 * MIB, log=True),
        Dimension("jobs", Kind.INT, 2, low=1, high=16),
        Dimension("multiplier", Kind.FLOAT, 10.0, low=2.0, high=20.0),
        Dimension("codec", Kind.CHOICE, "snappy", choices=("none", "snappy", "lz4", "zstd")),
        Dimension("pipelined", Kind.BOOL, default=False, choices=(False, True)),
        Dimension("rate", Kind.INT, 0, "B/s", low=MIB, high=256 * MIB, log=True, specials=(0,)),
    )
    return Space(axes, {axis.name: axis.default for axis in axes})


def _synthetic_response(space: Space, values: Mapping[str, Value]) -> float:
    """A bowl around one point of the unit cube, with a cost for each wrong choice."""
    known = {**space.reference, **values}
    places = dict(zip(space.names, space.to_unit(known), strict=True))
    bowl = (places["buffer"] - 0.7) ** 2 + (places["jobs"] - 0.4) ** 2 + 2 * (places["multiplier"] - 0.2) ** 2
    codec = {"none": 0.1, "snappy": 0.06, "lz4": 0.0, "zstd": 0.2}[str(known["codec"])]
    return float(bowl + codec + 0.1 * (not known["pipelined"]) + 0.1 * (known["rate"] != 0))


def _best_of(name: str, seed: int, rounds: int = 50) -> float:
    space = _synthetic_space()
    sampler = make_sampler(name, space, seed, 10)
    for _ in range(rounds):
        values = sampler.ask()
        sampler.tell(Trial(values, _synthetic_response(space, values)))
    return min(trial.response for trial in sampler.trials if trial.response is not None)


@pytest.mark.parametrize("name", ["agp", "tpe", "cmaes", "anneal"])
def test_a_searching_sampler_finds_better_configurations_than_chance(name: str) -> None:
    seeds = range(15)
    found, chance = ([_best_of(each, seed) for seed in seeds] for each in (name, "random"))
    assert median(found) < 0.8 * median(chance)


@pytest.mark.parametrize("name", ["agp", "tpe", "ga", "ga-jin2022", "smac", "cmaes", "anneal", "nsga2", "nsga3"])
def test_a_searching_sampler_keeps_away_from_broken_guards(name: str) -> None:
    space = _synthetic_space()
    sampler = make_sampler(name, space, 1, 10)
    for _ in range(40):
        values = sampler.ask()
        breaks = not values.get("pipelined", False)
        sampler.tell(Trial(values, -1.0 if breaks else 0.0, violation=0.5 if breaks else 0.0))
    late = [trial.violation for trial in sampler.trials[20:]]
    assert sum(violation == 0 for violation in late) >= 0.7 * len(late)


@pytest.mark.parametrize("name", ["tpe", "ga", "nsga2", "nsga3", "cmaes", "smac", "gp"])
def test_a_sampler_of_a_library_writes_nothing(
    name: str, capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _best_of(name, 0, 12)
    assert capfd.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == []


def test_losses_order_failures_last_and_broken_guards_behind_them() -> None:
    trials = [
        Trial({}, 0.0),
        Trial({}, 0.4),
        Trial({}, None),
        Trial({}, None, bound=1.1),
        Trial({}, None, bound=0.2),
        Trial({}, -2.0, violation=0.3),
        Trial({}, -2.0, violation=0.1),
    ]
    assert losses(trials) == pytest.approx([0.0, 0.4, 0.4, 1.1, 0.4, 1.4, 1.2])
    assert losses([Trial({}, None)]) == [0.0]


@pytest.mark.parametrize(
    ("response", "violation", "bound"),
    [(float("nan"), 0.0, None), (float("inf"), 0.0, None), (0.1, -1.0, None), (0.1, 0.0, 0.2), (None, float("nan"), 1)],
)
def test_an_impossible_trial_is_refused(response: float | None, violation: float, bound: float | None) -> None:
    with pytest.raises(SamplerError):
        Trial({}, response, violation, bound)


@pytest.mark.parametrize(
    "outlook", [{"noise": 0.0}, {"noise": float("nan")}, {"slack_noise": {"waf": -1.0}}, {"trials": -1}]
)
def test_an_impossible_outlook_is_refused(outlook: dict[str, Any]) -> None:
    with pytest.raises(SamplerError, match="an outlook has"):
        Outlook(**outlook)


@pytest.mark.parametrize("ratio", [0.0, -1.0, float("nan"), float("inf")])
def test_an_impossible_ratio_is_refused_with_its_name(ratio: float) -> None:
    with pytest.raises(SamplerError, match='of "waf"'):
        Trial({}, 0.1, ratios={"rate": 1.0, "waf": ratio})


@pytest.mark.parametrize("name", [name for name in SAMPLERS if name not in {"random", "sobol"}])
def test_a_reference_outside_of_its_axis_is_no_obstacle(name: str) -> None:
    axes = (
        Dimension("codec", Kind.CHOICE, "snappy", choices=("none", "lz4", "zstd")),
        Dimension("buffer", Kind.INT, MIB, "B", low=4 * MIB, high=64 * MIB, log=True),
        Dimension("multiplier", Kind.FLOAT, 10.0, low=2.0, high=20.0),
    )
    space = Space(axes, {axis.name: axis.default for axis in axes})
    sampler = make_sampler(name, space, 2, 2)
    for number in range(12):
        sampler.tell(Trial({"multiplier": 3.0 + number}, number / 10))
    values = sampler.ask()
    assert values == space.canonical(values) != {}


def test_values_that_the_engine_rewrote_close_the_proposal_all_the_same() -> None:
    space = conformance_space()
    first, second = RandomSampler(space, 1), RandomSampler(space, 1)
    rewritten = Trial({"multiplier": 4.5}, 0.0)
    first.ask()
    first.tell(rewritten)
    second.tell(rewritten)
    assert first.ask() == second.ask()


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_an_impossible_part_or_slack_is_refused_with_its_name(number: float) -> None:
    with pytest.raises(SamplerError, match=f'part {number} of "waf"'):
        Trial({}, 0.1, parts={"waf": number})
    with pytest.raises(SamplerError, match=f'slack {number} of "waf"'):
        Trial({}, 0.1, slacks={"waf": number})


@pytest.mark.parametrize(
    ("name", "package"), [("tpe", "optuna"), ("smac", "smac"), ("gp", "smac"), ("cmaes", "cmaes"), ("nsga2", "optuna")]
)
def test_a_missing_library_is_told_with_the_command_that_installs_it(
    name: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in [module for module in sys.modules if module.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingLibraryError) as raised:
        make_sampler(name, conformance_space(), 1)
    expected = f"the sampler {name} needs {package}, which is not installed: pip install 'lsmtune[{extra_of(package)}]'"
    assert str(raised.value) == expected
    make_sampler("agp", conformance_space(), 1)


def test_a_broken_library_is_told_with_another_sampler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "cmaes", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "cmaes.py").write_text("import no_such_library\n")
    with pytest.raises(SamplerError) as raised:
        make_sampler("cmaes", conformance_space(), 1)
    assert str(raised.value).startswith("the sampler cmaes needs cmaes, which cannot be imported (")
    assert str(raised.value).endswith('); install it anew or choose sampler = "agp"')


def test_every_sampler_can_be_named_in_an_experiment() -> None:
    assert {*SAMPLERS, "steps"} == set(get_args(SearchTable.model_fields["sampler"].annotation))


def test_what_is_new_is_what_would_be_run() -> None:
    space = conformance_space()
    sampler = RandomSampler(space, 1)
    sampler.tell(Trial({"multiplier": 4.5}, 0.0))
    asked = sampler.ask()
    assert not sampler.is_new({})
    assert not sampler.is_new({"multiplier": 4.5})
    assert not sampler.is_new({"multiplier": 4.5, "level": 9})  # the level has no effect
    assert not sampler.is_new(asked)
    assert sampler.is_new({"multiplier": 4.6})


def test_an_unknown_sampler_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match='no sampler "hyperband"; choose from random, sobol, grid, tpe, smac'):
        make_sampler("hyperband", conformance_space(), 1)
    with pytest.raises(SamplerError, match="seed -1"):
        make_sampler("random", conformance_space(), -1)
