"""The effective configuration: what the engine made of the options that it was given."""

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from lsmtune.backends.rocksdb._options_file import OptionsFile
from lsmtune.backends.rocksdb._values import read_values
from lsmtune.model import Overridden, Value
from lsmtune.space import Option, scaled_value, unscaled_value

_Values: TypeAlias = Mapping[str, Value]

# OPTIONS files print six decimals.
_RELATIVE = 1e-6
_ABSOLUTE = 6e-7


def effective_values(options_text: str, catalogue: Iterable[Option], version: str, scale: Fraction) -> dict[str, Value]:
    """Return the values in an OPTIONS text that the engine wrote, at full size.

    Scaled options are divided by the scale and rounded, so they can differ from what was asked by the rounding that
    scaling did; `overridden` allows for it.

    Args:
        options_text: the OPTIONS file of the database after opening.
        catalogue: the options to look for.
        version: of the engine.
        scale: the factor, 0 < scale <= 1, that sizes were multiplied by.

    Raises:
        UsageError: the text cannot be read.
    """
    options = tuple(catalogue)
    values = read_values(OptionsFile.parse(options_text, "the engine's OPTIONS file"), options, version)
    if values.get("db_write_buffer_size") == 0:
        # db_bench makes a write buffer manager of the flag, and the engine then writes 0: the value is not known.
        del values["db_write_buffer_size"]
    return {
        option.name: unscaled_value(option, values[option.name], scale) for option in options if option.name in values
    }


def with_unwritten(
    effective: Mapping[str, Value],
    asked: Mapping[str, Value],
    catalogue: Iterable[Option],
    defaults: Mapping[str, Value],
) -> dict[str, Value]:
    """Return effective values with those of options that the engine writes into no OPTIONS file.

    Caches, the rate limiter and the bound on all memtables are objects of the program. They are taken to be as they
    were asked for, else at the program's default: two runs that differ in them alone are two configurations.
    """
    unwritten = (option.name for option in catalogue if option.name not in effective)
    known = {**defaults, **asked}
    return {**{name: known[name] for name in unwritten if name in known}, **effective}


def overridden(
    asked: Mapping[str, Value], effective: Mapping[str, Value], catalogue: Iterable[Option], scale: Fraction
) -> tuple[Overridden, ...]:
    """Return the options whose effective value is not what was asked for, in the order of `asked`.

    Values are compared as the engine saw them, at the scale. Options without an effective value are left out: what
    cannot be read back cannot be judged. The reason is empty where the engine's rule is not known.

    Args:
        asked: values that were asked for, at full size.
        effective: as `effective_values` returns them.
        catalogue: the options; others are left out.
        scale: the factor, 0 < scale <= 1, that sizes were multiplied by.
    """
    options = {option.name: option for option in catalogue}
    given = {name: scaled_value(options[name], value, scale) for name, value in asked.items() if name in options}
    used = {name: scaled_value(options[name], value, scale) for name, value in effective.items() if name in options}
    return tuple(
        Overridden(name, asked[name], effective[name], _reason(name, value, used))
        for name, value in given.items()
        if name in used and not _equal(value, used[name])
    )


def _equal(one: Value, other: Value) -> bool:
    if isinstance(one, float) or isinstance(other, float):
        if isinstance(one, str) or isinstance(other, str):
            return False
        return math.isclose(one, other, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE)
    return one == other


_Applies: TypeAlias = Callable[[Value, _Values], bool]


@dataclass(frozen=True)
class _Rule:
    """A rewrite that RocksDB or db_bench is known for; all were seen on 7.8.3.

    Attributes:
        option: lsmtune's name.
        applies: whether the asked value falls under the rule, given the effective values, all at the scale.
        reason: why the value became another.
    """

    option: str
    applies: _Applies
    reason: str


def _is(special: Value) -> _Applies:
    return lambda asked, _: asked == special


