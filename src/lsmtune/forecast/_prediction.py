"""What a configuration comes to at a size at which nothing was measured, each figure with an interval."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from lsmtune.lsm_model.tree import (
    Costs,
    Machine,
    Outcome,
    ReadOutcome,
    Reads,
    Rules,
    Writes,
    lookup_blocks,
    models,
    run_phases,
    run_reads,
    sustained_rate,
)
from lsmtune.memory_model import Memory
from lsmtune.model import Value

_LEVEL, _UNIVERSAL, _FIFO, _LEVELDB, _BLOBS = "level", "universal", "fifo", "leveldb", "blobs"
_HALF_WIDTH: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "waf": {_LEVEL: 0.32, _UNIVERSAL: 0.30, _FIFO: 0.10, _LEVELDB: 0.35, _BLOBS: 0.32},
        "space_bytes": {_LEVEL: 0.15, _UNIVERSAL: 0.43, _FIFO: 0.24, _LEVELDB: 0.15, _BLOBS: 0.43},
        "space_peak_bytes": {_LEVEL: 0.26, _UNIVERSAL: 0.69, _FIFO: 0.26, _LEVELDB: 0.26, _BLOBS: 0.69},
        "throughput_settled_ops_s": {_LEVEL: 0.46, _UNIVERSAL: 0.48, _FIFO: 0.46, _LEVELDB: 0.46, _BLOBS: 0.46},
        "sustained_ops_s": {_LEVEL: 0.46, _UNIVERSAL: 0.48, _FIFO: 0.46, _LEVELDB: 0.46, _BLOBS: 0.46},
    }
)
"""Half the width of 90 % intervals, in logarithms: the 90 % quantile of the absolute error of 814 recorded runs of
random configurations that the model had not seen; of FIFO compaction, LevelDB and collected blob files not less than
the largest error of 9 or 10 runs of each (docs/explanation/predict.md)."""
_EVIDENCE_BYTES = 260_000_000
"""User bytes of those runs."""
_MEMORY_HALF_WIDTH = 0.163
"""The same of memory, which holds 25 of the 27 configurations that docs/explanation/memory.md judges it by."""
_Z90 = 1.6449
_LEFT_OUT: Mapping[str, tuple[Value, str]] = MappingProxyType(
    {
        "bottommost_compression": ("disabled", "the last level is taken to be compressed as the others"),
        "compression_level": (32767, "the compressor is taken at its usual effort"),
        "compression_max_dict_bytes": (0, "blocks are taken to be compressed without a dictionary"),
        "universal_compression_size_percent": (-1, "all sorted runs are taken to be compressed"),
        "universal_max_read_amp": (-1, "sorted runs are taken to be merged from level0_file_num_compaction_trigger on"),
    }
)
"""Options that the model of a tree does not know: the value that changes nothing, and what is predicted for any."""


@dataclass(frozen=True)
class Quantity:
    """A predicted indicator.

    Attributes:
        name: of the indicator, in base units.
        value: the most likely.
        low, high: between which it lies in 90 % of cases, as far as recorded runs tell.
    """

    name: str
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Prediction:
    """What is predicted of a configuration.

    Attributes:
        quantities: what can be told.
        unknown: what cannot be told, each in a sentence.
        stalls: probability that writes are held back at the rate that was asked about; None where none was.
        rate: that rate, in writes/s.
        levels: stored bytes by level.
        lookup_blocks: data blocks that a lookup of a key that is there reads without a cache, and of one that is not.
        reads: what the reads of the workload come to, once the caches are warm; None where it reads nothing.
        memory: what the process needs, part by part; None where nothing computes it.
        extrapolates: data against that of the runs behind the intervals.
        assumptions: what is taken for granted, each in a sentence.
        is_stuck: writes would stand still for ever.
    """

    quantities: tuple[Quantity, ...]
    unknown: tuple[str, ...]
    stalls: float | None = None
    rate: float | None = None
    levels: tuple[float, ...] = ()
    lookup_blocks: tuple[float, float] = (math.nan, math.nan)
    extrapolates: float = math.nan
    assumptions: tuple[str, ...] = ()
    is_stuck: bool = False
    reads: ReadOutcome | None = None
    memory: Memory | None = None

    def __getitem__(self, name: str) -> Quantity:
        """Return a quantity by the name of its indicator.

        Raises:
            KeyError: it is not predicted.
        """
        found = next((each for each in self.quantities if each.name == name), None)
        if found is None:
            raise KeyError(name)
        return found

    def held_back(self) -> tuple[tuple[float, float], ...]:
        """Return rates around the one that is kept up with, and how probable it is that writes are held back at each.

        From a quarter of it to four times as much; nothing where it is not known.
        """
        sustained = next((each for each in self.quantities if each.name == "sustained_ops_s"), None)
        if sustained is None or sustained.value <= 0:
            return ()
        rates = (sustained.value * 2 ** (step / 2) for step in range(-4, 5))
        return tuple((rate, _held_back(sustained, rate)) for rate in rates)


@dataclass(frozen=True)
class Readers:
    """Who reads the data, and what they may keep of it.

    Attributes:
        reads: what is read.
        page_cache_bytes: of the host, that are left for table files; None where that is not known.
    """

    reads: Reads
    page_cache_bytes: float | None = None


def predicted(
    options: Mapping[str, Value],
    phases: Sequence[Writes],
    costs: Costs | None,
    cores: float,
    rate: float | None = None,
    readers: Readers | None = None,
) -> Prediction:
    """Predict what phases of writes come to, and what is read after or between them.

    Args:
        options: values by name, in base units, at the size of the phases.
        phases: at least one.
        costs: what was measured of the host and build; None where nothing was, and no rate is told.
        cores: that the engine may use.
        rate: writes/s that somebody wants to offer.
        readers: who reads; None where nobody does.
    """
    found, last = _without_rates(options, phases, costs, cores, readers)
    if last is None:
        return replace(found, rate=rate)
    if costs is None:
        sentence = f"rates and stalls: nothing was measured of this host and build; {_next(phases[-1])}"
        return replace(found, rate=rate, unknown=(sentence, *found.unknown))
    style = _evidence(options, phases[-1])
    settled = _quantity("throughput_settled_ops_s", phases[-1].operations / last.total_s, style, last)
    sustained = _quantity("sustained_ops_s", sustained_rate(options, phases, costs, Machine(cores)), style, last)
    return replace(
        found,
        quantities=(*found.quantities, settled, sustained),
        stalls=None if rate is None else _held_back(sustained, rate),
        rate=rate,
    )


def predicted_without_rates(
    options: Mapping[str, Value],
    phases: Sequence[Writes],
    costs: Costs | None,
    cores: float,
    readers: Readers | None = None,
) -> Prediction:
    """Predict the same without rates, which take most of the time: the model runs once for it, not ten times."""
    found, last = _without_rates(options, phases, costs, cores, readers)
    sentence = "rates and stalls: they are left out here, as they take long; lsmtune predict tells them"
    return found if last is None else replace(found, unknown=(sentence, *found.unknown))


def _without_rates(
    options: Mapping[str, Value],
    phases: Sequence[Writes],
    costs: Costs | None,
    cores: float,
    readers: Readers | None,
) -> tuple[Prediction, Outcome | None]:
    """Return all but rates, and what the last phase comes to; None where the model has no answer."""
    style = _evidence(options, phases[-1])
    if not models(options):
        sentence = f'the model of a tree does not describe compaction_style = "{options.get("compaction_style")}"'
        return Prediction((), (sentence,)), None
    last = run_phases(options, phases, costs or Costs(), Machine(cores))
    extrapolates = phases[-1].keys * phases[-1].pair_bytes / _EVIDENCE_BYTES
    if last.is_stuck:
        sentence = "writes would stand still for ever: nothing is left to compact while a limit is passed"
        return Prediction((), (sentence,), 1.0, extrapolates=extrapolates, is_stuck=True), None
    if last.is_given_up:
        sentence = "more happens than the model of a tree follows: ask about less data, or larger memtables"
        return Prediction((), (sentence,), extrapolates=extrapolates), None
    said = {"waf": last.waf, "space_bytes": last.space_bytes, "space_peak_bytes": last.space_peak_bytes}
    unknown = ["tail latency: the model of a tree never tells it"]
    reads = None
    if readers is not None:
        reads = run_reads(options, last.shape, readers.reads, readers.page_cache_bytes)
        unknown.append("the rate of reads: what a lookup costs was not measured")
        if reads.device_reads is None:
            unknown.append("what the page cache has of the blocks that the block cache lacks: give --memory")
    asked = Reads(phases[-1].keys) if readers is None else readers.reads
    found = Prediction(
        quantities=tuple(_quantity(name, value, style, last) for name, value in said.items()),
        unknown=tuple(unknown),
        levels=last.level_bytes,
        lookup_blocks=lookup_blocks(options, last.shape, asked),
        extrapolates=extrapolates,
        assumptions=(
            *_assumptions(phases, last, costs),
            *_of_options(options),
            *(_of_reads(options, readers) if readers else ()),
        ),
        reads=reads,
    )
    return found, last


def with_memory(prediction: Prediction, memory: Memory) -> Prediction:
    """Return a prediction with the memory that the process needs among its quantities, and what that takes for granted.

    Nothing is added where nothing is predicted.
    """
    if not prediction.quantities or memory.unknown:
        return prediction
    value, factor = float(memory.total_bytes), math.exp(_MEMORY_HALF_WIDTH)
    whole = Quantity("memory_peak_bytes", value, value / factor, value * factor)
    places = [each.name for each in prediction.quantities]
    after = places.index("space_peak_bytes") + 1
    quantities = (*prediction.quantities[:after], whole, *prediction.quantities[after:])
    said = (*prediction.assumptions, *(f"memory: {sentence}" for sentence in memory.assumptions))
    return replace(prediction, quantities=quantities, memory=memory, assumptions=said)


def _next(writes: Writes) -> str:
    """Return how a calibration is come by."""
    if writes.rules is Rules.ROCKSDB:
        return "run lsmtune calibrate"
    return "run lsmtune calibrate --engine leveldb, and where another program runs it, give its file with --host"


def _evidence(options: Mapping[str, Value], writes: Writes) -> str:
    """Return the name of the runs that intervals come from."""
    if writes.rules is Rules.LEVELDB:
        return _LEVELDB
    style = str(options.get("compaction_style", _LEVEL))
    collects = options.get("enable_blob_files") and options.get("enable_blob_garbage_collection")
    return _BLOBS if collects and style == _LEVEL else style


def at_size(phases: Sequence[Writes], data_bytes: float) -> tuple[Writes, ...]:
    """Return phases with so many user bytes of keys, and operations in proportion."""
    last = phases[-1]
    factor = data_bytes / (last.keys * last.pair_bytes)
    return tuple(
        replace(phase, keys=max(1, round(phase.keys * factor)), operations=max(1, round(phase.operations * factor)))
        for phase in phases
    )


def _held_back(sustained: Quantity, rate: float) -> float:
    """Return the probability that writes are held back at a rate: that the largest one that can be kept up is below."""
    sigma = math.log(sustained.high / sustained.low) / (2 * _Z90) if sustained.value > 0 else 1.0
    return 0.5 * math.erfc(-math.log(rate / max(sustained.value, 1e-9)) / sigma / math.sqrt(2))


def _quantity(name: str, value: float, style: str, outcome: Outcome) -> Quantity:
    half = _HALF_WIDTH[name][style]
    low, high = value * math.exp(-half), value * math.exp(half)
    if name == "space_peak_bytes":
        low = max(low, min(outcome.space_bytes, value))
    return Quantity(name, value, low, high)


def _of_options(options: Mapping[str, Value]) -> Iterator[str]:
    """Yield which options the model of a tree leaves out, where they are set, in sentences."""
    codec = options.get("compression_type")
    for name, (usual, said) in _LEFT_OUT.items():
        value = options.get(name, usual)
        has_no_effect = (
            value in (usual, codec)
            or (codec == "none" and name.startswith("compression"))
            or (options.get("compaction_style") != "universal" and name.startswith("universal"))
        )
        if not has_no_effect:
            yield f"{name} = {value} is left out: {said}"


def _of_reads(options: Mapping[str, Value], readers: Readers) -> tuple[str, ...]:
    """Return what is taken for granted of reads, in sentences."""
    found = list(readers.reads.said)
    if options.get("cache_type", "lru_cache") != "lru_cache":
        found.append(f"a cache of type {options['cache_type']} is taken to answer what an LRU cache would")
    if options.get("row_cache_size"):
        found.append("the row cache is left out: it spares some of the blocks")
    if options.get("mmap_read"):
        found.append("blocks of mapped files that are not compressed never enter the block cache; that is left out")
    return tuple(found)


def _assumptions(phases: Sequence[Writes], outcome: Outcome, costs: Costs | None) -> tuple[str, ...]:
    found, writes = [sentence for phase in phases for sentence in phase.said], phases[-1]
    if sum(phase.is_measured for phase in phases) > 1:
        found.append("rates are those of the last phase that writes; write amplification is that of all measured ones")
    if costs is not None and costs.assumed:
        found.append(f"not measured: {', '.join(costs.assumed)}")
    if costs is not None:
        found.append(f"costs are {costs.origin}")
    if writes.rules is Rules.LEVELDB and (costs is None or costs.rules is not Rules.LEVELDB):
        whose = "another machine" if costs is None else "RocksDB"
        found.append(f"how far LevelDB's only thread falls behind follows from costs of {whose}")
    if outcome.lost_keys >= 1:
        share = outcome.lost_keys / writes.keys
        found.append(f"FIFO compaction deletes what is oldest: {share:.0%} of the keys are written and gone")
    return tuple(found)
