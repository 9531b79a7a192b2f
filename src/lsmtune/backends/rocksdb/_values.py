"""Values of catalogue options in an OPTIONS file: read from it, written into it."""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from lsmtune.backends.rocksdb._in_code import has_no_block_cache
from lsmtune.backends.rocksdb._options_file import OptionsFile, nested
from lsmtune.errors import OptionError, UsageError
from lsmtune.model import Configuration, Value
from lsmtune.space import OLDEST_VERSION, Kind, Option

NO_COMPRESSION = "kNoCompression"

# RocksDB's defaults where a file does not say.
_DEFAULT_LEVELS = "7"
_DEFAULT_COMPRESSION = "kSnappyCompression"
_WHOLE = re.compile(r"([+-]?\d+)([kmgt]?)", re.IGNORECASE)
_SHIFT = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}
_BLOOM = re.compile(r"bloomfilter:(\d+)(?:\.0*)?(?::(?:true|false))?")
_LEVEL_OPTION = "min_level_to_compress"
_BLOOM_OPTION = "bloom_bits"
_CACHE_OPTION = "cache_size"
# db_bench's flag sets two keys: partition_filters, which is read, and index_type.
_PARTITION_OPTION = "partition_index_and_filters"
_OWN_VALUES: Mapping[str, Value] = MappingProxyType(
    {
        "universal_size_ratio": 1,
        "universal_min_merge_width": 2,
        "universal_max_merge_width": 2**32 - 1,
        "universal_max_size_amplification_percent": 200,
        _BLOOM_OPTION: -1,
    }
)
"""What RocksDB does where db_bench's flag is 0; without a filter that is written as -1."""
_MOST_ARENA_BYTES, _ARENA_PAGE_BYTES = 1 << 20, 4 << 10
_COMPACTED_FILES = 25
_DELAYED_BYTES_S = 16 << 20


def read_values(file: OptionsFile, catalogue: Iterable[Option], version: str) -> dict[str, Value]:
    """Return the values of catalogue options that a file states, as they stand there (not un-scaled).

    Options without a key, options that `version` does not have, keys that the file lacks and values that no option
    value means (another filter policy, a memtable of one's own) are left out.

    Args:
        file: the OPTIONS file.
        catalogue: the options to look for.
        version: of the engine that wrote the file or shall read it, for example ``"7.8.3"``.

    Raises:
        UsageError: a value is not of its option's kind; the message names file, key and value.
    """
    values: dict[str, Value] = {}
    for option in catalogue:
        if option.key is None or not _has(option, version):
            continue
        value = _read(file, option)
        if value is not None:
            values[option.name] = value
    return values


def unread_texts(file: OptionsFile, catalogue: Iterable[Option], version: str) -> dict[str, str]:
    """Return what a file states of catalogue options and `read_values` leaves out, as no option value means it.

    Returns:
        Key and text by option, such as ``filter_policy=ribbonfilter:10:0``.
    """
    unread: dict[str, str] = {}
    for option in catalogue:
        text = None if option.key is None else file.get(option.section, option.key)
        if text and _has(option, version) and _read(file, option) is None:
            unread[option.name] = f"{option.key}={text}"
    return unread


def unread_of(configuration: Configuration, catalogue: Iterable[Option], version: str) -> dict[str, str]:
    """Return `unread_texts` of a configuration's OPTIONS file, without what the configuration sets itself."""
    if configuration.options_file is None:
        return {}
    found = unread_texts(OptionsFile.parse(configuration.options_file, "the OPTIONS file"), catalogue, version)
    return {name: text for name, text in found.items() if name not in configuration.values}


def write_values(file: OptionsFile, values: Mapping[str, Value], catalogue: Iterable[Option]) -> OptionsFile:
    """Return the file with `values` set, the inverse of `read_values`.

    A value that the file already states is left as it is written. Where 0 is db_bench's word for "RocksDB's own", the
    file gets what RocksDB does then, as a 0 there would mean 0. Options without a key are passed over: they are flags
    of db_bench alone. A block cache of 0 bytes is written as none: db_bench leaves the cache to the file then. Over a
    file that has none a larger one is allowed again: RocksDB drops it otherwise, or refuses to cache indexes.

    Raises:
        OptionError: an option is not in the catalogue, or cannot take the value.
        UsageError: the file has no place for a value.
    """
    options = {option.name: option for option in catalogue}
    for name in values:
        if name not in options:
            raise OptionError(f"option {name} is not in the catalogue, so it cannot be written to {file.place}")
    changed = file
    for name, asked in values.items():
        option = options[name]
        value = own_value(name, asked)
        if option.key is None or name == _LEVEL_OPTION or _read(file, option) == value:
            continue
        text = _bloom_text(value) if name == _BLOOM_OPTION else _text(option, value)
        changed = changed.set(option.section, option.key, text)
        if name == _PARTITION_OPTION:
            changed = changed.set("Table", "index_type", "kTwoLevelIndexSearch" if value else "kBinarySearch")
    cache_bytes = int(values.get(_CACHE_OPTION, -1))
    if cache_bytes == 0 or (cache_bytes > 0 and has_no_block_cache(file)):
        changed = changed.set("Table", "no_block_cache", "false" if cache_bytes else "true")
    level = values.get(_LEVEL_OPTION, _read_level(file))
    # The list per level repeats num_levels and compression, so it follows them.
    follows = any(changed.get("CF", key) != file.get("CF", key) for key in ("num_levels", "compression"))
    if level is None or (level == _read_level(changed) and not follows):
        return changed
    return _with_level(changed, int(level))


