"""The search space: what is active, what is minimal, what is feasible, and how the infeasible is repaired."""

from dataclasses import replace

import numpy as np
import pytest

from lsmtune.errors import ConstraintError, OptionError
from lsmtune.model import Value
from lsmtune.space import (
    Catalogue,
    Constraint,
    Dimension,
    Kind,
    Override,
    Space,
    build_space,
    catalogue,
    default_of,
    library_values,
)

MIB = 2**20
VERSION = (7, 8, 3)
MEMORY = "write_buffer_size * max_write_buffer_number + cache_size <= 1 GiB"


@pytest.fixture
def rocksdb() -> Catalogue:
    return catalogue("rocksdb").for_version(VERSION)


@pytest.fixture
def defaults(rocksdb: Catalogue) -> dict[str, Value]:
    defaults = {name: default_of(option, "tool", VERSION) for name, option in rocksdb.options.items()}
    return {name: value for name, value in defaults.items() if value is not None}


def a_space(*constraints: str, **reference: Value) -> Space:
    axes = (
        Dimension("low", Kind.INT, 10, low=1, high=100),
        Dimension("high", Kind.INT, 20, low=1, high=100),
        Dimension("codec", Kind.CHOICE, "none", choices=("none", "lz4", "zstd")),
        Dimension("level", Kind.INT, 3, low=1, high=20),
        Dimension("align", Kind.BOOL, default=False, choices=(False, True)),
    )
    values = {**{axis.name: axis.default for axis in axes}, "outside": 50, **reference}
    return Space(axes, values, tuple(map(Constraint.parse, constraints)), {"level": {"codec": ("zstd",)}})


def test_the_default_is_the_reference_and_its_minimal_form_is_empty() -> None:
    space = a_space()
    assert space.default() == {"low": 10, "high": 20, "codec": "none", "level": 3, "align": False}
    assert space.canonical(space.default()) == {}
    assert len(space) == 5


def test_an_option_without_effect_is_inactive_and_dropped() -> None:
    space = a_space()
    assert "level" not in space.active({"codec": "lz4"})
    assert "level" in space.active({"codec": "zstd"})
    assert space.canonical({"codec": "lz4", "level": 9, "low": 10}) == {"codec": "lz4"}
    assert space.canonical({"codec": "zstd", "level": 9}) == {"codec": "zstd", "level": 9}


@pytest.mark.parametrize(
    ("version", "searched", "values", "acts"),
    [
        ((11, 8, 1), (), {"compression_type": "lz4"}, True),
        ((11, 4, 0), (), {"compression_type": "lz4"}, False),
        ((11, 8, 1), (), {"compression_type": "snappy", "bottommost_compression": "lz4"}, True),
        ((7, 8, 3), (), {"compression_type": "snappy", "bottommost_compression": "lz4"}, False),
        ((7, 8, 3), (), {"compression_type": "none", "bottommost_compression": "zstd"}, True),
        ((7, 8, 3), ("bottommost_compression",), {"compression_type": "snappy"}, True),
        ((7, 8, 3), ("compression_type",), {"compression_type": "snappy"}, False),
    ],
)
def test_a_level_of_compression_acts_where_a_level_of_the_tree_may_have_a_compressor_that_takes_it(
    version: tuple[int, ...], searched: tuple[str, ...], values: dict[str, Value], acts: bool
) -> None:
    known = catalogue().for_version(version)
    space = build_space(known, ["compression_level", *searched], {**library_values(known, version), **values})
    kept: dict[str, Value] = {"compression_level": 3} if acts else {}
    assert space.canonical({"compression_level": 3}) == kept
    assert space.canonical({"compression_level": 3, "block_size": 8192}) == {**kept, "block_size": 8192}


def test_what_depends_on_an_inactive_option_is_inactive_too() -> None:
    space = a_space(outside=True)
    conditions = {"level": {"align": (False,)}, "align": {"outside": (False,)}}
    assert {"align", "level"}.isdisjoint(replace(space, conditions=conditions).active({}))


