"""Column families of an OPTIONS file, each with its own values."""

from collections.abc import Iterable, Mapping

from lsmtune.backends.rocksdb._options_file import DEFAULT_FAMILY, OptionsFile, nested
from lsmtune.backends.rocksdb._values import read_values
from lsmtune.errors import UsageError
from lsmtune.model import Value
from lsmtune.space import Option

_FURTHER: Mapping[str, tuple[str, str]] = {
    "max_write_buffer_size_to_maintain": ("CF", "max_write_buffer_size_to_maintain"),
    "max_write_buffer_number_to_maintain": ("CF", "max_write_buffer_number_to_maintain"),
    "compression_max_dict_buffer_bytes": ("CF", "compression_opts.max_dict_buffer_bytes"),
    "writable_file_max_buffer_size": ("DB", "writable_file_max_buffer_size"),
    "no_block_cache": ("Table", "no_block_cache"),
}
"""What memory depends on and the catalogue does not have, as no search moves it: section and key, by name."""
_WORDS = {"true": True, "false": False}


def read_families(file: OptionsFile, catalogue: Iterable[Option], version: str) -> dict[str, dict[str, Value]]:
    """Return the values that a file states for each of its column families, "default" first.

    Options of the database are repeated in each. Beside those of the catalogue there are some that only matter for
    memory.

    Args:
        file: the OPTIONS file.
        catalogue: the options to look for.
        version: of the engine that wrote the file.

    Raises:
        UsageError: a value is not of its option's kind; the message names file, key and value.
    """
    options = tuple(catalogue)
    found = {}
    for family in (DEFAULT_FAMILY, *file.other_families):
        own = file.as_default(family)
        found[family] = {**read_values(own, options, version), **_further(own)}
    return found


def _further(file: OptionsFile) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for name, (section, key) in _FURTHER.items():
        text = file.get(section, key)
        if text is None or nested(text):
            continue
        try:
            found[name] = _WORDS[text] if text in _WORDS else int(text)
        except ValueError:
            raise UsageError(f'{file.place}: {key}="{text}" is not a number; correct it') from None
    return found
