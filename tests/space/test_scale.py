"""The scale: which options shrink, what holds them up, and the way back."""

from fractions import Fraction

import pytest

from lsmtune.model import Value
from lsmtune.space import catalogue, scale_values, scaled_value, unscaled_value

MIB = 2**20
OPTIONS = catalogue("rocksdb").options
SCALE = Fraction(1, 64)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("write_buffer_size", 64 * MIB, MIB),
        ("write_buffer_size", 1 * MIB, 65536),
        ("db_write_buffer_size", 0, 0),
        ("db_write_buffer_size", -1, -1),
        ("write_buffer_size", -5 * MIB, -5 * MIB),
        ("db_write_buffer_size", 640 * MIB, 10 * MIB),
        ("max_write_buffer_number", 8, 8),
        ("block_size", 4096, 4096),
        ("max_bytes_for_level_multiplier", 10.0, 10.0),
        ("compression_type", "zstd", "zstd"),
        ("enable_pipelined_write", True, True),
    ],
)
def test_sizes_of_the_tree_shrink_and_all_else_stays(name: str, value: Value, expected: Value) -> None:
    scaled = scaled_value(OPTIONS[name], value, SCALE)
    assert scaled == expected
    assert type(scaled) is type(expected)


def test_a_size_never_shrinks_to_zero_which_would_mean_off() -> None:
    free = next(option for option in OPTIONS.values() if option.scaled and option.floor is None)
    assert scaled_value(free, 3, SCALE) == 1


def test_the_options_that_their_floor_held_up_are_named() -> None:
    values: dict[str, Value] = {"write_buffer_size": MIB, "max_bytes_for_level_base": 256 * MIB, "unknown": 5}
    scaled, held = scale_values(OPTIONS, values, SCALE)
    assert scaled == {"write_buffer_size": 65536, "max_bytes_for_level_base": 4 * MIB, "unknown": 5}
    assert held == ("write_buffer_size",)


def test_full_size_changes_nothing() -> None:
    values: dict[str, Value] = {"write_buffer_size": 64 * MIB, "open_files": -1, "db_write_buffer_size": 0}
    assert scale_values(OPTIONS, values, Fraction(1)) == (values, ())


@pytest.mark.parametrize("scale", [Fraction(1, 64), Fraction(1, 3), Fraction(1)])
def test_the_way_back_gives_full_size(scale: Fraction) -> None:
    option = OPTIONS["write_buffer_size"]
    back = unscaled_value(option, scaled_value(option, 96 * MIB, scale), scale)
    assert back == pytest.approx(96 * MIB, rel=1e-6)
    assert unscaled_value(OPTIONS["db_write_buffer_size"], 0, scale) == 0
