"""Axes: from an option and a user's wishes, and to and from the unit interval."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from lsmtune.errors import OptionError
from lsmtune.model import Value
from lsmtune.space import Dimension, Kind, Option, Override, catalogue, default_of, read_value

MIB = 2**20


def an_option(kind: Kind = Kind.INT, unit: str = "", **fields: Any) -> Option:
    defaults: dict[Kind, Value] = {Kind.INT: 4, Kind.FLOAT: 4.0, Kind.BOOL: False, Kind.CHOICE: "none"}
    default = {"7.8": defaults[kind]}
    return Option("option", "option", "option", "CF", kind, unit, default, default, **fields)


SIZE = an_option(unit="B", low=MIB, high=1024 * MIB, log=True, special={0: "off"})
COUNT = an_option(low=1, high=10)
FACTOR = an_option(Kind.FLOAT, low=1.0, high=20.0)
FLAG = an_option(Kind.BOOL)
CODEC = an_option(Kind.CHOICE, choices=("none", "lz4", "zstd"))


def drawn(axis: Dimension, count: int = 2001) -> list[Value]:
    return [axis.from_unit(float(place)) for place in np.linspace(0.0, 1.0, count)]


@pytest.mark.parametrize(
    "axis",
    [
        Dimension.of(SIZE, 64 * MIB),
        Dimension.of(COUNT, 4),
        Dimension.of(FACTOR, 10.0),
        Dimension.of(FLAG, default=False),
        Dimension.of(CODEC, "none"),
        Dimension.of(COUNT, 4, Override(low=2, high=512, log=True)),
        Dimension.of(SIZE, 0, Override(low="3MiB", high="100MiB", log=False)),
        Dimension.of(SIZE, 0, Override(values=["1MiB", "10MiB", 0])),
        Dimension.of(FACTOR, 10.0, Override(step=0.25)),
        Dimension.of(COUNT, 4, Override(low=8, high=60, step=8)),
    ],
    ids=lambda axis: f"{axis.kind}-{axis.low}-{axis.high}-{axis.step}-{len(axis.choices)}",
)
def test_values_come_back_from_their_place(axis: Dimension) -> None:
    for value in drawn(axis):
        place = axis.to_unit(value)
        assert 0.0 <= place <= 1.0
        assert axis.from_unit(place) == value
        assert axis.holds(value)


def test_every_searchable_option_of_the_catalogue_makes_an_axis_with_a_way_back() -> None:
    options = [option for option in catalogue("rocksdb").options.values() if option.searchable]
    assert len(options) >= 40
    for option in options:
        default = default_of(option, "tool", (7, 8, 3))
        axis = Dimension.of(option, 0 if default is None else default)
        for value in drawn(axis, 101):
            assert option.takes(value)
            assert axis.from_unit(axis.to_unit(value)) == value


def test_sizes_are_readable_and_cover_the_range() -> None:
    values = drawn(Dimension.of(SIZE, 64 * MIB))
    ordered = sorted({int(value) for value in values if value != 0})
    assert ordered[:6] == [MIB, 5 * MIB // 4, 3 * MIB // 2, 7 * MIB // 4, 2 * MIB, 5 * MIB // 2]
    assert ordered[-1] == 1024 * MIB
    assert len(ordered) == 41


def test_each_special_value_has_a_tenth_at_the_lower_end() -> None:
    axis = Dimension("rate", Kind.INT, 0, "B/s", low=MIB, high=8 * MIB, log=True, specials=(0, -1))
    assert [axis.from_unit(place) for place in (0.0, 0.099, 0.101, 0.199, 0.201, 1.0)] == [0, 0, -1, -1, MIB, 8 * MIB]


def test_many_special_values_share_three_tenths() -> None:
    axis = Dimension("rate", Kind.INT, 0, low=10, high=20, specials=(0, -1, -2, -3, -4, -5))
    specials = Counter(value for value in drawn(axis, 6001) if value in axis.specials)
    assert sum(specials.values()) / 6001 == pytest.approx(0.3, abs=0.001)
    assert max(specials.values()) - min(specials.values()) <= 1


def test_the_ends_of_a_count_are_as_likely_as_its_middle() -> None:
    shares = Counter(drawn(Dimension.of(COUNT, 4), 10001))
    assert sorted(shares) == list(range(1, 11))
    assert min(shares.values()) / max(shares.values()) > 0.99


def test_a_user_range_drops_the_special_values_outside_of_it() -> None:
    assert Dimension.of(SIZE, 64 * MIB).specials == (0,)
    assert Dimension.of(SIZE, 64 * MIB, Override(low="2MiB")).specials == ()
    assert Dimension.of(SIZE, 64 * MIB, Override(low=0, log=False)).specials == (0,)


def test_a_number_outside_of_the_range_stands_at_the_nearer_end() -> None:
    axis = Dimension.of(COUNT, 40)
    assert axis.from_unit(axis.to_unit(40)) == 10
    assert not axis.holds(40)


def test_limits_are_met_from_the_right_side() -> None:
    size, count, factor = Dimension.of(SIZE, 0), Dimension.of(COUNT, 4), Dimension.of(FACTOR, 4.0)
    assert (size.at_most(100 * MIB), size.at_least(100 * MIB)) == (96 * MIB, 112 * MIB)
    assert (count.at_most(4.5), count.at_least(4.5), count.at_least(99)) == (4, 5, 10)
    assert (factor.at_most(4.4444), factor.at_least(4.4444)) == (4.44, 4.45)


@pytest.mark.parametrize(
    ("option", "override", "message"),
    [
        (COUNT, Override(low=10), "low 10 and high 10; low has to be less"),
        (COUNT, Override(low=0, log=True), "logarithmic axis"),
        (COUNT, Override(step=20), "step 20"),
        (COUNT, Override(low="many"), '"many" is not a count'),
        (COUNT, Override(low=True), "cannot be true; write a whole number"),
        (COUNT, Override(values=[2, 2]), "lists a value twice"),
        (COUNT, Override(low=1, values=[2, 3]), '"low" has no meaning'),
        (COUNT, Override(choices=["2"]), 'under "values"'),
        (CODEC, Override(values=["lz4"]), 'under "choices"'),
        (CODEC, Override(choices=["lzma"]), "choose from none, lz4, zstd"),
        (CODEC, Override(low=1), '"low" has no meaning'),
        (FLAG, Override(log=True), '"log" has no meaning'),
        (FLAG, Override(values=["maybe"]), "write true or false"),
        (FACTOR, Override(high="nan"), "write a number"),
        (SIZE, Override(low="64 apples"), "is not a size"),
        (SIZE, Override(low="-5MiB"), 'cannot be "-5MiB", which is below 0; write it like'),
        (an_option(), None, "no range to search"),
    ],
)
def test_a_wish_that_does_not_fit_is_refused(option: Option, override: Override | None, message: str) -> None:
    with pytest.raises(OptionError, match=message) as caught:
        Dimension.of(option, 4, override)
    assert '"option"' in str(caught.value)


@pytest.mark.parametrize(
    ("option", "raw", "expected"),
    [
        (SIZE, "64MiB", 64 * MIB),
        (SIZE, 0, 0),
        (SIZE, "0", 0),
        (SIZE, "-1", -1),
        (COUNT, 3.0, 3),
        (COUNT, "-1", -1),
        (an_option(unit="B/s"), "8MiB/s", 8 * MIB),
        (FACTOR, "1.5", 1.5),
        (FACTOR, 2, 2.0),
        (FLAG, "True", True),
        (CODEC, "lz4", "lz4"),
    ],
)
def test_what_a_user_writes_becomes_a_value_of_the_right_type(option: Option, raw: Value, expected: Value) -> None:
    value = read_value(option, raw)
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize("raw", ["nan", "-inf", "1e300", 10**400])
def test_a_factor_beyond_64_bits_is_refused(raw: Value) -> None:
    with pytest.raises(OptionError, match="write a number"):
        read_value(FACTOR, raw)


@pytest.mark.parametrize("values", [[0.5, "lz4"], [float("nan"), "brotli"]])
def test_places_and_values_that_do_not_exist_are_refused(values: Sequence[Any]) -> None:
    axis = Dimension.of(CODEC, "none")
    with pytest.raises(OptionError, match="option"):
        [axis.from_unit(values[0]), axis.to_unit(values[1]), axis.to_unit("no such codec")]
