"""What a program sets in code and an OPTIONS file does not hold, as far as the file gives it away."""

from collections.abc import Mapping
from functools import lru_cache

from lsmtune.backends.rocksdb._options_file import OptionsFile, nested
from lsmtune.model import Value
from lsmtune.space import Catalogue

_CACHE = "cache_size"
_MAKEABLE = ("bloomfilter:", "ribbonfilter:")
_UNSET = (None, "0")


def has_no_block_cache(file: OptionsFile) -> bool:
    """Return whether the file says that there is no block cache, so that none was made in code."""
    return file.get("Table", "no_block_cache") in ("true", "1")


def with_own_cache(
    values: Mapping[str, Value], options_file: str | None, library: Mapping[str, Value]
) -> Mapping[str, Value]:
    """Return values with RocksDB's own block cache where one of less than nothing leaves it to an OPTIONS file.

    Such a file holds no cache; unless it says that there is none, RocksDB makes its own, of one size at every scale.

    Args:
        values: of options, as they were asked for.
        options_file: text of the file that they are set over; None: there is none.
        library: RocksDB's own value of every option.
    """
    if int(values.get(_CACHE, 0)) >= 0 or not _allows_own_cache(options_file):
        return values
    return {**values, _CACHE: library[_CACHE]}


def demanded_beside(options_file: str | None, known: Catalogue) -> Catalogue:
    """Return what an engine has with the relations that it demands beside an OPTIONS file; None: there is none."""
    return known.with_own_cache() if _allows_own_cache(options_file) else known


@lru_cache(maxsize=16)
def _allows_own_cache(options_file: str | None) -> bool:
    """Return whether a cache of less than nothing leaves RocksDB its own: beside a file that does not deny it one."""
    return options_file is not None and not has_no_block_cache(OptionsFile.parse(options_file, "the OPTIONS file"))


def may_limit_rate(file: OptionsFile) -> bool:
    """Return whether the database may have had a rate limiter.

    The file never names one, but beside one RocksDB writes bytes_per_sync=1048576 where that was 0: a file with 0 was
    written without a limiter (``SanitizeOptions`` in RocksDB's ``db/db_impl/db_impl_open.cc``).
    """
    return file.get("DB", "bytes_per_sync") not in _UNSET


def names_write_buffer_limit(file: OptionsFile) -> bool:
    """Return whether the file limits all memtables together; a write buffer manager made in code leaves 0 there."""
    return file.get("DB", "db_write_buffer_size") not in _UNSET


def lost_filter(file: OptionsFile) -> str:
    """Return the filter policy that the file names and nobody can make of its name; empty where there is none.

    A name without bits, such as ``rocksdb.BuiltinBloomFilter``, or one of a program's own is lost. ``nullptr`` is no
    filter, and no loss.
    """
    text = file.get("Table", "filter_policy")
    if text in (None, "", "nullptr"):
        return ""
    assert text is not None
    name = dict(nested(text)).get("id", text)
    return "" if name.startswith(_MAKEABLE) else name
