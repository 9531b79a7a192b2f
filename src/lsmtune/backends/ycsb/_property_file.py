"""Property files of YCSB-cpp and of the original YCSB, as they are: what of them is workload, and what options.

Names and meanings from ``rocksdb/rocksdb_db.cc`` and ``leveldb/leveldb_db.cc`` of YCSB-cpp (github.com/ls4154/YCSB-cpp)
and ``RocksDBClient.java`` of YCSB (github.com/brianfrankcooper/YCSB).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from lsmtune.backends._property_file import PropertyFile
from lsmtune.backends.ycsb._owned import SET_BY_LSMTUNE
from lsmtune.backends.ycsb._phases import FLAGS
from lsmtune.errors import OptionError, UsageError
from lsmtune.model import Value
from lsmtune.space import Catalogue, Kind, Option, read_value

_FOLDERS = frozenset({"dbname", "dir", "destroy"})
"""Where the database lies and whether it is emptied: lsmtune gives each run a new folder of its own."""
_RENAMED = {
    "use_direct_io_for_flush_compaction": "use_direct_io_for_flush_and_compaction",
    "bloom_bits": "filter_policy",
}
"""Names of YCSB-cpp that are neither RocksDB's nor the catalogue's."""
_UNSET = {"compression": None, "compaction_pri": "-1"}
"""Values that leave RocksDB's default; for all other numbers that is 0."""
_NONE = "no"
"""No compression, as YCSB-cpp writes it."""
_PARALLEL: Mapping[str, Value] = MappingProxyType({"max_background_jobs": 16})
"""What RocksDB's ``IncreaseParallelism()`` sets, with the 16 threads that it takes unless told otherwise."""
_LEVELED: Mapping[str, Value] = MappingProxyType(
    {
        "write_buffer_size": 128 << 20,
        "min_write_buffer_number_to_merge": 2,
        "max_write_buffer_number": 6,
        "level0_file_num_compaction_trigger": 2,
        "target_file_size_base": 64 << 20,
        "max_bytes_for_level_base": 512 << 20,
        "compaction_style": "level",
        "min_level_to_compress": 2,
        "compression_type": "lz4",
    }
)
"""What ``OptimizeLevelStyleCompaction()`` sets for its 512 MiB, in a RocksDB that has LZ4."""


@dataclass(frozen=True)
class _Line:
    place: str
    name: str
    value: str

    def told(self, sentence: str) -> UsageError:
        return UsageError(f'{self.place}: property "{self.name}" is "{self.value}"; {sentence}')

    def flag(self) -> bool:
        if self.value not in FLAGS:
            raise self.told("write true or false")
        return FLAGS[self.value]


def read_property_file(text: str, name: str, catalogue: Catalogue, engine: str) -> PropertyFile:
    """Return what the text of a property file says to an engine; properties of other engines say nothing.

    Args:
        text: of the file.
        name: of the file, for messages.
        catalogue: the engine's options.
        engine: ``"rocksdb"`` or ``"leveldb"``, under which the binding's properties stand.
    """
    reader = _Reader(catalogue, engine)
    for number, line in _assignments(text):
        try:
            reader.take(line, f"{name}:{number}")
        except UsageError as error:
            reader.problems.append(str(error))
    return PropertyFile(
        reader.properties, {**reader.options, **reader.presets}, tuple(reader.passed_over), tuple(reader.problems)
    )