def test_a_constraint_sees_what_a_run_would_use() -> None:
    space = a_space("level <= 5", "low <= outside")
    assert space.violations({"level": 9}) == ()
    assert space.violations({"level": 9, "codec": "zstd"}) == ("level <= 5 is broken: level = 9",)
    assert space.violations({"low": 60}) == ("low <= outside is broken: low = 60 is not <= outside = 50",)


@pytest.mark.parametrize(
    ("constraint", "values", "expected"),
    [
        ("low <= high", {"low": 30, "high": 20}, {"low": 30, "high": 30}),
        ("low < high", {"low": 30, "high": 20}, {"low": 30, "high": 31}),
        ("low < high", {"low": 100, "high": 20}, {"low": 19, "high": 20}),
        ("low <= high - 5", {"low": 30, "high": 32}, {"low": 27, "high": 32}),
        ("outside >= low", {"low": 80}, {"low": 50}),
        ("low == high", {"low": 7, "high": 9}, {"low": 7, "high": 7}),
        ("codec == 'none' or not align", {"codec": "lz4", "align": True}, {"codec": "none", "align": True}),
        ("codec != 'none'", {"codec": "none"}, {"codec": "lz4"}),
    ],
)
def test_a_simple_break_is_repaired_in_place(
    constraint: str, values: dict[str, Value], expected: dict[str, Value]
) -> None:
    assert a_space(constraint).repair(values) == expected


def test_other_relations_shrink_the_numbers_towards_the_reference() -> None:
    assert a_space("low + high <= 45").repair({"low": 50, "high": 60}) == {"low": 15, "high": 25}


def test_numbers_go_to_their_ends_where_the_reference_itself_is_infeasible() -> None:
    space = a_space("low + high <= 12")
    repaired = space.repair(space.default())
    assert repaired is not None
    assert space.violations(space.default()) != ()
    assert space.violations(repaired) == ()


def test_repair_moves_only_the_options_that_a_constraint_offers() -> None:
    space = replace(a_space(), constraints=(Constraint.parse("low <= high", repair=("low",)),))
    assert space.repair({"low": 30, "high": 20}) == {"low": 20, "high": 20}


def test_feasible_values_stay_as_they_are() -> None:
    assert a_space("low <= high").repair({"low": 3, "codec": "lz4"}) == {"low": 3, "codec": "lz4"}


def test_the_impossible_is_not_repaired_and_not_sampled() -> None:
    space = a_space("low > high", "high > low")
    assert space.repair(space.default()) is None
    with pytest.raises(ConstraintError, match=r"100 configurations .* for example (low > high|high > low) is broken"):
        space.sample(np.random.default_rng(1))


def test_samples_are_feasible_and_repeat_with_the_generator() -> None:
    space = a_space("low <= high", "low + level * 2 <= 60", "codec == 'none' or not align")
    draws = [[space.sample(np.random.default_rng(seed)) for seed in range(60)] for _ in range(2)]
    assert draws[0] == draws[1]
    assert all(space.violations(values) == () for values in draws[0])
    assert len({values["low"] for values in draws[0]}) > 20


def test_points_of_the_unit_cube_come_back() -> None:
    space = a_space()
    for place in np.random.default_rng(2).random((50, len(space))):
        values = space.from_unit(place)
        assert space.from_unit(space.to_unit(values)) == values
    assert space.from_unit(space.to_unit({})) == space.default()
    with pytest.raises(OptionError, match="give 5 places"):
        space.from_unit(np.zeros(4))


def test_a_space_is_checked_when_made() -> None:
    space = a_space()
    with pytest.raises(OptionError, match="has no option"):
        Space((), {})
    with pytest.raises(OptionError, match='"low" is in the search space twice'):
        Space((space.dimensions[0],) * 2, space.reference)
    with pytest.raises(OptionError, match='"low" has no value at the starting point'):
        Space(space.dimensions, {})
    with pytest.raises(ConstraintError, match=r'names "zstd".* in quotes'):
        a_space("codec != zstd")


def test_presets_give_feasible_samples_under_a_memory_limit(rocksdb: Catalogue, defaults: dict[str, Value]) -> None:
    for preset in (rocksdb.presets or {}).values():
        space = build_space(rocksdb, preset, defaults, constraints=[MEMORY], compressors=["none", "snappy", "zstd"])
        assert space.violations({}) == ()
        rng = np.random.default_rng(7)
        for _ in range(25):
            values = space.sample(rng)
            assert space.violations(values) == ()
            assert values.get("compression_type") in {"none", "snappy", "zstd", None}


