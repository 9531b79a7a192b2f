"""What every sampler has to keep to; a new one is tested by `check_sampler`."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

from lsmtune.model import Value
from lsmtune.samplers import Outlook, Sampler, Trial
from lsmtune.space import Constraint, Dimension, Kind, Space

SamplerFactory: TypeAlias = Callable[[Space, int, int], Sampler]
"""Makes a sampler from a space, a seed and the number of startup proposals."""

_MIB = 2**20
_STARTUP = 6
_ROUNDS = 14


def check_sampler(factory: SamplerFactory) -> None:
    """Check everything that `lsmtune.samplers.Sampler` promises.

    Raises:
        AssertionError: a promise is broken; the message says which.
    """
    check_proposals_are_feasible_and_minimal(factory)
    check_the_seed_decides(factory)
    check_a_resumed_sampler_goes_on(factory)
    check_open_proposals_differ(factory)
    check_nothing_is_proposed_twice(factory)
    check_failures_are_taken(factory)
    check_ratios_are_taken(factory)
    check_an_outlook_is_taken(factory)


def check_proposals_are_feasible_and_minimal(factory: SamplerFactory) -> None:
    """Check that proposals break no constraint and hold no option without an effect or at its reference."""
    space = conformance_space()
    for trial in _run(factory(space, 3, _STARTUP), _ROUNDS):
        broken = space.violations(trial.values)
        assert not broken, f"a proposal breaks a constraint: {broken}"
        assert space.canonical(trial.values) == trial.values, f"a proposal is not minimal: {trial.values}"


def check_the_seed_decides(factory: SamplerFactory) -> None:
    """Check that one seed gives one sequence and another seed another one."""
    first, again = (_run(factory(conformance_space(), 5, _STARTUP), _ROUNDS) for _ in range(2))
    assert first == again, "the same seed gives other proposals"
    assert first[0].values != factory(conformance_space(), 6, _STARTUP).ask(), (
        "the seed has no influence on the first proposal"
    )


def check_a_resumed_sampler_goes_on(factory: SamplerFactory) -> None:
    """Check that a new sampler that is told the trials proposes what the old one would have proposed."""
    whole = _run(factory(conformance_space(), 7, _STARTUP), _ROUNDS)
    for done in (1, _STARTUP, _ROUNDS - 2):
        resumed = factory(conformance_space(), 7, _STARTUP)
        for trial in whole[:done]:
            resumed.tell(trial)
        assert _run(resumed, _ROUNDS - done) == whole[done:], f"a sampler resumed after {done} trials goes another way"


def check_open_proposals_differ(factory: SamplerFactory) -> None:
    """Check that configurations asked before any is told differ, may be told in another order, and may be held."""
    sampler, resumed = factory(conformance_space(), 2, 2), factory(conformance_space(), 2, 2)
    for trial in _run(sampler, _ROUNDS):
        resumed.tell(trial)
    asked = [sampler.ask() for _ in range(4)]
    assert all(asked.count(values) == 1 for values in asked), "a configuration that is still open was proposed again"
    for values in asked[:2]:
        resumed.hold(values)
    assert [resumed.ask(), resumed.ask()] == asked[2:], "configurations that are held are not as if they were asked"
    for values in reversed(asked):
        sampler.tell(_judge(values))
    assert sampler.ask() not in asked, "a configuration that was told was proposed again"


def check_nothing_is_proposed_twice(factory: SamplerFactory) -> None:
    """Check that a small space is gone through without repeats, and that its end is no error."""
    axes = (
        Dimension("compression", Kind.CHOICE, "none", choices=("none", "lz4", "zstd")),
        Dimension("direct", Kind.BOOL, default=False, choices=(False, True)),
    )
    sampler = factory(Space(axes, {"compression": "none", "direct": False}), 1, 3)
    asked = [trial.values for trial in _run(sampler, 4)]
    assert {} not in asked, "the reference was proposed"
    assert all(asked.count(values) == 1 for values in asked), "a configuration was proposed twice"
    _run(sampler, 4)


def check_failures_are_taken(factory: SamplerFactory) -> None:
    """Check that failed, censored and guard-breaking trials, even nothing else, do not stop the proposals."""
    outcomes = ((None, 0.0, None), (None, 0.0, 1.5), (0.1, 2.0, None), (-0.2, 0.0, None))
    for start in range(len(outcomes)):
        sampler = factory(conformance_space(), 4, 1)
        for turn in range(_ROUNDS):
            response, violation, bound = outcomes[(start + turn // 2) % len(outcomes)]
            sampler.tell(Trial(sampler.ask(), response, violation, bound))
        assert sampler.ask(), "no proposal after failures"


def check_ratios_are_taken(factory: SamplerFactory) -> None:
    """Check that trials with the ratios and parts of many indicators, of one and of none may follow each other."""
    ratios: tuple[dict[str, float], ...] = (
        {"waf": 0.8, "space_bytes": 1.1, "load_time_s": 0.9, "throughput_bytes_s": 1.2},
        {"waf": 1.5},
        {},
    )
    sampler = factory(conformance_space(), 8, 2)
    for turn in range(_ROUNDS):
        seen = ratios[turn % len(ratios)]
        parts = {name: math.log(ratio) for name, ratio in seen.items()}
        sampler.tell(replace(_judge(sampler.ask()), ratios=seen, parts=parts))
    assert sampler.ask(), "no proposal after trials with ratios"


def check_an_outlook_is_taken(factory: SamplerFactory) -> None:
    """Check that a sampler takes any outlook, and that the same one gives the same feasible proposals."""
    space = conformance_space()
    for outlook in (Outlook(), Outlook(trials=0), Outlook(0.05, {"space_bytes": 0.02}, 4), Outlook(2.0, trials=500)):
        first, again = factory(space, 9, 3), factory(space, 9, 3)
        for sampler in (first, again):
            sampler.expect(outlook)
        trials = _run(first, 6)
        assert trials == _run(again, 6), f"the same outlook gives other proposals: {outlook}"
        broken = [trial.values for trial in trials if space.violations(trial.values)]
        assert not broken, f"after an outlook a proposal breaks a constraint: {broken}"


def conformance_space() -> Space:
    """Return a space with every kind of axis, a condition and two constraints."""
    axes = (
        Dimension("buffer_bytes", Kind.INT, 64 * _MIB, "B", low=8 * _MIB, high=512 * _MIB, log=True),
        Dimension("buffers", Kind.INT, 2, low=2, high=8),
        Dimension("limit_bytes", Kind.INT, 0, "B", low=_MIB, high=1024 * _MIB, log=True, specials=(0,)),
        Dimension("multiplier", Kind.FLOAT, 10.0, low=4.0, high=20.0),
        Dimension("compression", Kind.CHOICE, "snappy", choices=("none", "snappy", "zstd")),
        Dimension("level", Kind.INT, 3, low=1, high=20),
        Dimension("block_bytes", Kind.INT, 4096, "B", choices=(4096, 16384, 65536)),
    )
    return Space(
        axes,
        {**{axis.name: axis.default for axis in axes}, "cache_bytes": 8 * _MIB, "slowdown": 4},
        (
            Constraint.parse("buffer_bytes * buffers + cache_bytes <= 1 GiB"),
            Constraint.parse("buffers <= slowdown * 2 - 1"),
        ),
        {"level": {"compression": ("zstd",)}},
    )


def _run(sampler: Sampler, rounds: int) -> list[Trial]:
    trials = []
    for _ in range(rounds):
        trial = _judge(sampler.ask())
        sampler.tell(trial)
        trials.append(trial)
    return trials


def _judge(values: Mapping[str, Value]) -> Trial:
    """Return a trial whose response is a smooth function of the values."""
    buffer_bytes, multiplier = values.get("buffer_bytes", 64 * _MIB), values.get("multiplier", 10.0)
    assert isinstance(buffer_bytes, int)
    assert isinstance(multiplier, float)
    response = abs(math.log2(buffer_bytes / (256 * _MIB))) + abs(multiplier - 8.0) / 4 + 0.3 * len(values)
    return Trial(values, response)
