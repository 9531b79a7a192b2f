"""Canaries: some instances of a service change their configuration, others do not; what the change did."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path
from statistics import median

from lsmtune.errors import UsageError
from lsmtune.production._reader import read_service
from lsmtune.production._repeated_hour import going_on
from lsmtune.production._service_log import Moment, Opening, ServiceLog
from lsmtune.stats import GroupDifference, compare_groups

ALPHA = 0.05
"""1 - confidence that all intervals hold together."""
_POINTER = re.compile(r"0x[0-9a-f]+")
_OF_THE_OPENING = frozenset({"create_if_missing", "create_missing_column_families", "error_if_exists"})
"""Options that say how a database is opened, not how it runs."""
_CLOCK_S = 10.0
"""By which the time in a LOG may be off from the uptime that its statistics tell."""
_LEAST_GB = 0.1
"""Ingest of a period, in the LOG's GB; below it the two digits that the LOG prints of it are too few."""


@dataclass(frozen=True)
class Traffic:
    """What an instance did in a period, as its dumps say it.

    Attributes:
        open_s: time that the database was open.
        ingest_gb: written by users, in the LOG's GB of 2^30 B.
        files_gb: size of all tables and blob files that flushes and compactions wrote.
        compaction_s: time of these jobs.
        stall_s: time for which writes were slowed down or stopped.
        size_gb: of all tables at its end.
        reads, blocks: keys that were looked up, and blocks that the cache did not have; 0 where that is not counted.
        timed_reads, timed_us: look-ups whose time was taken, and the sum of these times in us; likewise.
    """

    open_s: float
    ingest_gb: float
    files_gb: float
    compaction_s: float
    stall_s: float
    size_gb: float
    reads: float = 0.0
    blocks: float = 0.0
    timed_reads: float = 0.0
    timed_us: float = 0.0


@dataclass(frozen=True)
class Instance:
    """One instance, before and after the change.

    Attributes:
        path: its folder or LOG.
        changed_s: when its configuration changed, or that of the canaries did; s since the epoch.
        before, after: what it did.
    """

    path: str
    changed_s: float
    before: Traffic
    after: Traffic


@dataclass(frozen=True)
class Effect:
    """What the change did to one figure: how the canaries changed, less how the controls did.

    Attributes:
        figure: what it is, in words.
        is_ratio: the difference is of logarithms, else of shares of the time.
        canaries, controls: the change of each instance: after over before, or after minus before.
        difference: of the means, by instance, on the scale of the logarithms or shares.
    """

    figure: str
    is_ratio: bool
    canaries: tuple[float, ...]
    controls: tuple[float, ...]
    difference: GroupDifference

    @property
    def estimate(self) -> tuple[float, float, float]:
        """The effect with the ends of its interval: a ratio, or a difference of shares."""
        ends = self.difference.mean, self.difference.low, self.difference.high
        return tuple(map(_exp, ends)) if self.is_ratio else ends  # type: ignore[return-value]  # three of them

    @property
    def verdict(self) -> str:
        """``better``, ``worse`` or ``open``; less is better of every figure."""
        if not self.difference.is_shown:
            return "open"
        return "better" if self.difference.high < 0 else "worse"


@dataclass(frozen=True)
class Canary:
    """What a change did to the instances that have it.

    Attributes:
        canaries, controls: the instances.
        effects: on each figure that all of them have.
        left_out: figures that some do not have, in sentences.
        alpha: 1 - confidence that the intervals of all effects hold together.
    """

    canaries: tuple[Instance, ...]
    controls: tuple[Instance, ...]
    effects: tuple[Effect, ...]
    left_out: tuple[str, ...]
    alpha: float = ALPHA


