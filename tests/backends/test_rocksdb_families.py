"""The values of every column family of an OPTIONS file."""

from pathlib import Path

import pytest

from lsmtune.backends.rocksdb import OptionsFile, read_families
from lsmtune.errors import UsageError
from lsmtune.model import Value
from lsmtune.space import catalogue

FIXTURES = Path(__file__).parents[1] / "fixtures"
TWO = """
[Version]
  rocksdb_version=7.8.3
[DBOptions]
  max_background_jobs=4
[CFOptions "default"]
  write_buffer_size=1048576
  max_write_buffer_size_to_maintain=0
[TableOptions/BlockBasedTable "default"]
  block_size=4096
[CFOptions "lock"]   # small values
  write_buffer_size=33554432
  max_write_buffer_size_to_maintain=67108864
  compression_opts={max_dict_buffer_bytes=1024;level=3;}
[TableOptions/BlockBasedTable "lock"]
  block_size=16384
  no_block_cache=true
"""


def families(text: str) -> dict[str, dict[str, Value]]:
    return read_families(OptionsFile.parse(text, "OPTIONS"), catalogue("rocksdb").options.values(), "7.8.3")


def test_each_family_has_its_own_values_and_those_of_the_database() -> None:
    found = families(TWO)
    assert list(found) == ["default", "lock"]
    assert [found[name]["write_buffer_size"] for name in found] == [1 << 20, 32 << 20]
    assert [found[name]["block_size"] for name in found] == [4096, 16384]
    assert [found[name]["max_background_jobs"] for name in found] == [4, 4]


def test_options_that_only_memory_depends_on_are_read_too() -> None:
    found = families(TWO)["lock"]
    assert found["max_write_buffer_size_to_maintain"] == 64 << 20
    assert found["compression_max_dict_buffer_bytes"] == 1024
    assert found["no_block_cache"] is True
    assert "writable_file_max_buffer_size" not in found


@pytest.mark.parametrize("version", ["7.8.3", "11.8.1"])
def test_a_file_that_the_engine_wrote_is_read(version: str) -> None:
    path = FIXTURES / f"db_bench-{version}" / "OPTIONS-000007.ini"
    found = families(path.read_text())
    assert list(found) == ["default"]
    assert found["default"]["writable_file_max_buffer_size"] == 1 << 20


def test_a_value_that_is_no_number_is_named_with_its_file() -> None:
    with pytest.raises(UsageError, match='OPTIONS: max_write_buffer_size_to_maintain="much" is not a number'):
        families(TWO.replace("to_maintain=67108864", "to_maintain=much"))
