"""The experiment that resembles a service: each line names its source, and a guess is marked as one."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from lsmtune.backends.registry import catalogue_of
from lsmtune.backends.rocksdb import OptionsFile, unread_texts
from lsmtune.errors import OptionError, UsageError
from lsmtune.model import Value
from lsmtune.production._configured import logs_of, newest_of, options_files, options_in, read_options_file
from lsmtune.production._differences import DATABASE, as_it_runs, differences_of
from lsmtune.production._finding import ServiceFinding
from lsmtune.production._findings import findings_of
from lsmtune.production._reader import read_service
from lsmtune.production._service_log import DEFAULT, Opening, ServiceLog
from lsmtune.production._service_workload import ServiceWorkload
from lsmtune.production._skew import MOST
from lsmtune.production._sourced import quoted, said
from lsmtune.space import Kind, Option
from lsmtune.units import format_bytes

_ENGINE = "rocksdb"
_COMPRESSOR, _FIRST_LEVEL = "compression_type", "min_level_to_compress"
_BITS = re.compile(r":(\d+)")
_RUN_BYTES = 512 << 20
"""Data of a run, at most, so that it takes seconds."""
_SMALLEST_SCALE = 12  # as a power of 1/2
_YCSB_KEY = 23
"""Bytes of most of the driver's keys: ``user`` and a hashed number."""
_YCSB_ROW = 14
"""Bytes that the driver adds to a row of one field: its name, and two lengths."""
_MOST_ROUNDS = 4
_MANY_READS = 0.25
_PRINTABLE = 0.82
"""What entropy coders leave of db_bench's bytes, which are of 95 kinds; the driver's are of all."""
_NO_STATISTICS = "GUESS: statistics are off, so reads are not counted"
_SPREAD = 1.2
_NOT_TUNED = frozenset({"create_if_missing", "create_missing_column_families", "stats_dump_period_sec"})


def resembling_experiment(paths: Iterable[Path], family: str | None = None) -> str:
    """Return the text of an experiment that asks of an engine what a service asks of it, with its configuration.

    Args:
        paths: the folder of a database, LOGs of it, or both; only read.
        family: the column family to model; left out, the one that most was written to.

    Raises:
        UsageError: there is no LOG, no table of the column family was written in it, there is no such family, or the
            folder's OPTIONS file cannot be read.
    """
    given = list(paths)
    files = options_files(path for path in given if path.is_dir())
    log, newest = read_service(logs_of(given, files) or given), newest_of(files)
    file = None if newest is None else read_options_file(newest.resolve())
    if file is not None:
        log = replace(log, options_file=options_in(file))
    return "\n".join(_Likeness(log, file, family).lines()) + "\n"