def _outside(low: float, high: float = math.inf) -> _Applies:
    return lambda asked, _: not isinstance(asked, str) and not low <= asked <= high


def _beside(option: str, outside: Callable[[float, float], bool]) -> _Applies:
    """Applies where `outside(asked, effective value of option)`."""

    def applies(asked: Value, effective: _Values) -> bool:
        other = effective.get(option)
        return not isinstance(asked, str) and not isinstance(other, str | None) and outside(asked, other)

    return applies


def _where(option: str, *values: Value) -> _Applies:
    return lambda _, effective: effective.get(option) in values


_LEAVES_DEFAULT = "0 leaves RocksDB's default"
_RULES = (
    _Rule("write_buffer_size", _outside(64 * 2**10, 64 * 2**30), "RocksDB keeps it within 64 KiB and 64 GiB"),
    _Rule("arena_block_size", _is(0), "0 means an eighth of write_buffer_size, at most 1 MiB"),
    _Rule("max_write_buffer_number", _outside(2), "RocksDB needs at least 2"),
    _Rule(
        "min_write_buffer_number_to_merge",
        _beside("max_write_buffer_number", lambda asked, most: asked >= most),
        "RocksDB keeps it below max_write_buffer_number",
    ),
    _Rule("memtable_bloom_size_ratio", _outside(0, 0.25), "RocksDB keeps it within 0 and 0.25"),
    _Rule("level0_file_num_compaction_trigger", _outside(1), "RocksDB needs at least 1"),
    _Rule(
        "level0_slowdown_writes_trigger",
        _beside("level0_file_num_compaction_trigger", operator.lt),
        "RocksDB raises it to at least level0_file_num_compaction_trigger",
    ),
    _Rule(
        "level0_stop_writes_trigger",
        _beside("level0_slowdown_writes_trigger", operator.lt),
        "RocksDB raises it to at least level0_slowdown_writes_trigger",
    ),
    _Rule("num_levels", _outside(2), "level compaction needs at least 2 levels"),
    _Rule("max_bytes_for_level_multiplier", _outside(1), "RocksDB needs at least 1"),
    _Rule(
        "level_compaction_dynamic_level_bytes",
        _where("compaction_style", "universal"),
        "only level compaction has it",
    ),
    _Rule("max_compaction_bytes", _is(0), "0 means 25 x target_file_size_base"),
    _Rule("soft_pending_compaction_bytes_limit", _is(0), "0 means hard_pending_compaction_bytes_limit"),
    _Rule(
        "soft_pending_compaction_bytes_limit",
        _beside("hard_pending_compaction_bytes_limit", operator.gt),
        "RocksDB keeps it at most hard_pending_compaction_bytes_limit",
    ),
    _Rule("universal_size_ratio", _is(0), _LEAVES_DEFAULT),
    _Rule("universal_min_merge_width", _is(0), _LEAVES_DEFAULT),
    _Rule("universal_max_merge_width", _is(0), _LEAVES_DEFAULT),
    _Rule("universal_max_size_amplification_percent", _is(0), _LEAVES_DEFAULT),
    _Rule("delayed_write_rate", _is(0), "0 means the rate limiter's rate, or 16 MiB/s without one"),
    _Rule("bytes_per_sync", _is(0), "0 means 1 MiB with a rate limiter"),
    _Rule("compaction_readahead_size", _is(0), "0 means 2 MiB with direct IO, before 8.7"),
    _Rule("open_files", _outside(-1, -1), "RocksDB keeps it within 20 and what the process may open"),
    _Rule("block_restart_interval", _outside(1), "RocksDB needs at least 1"),
    _Rule("bloom_bits", _outside(1), "0 and -1 both mean no filter"),
    _Rule("min_level_to_compress", _where("compression_type", "none"), "it has no effect without a compressor"),
)


def _reason(name: str, asked: Value, effective: _Values) -> str:
    return next((rule.reason for rule in _RULES if rule.option == name and rule.applies(asked, effective)), "")
