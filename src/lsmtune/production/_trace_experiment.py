"""The experiment that a trace of queries gives: condensed to mixgraph's parameters, or replayed as it is."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from lsmtune.backends import expanded
from lsmtune.backends.rocksdb import QueryKind
from lsmtune.errors import UsageError
from lsmtune.production._sourced import quoted, said
from lsmtune.production._trace_fits import MOST_VALUE, Rate, ValueFit, fit_rate, fit_values
from lsmtune.production._trace_keys import Popularity, fit_popularity, mixgraph_law
from lsmtune.production._trace_profile import TraceProfile, read_trace
from lsmtune.production._trace_ranges import Ranges, fit_ranges
from lsmtune.units import format_bytes

_RUN_BYTES = 512 << 20
_RUN_OPERATIONS = 8_000_000
"""Data and operations of a run, at most, so that it takes seconds."""
_SMALLEST_SCALE = 12  # as a power of 1/2
_LEAST_KEYS = 1000  # what an experiment needs
_IN_ORDER = 0.999
"""Share of writes with a larger key than the one before, from which a fill is one in order."""
_GUESSED_SCAN = 10
_WITHOUT_VALUES = 100
_AT_ONCE = 1_000_000  # times the pace of the trace
_MOST_FAMILIES = 256
_BURST = 100_000
"""Queries of a kind that mixgraph's rate limiter lets pass at the beginning."""
_SLOWEST = 1000
"""Queries in a second of a kind, below which an assertion of mixgraph's rate limiter fails."""
_FEW = 4
"""Keys for each operation of a trace from which these are too few for a run."""
_PHASE_MS = 100


@dataclass(frozen=True)
class TraceAsked:
    """What a user says beside the trace.

    Attributes:
        replays: replay the trace as it is, instead of drawing what resembles it.
        keys: that the database has; None where the user does not say.
        scan_length: records that a seek reads; None where the user does not say.
        holds_rate: keep the rate of the trace and weigh latencies, instead of running as fast as it goes.
        db_bench: path of the binary; None for the usual one.
    """

    replays: bool = False
    keys: int | None = None
    scan_length: int | None = None
    holds_rate: bool = False
    db_bench: Path | None = None


def trace_experiment(path: Path, asked: TraceAsked = TraceAsked()) -> str:
    """Return the text of an experiment that asks of an engine what a trace of queries holds.

    Args:
        path: of the trace; only read.
        asked: what the user says beside it.

    Raises:
        UsageError: the file is no trace of queries, or cannot be replayed as it is.
    """
    if asked.replays and (asked.holds_rate or asked.keys is not None or asked.scan_length is not None):
        raise UsageError("a replay takes keys, scans and pace from the trace; leave num, scan length and rate out")
    for name, number in (("num", asked.keys), ("the scan length", asked.scan_length)):
        if number is not None and number < 1:
            raise UsageError(f"{name} is {number}; write 1 or more")
    profile = read_trace(path)
    kind = _Replayed if asked.replays else _Condensed
    return "\n".join(kind(path, profile, asked).lines()) + "\n"