@dataclass(frozen=True)
class _Likeness:
    """What is known of a service, and how it is said.

    Attributes:
        log: of the service.
        options_file: its newest OPTIONS file; None where no folder was given.
        asked: the column family that the user named.
    """

    log: ServiceLog
    options_file: OptionsFile | None
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
    def asks(self) -> ServiceWorkload:
        """What is asked of that column family."""
        return ServiceWorkload(self.opening, self.family)

    @cached_property
    def _scale(self) -> str:
        asks, power = self.asks, 0
        data = max(asks.keys, asks.writes) * (asks.key_bytes + asks.value_bytes)
        while data / 2**power > _RUN_BYTES and power < _SMALLEST_SCALE:
            power += 1
        return f"1/{2**power}" if power else "1"

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
        yield said(
            f'name = "{_ENGINE}"',
            f"{self.opening.product or 'the engine'} {self.opening.version or 'of unknown version'}, as its LOG says",
        )
        if self.options_file is not None:
            yield said(
                f"options_file = {quoted(self.options_file.place)}", "what the service runs, its newest OPTIONS file"
            )
            if self.family != DEFAULT:
                yield f"column_family = {quoted(self.family)}"
        yield ""
        yield "[engine.options]"
        told = self.opening.families.get(self.family, {})
        capacity = "0" if told.get("no_block_cache") == "1" else told.get("block_cache_options.capacity", "")
        if capacity.isdecimal():
            yield said(f"cache_size = {capacity}", "from the LOG; no OPTIONS file holds it")
        else:
            yield said('cache_size = "default"', "GUESS: nothing tells the block cache; write what the service has")
        if self.options_file is None:
            yield from self._from_log()

    def _from_log(self) -> Iterator[str]:
        """Yield the options that differ from the defaults of the version, as the LOG tells that they are now."""
        known, differences = catalogue_of(_ENGINE), differences_of(as_it_runs(self.log).last)
        for each in () if differences is None else differences.options:
            if each.of not in (DATABASE, f"[{self.family}]") or each.option in _NOT_TUNED:
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
                yield said(f"{option.name} = {_toml(value)}", f"from the LOG; default {each.default}")

    def _workload(self) -> Iterator[str]:
        if self.asks.only_writes and not (self.asks.skew and not self.asks.is_fill):
            yield from self._writing()
        else:
            yield from self._mixed()

    def _writing(self) -> Iterator[str]:
        """Yield a workload of db_bench that writes, no key more often than others."""
        asks = self.asks
        yield "[workload]"
        why = "statistics count next to no reads" if asks.tickers else _NO_STATISTICS
        dropped = f"compactions dropped {asks.events.dropped:.0%} of their records"
        if asks.comes_in_order and asks.is_fill:
            yield said('benchmarks = "fillseq"', f"no compaction merged anything, so keys came in order; {why}")
            yield said(f"num = {asks.writes}", "records that were written")
        elif asks.is_fill:
            yield said('benchmarks = "fillrandom"', f"{dropped}; {why}")
            yield said(f"num = {asks.writes}", "records that were written; a random fill draws as many keys")
        else:
            yield said('load = "filluniquerandom"', "the keys that are there")
            again = f"each key was written {asks.writes / asks.keys:.2g} times since the database was opened"
            yield said('benchmarks = "overwrite"', f"{again}; {dropped}; {why}")
            yield said(f"num = {asks.keys}", self._keys_words())
            yield said(f"operations = {asks.writes}", "records that were written")
        yield said(f"key_size = {asks.key_bytes}", f"mean of {asks.flushed.entries:,} records in flushed tables")
        yield said(f"value_size = {asks.value_bytes}", self._values_words())
        yield from self._common(_PRINTABLE)

    def _mixed(self) -> Iterator[str]:
        """Yield a workload of YCSB with the shares that the statistics tell."""
        asks = self.asks
        yield "[workload]"
        yield said(
            'tool = "ycsb"', "it can mix reads, writes and deletions of uneven keys; lsmtune build driver builds it"
        )
        yield 'load = "load"'
        yield 'benchmarks = ["service"]'
        yield said(f"num = {asks.keys}", self._keys_words())
        most = _MOST_ROUNDS * asks.keys
        what = f"{asks.operations:,} since the opening"
        if asks.operations > most:
            what += f", of which a run makes {_MOST_ROUNDS} for each key"
        yield said(f"operations = {min(asks.operations, most)}", what + self._rate_words())
        yield from self._common(1.0)
        yield ""
        yield "[workload.properties]"
        length = asks.value_bytes + asks.key_bytes - max(_YCSB_KEY, asks.key_bytes) - _YCSB_ROW
        yield said(
            "fieldcount = 1", f"a record as large as theirs: keys of {asks.key_bytes} B, values of {asks.value_bytes} B"
        )
        yield said(f"fieldlength = {max(1, length)}", self._values_words())
        if asks.key_bytes > _YCSB_KEY:
            yield said(f"zeropadding = {asks.key_bytes - len('user')}", "makes keys as long as theirs")
        yield from self._phase()

    def _phase(self) -> Iterator[str]:
        """Yield what is done, how often, and to which keys."""
        asks, shares = self.asks, self.asks.shares
        counted = "since the opening, of {:,} operations" if asks.tickers else _NO_STATISTICS
        counted = counted.format(asks.operations)
        yield ""
        yield "[workload.phases.service]"
        multi = f"; {asks.multi_reads:,} of them by multi-gets, here one by one" if asks.multi_reads else ""
        yield said(f"readproportion = {shares['read']:.4f}", f"{asks.reads:,} look-ups {counted}{multi}")
        yield said(
            f"updateproportion = {shares['put']:.4f}",
            "puts; new keys count as updates, which a LOG does not tell apart",
        )
        yield said('"lsmtune.blindupdates" = true', "puts do not look first; what does is counted as a look-up")
        yield said("insertproportion = 0.0", "see updateproportion")
        yield said(f"scanproportion = {shares['scan']:.4f}", f"{asks.scans:,} seeks")
        if asks.scan_length is not None:
            most = max(1, 2 * asks.scan_length - 1)
            yield said(f"maxscanlength = {most}", f"{asks.scan_length} records a seek in the mean; uniform is a GUESS")
        if shares["delete"]:
            yield said(f'"lsmtune.deleteproportion" = {shares["delete"]:.4f}', "deletions in flushed tables")
        yield from self._choice()

    def _choice(self) -> Iterator[str]:
        """Yield how keys are chosen."""
        events, skew = self.asks.events, self.asks.skew
        if skew is None:
            yield said('requestdistribution = "zipfian"', "GUESS: nothing tells the skew of keys")
            return
        told = f"flushes dropped {1 - events.flushed.entries / events.buffered:.1%} of {events.buffered:,} records"
        if not skew:
            yield said(
                'requestdistribution = "uniform"', f"{told}, as uniform keys make them; of puts, GUESS for reads"
            )
            return
        yield said('requestdistribution = "zipfian"', f"{told}; of puts, GUESS for reads")
        yield said(
            f"zipfian_const = {skew:.3f}",
            "the exponent that makes them drop as many" if skew < MOST else "GUESS: at least",
        )

    def _rate_words(self) -> str:
        """Return how many operations a second the service made; a run goes as fast as it can unless a target is set."""
        uptime_s = 0.0 if self.asks.dump is None else self.asks.dump.uptime_s
        if uptime_s < 1:
            return ""
        rate = f"{self.asks.operations / uptime_s:,.0f} in a second"
        return f"; {rate}: target = ... under [workload.properties] holds it"

    def _common(self, entropy: float) -> Iterator[str]:
        share = self.asks.compression_ratio(entropy)
        if share is None:
            yield said("compression_ratio = 0.5", "GUESS: no table has compressed values, so nothing tells")
        else:
            tables = self.asks.compressed.tables if self.asks.compressed else 0
            yield said(f"compression_ratio = {share:g}", f"makes values as small as they are in {tables:,} tables")
        yield said("threads = 1", "GUESS: no LOG tells how many clients write at a time")
        yield said('settle = "wait"', "what a write costs, its compactions included")

    def _keys_words(self) -> str:
        if self.asks.has_late_dump:
            return "keys that are there, by the size of the levels"
        return "GUESS: as many keys as writes, as no dump of statistics tells the levels near the end"

    def _values_words(self) -> str:
        least, most = self.asks.flushed.least_value, self.asks.flushed.most_value
        if least is None or most is None or most <= _SPREAD * least:
            return "mean over flushed tables"
        return f"mean over flushed tables, in which means lie between {least:.0f} and {most:.0f} B"

    def _rest(self) -> Iterator[str]:
        yield "[space]"
        yield 'preset = "write-heavy"' if not self._reads_much() else 'preset = "balanced"'
        if self._lists_compressors:
            yield said(
                f'exclude = ["{_COMPRESSOR}"]', "the OPTIONS file lists one for each level, which RocksDB goes by"
            )
        yield ""
        yield "[guards]"
        yield 'space_bytes = "1.10x"'
        yield said('memory_peak_bytes = "1.10x"', "memory at full size, as lsmtune memory computes it")
        yield ""
        yield "[budget]"
        yield 'time = "30m"'

    def _reads_much(self) -> bool:
        return self.asks.shares["read"] + self.asks.shares["scan"] > _MANY_READS

    @cached_property
    def _lists_compressors(self) -> bool:
        """Whether the OPTIONS file has a compressor for each level, in a list that lsmtune cannot write anew."""
        if self.options_file is None:
            return False
        known = catalogue_of(_ENGINE).options.values()
        return _FIRST_LEVEL in unread_texts(
            self.options_file.as_default(self.family), known, self.opening.version or ""
        )

    def _steps(self) -> Iterator[str]:
        """Yield what the findings propose, for ``--sampler steps``."""
        out = _COMPRESSOR if self._lists_compressors else ""
        own = (each for each in findings_of(self.log) if each.family in ("", self.family))
        left = (replace(each, tries=tuple(it for it in each.tries if out not in it.options)) for each in own)
        found = [each for each in left if each.tries]
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
        yield f"name = {quoted(each.name)}"
        yield f"because = {quoted(f'{finding.code}: {each.because}')}"
        yield f"set = {{ {pairs} }}"


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
    return quoted(value) if isinstance(value, str) else str(value)