def compare_canaries(canaries: Sequence[Path], controls: Sequence[Path], since_s: float | None = None) -> Canary:
    """Compare how canaries changed with how controls did (differences of differences), each per its own traffic.

    Every figure is taken per GB that users wrote or per time, so that load need not be equal; what hits all instances
    alike cancels out. The intervals are Welch's by instance, widened for the number of figures (Bonferroni).

    Args:
        canaries: a folder or LOG for each instance that changed.
        controls: the same for those that did not.
        since_s: when the canaries changed, s since the epoch by their clocks; left out, when a canary was first opened
            with other options than before.

    Raises:
        UsageError: there is no instance of either kind, one cannot be read, did not change or did, or its LOG does not
            tell enough on both sides of the change.
    """
    if not canaries or not controls:
        raise UsageError("both canaries and controls are needed; name at least one folder of each, better three")
    logs = {path: read_service([path]) for path in (*canaries, *controls)}
    if len(logs) < len(canaries) + len(controls):
        raise UsageError("an instance is named twice; each is either a canary or a control")
    changed = {path: _changed_s(logs[path], path) if since_s is None else since_s for path in canaries}
    cut_s = median(changed.values())
    if since_s is None:
        for path in controls:
            _check_unchanged(logs[path], path)
    found = {path: _instance(path, log, changed.get(path, cut_s)) for path, log in logs.items()}
    groups = tuple(found[path] for path in canaries), tuple(found[path] for path in controls)
    left_out: list[str] = []
    effects = tuple(_effects(*groups, left_out))
    return Canary(*groups, effects, tuple(left_out))


def _changed_s(log: ServiceLog, path: Path) -> float:
    """Return when the instance was first opened with other options.

    Raises:
        UsageError: it never was.
    """
    found = next((later.time_s for later in _changes(log) if later.time_s is not None), None)
    if found is not None:
        return found
    raise UsageError(
        f"{path} was never opened with other options than before, as its LOG tells; give its older LOGs, or say when "
        "it changed with --since"
    )


def _check_unchanged(log: ServiceLog, path: Path) -> None:
    if any(True for _ in _changes(log)):
        raise UsageError(f"{path} is named as a control and changed its options, too; name it as a canary")


def _changes(log: ServiceLog) -> Iterator[Opening]:
    """Yield the openings with other options than the one before."""
    return (later for earlier, later in pairwise(log.openings) if _differ(earlier, later))


def _differ(earlier: Opening, later: Opening) -> bool:
    """Whether two openings have other options, where both tell them; what points into memory does not count."""
    both = earlier.options, later.options
    if all(both) and _meant(both[0]) != _meant(both[1]):
        return True
    return any(
        _meant(earlier.families[name]) != _meant(options)
        for name, options in later.families.items()
        if name in earlier.families
    )


def _meant(options: Mapping[str, str]) -> dict[str, str]:
    return {name: _POINTER.sub("", text) for name, text in options.items() if name not in _OF_THE_OPENING}


def _instance(path: Path, log: ServiceLog, cut_s: float) -> Instance:
    """Return what an instance did before and after a time.

    Raises:
        UsageError: its LOG does not tell enough of one side.
    """
    sides = []
    for words, is_after in (("before", False), ("after", True)):
        found = _traffic(log, cut_s, is_after=is_after)
        if found is None or found.ingest_gb < _LEAST_GB:
            wrote = "nothing" if found is None else f"{found.ingest_gb:g} GB"
            raise UsageError(
                f"{path}: the statistics in its LOG tell of {wrote} that users wrote {words} the change, and "
                f"{_LEAST_GB:g} GB are needed; wait, set stats_dump_period_sec lower, or give older LOGs"
            )
        sides.append(found)
    return Instance(str(path), cut_s, *sides)


