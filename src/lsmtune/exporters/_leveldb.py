"""LevelDB's options as C++ code; LevelDB has no file of options."""

from collections.abc import Iterator, Mapping

from lsmtune.exporters._base import Export, ExportContext
from lsmtune.exporters._wording import commented, heading, setting_text
from lsmtune.model import Value

_IN_CODE: Mapping[str, str] = {
    "cache_size": "options.block_cache = leveldb::NewLRUCache({});  // yours to delete, after the database",
    "filter_bits": "options.filter_policy = leveldb::NewBloomFilterPolicy({});  // yours to delete, after the database",
    "verify_checksums": "read_options.verify_checksums = {};",
    "fill_cache": "read_options.fill_cache = {};",
}
"""What is no plain field of ``leveldb::Options``."""
_NO_FILTER = ("filter_bits", 0)
"""A policy of 0 bits would be a filter all the same, written into each file and asked by each read."""
_COMPRESSION = {"snappy": "leveldb::kSnappyCompression", "no": "leveldb::kNoCompression"}


class LevelDbCode(Export):
    """Statements that set what differs from LevelDB's defaults, each below its evidence."""

    name = "leveldb-cpp"
    summary = "C++ statements for leveldb::Options, for what differs from LevelDB's defaults."

    def text(self, context: ExportContext) -> str:
        """Return the statements; see `Export`."""
        statements = list(_statements(context))
        head = ["leveldb::Options options;"]
        if any("read_options" in line for line in statements):
            head.append("leveldb::ReadOptions read_options;")
        comments = [line.replace("#", "//", 1) for line in heading(context)]
        return "\n".join((*comments, "", *head, *statements)) + "\n"


class YcsbProperties(Export):
    """Properties of YCSB-cpp and of lsmtune's driver for what differs from LevelDB's defaults.

    For RocksDB both read an OPTIONS file, which says more: ``rocksdb.optionsfile``.
    """

    name = "ycsb-properties"
    summary = "A property file for YCSB-cpp and lsmtune-ycsb, for what differs from LevelDB's defaults."

    def text(self, context: ExportContext) -> str:
        """Return the property file; see `Export`."""
        lines = [*heading(context), ""]
        for name, value in context.told_values.items():
            key = context.catalogue.option(name).key or name
            lines += [*commented([setting_text(context, name)]), f"{context.build.engine}.{key}={_plain(value)}"]
        return "\n".join(lines) + "\n"


def _statements(context: ExportContext) -> Iterator[str]:
    for name, value in context.told_values.items():
        yield from (line.replace("#", "//", 1) for line in commented([setting_text(context, name)]))
        if (name, value) == _NO_FILTER:
            yield "options.filter_policy = nullptr;"
        else:
            yield _IN_CODE.get(name, f"options.{name} = {{}};").format(_COMPRESSION.get(str(value), _plain(value)))


def _plain(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
