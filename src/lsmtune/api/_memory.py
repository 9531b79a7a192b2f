"""How much memory a configuration needs: of an OPTIONS file, of an experiment, or of values alone."""

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lsmtune.api._asked import Asked, read_experiment
from lsmtune.backends.registry import catalogue_of, memory_model_of
from lsmtune.backends.rocksdb import OptionsFile, newest_options, read_families, with_own_cache
from lsmtune.errors import OptionError, QuantityError, UsageError
from lsmtune.experiment import Experiment
from lsmtune.full_size import described_writes
from lsmtune.lsm_model.tree import Writes, held_bytes
from lsmtune.memory_model import Load, Memory, Options
from lsmtune.model import Value
from lsmtune.space import Catalogue, library_values, read_value, scale_values
from lsmtune.study import prepare
from lsmtune.units import LARGEST, format_bytes, parse_bytes

_OLDEST = (7, 8)
_RIBBON = re.compile(r"ribbonfilter:(\d+(?:\.\d+)?)")
_RIBBON_SHARE = 0.7
"""Of the bits of a Bloom filter that a Ribbon filter of the same accuracy takes: RocksDB wiki, RocksDB Bloom Filter."""
_WORDS = {"true": True, "false": False}
_NOTHING: Mapping[str, Any] = MappingProxyType({})
_USUAL_ENGINE = "rocksdb"


def memory(
    source: "Asked | None" = None,
    *,
    options: Mapping[str, Value] = _NOTHING,
    load: Mapping[str, Any] = _NOTHING,
    stores: int = 1,
    shares_cache: bool = False,
    engine: str = _USUAL_ENGINE,
) -> Memory:
    """Return how much memory a configuration needs at its peak, part by part, each with its formula.

    It is a model (docs/explanation/memory.md says how far it is off): what no configuration says, such as the size of
    the data and the threads of the client, is taken from `load` or from the experiment, and what is assumed is said.

    Args:
        source: an OPTIONS file as RocksDB writes it, a folder of a database with one, or an experiment as a file, a
            dict or what was read; None: the engine's own defaults.
        options: values that are changed, by name or by the engine's own key, of all column families:
            ``{"cache_size": "1GiB"}``.
        load: what is known of the workload of one store, fields of `lsmtune.memory_model.Load` by name, over what the
            experiment says; sizes may be texts: ``{"data_bytes": "100GiB", "threads": 8}``.
        stores: databases of this configuration in one process, as Kafka Streams and Flink have them.
        shares_cache: these have one block cache.
        engine: ``"rocksdb"`` or ``"leveldb"``, where the source does not say.

    Raises:
        UsageError: the source cannot be read or is of another engine than is said, or there are no stores.
        OptionError: an option is unknown or cannot take its value.
        EngineError: an experiment needs an engine, and there is none.

    Examples:
        >>> import lsmtune
        >>> sizes = {"cache_size": "1GiB", "write_buffer_size": "128MiB"}
        >>> need = lsmtune.memory(options=sizes, load={"data_bytes": 10**11})
        >>> [(part.name, part.bytes >> 20) for part in need.parts if part.bytes > 100 << 20]
        [('block cache', 1024), ('memtables', 256), ('indexes', 675)]
        >>> lsmtune.memory(options={"cachesize": "1GiB"})
        Traceback (most recent call last):
            ...
        lsmtune.errors.OptionError: memory does not depend on "cachesize", or it is no option; did you mean
        "cache_size"?
    """
    if not 1 <= stores <= LARGEST:
        raise UsageError(f"{stores} stores have no memory; give at least 1, and a number of 64 bits at most")
    asked = _asked(source, engine)
    if engine not in (_USUAL_ENGINE, asked.catalogue.engine):  # the usual one is said by nobody
        raise UsageError(f"what is given is of {asked.catalogue.engine}, and not of {engine}; leave the engine out")
    changed = dict(_read(asked.catalogue, asked.defaults, name, value) for name, value in options.items())
    families = {name: Options({**values, **changed}, asked.defaults) for name, values in asked.families.items()}
    first = next(iter(families.values())).values
    kept = held_bytes(first, asked.writes)
    known = _changed(asked.load if kept is None else replace(asked.load, data_bytes=kept), load)
    found = memory_model_of(asked.catalogue.engine).need(families, known, stores, shares_cache)
    unanswered = tuple(sentence for name, sentence in asked.asks if name not in changed)
    unsaid = _undescribed(asked, first, load) if asked.is_experiment else _unsaid(load, known)
    idle = tuple(f"{name} does not change memory" for name in changed if name not in asked.defaults)
    return replace(found, assumptions=(*asked.said, *unanswered, *unsaid, *found.assumptions, *idle))