def _traffic(log: ServiceLog, cut_s: float, *, is_after: bool) -> Traffic | None:
    """Add up what lies between dumps on one side of a time; None where there is nothing."""
    sums = {each.name: 0.0 for each in fields(Traffic)}
    is_told = False
    for opening in log.openings:
        for earlier, later in pairwise(going_on(_moments(opening))):
            if (earlier.time_s < cut_s) if is_after else (later.time_s > cut_s):
                continue
            if None in (earlier.ingest_gb, later.ingest_gb, later.compaction_s, earlier.compaction_s, later.size_bytes):
                continue
            is_told = True
            sums["open_s"] += later.uptime_s - earlier.uptime_s
            sums["ingest_gb"] += _less(later.ingest_gb, earlier.ingest_gb)
            sums["files_gb"] += (later.files_bytes - earlier.files_bytes) / 2**30
            sums["compaction_s"] += _less(later.compaction_s, earlier.compaction_s)
            sums["stall_s"] += _less(later.stall_s, earlier.stall_s)
            sums["reads"] += _less(later.reads, earlier.reads)
            sums["blocks"] += _less(later.cache_misses, earlier.cache_misses)
            sums["timed_reads"] += _less(later.timed_reads, earlier.timed_reads)
            sums["timed_us"] += _less(later.timed_us, earlier.timed_us)
            sums["size_gb"] = (later.size_bytes or 0.0) / 2**30
    return Traffic(**sums) if is_told else None


def _moments(opening: Opening) -> Iterator[Moment]:
    """Yield the dumps of an opening, behind one of its beginning where the LOG has that.

    A LOG that was rolled begins with the same lines, but its database has been open for longer.
    """
    first = next(iter(opening.moments), None)
    began_s = opening.time_s
    if began_s is not None and first is not None and first.uptime_s <= first.time_s - began_s + _CLOCK_S:
        yield Moment(began_s, 0.0, 0.0, 0.0, 0, 0.0, 0.0)
    yield from opening.moments


def _less(later: float | None, earlier: float | None) -> float:
    return (later or 0.0) - (earlier or 0.0)


_FIGURES: tuple[tuple[str, bool, Callable[[Traffic], float]], ...] = (
    ("bytes of flushes and compactions per byte of users", True, lambda each: each.files_gb / each.ingest_gb),
    ("time of compactions per GB of users", True, lambda each: each.compaction_s / each.ingest_gb),
    ("share of the time in which writes were slowed down or stopped", False, lambda each: each.stall_s / each.open_s),
    ("size of all tables", True, lambda each: each.size_gb),
)


_OF_READS: tuple[tuple[str, bool, Callable[[Traffic], float]], ...] = (
    ("blocks read for a look-up", True, lambda each: each.blocks / each.reads if each.reads else 0.0),
    ("mean time of a look-up", True, lambda each: each.timed_us / each.timed_reads if each.timed_reads else 0.0),
)
"""Figures where statistics are on; the second where they take times, too."""


def _effects(canaries: Sequence[Instance], controls: Sequence[Instance], left_out: list[str]) -> Iterator[Effect]:
    sides = [side for each in (*canaries, *controls) for side in (each.before, each.after)]
    figures = (*_FIGURES, *(each for each in _OF_READS if any(each[2](side) for side in sides)))
    for name, is_ratio, level in figures:
        changes = [[_change(each, level, is_ratio=is_ratio) for each in group] for group in (canaries, controls)]
        known = [[change for change in group if change is not None] for group in changes]
        if known != changes:
            left_out.append(f"{name[:1].upper()}{name[1:]}: some instance had none on one side of the change.")
            continue
        difference = compare_groups(known[0], known[1], ALPHA / len(figures))
        changed, unchanged = (tuple(map(_exp, group)) if is_ratio else tuple(group) for group in known)
        yield Effect(name, is_ratio, changed, unchanged, difference)


def _change(instance: Instance, level: Callable[[Traffic], float], *, is_ratio: bool) -> float | None:
    """Return the log ratio of after to before, or the difference; None where a ratio has no logarithm."""
    before, after = level(instance.before), level(instance.after)
    if not is_ratio:
        return after - before
    return math.log(after / before) if before > 0 and after > 0 else None


def _exp(value: float) -> float:
    return math.inf if value == math.inf else math.exp(value)
