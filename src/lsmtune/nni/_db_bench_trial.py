"""Trials that do nothing but run db_bench: what they fix in their code.

NNI's example "Tuning RocksDB" fills a dictionary of db_bench's flags, puts the parameters into it and runs db_bench.
The dictionary is read from the code, which is not run; so it may have been changed.
"""

import ast
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from lsmtune.backends.db_bench.backend import DbBenchBackend
from lsmtune.model import Value
from lsmtune.nni._config import NniConfig

_LARGEST_SCRIPT = 200_000
_SCRIPT = re.compile(r"[^\s;|&<>'\"]+\.py\b")
_PLACES = frozenset({"db", "wal_dir"})
"""Flags whose values say where data is put; they may be computed."""

PUBLISHED: Mapping[str, Value] = MappingProxyType(
    {
        "benchmarks": "fillrandom",
        "threads": 1,
        "key_size": 20,
        "value_size": 100,
        "num": 13107200,
        "disable_wal": 1,
        "max_background_flushes": 1,
        "max_background_compactions": 4,
        "write_buffer_size": 67108864,
        "max_write_buffer_number": 16,
        "min_write_buffer_number_to_merge": 2,
        "level0_file_num_compaction_trigger": 2,
        "max_bytes_for_level_base": 268435456,
        "max_bytes_for_level_multiplier": 10,
        "target_file_size_base": 33554432,
        "target_file_size_multiplier": 1,
    }
)
"""Flags of the example as it was published, for where its code is not there."""

_PUBLISHED_NAMES = frozenset(
    {"write_buffer_size", "min_write_buffer_number_to_merge", "level0_file_num_compaction_trigger"}
)


def fixed_flags(config: NniConfig) -> tuple[Mapping[str, Value], str] | None:
    """Return the flags that the trial's code gives to db_bench, and where they were read; None for another trial.

    Without the code, the published example is known by its command and by the names of its parameters.
    """
    match = _SCRIPT.search(config.command)
    if match is None:
        return None
    script = config.code_folder / match[0]
    if script.is_file():
        flags = _flags_in(script)
        return None if flags is None else (flags, script.name)
    if match[0] == "main.py" and {parameter.name for parameter in config.parameters} == _PUBLISHED_NAMES:
        return PUBLISHED, "NNI's example, as its main.py is not there"
    return None


def _flags_in(script: Path) -> dict[str, Value] | None:
    """Return the first dictionary of constants with the key "benchmarks" in a script that names db_bench."""
    try:
        text = script.read_text("utf-8")
        if DbBenchBackend.program not in text or len(text) > _LARGEST_SCRIPT:
            return None
        tree = ast.parse(text)
    except (OSError, ValueError, SyntaxError, RecursionError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            flags = _constants(node)
            if flags is not None and "benchmarks" in flags:
                return flags
    return None


def _constants(node: ast.Dict) -> dict[str, Value] | None:
    """Return what a dictionary in code holds; None where a key or a value that matters is not written out."""
    found: dict[str, Value] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
            return None
        try:
            constant = ast.literal_eval(value)
        except (ValueError, TypeError):
            constant = None
        if isinstance(constant, bool | int | float | str):
            found[key.value] = constant
        elif key.value not in _PLACES:
            return None
    return found