@dataclass(frozen=True)
class _Written(ABC):
    """What both kinds of experiment say."""

    path: Path
    profile: TraceProfile
    asked: TraceAsked

    def lines(self) -> Iterator[str]:
        """Yield the lines of the experiment."""
        yield from self._head()
        yield ""
        yield from self._scale_lines()
        yield ""
        yield "[engine]"
        yield said('name = "rocksdb"', f"RocksDB {self.profile.trace.engine_version} recorded the trace")
        if self.asked.db_bench is not None:
            yield f"db_bench = {quoted(str(expanded(self.asked.db_bench).absolute()))}"
        yield '# A trace holds no options: give the service\'s OPTIONS file as options_file = "...".'
        yield ""
        yield from self._workload()
        yield ""
        yield "[space]"
        writes = self.profile.puts > self.profile.gets + self.profile.seeks
        yield 'preset = "write-heavy"' if writes else 'preset = "balanced"'
        yield ""
        yield from self._objective()
        yield "[guards]"
        yield 'space_bytes = "1.10x"'
        yield 'memory_peak_bytes = "1.10x"'
        yield ""
        yield "[budget]"
        yield 'time = "30m"'

    def _head(self) -> Iterator[str]:
        profile, trace = self.profile, self.profile.trace
        yield f"# {self._title()}, by lsmtune import trace. Lines say where they come from; what is"
        yield "# a GUESS is yours to correct. Run it with: lsmtune tune THIS_FILE"
        rate = "" if self.rate is None else f", {self.rate.mean:,.0f} in a second"
        yield (
            f"# Trace: {quoted(self.path.name)}, format {trace.trace_version}, {profile.operations:,} operations in "
            f"{profile.seconds:.3f} s{rate}."
        )
        kinds = ", ".join(f"{kind} {number:,}" for kind, number in profile.kinds.most_common())
        yield f"# Operations by kind, each key of a batch counted: {kinds}."
        if len(profile.families) > 1:
            told = ", ".join(
                f"{name} {count / profile.operations:.1%}" for name, count in profile.families.most_common()
            )
            yield f"# Column families by id, as a trace has no names: {told}."
        if trace.damage is not None:
            yield (
                f"# The trace is DAMAGED at byte {trace.damage.offset:,}: {trace.damage.reason}. What stands before is "
                "used."
            )
        elif not trace.ended:
            yield "# The trace has no end: recording was cut off, or goes on."
        if profile.keys.share < 1:
            yield f"# Keys were counted in a random {profile.keys.share:.2%}, and those with the most operations."

    @abstractmethod
    def _title(self) -> str:
        """Return what the experiment is."""

    @abstractmethod
    def _scale_lines(self) -> Iterator[str]:
        """Yield the scale."""

    @abstractmethod
    def _workload(self) -> Iterator[str]:
        """Yield what is asked of the engine."""

    def _objective(self) -> Iterator[str]:
        yield from ()

    @cached_property
    def rate(self) -> Rate | None:
        return fit_rate(self.profile.bins, self.profile.operations, self.profile.seconds)

    @property
    def _key_bytes(self) -> int:
        return max(1, round(self.profile.key_sizes.mean))

    def _key_words(self) -> str:
        counts = self.profile.key_sizes.counts
        least, most = min(counts), max(counts)
        spread = "all of this size" if least == most else f"between {least} and {most} B"
        return f"mean of {self.profile.operations:,} keys, {spread}"

    @property
    def _value_bytes(self) -> int:
        sizes = self.profile.value_sizes
        return max(1, round(sizes.mean)) if sizes.number else _WITHOUT_VALUES

    def _sizes(self) -> Iterator[str]:
        sizes = self.profile.value_sizes
        yield said(f"key_size = {self._key_bytes}", self._key_words())
        yield said(
            f"value_size = {self._value_bytes}",
            f"mean of {sizes.number:,} values" if sizes.number else "GUESS: the trace writes no value",
        )

    def _common(self) -> Iterator[str]:
        ratio = self.profile.compression_ratio
        yield said(
            f"compression_ratio = {0.5 if ratio is None else min(1.0, max(0.05, round(ratio, 2))):g}",
            "GUESS: the trace writes no value"
            if ratio is None
            else "repeats within blocks of 4 KiB of the values, which Snappy and LZ4 save",
        )
        yield said("threads = 1", "GUESS: a trace does not tell how many clients asked at a time")
        yield said('settle = "wait"', "what a write costs, its compactions included")


