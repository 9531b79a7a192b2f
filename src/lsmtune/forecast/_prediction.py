"""What a configuration comes to at a size at which nothing was measured, each figure with an interval."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from scipy.special import ndtr

from lsmtune.lsm_model.tree import Costs, Machine, Outcome, Rules, Writes, models, run_phases, sustained_rate
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
the largest error of 9 or 10 runs of each (docs/predict.md)."""
_EVIDENCE_BYTES = 260_000_000
"""User bytes of those runs."""
_FALSE_POSITIVES = 0.6185
"""To the power of bits a key: the share of false positives of a Bloom filter with as many probes as suit it."""
_Z90 = 1.6449


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

    def __getitem__(self, name: str) -> Quantity:
        """Return a quantity by the name of its indicator.

        Raises:
            KeyError: it is not predicted.
        """
        found = next((each for each in self.quantities if each.name == name), None)
        if found is None:
            raise KeyError(name)
        return found


def predicted(
    options: Mapping[str, Value],
    phases: Sequence[Writes],
    costs: Costs | None,
    cores: float,
    rate: float | None = None,
) -> Prediction:
    """Predict what phases of writes come to.

    Args:
        options: values by name, in base units, at the size of the phases.
        phases: at least one.
        costs: what was measured of the host and build; None where nothing was, and no rate is told.
        cores: that the engine may use.
        rate: writes/s that somebody wants to offer.
    """
    style = _evidence(options, phases[-1])
    if not models(options):
        sentence = f'the model of a tree does not describe compaction_style = "{options.get("compaction_style")}"'
        return Prediction((), (sentence,), rate=rate)
    machine, known = Machine(cores), costs or Costs()
    last = run_phases(options, phases, known, machine)
    data = phases[-1].keys * phases[-1].pair_bytes
    if last.is_stuck:
        sentence = "writes would stand still for ever: nothing is left to compact while a limit is passed"
        return Prediction((), (sentence,), 1.0, rate, extrapolates=data / _EVIDENCE_BYTES, is_stuck=True)
    said = {"waf": last.waf, "space_bytes": last.space_bytes, "space_peak_bytes": last.space_peak_bytes}
    unknown = ["tail latency: the model of a tree never tells it"]
    stalls = None
    if costs is None:
        unknown.insert(0, f"rates and stalls: nothing was measured of this host and build; {_next(phases[-1])}")
    else:
        said["throughput_settled_ops_s"] = phases[-1].operations / last.total_s
        said["sustained_ops_s"] = sustained_rate(options, phases, known, machine)
        if rate is not None:
            sigma = _HALF_WIDTH["sustained_ops_s"][style] / _Z90
            stalls = float(ndtr(math.log(rate / max(said["sustained_ops_s"], 1e-9)) / sigma))
    return Prediction(
        quantities=tuple(_quantity(name, value, style, last) for name, value in said.items()),
        unknown=tuple(unknown),
        stalls=stalls,
        rate=rate,
        levels=last.level_bytes,
        lookup_blocks=_lookup_blocks(options, last),
        extrapolates=data / _EVIDENCE_BYTES,
        assumptions=_assumptions(phases[-1], last, costs),
    )


def _next(writes: Writes) -> str:
    """Return how a calibration is come by."""
    if writes.rules is Rules.ROCKSDB:
        return "run lsmtune calibrate"
    return "calibrate measures RocksDB alone, and its file can be given with --host for the same host"


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


def _quantity(name: str, value: float, style: str, outcome: Outcome) -> Quantity:
    half = _HALF_WIDTH[name][style]
    low, high = value * math.exp(-half), value * math.exp(half)
    if name == "space_peak_bytes":
        low = max(low, min(outcome.space_bytes, value))
    return Quantity(name, value, low, high)


def _lookup_blocks(options: Mapping[str, Value], outcome: Outcome) -> tuple[float, float]:
    """Return the data blocks that a lookup reads where nothing is cached, of a key that is there and of another.

    Each sorted run above the one with the key is looked into, or where it has a filter only by mistake.
    """
    below = sum(size > 0 for size in outcome.level_bytes[1:])
    runs = outcome.runs + below if below else max(outcome.runs, 1.0)
    bits = float(options.get("bloom_bits", 0) or 0)
    passes = 1.0 if bits <= 0 else _FALSE_POSITIVES**bits
    return 1 + passes * max(runs - 1, 0.0), passes * runs


def _assumptions(writes: Writes, outcome: Outcome, costs: Costs | None) -> tuple[str, ...]:
    found = []
    if costs is not None and costs.assumed:
        found.append(f"not measured: {', '.join(costs.assumed)}")
    if costs is not None:
        found.append(f"costs are {costs.origin}")
    if writes.rules is Rules.LEVELDB:
        whose = "another machine" if costs is None else "RocksDB"
        found.append(f"how far LevelDB's only thread falls behind follows from costs of {whose}")
    if outcome.lost_keys >= 1:
        share = outcome.lost_keys / writes.keys
        found.append(f"FIFO compaction deletes what is oldest: {share:.0%} of the keys are written and gone")
    return tuple(found)
