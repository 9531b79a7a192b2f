"""Broken constraints: the sentence shows the relation and the values in it."""

import pytest

from lsmtune.errors import ConstraintError
from lsmtune.model import Value
from lsmtune.space import Constraint

MIB = 2**20
UNITS = {"write_buffer_size": "B", "cache_size": "B", "rate": "B/s"}
VALUES: dict[str, Value] = {
    "write_buffer_size": 512 * MIB,
    "max_write_buffer_number": 4,
    "cache_size": 64 * MIB,
    "rate": 16 * MIB,
    "slowdown": 30,
    "stop": 20,
    "compression_type": "zstd",
    "block_align": True,
    "ratio": 0.5,
    "zero": 0,
}


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("write_buffer_size * max_write_buffer_number + cache_size <= 1 GiB", "512 MiB * 4 + 64 MiB = 2.062 GiB"),
        ("write_buffer_size * (max_write_buffer_number - 1) <= 1 GiB", "512 MiB * (4 - 1) = 1.5 GiB"),
        ("1 GiB >= 4 * write_buffer_size", "4 * 512 MiB = 2 GiB"),
        ("slowdown <= stop", "slowdown = 30 is not <= stop = 20"),
        ("10 <= slowdown <= stop", "slowdown = 30 is not <= stop = 20"),
        ("slowdown < stop - 1", "slowdown = 30 is not < 20 - 1 = 19"),
        ("write_buffer_size <= cache_size / 2", "write_buffer_size = 512 MiB is not <= 64 MiB / 2 = 32 MiB"),
        ("write_buffer_size / cache_size < 2", "512 MiB / 64 MiB = 8"),
        ("rate <= 8 MiB", "rate = 16 MiB/s"),
        ("ratio > 0.5", "ratio = 0.5"),
        ("slowdown > 1 and stop > 20 and ratio == 1", "stop = 20, ratio = 0.5"),
        ("compression_type == 'none' or not block_align", "compression_type = zstd and block_align = true"),
        ("not (block_align and compression_type != 'none')", "block_align = true, compression_type = zstd"),
        ("stop / zero < 1", "20 / 0 < 1 divides by zero"),
    ],
)
def test_a_broken_relation_shows_its_values(text: str, facts: str) -> None:
    assert Constraint.parse(text, units=UNITS).violation(VALUES) == f"{text} is broken: {facts}"


def test_a_relation_that_holds_has_no_violation() -> None:
    assert Constraint.parse("slowdown >= stop", units=UNITS).violation(VALUES) is None


def test_the_reason_is_part_of_the_sentence() -> None:
    sentence = Constraint.parse("slowdown <= stop", "RocksDB raises the stop trigger.").violation(VALUES)
    assert sentence is not None
    assert sentence.endswith("stop = 20 (RocksDB raises the stop trigger)")


def test_a_calculation_is_no_constraint() -> None:
    with pytest.raises(ConstraintError, match='"cache_size \\+ 1" is not a relation'):
        Constraint.parse("cache_size + 1")
