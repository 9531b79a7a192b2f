"""A configuration becomes arguments of the driver: an OPTIONS file for RocksDB, ``-o`` for LevelDB."""

from dataclasses import dataclass
from fractions import Fraction

from lsmtune.backends.rocksdb import OptionsFile, has_no_block_cache, limits_at_scale, read_values, write_values
from lsmtune.backends.ycsb._unsupported import CACHE, KIND, MADE, RATE_LIMIT, unsupported
from lsmtune.errors import EngineError
from lsmtune.model import Configuration, EngineBuild, Value
from lsmtune.space import Catalogue, catalogue, default_of, library_values, scaled_value

_MINIMAL = """[Version]
  rocksdb_version={version}
  options_file_version=1.1

[DBOptions]

[CFOptions "default"]

[TableOptions/BlockBasedTable "default"]
"""
"""An OPTIONS file that leaves everything at the library's defaults."""


@dataclass(frozen=True)
class OptionWriter:
    """Writes the options of one engine build at one scale."""

    build: EngineBuild
    catalogue: Catalogue
    scale: Fraction

    def options_text(self, configuration: Configuration) -> str | None:
        """Return the OPTIONS file, at scale, that a configuration of RocksDB travels in; None for LevelDB.

        It states what is set, and below full size every size of the tree; all else is RocksDB's default.

        Raises:
            EngineError: the configuration starts from an OPTIONS file, but the engine is LevelDB.
            UsageError: the OPTIONS file that it starts from cannot be read.
        """
        start = configuration.options_file
        if self.build.engine != "rocksdb":
            if start is not None:
                raise EngineError(f"{self.build.engine} has no OPTIONS files; name its options one by one")
            return None
        file = self._started_from(start)
        written = write_values(file, self._stated(configuration, file), self.catalogue.options.values())
        return limits_at_scale(written, self.scale).text()

    def arguments(self, configuration: Configuration) -> tuple[str, ...]:
        """Return the options that travel as arguments: all of LevelDB's, and RocksDB's cache and rate limit.

        Raises:
            EngineError: the driver cannot set an option.
        """
        if self.build.engine != "rocksdb":
            asked = {self.catalogue.option(name).key or name: value for name, value in configuration.items}
            return tuple(word for key, value in asked.items() for word in ("-o", f"{key}={_text(value)}"))
        stated = self._stated(configuration, self._started_from(configuration.options_file))
        words: list[str] = []
        for name, value in stated.items():
            if self.catalogue.option(name).section == "tool":
                words += self._tool_words(name, value, configuration)
        return tuple(words)

    def _started_from(self, text: str | None) -> OptionsFile:
        if text is None:
            return OptionsFile.parse(_MINIMAL.format(version=self.build.version), "OPTIONS")
        # A product's listeners are code that the driver lacks, and its folders are not to be written to.
        return OptionsFile.parse(text, "OPTIONS").without_listeners().without_paths()

    def _stated(self, configuration: Configuration, file: OptionsFile) -> dict[str, Value]:
        """Return the values, at scale, that are set or that the scale changes, in the catalogue's order.

        The cache is among them where RocksDB by itself makes another kind than of a size that it is told. There is none
        beside a file that says so, unless it is set.
        """
        asked = {self.catalogue.option(name).name: value for name, value in configuration.items}
        found = read_values(file, self.catalogue.options.values(), self.build.version)
        found |= {CACHE: 0} if has_no_block_cache(file) else {}
        everything = {**library_values(self.catalogue, self.build.version_tuple), **found, **asked}
        kind = default_of(catalogue().option(KIND), "library", self.build.version_tuple)
        always = CACHE if kind != MADE[KIND] else ""
        stated: dict[str, Value] = {}
        for name, option in self.catalogue.options.items():
            if name not in everything:
                continue
            value = everything[name]
            at_scale = scaled_value(option, value, self.scale)
            if name in asked or name == always or at_scale != value:
                stated[name] = at_scale
        return stated

    def _tool_words(self, name: str, value: Value, configuration: Configuration) -> tuple[str, ...]:
        option = self.catalogue.option(name)
        if unsupported(option, self.build):
            if value == {**library_values(self.catalogue, self.build.version_tuple), **MADE}.get(name):
                return ()
            raise EngineError(f"lsmtune-ycsb cannot set {name}={value}: RocksDB takes it from code alone; take it out")
        if name == RATE_LIMIT:
            return ("-o", f"{name}={value}") if int(value) > 0 else ()  # 0: no limiter; RocksDB aborts on one of 0 B/s
        assert name == CACHE
        if int(value) > 0:
            return "-o", f"block_cache={value}"
        # As in db_bench, a negative size leaves the cache to an OPTIONS file, and is no cache without one.
        left_to_file = int(value) < 0 and configuration.options_file is not None
        return () if left_to_file else ("-o", "no_block_cache=true")


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
