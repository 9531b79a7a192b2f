"""The experiment that resembles a service: each line says where it comes from, each guess that it is one."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from lsmtune.backends.registry import catalogue_of
from lsmtune.backends.rocksdb import numbered_options
from lsmtune.errors import OptionError, UsageError
from lsmtune.model import Value
from lsmtune.production._differences import differences_of
from lsmtune.production._events import FamilyEvents, Written
from lsmtune.production._findings import ServiceFinding, findings_of
from lsmtune.production._reader import read_service
from lsmtune.production._service_log import DEFAULT, Opening, ServiceLog, StatsDump
from lsmtune.space import Kind, Option
from lsmtune.units import format_bytes

_ENGINE = "rocksdb"
_BITS = re.compile(r":(\d+)")
_ADDED_TO_KEYS = 8  # sequence number and type
_RUN_BYTES = 512 << 20
"""Data of a run, at most, so that it takes seconds."""
_SMALLEST_SCALE = 12  # as a power of 1/2
_LEAST_READS = 0.01
_LEAST_DROPPED = 0.1
_NEW_KEYS = 1.6
"""Writes for each key that is there, up to which they are those of a random fill."""
_RECENT = 0.8
"""Share of the flushed records that the last dump has to know of, so that its levels are those of the end."""
_SPREAD = 1.2
_NOT_TUNED = frozenset({"create_if_missing", "create_missing_column_families", "stats_dump_period_sec"})


def resembling_experiment(paths: Iterable[Path], family: str | None = None) -> str:
    """Return the text of an experiment that asks of an engine what a service asks of it, with its configuration.

    Args:
        paths: the folder of a database, or LOGs of it; only read.
        family: the column family to model; left out, the one that most was written to.

    Raises:
        UsageError: there is no LOG, no table of the column family was written in it, or there is no such family.
    """
    given = list(paths)
    return "\n".join(_Likeness(read_service(given), _options_file(given), family).lines()) + "\n"


@dataclass(frozen=True)
class _Likeness:
    """What is known of a service, and how it is said.

    Attributes:
        log: of the service.
        options_file: its newest OPTIONS file; None where no folder was given.
        asked: the column family that the user named.
    """

    log: ServiceLog
    options_file: Path | None
    asked: str | None

    def lines(self) -> Iterator[str]:
        """Yield the lines of the experiment."""
        yield "# An experiment that resembles a service, by lsmtune init --from. Lines say where they come from; what"
        yield "# is a GUESS, and what nothing tells, is yours to correct. Run it with: lsmtune tune THIS_FILE"
        yield from self._others()
        yield ""
        yield (
            f'scale = "{self._scale}"'.ljust(36)
            + f"# so that a run writes at most {format_bytes(_RUN_BYTES)}; data and tree shrink together"
        )
        yield ""
        yield from self._engine()
        yield ""
        yield from self._workload()
        yield ""
        yield from self._rest()
        yield from self._steps()

    @cached_property
    def opening(self) -> Opening:
        return self.log.last

    @cached_property
    def dump(self) -> StatsDump | None:
        return self.opening.dump

    @cached_property
    def tickers(self) -> Mapping[str, int]:
        """Counts of the statistics; empty where they were off."""
        return {} if self.dump is None else self.dump.tickers

    @cached_property
    def family(self) -> str:
        """The column family that is modelled."""
        written = {name: each.written.file_bytes for name, each in self.opening.events.families.items()}
        known = dict.fromkeys((*self.opening.families, *written))
        if self.asked is not None and self.asked not in known:
            raise UsageError(
                f'the LOG has no column family "{self.asked}"; choose one of {", ".join(known) or DEFAULT}'
            )
        return self.asked or max(written, key=lambda name: written[name], default=DEFAULT)

    @cached_property
    def events(self) -> FamilyEvents:
        return self.opening.events.families.get(self.family, FamilyEvents())

    @cached_property
    def flushed(self) -> Written:
        """What users wrote, as flushes saw it; all tables where no flush is there."""
        found = self.events.levels.get(0, Written())
        found = found if found.entries else self.events.written
        if not found.entries:
            raise UsageError(
                f'the LOG has no line about a table that column family "{self.family}" wrote, so sizes of keys and '
                "values are not known; give older LOGs, or wait for the first flush"
            )
        return found

    @property
    def _key_bytes(self) -> int:
        return max(1, round(self.flushed.key_bytes / self.flushed.entries) - _ADDED_TO_KEYS)

    @property
    def _value_bytes(self) -> int:
        values = self.flushed.entries - self.flushed.deletions
        return max(1, round(self.flushed.value_bytes / values)) if values > 0 else 1

    @cached_property
    def _keys(self) -> int:
        """Keys that are there: the size of all levels by what a record takes in the lowest one that was written."""
        stats = None if self.dump is None else self.dump.families.get(self.family)
        lowest = self.events.levels.get(max(self.events.levels, default=0), Written())
        dumped = None if self.dump is None else self.dump.keys
        is_late = dumped is not None and dumped >= _RECENT * self.flushed.entries
        if stats is None or stats.total is None or not lowest.entries or not is_late:
            return self._writes
        return max(1, round(stats.total.size_bytes * lowest.entries / lowest.file_bytes))

    @cached_property
    def _writes(self) -> int:
        """Records that users wrote since the database was opened, of all column families where only those are told."""
        told = (
            0
            if self.dump is None or self.dump.keys is None or len(self.opening.events.families) > 1
            else self.dump.keys
        )
        return max(round(told), self.flushed.entries)

    @cached_property
    def _scale(self) -> str:
        data, power = max(self._keys, self._writes) * (self._key_bytes + self._value_bytes), 0
        while data / 2**power > _RUN_BYTES and power < _SMALLEST_SCALE:
            power += 1
        return f"1/{2**power}" if power else "1"

    @cached_property
    def _compression(self) -> tuple[float, str]:
        """Return the share of values that stays when compressed, and where that comes from."""
        written = self.events.written
        if not set(written.codecs) - {"NoCompression", ""} or not written.value_bytes:
            return 0.5, "GUESS: nothing is compressed there, so nothing tells"
        beside = written.index_bytes + written.filter_bytes + written.key_bytes
        share = (written.file_bytes - beside) / written.value_bytes
        if not 0 < share <= 1:
            share = written.file_bytes / max(1, written.raw_bytes)
        return min(
            1.0, max(0.05, round(share, 2))
        ), f"from {written.tables:,} tables: stored bytes against keys and values"

    def _others(self) -> Iterator[str]:
        """Yield what is not modelled."""
        sizes = {name: each.written.file_bytes for name, each in self.opening.events.families.items()}
        total = sum(sizes.values())
        others = [f"{name} {size / total:.0%}" for name, size in sizes.items() if name != self.family and total]
        if others:
            told = ", ".join(others)
            yield f'# Column family "{self.family}" is modelled; of what was written the others have: {told}.'

    def _engine(self) -> Iterator[str]:
        yield "[engine]"
        yield _said(
            f'name = "{_ENGINE}"',
            f"{self.opening.product or 'the engine'} {self.opening.version or 'of unknown version'}, as its LOG says",
        )
        if self.options_file is not None:
            yield _said(
                f"options_file = {_quoted(str(self.options_file))}", "what the service runs, its newest OPTIONS file"
            )
            if self.family != DEFAULT:
                yield f"column_family = {_quoted(self.family)}"
        yield ""
        yield "[engine.options]"
        capacity = self.opening.families.get(self.family, {}).get("block_cache_options.capacity", "")
        if capacity.isdecimal():
            yield _said(f"cache_size = {capacity}", "from the LOG; no OPTIONS file holds it")
        else:
            yield _said('cache_size = "default"', "GUESS: nothing tells the block cache; write what the service has")
        if self.options_file is None:
            yield from self._from_log()

    def _from_log(self) -> Iterator[str]:
        """Yield the options that differ from the defaults of the version, as the LOG printed them."""
        known, differences = catalogue_of(_ENGINE), differences_of(self.opening)
        for each in () if differences is None else differences.options:
            if each.of not in ("database", f"[{self.family}]") or each.option in _NOT_TUNED:
                continue
            try:
                option = known.option({"filter_policy": "bloom_bits"}.get(each.option, each.option))
            except OptionError:
                yield f"# not known to lsmtune, so not set: {each.option} = {each.here} (default {each.default})"
                continue
            value = _value(option, each.here)
            if value is None:
                yield f"# could not be read, so not set: {each.option} = {each.here} (default {each.default})"
            elif option.section != "tool":
                yield _said(f"{option.name} = {_toml(value)}", f"from the LOG; default {each.default}")

    def _workload(self) -> Iterator[str]:
        tickers = self.tickers
        reads = tickers.get("rocksdb.number.keys.read", 0) + tickers.get("rocksdb.number.multiget.keys.read", 0)
        scans = tickers.get("rocksdb.number.db.seek", 0)
        if reads + scans > _LEAST_READS * (reads + scans + self._writes):
            yield from self._mixed(reads, scans)
        else:
            yield from self._writing(is_known=bool(tickers))

    def _writing(self, *, is_known: bool) -> Iterator[str]:
        """Yield a workload of db_bench that writes."""
        yield "[workload]"
        why = "statistics count next to no reads" if is_known else "GUESS: statistics are off, so reads are not counted"
        if not self.events.compactions and sum(self.events.flushes.values()) > 4:
            yield _said('benchmarks = "fillseq"', f"no compaction merged anything, so keys came in order; {why}")
            yield _said(f"num = {self._writes}", "records that were written")
        elif self._writes <= _NEW_KEYS * self._keys or self.events.dropped < _LEAST_DROPPED:
            yield _said(
                'benchmarks = "fillrandom"', f"compactions dropped {self.events.dropped:.0%} of their records; {why}"
            )
            yield _said(f"num = {self._writes}", "records that were written; a random fill draws as many keys")
        else:
            yield _said('load = "fillrandom"', "the keys that are there")
            yield _said(
                'benchmarks = "overwrite"', f"each key was written {self._writes / self._keys:.1f} times; {why}"
            )
            yield _said(f"num = {self._keys}", "keys that are there, by the size of the levels")
            yield _said(f"operations = {self._writes}", "records that were written")
        yield _said(f"key_size = {self._key_bytes}", f"mean of {self.flushed.entries:,} records in flushed tables")
        yield _said(f"value_size = {self._value_bytes}", self._values_words())
        yield from self._common()

    def _mixed(self, reads: int, scans: int) -> Iterator[str]:
        """Yield a workload of YCSB with the shares that the statistics tell."""
        total = reads + scans + self._writes
        deletes = self.flushed.deletions / self.flushed.entries
        updates = self._writes / total * (1 - deletes)
        yield "[workload]"
        yield _said('tool = "ycsb"', "statistics count reads and writes; make driver builds it")
        yield 'load = "load"'
        yield 'benchmarks = ["service"]'
        yield _said(f"num = {self._keys}", "keys that are there, by the size of the levels")
        yield _said(f"operations = {max(self._keys, 1)}", "as many operations as keys")
        yield from self._common()
        yield ""
        yield "[workload.properties]"
        yield _said("fieldcount = 1", f"keys of the driver are its own; the service's have {self._key_bytes} B")
        yield _said(f"fieldlength = {self._value_bytes}", self._values_words())
        yield ""
        yield "[workload.phases.service]"
        yield _said(
            f"readproportion = {reads / total:.4f}", f"{reads:,} look-ups of {total:,} operations since the opening"
        )
        yield _said(
            f"updateproportion = {updates:.4f}",
            f"{self._writes:,} writes; new keys count as updates, which a LOG does not tell apart",
        )
        yield _said("insertproportion = 0.0", "see updateproportion")
        yield _said(f"scanproportion = {scans / total:.4f}", f"{scans:,} seeks; their length is a GUESS")
        if deletes:
            yield _said(
                f'"lsmtune.deleteproportion" = {self._writes / total * deletes:.4f}',
                "share of deletions in flushed tables",
            )
        yield _said(
            'requestdistribution = "zipfian"',
            f"GUESS: no LOG tells the skew; compactions dropped {self.events.dropped:.0%} of their records",
        )

    def _common(self) -> Iterator[str]:
        share, source = self._compression
        yield _said(f"compression_ratio = {share:g}", source)
        yield _said("threads = 1", "GUESS: no LOG tells how many clients write at a time")
        yield _said('settle = "wait"', "what a write costs with its debt")

    def _values_words(self) -> str:
        least, most = self.flushed.least_value, self.flushed.most_value
        if least is None or most is None or most <= _SPREAD * least:
            return "mean over flushed tables"
        return f"mean over flushed tables, in which means lie between {least:.0f} and {most:.0f} B"

    def _rest(self) -> Iterator[str]:
        yield "[space]"
        yield 'preset = "write-heavy"' if not self._reads_much() else 'preset = "balanced"'
        yield ""
        yield "[guards]"
        yield 'space_bytes = "1.10x"'
        yield _said('memory_peak_bytes = "1.10x"', "the service's memory; lsmtune memory tells it at full size")
        yield ""
        yield "[budget]"
        yield 'time = "30m"'

    def _reads_much(self) -> bool:
        return self.tickers.get("rocksdb.number.keys.read", 0) > self._writes

    def _steps(self) -> Iterator[str]:
        """Yield what the findings propose, for ``--sampler steps``."""
        found = [each for each in findings_of(self.log) if each.family in ("", self.family) and each.tries]
        if not found:
            return
        yield ""
        yield "# What is wrong there, and what may help: lsmtune tune THIS_FILE --sampler steps measures each."
        taken: set[str] = set()
        for finding in found:
            yield from _steps_of(finding, taken)


def _steps_of(finding: ServiceFinding, taken: set[str]) -> Iterator[str]:
    for each in finding.tries:
        if each.name in taken:
            continue
        taken.add(each.name)
        pairs = ", ".join(f"{option} = {_toml(value)}" for option, value in each.options.items())
        yield ""
        yield "[[steps]]"
        yield f"name = {_quoted(each.name)}"
        yield f"because = {_quoted(f'{finding.code}: {each.because}')}"
        yield f"set = {{ {pairs} }}"


def _options_file(paths: Iterable[Path]) -> Path | None:
    """Return the newest OPTIONS file of the folders."""
    found = [path for folder in paths if folder.is_dir() for path in numbered_options(folder)[-1:]]
    return max(found, key=lambda path: int(path.name.removeprefix("OPTIONS-"))).resolve() if found else None


def _value(option: Option, here: str) -> Value | None:
    """Return a value that a LOG prints, in the catalogue's words; None where it cannot be one."""
    if option.name == "bloom_bits":
        bits = _BITS.search(here)
        return None if bits is None else int(bits[1])
    try:
        match option.kind:
            case Kind.BOOL:
                return {"1": True, "0": False, "true": True, "false": False}[here]
            case Kind.INT:
                return int(here)
            case Kind.FLOAT:
                return float(here)
    except (KeyError, ValueError):
        return None
    words = {text.removeprefix("k").lower(): name for name, text in option.key_values.items()}
    bare = here.removeprefix("k").lower()
    return next(
        (name for name in option.choices if name in (bare, words.get(bare), words.get(f"{bare}compression"))), None
    )


def _toml(value: float | str | bool) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return _quoted(value) if isinstance(value, str) else str(value)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(each if each.isprintable() else f"\\u{ord(each):04x}" for each in escaped) + '"'


def _said(line: str, source: str) -> str:
    clean = "".join(each if each.isprintable() else "?" for each in source)
    return f"{line.ljust(35)} # {clean}"