class _Condensed(_Written):
    """Draws of mixgraph that resemble the trace."""

    def _title(self) -> str:
        return "An experiment that resembles a trace of queries"

    @cached_property
    def _is_fill_in_order(self) -> bool:
        profile = self.profile
        return profile.puts == profile.operations > 1 and profile.ascending >= _IN_ORDER * profile.operations

    @cached_property
    def _everywhere(self) -> Popularity:
        """The popularity of keys, wherever they lie."""
        return fit_popularity(self.profile.keys)

    @cached_property
    def _seen(self) -> int:
        return self.profile.keys.number

    @cached_property
    def _ranges(self) -> Ranges | None:
        return fit_ranges(self.profile.keys, self.asked.keys or round(self._everywhere.keys))

    @cached_property
    def _popularity(self) -> Popularity:
        """The popularity of keys, within their range where ranges differ."""
        ranges = self._ranges
        found = self._everywhere if ranges is None else fit_popularity(self.profile.keys, ranges.shares)
        return replace(found, keys=min(found.keys, self.asked.keys or found.keys))

    @cached_property
    def _keys(self) -> int:
        """Keys of the database."""
        found = self._seen if self._is_fill_in_order else self.asked.keys or round(self._popularity.keys)
        return max(_LEAST_KEYS, found)

    @cached_property
    def _operations(self) -> int:
        """Operations of a run at full size: as many as keys where the trace has far fewer."""
        return self._keys if self._keys > _FEW * self.profile.operations else self.profile.operations

    @cached_property
    def _power(self) -> int:
        """The scale, as a power of 1/2."""
        writes = self._operations * self.profile.puts / self.profile.operations
        data, power = max(self._keys, writes) * (self._key_bytes + self._value_bytes), 0
        while (
            max(data / _RUN_BYTES, self._operations / _RUN_OPERATIONS) > 2**power
            and power < _SMALLEST_SCALE
            and self._keys >> (power + 1) >= _LEAST_KEYS
        ):
            power += 1
        return power

    def _scale_lines(self) -> Iterator[str]:
        yield said(
            f'scale = "1/{2**self._power}"' if self._power else 'scale = "1"',
            f"so that a run writes at most {format_bytes(_RUN_BYTES)}; keys and rate are for this scale",
        )

    def _workload(self) -> Iterator[str]:
        profile = self.profile
        yield "[workload]"
        if self._is_fill_in_order:
            yield said('benchmarks = "fillseq"', "it only writes, each key larger than the one before")
            yield said(f"num = {self._keys}", self._keys_words())
        else:
            yield said('load = "filluniquerandom"', "GUESS: all keys are there before, as a trace does not tell")
            yield said('benchmarks = "mixgraph"', "draws keys, values and kinds of queries from the laws below")
            yield said(f"num = {self._keys}", self._keys_words())
            words = "as many as in the trace"
            if self._operations > profile.operations:
                words = f"GUESS: as many as keys; the {profile.operations:,} of the trace are few for so many"
            yield said(f"operations = {self._operations}", words)
        yield from self._sizes()
        yield from self._common()
        if not self._is_fill_in_order:
            yield ""
            yield "[workload.flags]"
            yield from self._kinds()
            yield from self._popular()
            yield from self._values()
            yield from self._scans()
            yield from self._rates()

    def _keys_words(self) -> str:
        if self._keys == _LEAST_KEYS > self._seen:
            return f"GUESS: the least that an experiment takes; the trace has {self._seen:,} keys"
        if self._is_fill_in_order:
            return "keys that the trace writes"
        if self.asked.keys is not None:
            return f"as you said; the trace has {self._seen:,} of them"
        return (
            f"GUESS: the trace has {self._seen:,} keys, and by how often they recur about "
            f"{round(self._popularity.keys):,} could be asked for; --num says better"
        )

    def _kinds(self) -> Iterator[str]:
        profile, total = self.profile, self.profile.operations
        many = profile.kinds[QueryKind.MULTI_GET]
        beside = f", {many:,} of them by MultiGet, which mixgraph does not have" if many else ""
        yield said(f"mix_get_ratio = {profile.gets / total:.4f}", f"{profile.gets:,} look-ups{beside}")
        merged = profile.kinds[QueryKind.MERGE]
        other = [
            f"{number:,} {word}" for number, word in ((profile.deletes, "deletions"), (merged, "merges")) if number
        ]
        beside = f", {' and '.join(other)} among them, which mixgraph does not have" if other else ""
        yield said(f"mix_put_ratio = {profile.puts / total:.4f}", f"{profile.puts:,} writes{beside}")
        yield said(f"mix_seek_ratio = {profile.seeks / total:.4f}", f"{profile.seeks:,} seeks")

    def _popular(self) -> Iterator[str]:
        ranges, found = self._ranges, self._popularity
        where = "" if ranges is None else " of a range"
        if ranges is not None:
            yield said(
                f"keyrange_num = {ranges.number}",
                f"equal ranges by the bytes of keys; the hottest has {ranges.hottest:.1%} of the operations",
            )
            yield said(
                f"keyrange_dist_a = {ranges.a:.6g}", f"fit of a e^(b x) + c e^(d x): {ranges.shares[0]:.1%} there"
            )
            yield f"keyrange_dist_b = {ranges.b:.6g}"
            yield f"keyrange_dist_c = {ranges.c:.6g}"
            yield f"keyrange_dist_d = {ranges.d:.6g}"
        elif found.is_uniform:
            yield "# key_dist_a, key_dist_b: left out, so uniform; keys recur as often as chance makes them."
            return
        else:
            yield said("keyrange_num = 1", "one range of keys: without ranges mixgraph draws half of its keys below 0")
            yield "keyrange_dist_a = 1"
        space = self._keys >> self._power
        a, b = mixgraph_law(
            replace(found, keys=found.keys / 2**self._power), self.profile.operations >> self._power, space, ranges
        )
        yield said(f"key_dist_a = {a:.6g}", f"the share of the x most popular keys{where} is a x^b; for this scale")
        yield said(
            f"key_dist_b = {b:.4g}",
            f"fit to how often keys recur: shares differ by {found.distance:.1%} at most; 1 is uniform",
        )

    def _values(self) -> Iterator[str]:
        sizes = self.profile.value_sizes
        if not sizes.number:
            return
        fit: ValueFit = fit_values(sizes)
        largest = max(sizes.counts)
        cut = f"; the largest has {format_bytes(largest)}, mixgraph stops at 1 MiB" if largest > MOST_VALUE else ""
        yield said(
            f"value_theta = {fit.theta:.6g}",
            f"generalised Pareto: mean {fit.mean:.1f} B, in the trace {sizes.mean:.1f}",
        )
        yield said(f"value_k = {fit.k:.6g}", f"quantiles differ by {fit.distance:.1%} of the mean{cut}")
        yield f"value_sigma = {fit.sigma:.6g}"
        yield said(f"mix_max_value_size = {fit.most}", "no value is larger")

    def _scans(self) -> Iterator[str]:
        if not self.profile.seeks:
            return
        length = self.asked.scan_length or _GUESSED_SCAN
        words = "GUESS: a trace does not tell how far iterators go; give it with --scan-length"
        if self.asked.scan_length is not None:
            words = "as you said, each seek reads so many records"
        elif self.profile.bounded:
            words += f"; {self.profile.bounded:,} seeks have an upper bound"
        yield said(f"iter_theta = {length}", words)
        yield "iter_k = 1"
        yield "iter_sigma = 0"
        yield f"mix_max_scan_len = {max(10_000, length + 1)}"

    def _rates(self) -> Iterator[str]:
        rate = self.rate
        if rate is None:
            return
        mark = "" if self.asked.holds_rate else "# "
        shares = (self.profile.gets + self.profile.seeks, self.profile.puts)
        if min(share for share in shares if share) * rate.mean < _SLOWEST * self.profile.operations:
            yield f"# Below {_SLOWEST:,} reads or writes in a second a build with assertions, as Debian's, aborts."
        if not self.asked.holds_rate:
            yield "# As fast as it goes. To keep the pace of the trace and weigh latencies instead (--hold-rate):"
        yield mark + "sine_mix_rate = true"
        yield mark + f"sine_mix_rate_interval_milliseconds = {_PHASE_MS}"
        if rate.amplitude >= 1:
            seconds = 2 * math.pi / rate.frequency
            yield mark + said(
                f"sine_a = {rate.amplitude:.6g}",
                f"the rate swings once in {seconds:,.3g} s of the trace, shorter by scale",
            )
            yield mark + f"sine_b = {rate.frequency * 2**self._power:.6g}"
            yield mark + f"sine_c = {rate.phase:.4g}"
        else:
            yield mark + said("sine_a = 1", "constant; below 1 mixgraph divides by zero")
            yield mark + "sine_b = 1"
        yield mark + said(
            f"sine_d = {rate.mean:.6g}",
            f"operations in a second over {self.profile.seconds:,.3g} s; the first {_BURST:,} of a kind pass unheld",
        )

    def _objective(self) -> Iterator[str]:
        if not self.asked.holds_rate:
            return
        profile = self.profile
        kinds = [name for name, number in (("read", profile.gets), ("write", profile.puts)) if number]
        only = len(kinds) + bool(profile.seeks) == 1
        yield "[objective]"
        for name in kinds:
            yield f"{'' if only else f'{name}_'}latency_p99_s = 1"
        yield ""