def own_value(name: str, value: Value) -> Value:
    """Return a value of an option, or what RocksDB does where it is db_bench's word for "RocksDB's own".

    A cache of less than nothing, which is none in db_bench and without a bound in RocksDB, is one of 0 bytes.
    """
    if name == _CACHE_OPTION and int(value) < 0:
        return 0
    return _OWN_VALUES.get(name, value) if value == 0 else value


def derived_values(values: Mapping[str, Value]) -> dict[str, Value]:
    """Return what RocksDB makes, when it opens a database, of options that are 0 and are derived from others.

    SetOptions and SetDBOptions derive nothing: a 0 that is given to them is 0. See ``SanitizeCfOptions`` in RocksDB's
    ``db/column_family.cc`` and ``SanitizeOptions`` in ``db/db_impl/db_impl_open.cc``, 11.8.1.

    Args:
        values: by option; with those that others are derived from.
    """
    arena_bytes = min(_MOST_ARENA_BYTES, int(values.get("write_buffer_size", 0)) // 8)
    pages = -(-arena_bytes // _ARENA_PAGE_BYTES)
    derived: dict[str, Value] = {
        "arena_block_size": pages * _ARENA_PAGE_BYTES,
        "max_compaction_bytes": _COMPACTED_FILES * int(values.get("target_file_size_base", 0)),
        "soft_pending_compaction_bytes_limit": values.get("hard_pending_compaction_bytes_limit", 0),
        "delayed_write_rate": values.get("rate_limiter_bytes_per_sec", 0) or _DELAYED_BYTES_S,
    }
    return {name: value for name, value in derived.items() if values.get(name) == 0}


def _has(option: Option, version: str) -> bool:
    at = max(_numbers(version), _numbers(OLDEST_VERSION))  # of older ones a file says what they have
    return _numbers(option.since) <= at and (option.until is None or at < _numbers(option.until))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def _read(file: OptionsFile, option: Option) -> Value | None:
    assert option.key is not None
    if option.name == _LEVEL_OPTION:
        return _read_level(file)
    text = file.get(option.section, option.key)
    if text is None:
        return None
    if option.name == _BLOOM_OPTION:
        return _read_bloom(text)
    try:
        return _parse(option, text)
    except ValueError:
        raise UsageError(f'{file.place}: {option.key}="{text}" is not {_MEANT[option.kind]}; correct it') from None


_MEANT = {
    Kind.INT: "a whole number",
    Kind.FLOAT: "a number",
    Kind.BOOL: "true or false",
    Kind.CHOICE: "a name",
}


def _parse(option: Option, text: str) -> Value | None:
    spelled = {_name(spelling): value for value, spelling in option.key_values.items()}
    if option.kind is Kind.CHOICE:
        name = _name(text)
        chosen = spelled.get(name, name)
        return chosen if chosen in option.choices else None
    text = spelled.get(text, text)
    if option.kind is Kind.BOOL:
        if text not in {"true", "false", "1", "0"}:
            raise ValueError(text)
        return text in {"true", "1"}
    if option.kind is Kind.FLOAT:
        return float(text)
    found = whole_number(text)
    if found is None:
        raise ValueError(text)
    return found


def whole_number(text: str) -> int | None:
    """Return a whole number as OPTIONS files write it, such as 64m; None where the text is none."""
    match = _WHOLE.fullmatch(text)
    return None if match is None else int(match[1]) << _SHIFT[match[2].lower()]


def _name(spelling: str) -> str:
    """Return what is named: a factory with settings of its own is written {id=VectorRepFactory;count=0;}."""
    return dict(nested(spelling)).get("id", spelling)


def _text(option: Option, value: Value) -> str:
    if isinstance(value, bool) or option.kind is Kind.BOOL:
        plain = "true" if value else "false"
    elif option.kind is Kind.FLOAT:
        plain = f"{float(value):.6f}"
    else:
        plain = str(value)
    return option.key_values.get(plain, plain)


def _read_bloom(text: str) -> int | None:
    if text == "nullptr":
        return -1
    match = _BLOOM.fullmatch(_name(text))
    return int(match[1]) if match is not None else None


def _bloom_text(value: Value) -> str:
    # db_bench takes 0 and negative bits both as "no filter".
    return f"bloomfilter:{value}:false" if int(value) > 0 else "nullptr"


def _read_level(file: OptionsFile) -> int | None:
    """Return the level from which on files are compressed.

    -1 where no list has a say; None for a list that no level makes.
    """
    text = file.get("CF", "compression_per_level")
    if not text:
        return -1
    levels = text.split(":")
    compression = file.get("CF", "compression") or _DEFAULT_COMPRESSION
    if compression == NO_COMPRESSION and set(levels) == {NO_COMPRESSION}:
        return -1
    first = next((number for number, name in enumerate(levels) if name != NO_COMPRESSION), len(levels))
    return first if all(name == compression for name in levels[first:]) else None


def _with_level(file: OptionsFile, level: int) -> OptionsFile:
    if level < 0:
        return file.without("CF", "compression_per_level")
    stated = file.get("CF", "num_levels") or _DEFAULT_LEVELS
    if not stated.isdigit():
        raise UsageError(f'{file.place}: num_levels="{stated}" is not a whole number; correct it')
    count = int(stated)
    if level > count:
        raise OptionError(f"{_LEVEL_OPTION}={level} is above num_levels={count}; RocksDB aborts on that, so lower it")
    compression = file.get("CF", "compression") or _DEFAULT_COMPRESSION
    names = [NO_COMPRESSION] * level + [compression] * (count - level)
    return file.set("CF", "compression_per_level", ":".join(names))