def test_constraints_of_the_engine_are_added_where_they_touch_the_search(
    rocksdb: Catalogue, defaults: dict[str, Value]
) -> None:
    triggers = build_space(rocksdb, ["level0_stop_writes_trigger"], defaults)
    assert triggers.violations({"level0_stop_writes_trigger": 8})[0].startswith(
        "level0_slowdown_writes_trigger <= level0_stop_writes_trigger is broken: "
        "level0_slowdown_writes_trigger = 20 is not <= level0_stop_writes_trigger = 8 ("
    )
    assert build_space(rocksdb, ["bloom_bits"], defaults).constraints == ()


def test_fixed_options_take_part_through_the_reference(rocksdb: Catalogue, defaults: dict[str, Value]) -> None:
    fixed = {**defaults, "cache_size": 512 * MIB}
    space = build_space(rocksdb, ["write_buffer_size", "max_write_buffer_number"], fixed, constraints=[MEMORY])
    assert space.violations({"write_buffer_size": 512 * MIB})[0].endswith("512 MiB * 2 + 512 MiB = 1.5 GiB")


def test_sizes_with_units_of_the_catalogue_print_readably(rocksdb: Catalogue, defaults: dict[str, Value]) -> None:
    space = build_space(rocksdb, ["write_buffer_size", "max_write_buffer_number"], defaults, constraints=[MEMORY])
    values: dict[str, Value] = {"write_buffer_size": 512 * MIB, "max_write_buffer_number": 4}
    assert space.violations(values) == (f"{MEMORY} is broken: 512 MiB * 4 + 8 MiB = 2.008 GiB",)


def test_names_may_be_keys_and_ranges_the_user_s_own(rocksdb: Catalogue, defaults: dict[str, Value]) -> None:
    space = build_space(rocksdb, ["max_subcompactions"], defaults, {"max_subcompactions": Override(low=2, high=3)})
    assert space.names == ("subcompactions",)
    assert {space.from_unit(np.array([place]))["subcompactions"] for place in (0.0, 1.0)} == {2, 3}


def test_an_option_with_no_compressor_left_is_dropped_from_a_preset_only(
    rocksdb: Catalogue, defaults: dict[str, Value]
) -> None:
    preset = rocksdb.preset("write-heavy")
    assert "compression_type" not in build_space(rocksdb, preset, defaults, compressors=[]).names
    with pytest.raises(OptionError, match='"compression_type" can only be "none"'):
        build_space(rocksdb, ["compression_type"], defaults, compressors=[])


@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        ("write_bufer_size <= 1 GiB", 'did you mean "write_buffer_size"'),
        ("max_subcompactions <= 2", 'called "subcompactions" here'),
        ("universal_max_read_amp <= 8", '"universal_max_read_amp", an option of rocksdb that what runs here lacks'),
        ("compression_type != qqqq", '"qqqq" in quotes'),
        ("cache_size <= 1 MiB", "none of its options is searched"),
    ],
)
def test_a_constraint_of_the_user_that_cannot_work_is_refused(
    rocksdb: Catalogue, defaults: dict[str, Value], constraint: str, message: str
) -> None:
    with pytest.raises(ConstraintError, match=message):
        build_space(rocksdb, ["write_buffer_size", "compression_type"], defaults, constraints=[constraint])


def test_wishes_that_lead_nowhere_are_refused(rocksdb: Catalogue, defaults: dict[str, Value]) -> None:
    with pytest.raises(OptionError, match='"bloom_bits" has a range but is not searched'):
        build_space(rocksdb, ["cache_size"], defaults, {"bloom_bits": Override(high=20)})
    with pytest.raises(OptionError, match='lists "lz4", which does not work'):
        build_space(
            rocksdb,
            ["compression_type"],
            defaults,
            {"compression_type": Override(choices=["none", "lz4"])},
            compressors=["snappy"],
        )
    with pytest.raises(OptionError, match="did you mean"):
        build_space(rocksdb, ["write_bufer_size"], defaults)