@dataclass(frozen=True)
class _Asked:
    """What a source says.

    Attributes:
        catalogue: the options that it can set.
        families: their values by column family, in base units, as the process has them.
        load: what it says of the workload.
        writes: the phases of it that write; empty where nothing describes them.
        said: how it is taken, in sentences.
        asks: what it cannot say, as (option that would, sentence).
        is_experiment: it says all of the workload that is asked for.
    """

    catalogue: Catalogue
    families: Mapping[str, Mapping[str, Value]]
    load: Load = field(default_factory=Load)
    writes: tuple[Writes, ...] = ()
    said: tuple[str, ...] = ()
    asks: tuple[tuple[str, str], ...] = ()
    is_experiment: bool = False

    @property
    def defaults(self) -> Mapping[str, Value]:
        """The options that memory depends on, with the engine's own values."""
        return memory_model_of(self.catalogue.engine).defaults


def _asked(source: "Asked | None", engine: str) -> _Asked:
    """Return what a source says."""
    if source is None:
        return _of_defaults(engine)
    if isinstance(source, Experiment | Mapping):
        return _of_experiment(read_experiment(source, searches=False))
    path = _file(Path(source))
    if path.suffix == ".toml":
        return _of_experiment(read_experiment(path, searches=False))
    return _of_options_file(path)


def _of_defaults(engine: str) -> _Asked:
    """Return what an engine does where nothing is set."""
    memory_model_of(engine)
    return _Asked(catalogue_of(engine), {"default": {}})


def _of_options_file(path: Path) -> _Asked:
    """Return what an OPTIONS file says; the block cache, which no such file holds, is RocksDB's own."""
    try:
        file = OptionsFile.parse(path.read_text(), str(path))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not text; give an OPTIONS file as RocksDB writes it, or an experiment") from None
    version = file.version or ".".join(map(str, _OLDEST))
    numbers = tuple(int(part) for part in version.split(".") if part.isdigit())
    known = catalogue_of("rocksdb")
    library = library_values(known.for_version(numbers), numbers)
    read = read_families(file, known.options.values(), version)
    families = {name: {**library, **values, **_ribbon(file, name)} for name, values in read.items()}
    strange = (_strange_filter(file, name) for name, values in read.items() if "bloom_bits" not in values)
    filters = (("bloom_bits", sentence) for sentence in strange if sentence)
    cache = format_bytes(float(library["cache_size"]))
    said = f"no OPTIONS file holds the block cache: it is RocksDB's own of {cache}; give yours with cache_size"
    return _Asked(known, families, asks=(("cache_size", said), *filters))


def _ribbon(file: OptionsFile, family: str) -> dict[str, Value]:
    """Return the bits that a Ribbon filter takes a key, if the family has one."""
    match = _RIBBON.match(file.as_default(family).get("Table", "filter_policy") or "")
    return {} if match is None else {"bloom_bits": round(_RIBBON_SHARE * float(match[1]), 1)}


def _strange_filter(file: OptionsFile, family: str) -> str:
    """Say that the filters of a column family are not counted; nothing where it has none, or they are."""
    policy = file.as_default(family).get("Table", "filter_policy")
    if policy in (None, "nullptr") or _ribbon(file, family):
        return ""
    return f'the filters of "{family}" are left out, as filter_policy={policy} is not understood; give bloom_bits'


