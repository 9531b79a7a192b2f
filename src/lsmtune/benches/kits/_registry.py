"""The explicit list of kits."""

from collections.abc import Mapping
from types import MappingProxyType

from lsmtune.benches.kits._db_bench import DbBenchKit
from lsmtune.benches.kits._kit import Kit
from lsmtune.benches.kits._ycsb import YcsbKit
from lsmtune.model import Tool

KITS: Mapping[Tool, Kit] = MappingProxyType({Tool.DB_BENCH: DbBenchKit(), Tool.YCSB: YcsbKit()})
"""All kits by tool."""