def _assignments(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that say something, with their numbers; one that ends with an odd backslash has the next, too."""
    begin, joined = 0, ""
    for number, line in enumerate(text.split("\n"), start=1):
        part = line.removesuffix("\r").lstrip()
        if not begin and (not part or part[0] in "#!"):
            continue
        begin = begin or number
        goes_on = (len(part) - len(part.rstrip("\\"))) % 2 == 1
        joined += part[:-1] if goes_on else part
        if not goes_on:
            yield begin, joined.strip()
            begin, joined = 0, ""
    if joined:
        yield begin, joined.strip()


class _Reader:
    """Takes a file line by line."""

    def __init__(self, catalogue: Catalogue, engine: str) -> None:
        self._catalogue = catalogue
        self._engine = engine
        self.properties: dict[str, str] = {}
        self.options: dict[str, Value] = {}
        self.presets: dict[str, Value] = {}  # YCSB-cpp sets these last, over single options
        self.passed_over: list[str] = []
        self.problems: list[str] = []

    def take(self, text: str, place: str) -> None:
        """Take one line.

        Raises:
            UsageError: it is no property, or its value cannot be meant.
        """
        if not text:
            return
        mark = min((at for at in (text.find("="), text.find(":")) if at >= 0), default=-1)
        if mark < 1:
            raise UsageError(f'{place}: "{text}" is no property; write name=value')
        line = _Line(place, text[:mark].strip(), text[mark + 1 :].strip())
        head, dot, rest = line.name.partition(".")
        if dot and head == self._engine:
            self._take_of_engine(rest, line)
        elif line.name in SET_BY_LSMTUNE:
            self.passed_over.append(line.name)
        elif not (dot and head in ("rocksdb", "leveldb")):
            self.properties[line.name] = line.value

    def _take_of_engine(self, bare: str, line: _Line) -> None:
        match bare:
            case "format":
                if line.value != "single":
                    raise line.told("the driver writes a row as one value: write single, or remove the line")
            case "sync":
                self.properties["lsmtune.sync"] = str(line.flag()).lower()
            case "destroy":
                line.flag()
                self.passed_over.append(line.name)
            case _ if bare in _FOLDERS:
                self.passed_over.append(line.name)
            case _ if self._engine == "rocksdb" and self._take_of_rocksdb(bare, line):
                pass
            case _:
                self._take_option(bare, line)

    def _take_of_rocksdb(self, bare: str, line: _Line) -> bool:
        match bare:
            case "optionsfile" if line.value:
                raise line.told("name the file as options_file under [engine], and remove the line")
            case "mergeupdate" if line.flag():
                raise line.told("updates by merge are not built in; write false")
            case "env_uri" | "fs_uri" if line.value:
                raise line.told("other environments are not supported; remove the line")
            case "increase_parallelism" if line.flag():
                self.presets.update(_PARALLEL)
            case "optimize_level_style_compaction" if line.flag():
                self.presets.update(_LEVELED)
            case "compressed_cache_size" if line.value != "0":
                self.passed_over.append(line.name)  # not in the catalogue: gone since RocksDB 8
            case (
                "optionsfile"
                | "mergeupdate"
                | "env_uri"
                | "fs_uri"
                | "increase_parallelism"
                | "optimize_level_style_compaction"
                | "compressed_cache_size"
            ):
                pass
            case _:
                return False
        return True

    def _take_option(self, bare: str, line: _Line) -> None:
        try:
            option = self._catalogue.option(_RENAMED.get(bare, bare) if self._engine == "rocksdb" else bare)
        except OptionError:
            self.passed_over.append(line.name)
            return
        if line.value == _UNSET.get(bare, "0") and option.kind in (Kind.INT, Kind.CHOICE):
            return
        try:
            self.options[option.name] = read_value(option, self._meant(option, line))
        except OptionError as error:
            raise line.told(str(error)) from None

    def _meant(self, option: Option, line: _Line) -> Value:
        """Return the value in the catalogue's words."""
        match option.kind:
            case Kind.BOOL:
                return line.flag()
            case Kind.CHOICE:
                by_text = {**_turned(option.key_values), **_turned(option.flag_values)}
                none = "none" if line.value == _NONE and "none" in option.choices else line.value
                return none if none in option.choices else by_text.get(line.value, line.value)
            case _:
                return int(line.value) if line.value.lstrip("-").isdecimal() else line.value


def _turned(words: Mapping[str, str]) -> dict[str, str]:
    return {word: name for name, word in words.items()}