def _of_experiment(experiment: Experiment) -> _Asked:
    """Return the reference of an experiment as its runs have it: sizes and data at the scale."""
    memory_model_of(experiment.engine.name)  # says so before an engine is looked for
    prepared = prepare(experiment)
    scaled, _ = scale_values(prepared.catalogue.options, prepared.space.reference, experiment.scale)
    file = prepared.rules.start.options_file
    library = library_values(prepared.catalogue, prepared.build.version_tuple)
    workload = prepared.workload
    words = experiment.backend.vocabulary
    load = Load.of(workload, experiment.scale, reads=words.reads(workload), writes=words.writes(workload))
    said = () if experiment.scale == 1 else (f"sizes and data are those of the runs, at a scale of {experiment.scale}",)
    writes = described_writes(experiment.backend, prepared.workload, experiment.scale, file)
    families = dict.fromkeys(words.families(workload), with_own_cache(scaled, file, library))
    return _Asked(prepared.catalogue, families, load, writes, said, is_experiment=True)


def _changed(load: Load, known: Mapping[str, Any]) -> Load:
    """Return a load with some of its fields as they are known.

    Raises:
        UsageError: there is no such field, or it cannot have the value.
    """
    names = [each.name for each in fields(Load)]
    for name in known:
        if name not in names:
            raise UsageError(f'"{name}" describes nothing of the workload; choose from {", ".join(names)}')
    sizes = {name: parse_bytes(value) for name, value in known.items() if isinstance(value, str)}
    return replace(load, **{**known, **sizes})


def _undescribed(asked: _Asked, values: Mapping[str, Value], known: Mapping[str, Any]) -> tuple[str, ...]:
    """Return that all of the data counts where nothing tells what FIFO compaction keeps of it, in a sentence."""
    if asked.writes or values.get("compaction_style") != "fifo" or "data_bytes" in known:
        return ()
    return ("FIFO compaction deletes nothing, as no model describes what is written: give what it keeps with --data",)


def _unsaid(known: Mapping[str, Any], load: Load) -> tuple[str, ...]:
    """Return what nobody said of the workload and stands at its default, in a sentence."""
    said = []
    if "threads" not in known:
        said.append(f"{load.threads} client thread")
    if not {"key_bytes", "value_bytes"} & known.keys():
        said.append(f"pairs of {load.key_bytes} B + {load.value_bytes} B")
    return (f"{' and '.join(said)}, as nothing else was given",) if said else ()


def _file(path: Path) -> Path:
    """Return the file that is meant: of a database's folder its newest OPTIONS file.

    Raises:
        UsageError: there is none.
    """
    if not path.is_dir():
        return path
    found = newest_options(path)
    if found is None:
        raise UsageError(f"{path} has no OPTIONS file; give the folder of a RocksDB database, or a file")
    return found


def _read(known: Catalogue, defaults: Mapping[str, Value], name: str, raw: Value) -> tuple[str, Value]:
    """Return the name and the value that are meant of an option of the catalogue, or of another that memory depends on.

    Raises:
        OptionError: there is no such option, or it cannot take the value.
    """
    if name in known.options or name in known.aliases:
        option = known.option(name)
        return option.name, read_value(option, raw)
    if name not in defaults:
        close = difflib.get_close_matches(name, (*defaults, *known.options), n=1)
        meant = f'; did you mean "{close[0]}"?' if close else "; see lsmtune options"
        raise OptionError(f'memory does not depend on "{name}", or it is no option{meant}')
    if isinstance(defaults[name], bool):
        if str(raw).lower() not in _WORDS:
            raise OptionError(f'option "{name}" cannot be "{raw}"; give true or false')
        return name, _WORDS[str(raw).lower()]
    try:
        return name, parse_bytes(str(raw))
    except QuantityError as error:
        raise OptionError(f'option "{name}": {error}') from None