class _Replayed(_Written):
    """The trace itself."""

    def lines(self) -> Iterator[str]:
        """Yield the lines of the experiment.

        Raises:
            UsageError: db_bench would not get through the trace.
        """
        damage = self.profile.trace.damage
        if damage is not None:
            raise UsageError(
                f"{self.path} cannot be replayed, as it is damaged at byte {damage.offset}: {damage.reason}; cut it "
                f"there: head -c {damage.offset} {self.path} > WHOLE"
            )
        if self._families > _MOST_FAMILIES:
            raise UsageError(
                f"{self.path} has a column family with the id {self._families - 1}, and a replay needs all up to it; "
                "leave --replay out"
            )
        yield from super().lines()

    @property
    def _families(self) -> int:
        """Column families that a replay needs: db_bench hands over none at all where there is one."""
        return max(2, max(self.profile.families) + 1)

    def _title(self) -> str:
        return "An experiment that replays a trace of queries"

    def _scale_lines(self) -> Iterator[str]:
        yield said('scale = "1"', "a trace cannot be shrunk")

    def _workload(self) -> Iterator[str]:
        profile, keys = self.profile, self.profile.keys
        yield "[workload]"
        yield said('benchmarks = "replay"', "as it is, into an empty database")
        if keys.unwritten_reads:
            share = keys.unwritten_reads / keys.reads
            yield f"# {share:.1%} of the look-ups are of keys that the trace has not written before: they find nothing."
        yield said(f"num = {max(_LEAST_KEYS, keys.number)}", "keys of the trace; a replay does not use it")
        yield said(f"operations = {profile.operations}", "in the trace; db_bench counts a replay as one operation")
        yield from self._sizes()
        yield from self._common()
        yield ""
        yield "[workload.flags]"
        yield said(f"trace_file = {quoted(str(self.path.resolve()))}", "only read, while benchmarks is replay alone")
        yield said(
            f"num_column_families = {self._families}", "a replay knows no column family where there is one alone"
        )
        yield said(
            f"trace_replay_fast_forward = {_AT_ONCE}",
            f"as fast as it goes, so that throughput tells; 1 keeps the pace, {profile.seconds:,.3g} s",
        )
