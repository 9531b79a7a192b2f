"""LevelDB's options as C++ code; LevelDB has no file of options."""

from collections.abc import Iterator, Mapping
from typing import ClassVar

from lsmtune.exporters._base import Export, Material
from lsmtune.exporters._wording import change_text, changes_title, commented, origin, value_text, verdict
from lsmtune.model import Tool, Value

_IN_CODE: Mapping[str, str] = {
    "cache_size": "options.block_cache = leveldb::NewLRUCache({});  // yours to delete, after the database",
    "filter_bits": "options.filter_policy = leveldb::NewBloomFilterPolicy({});  // yours to delete, after the database",
    "verify_checksums": "read_options.verify_checksums = {};",
    "fill_cache": "read_options.fill_cache = {};",
}
"""What is no plain field of ``leveldb::Options``."""
_COMPRESSION = {"snappy": "leveldb::kSnappyCompression", "no": "leveldb::kNoCompression"}


class LevelDbCode(Export):
    """Statements that set what differs from LevelDB's defaults, each below its evidence."""

    name = "leveldb-cpp"
    summary = "C++ statements for leveldb::Options, for what differs from LevelDB's defaults."
    engines: ClassVar[frozenset[str]] = frozenset({"leveldb"})

    def text(self, material: Material) -> str:
        """Return the statements; see `Export`."""
        lines = [
            *commented(origin(material)),
            *commented(verdict(material.result)),
            *commented([changes_title(material.result)]),
        ]
        statements = list(_statements(material))
        head = ["leveldb::Options options;"]
        if any("read_options" in line for line in statements):
            head.append("leveldb::ReadOptions read_options;")
        comments = [line.replace("#", "//", 1) for line in lines]
        return "\n".join((*comments, "", *head, *statements)) + "\n"


class YcsbProperties(Export):
    """Properties of YCSB-cpp and of lsmtune's driver for what differs from the engine's defaults."""

    name = "ycsb-properties"
    summary = "A property file for YCSB-cpp and lsmtune-ycsb, for what differs from the engine's defaults."
    tools: ClassVar[frozenset[Tool]] = frozenset({Tool.YCSB})

    def text(self, material: Material) -> str:
        """Return the property file; see `Export`."""
        lines = [
            *commented(origin(material)),
            *commented(verdict(material.result)),
            *commented([changes_title(material.result)]),
            "",
        ]
        for name, value in material.from_stock.items():
            key = material.catalogue.option(name).key or name
            lines += [*commented([_about(material, name)]), f"{material.build.engine}.{key}={_plain(value)}"]
        return "\n".join(lines) + "\n"


def _statements(material: Material) -> Iterator[str]:
    for name, value in material.from_stock.items():
        yield from (line.replace("#", "//", 1) for line in commented([_about(material, name)]))
        yield _IN_CODE.get(name, f"options.{name} = {{}};").format(_COMPRESSION.get(str(value), _plain(value)))


def _about(material: Material, name: str) -> str:
    option = material.catalogue.option(name)
    changes = {change.option: change for change in material.result.changes}
    if name in changes:
        return change_text(changes[name], option)
    return f"{name}: {value_text(option, material.values[name])}, as in the reference {material.result.rules.reference}"


def _plain(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
