"""A bound on what is computed from a configuration is a constraint of the space like any other."""

from dataclasses import replace

import numpy as np
import pytest

from lsmtune.errors import ConstraintError
from lsmtune.space import ComputedLimit, Dimension, Kind, Space

MIB = 1 << 20
SPACE = Space(
    (
        Dimension("buffer", Kind.INT, 64 * MIB, "B", low=MIB, high=512 * MIB, log=True),
        Dimension("buffers", Kind.INT, 2, low=2, high=8),
    ),
    {"buffer": 64 * MIB, "buffers": 2},
)
LIMIT = ComputedLimit(
    "memory",
    256 * MIB,
    "B",
    lambda values: float(values["buffer"]) * float(values["buffers"]),
    frozenset({"buffer", "buffers"}),
    "the machine has no more",
    units={"buffer": "B"},
)


def test_it_says_what_is_broken_with_the_amount_and_the_values() -> None:
    bounded = replace(SPACE, constraints=(LIMIT,))
    assert not bounded.violations({"buffer": 128 * MIB})
    (said,) = bounded.violations({"buffer": 512 * MIB, "buffers": 4})
    assert said == (
        "memory <= 256 MiB is broken: it is 2 GiB with buffer = 512 MiB, buffers = 4 (the machine has no more)"
    )


def test_what_breaks_it_is_repaired_towards_the_reference() -> None:
    bounded = replace(SPACE, constraints=(LIMIT,))
    repaired = bounded.repair({"buffer": 512 * MIB, "buffers": 8})
    assert repaired is not None
    assert not bounded.violations(repaired)
    assert int(repaired["buffer"]) > 64 * MIB or int(repaired["buffers"]) > 2
    rng = np.random.default_rng(1)
    assert not any(bounded.violations(bounded.sample(rng)) for _ in range(100))


def test_an_amount_that_no_option_moves_is_refused() -> None:
    with pytest.raises(ConstraintError, match="no option that moves it"):
        replace(LIMIT, names=frozenset())


def test_the_repair_moves_one_number_no_further_than_it_must() -> None:
    bounded = replace(SPACE, constraints=(LIMIT,))
    repaired = bounded.repair({"buffer": 100 * MIB, "buffers": 4})
    assert repaired is not None
    changed = [name for name, value in (("buffer", 100 * MIB), ("buffers", 4)) if repaired[name] != value]
    assert len(changed) == 1
    amount = LIMIT.amount({**SPACE.reference, **repaired})
    assert 0.75 * LIMIT.most < amount <= LIMIT.most


def test_where_no_single_number_is_enough_all_of_them_move() -> None:
    tight = replace(LIMIT, most=2.0 * MIB)
    repaired = replace(SPACE, constraints=(tight,)).repair({"buffer": 512 * MIB, "buffers": 8})
    assert repaired == {"buffer": MIB, "buffers": 2}
