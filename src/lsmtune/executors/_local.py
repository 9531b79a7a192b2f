"""Runs on this machine, one at a time, each in its own folder and process group."""

import errno
import math
import shlex
import shutil
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from lsmtune.backends import Bench, Glance, Halt, HaltKind, Process, ProcessRecord
from lsmtune.errors import EngineError, RunError, StartError
from lsmtune.executors._base import Executor, Limits, Progress, Watcher
from lsmtune.executors._cgroup import ControlGroup, ControlGroups
from lsmtune.executors._clone import clone_database, database_bytes, forget_pages
from lsmtune.executors._disturbance import HostReading, OwnUse, disturbance, own_use, usable_cores
from lsmtune.executors._lock import HostLock
from lsmtune.executors._process import Judge, run_process
from lsmtune.executors._program_state import ProgramState
from lsmtune.executors._resources import Taken
from lsmtune.model import Measurement, Outcome, Run, Status
from lsmtune.units import format_bytes, format_seconds

_JUDGED_S = 1.0  # shorter runs are not judged: the host's counters tick in 10 ms
_SURE = 2.0  # a run is stopped early where its projected time passes the cap by this factor
# A user's waitforcompaction sleeps for 5 s before it looks, and for 10 s each time that a compaction runs; in 7.8.3 it
# can wait for ever under universal compaction (rocksdb issue 9275), with all measured work done.
_HUNG_S = 12.0
# A clock that is corrected little by little keeps step with the time that passes; one that is set does not.
_JUMP_S, _JUMP_SHARE = 0.1, 0.01  # set by more than both, in s and of the run's time, the times of a run are wrong
_FULL_BYTES = 1 << 20  # a process that ends with less of the disk free than this has probably filled it
_LEAST_DONE = 0.05  # share of the operations that a projection needs
_FASTEST_BYTES_S = 4 << 30  # no run writes faster: how soon it could fill what it may have of a disk
# By these people and service managers end programs, as where a host shuts down; no engine sends them to itself. What
# reacts to one ends with 128 + its number.
_STOPS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
_STOPPED_BY_OTHERS = frozenset(code for number in _STOPS for code in (-number, 128 + number))
_STATUS_OF_HALT = {
    HaltKind.HOPELESS: Status.CENSORED,
    HaltKind.SPOILED: Status.SPOILED,
    HaltKind.TROUBLE: Status.FAILED,
}


class _Stopped(Exception):  # noqa: N818 - not an error: a run that lsmtune itself ended
    """A process was stopped or failed; ends the run."""

    def __init__(self, status: Status, reason: str, bound_s: float | None = None) -> None:
        super().__init__(reason)
        self.status, self.reason, self.bound_s = status, reason, bound_s


class LocalExecutor(Executor):
    """Runs on this machine, one at a time under the host-wide lock.

    Everything lives below `scratch`: ``run-<id>`` while a run goes on, ``loads/<key>`` for loaded data that runs
    share. Loaded data is dropped, the least recently used first, where `loads_bytes` is passed.
    """

    def __init__(
        self,
        bench: Bench,
        scratch: Path,
        loads_bytes: int = 20 << 30,
        groups: ControlGroups | None = None,
        programs: Iterable[Path] = (),
    ) -> None:
        """Take `scratch` into use; what a killed process left there is removed, files of others are not.

        Nor do control groups stay that a killed lsmtune left, of whatever study; `groups` are this host's unless given.
        `programs` have just been identified: the first run waits for its host, and they may be others by then.
        """
        self._bench = bench
        self._groups = groups or ControlGroups()
        self._groups.clear()
        self._scratch = scratch = scratch.resolve()  # processes run in folders of their own
        self._loads_bytes = loads_bytes
        self._load_seed: int | None = None
        states = ((program, ProgramState.of(program)) for program in programs)
        self._programs = {program: state for program, state in states if state is not None}
        self._clear()
        scratch.mkdir(parents=True, exist_ok=True)

    def run(self, run: Run, limits: Limits, watch: Watcher) -> Outcome:
        """Execute `run`; see `Executor`."""
        came = time.monotonic()
        folder = self._scratch / f"run-{run.id}"
        with HostLock(waiting=lambda holder: watch(Progress("waiting", None, time.monotonic() - came, holder))) as lock:
            # Waiting for others is no part of the run: its time would spoil what is expected of the next ones.
            started_at, began = time.time(), time.monotonic()
            attempt = _Attempt(self._bench, run, limits, watch, began, folder, self._drop_loads, self._programs)
            try:
                with _private(folder):
                    outcome = self._attempted(attempt, lock.descriptor)
            except _Stopped as stop:
                outcome = Outcome(stop.status, 0, 0, stop.reason, None, stop.bound_s, attempt.artefacts())
            except StartError as error:  # whatever the configuration, so that it is made again
                outcome = Outcome(Status.SPOILED, 0, 0, str(error), None, None, attempt.artefacts())
            except (RunError, EngineError) as error:
                outcome = Outcome(Status.FAILED, 0, 0, str(error), None, None, attempt.artefacts())
            except OSError as error:  # from making the folder of a run that has written nothing yet
                outcome = attempt.refused(error, spoiled=True)
            elapsed_s = time.monotonic() - began
            return replace(outcome, started_at=started_at, elapsed_s=elapsed_s, load_s=attempt.load_s)

    def close(self) -> None:
        """Remove all loaded data, and the scratch folder unless somebody else put something there."""
        self._clear()
        with suppress(OSError):
            self._scratch.rmdir()

    def _clear(self) -> None:
        for made in (self._scratch / "loads", *self._scratch.glob("run-*")):
            shutil.rmtree(made, ignore_errors=True)

    def _drop_loads(self) -> None:
        shutil.rmtree(self._scratch / "loads", ignore_errors=True)

    def _attempted(self, attempt: "_Attempt", held: int) -> Outcome:
        try:
            attempt.account()
            limits = attempt.limits.resources
            with self._groups.of_run(limits, attempt.run.rung, attempt.folder) as attempt.group:
                self._prepare(attempt, held)
                return attempt.measure(held)
        except OSError as error:  # judged here, as what the run wrote is about to be removed
            return attempt.refused(error, spoiled=attempt.is_spoiled_by(error))

    def _prepare(self, attempt: "_Attempt", held: int) -> None:
        key = self._bench.data_key(attempt.run)
        if key is None:
            attempt.database.mkdir()
            return
        loaded = self._scratch / "loads" / key
        if not loaded.exists():
            self._make_room(attempt.run.load_seed)
            attempt.load(held)
            loaded.parent.mkdir(exist_ok=True)
            attempt.database.rename(loaded)
        loaded.touch()
        clone_database(loaded, attempt.database)
        attempt.account()

    def _make_room(self, load_seed: int) -> None:
        """Drop the data of other seeds, as a block that has ended does not come again, and what does not fit."""
        if self._load_seed != load_seed:
            self._load_seed = load_seed
            self._drop_loads()
        loads = sorted((self._scratch / "loads").glob("*"), key=lambda path: path.stat().st_mtime)
        sizes = {path: sum(file.stat().st_size for file in path.iterdir()) for path in loads}
        for path in loads:
            if sum(sizes.values()) <= self._loads_bytes:
                return
            shutil.rmtree(path)
            del sizes[path]


@dataclass
class _Attempt:
    """One try at a run in its folder: its limits, what its processes left so far, and what it has of the disk."""

    bench: Bench
    run: Run
    limits: Limits
    watch: Watcher
    began: float
    folder: Path
    drop_loads: Callable[[], None]
    """Gives back the room of loaded data that is kept for later runs."""
    programs: dict[Path, ProgramState]
    """What the programs of this run and of those before it were as files when they were identified."""

    def __post_init__(self) -> None:
        self.records: list[ProcessRecord] = []
        self.load_s = 0.0
        self.group = ControlGroup()
        self._free_before = self._had_bytes = 0

    @property
    def database(self) -> Path:
        """Where the run's data is."""
        return self.folder / "db"

    def account(self) -> None:
        """Note what is free on the disk, and what of the run's data is there and costs no more."""
        self._free_before = psutil.disk_usage(str(self.folder)).free
        self._had_bytes = database_bytes(self.database)

    @property
    def is_filled_by_others(self) -> bool:
        """Whether enough of the disk would be free had only this run written to it, or was not free before it."""
        own = max(0, database_bytes(self.database) - self._had_bytes)
        return self._free_before < self.limits.free_bytes or self._free_before - own >= max(1, self.limits.free_bytes)

    def load(self, held: int) -> None:
        """Build the shared data."""
        began = time.monotonic()
        self.database.mkdir()
        try:
            for process in self.bench.load_processes(self.run, self.database):
                judge = self._judge(process, self.limits.load_wall_s, 0.0)
                record = self._ended(process, held, judge)
                self._checked(record, "loading the data: ", None)
                self._believe(record, "loading the data: ")
        finally:
            self.load_s = time.monotonic() - began

    def measure(self, held: int) -> Outcome:
        """Run the processes on the data and read what they gave."""
        if self.group.entries:  # a page that is cached counts for whoever read it first, so none may be there yet
            forget_pages(self.database)
        before, own_before, spent_s, began = HostReading.now(self.folder), own_use(), 0.0, time.monotonic()
        ahead_s = _clock_ahead_s()
        stopped: _Stopped | None = None
        processes = self.bench.processes(self.run, self.database)
        for process in processes:
            judge = self._judge(process, self.limits.wall_s, spent_s)
            record = self._ended(process, held, judge, self.group.entries)
            self.records.append(record)
            spent_s += record.elapsed_s
            try:
                self._checked(record, "", spent_s)
            except _Stopped as stop:
                stopped = stop
                break
        wall_s = time.monotonic() - began
        own = _used(self.records, own_before, own_use())
        by_others = disturbance(before, HostReading.now(self.folder), own, wall_s, usable_cores())
        unmeasured = (Status.FAILED, Status.SPOILED)
        if stopped is not None and (stopped.status in unmeasured or len(self.records) < len(processes)):
            raise stopped  # nothing was measured
        if jump := _jump_reason(_clock_ahead_s() - ahead_s, wall_s):
            raise _Stopped(Status.SPOILED, jump)
        measurement = self._read()
        seen = {**by_others.facts, **self.group.taken().facts}
        measurement = replace(measurement, facts={**measurement.facts, **seen})
        if stopped is not None:
            return Outcome(stopped.status, 0, 0, stopped.reason, measurement, stopped.bound_s, self.artefacts())
        if by_others.reason and wall_s >= _JUDGED_S:
            return Outcome(Status.DISTURBED, 0, 0, by_others.reason, measurement, None, self.artefacts())
        return Outcome(Status.OK, 0, 0, "", measurement, None, self.artefacts())

    def _read(self) -> Measurement:
        """Read what the processes left; what the engine could not do on a disk that others filled spoils the run."""
        for record in self.records:
            self._believe(record, "")
        try:
            return self.bench.parse_results(self.run, self.records)
        except RunError as error:
            if self._has_no_room_by_others:
                raise _Stopped(Status.SPOILED, str(error)) from None
            raise

    def _believe(self, record: ProcessRecord, doing: str) -> None:
        """End the run where something of the engine failed in a process that ended as if nothing had."""
        if failed := self.bench.unsaid_failure(record):
            self.records = self.records or [record]
            raise _Stopped(Status.SPOILED if self._has_no_room_by_others else Status.FAILED, doing + failed)

    @property
    def _has_no_room_by_others(self) -> bool:
        """Whether nothing is left of the disk, and others took it."""
        return psutil.disk_usage(str(self.folder)).free < _FULL_BYTES and self.is_filled_by_others

    def _ended(self, process: Process, held: int, judge: Judge, entries: Sequence[Path] = ()) -> ProcessRecord:
        """Run a process to its end.

        Raises:
            StartError: it cannot be started, or its program was written anew since it was identified.
        """
        program = Path(process.argv[0])
        state = self.programs.get(program) or ProgramState.of(program)
        if state is not None:
            self.programs[program] = state
            if other := state.written_anew():
                raise StartError(f"{other} was written anew since lsmtune identified it, and may be another build now")
        return run_process(process, self.folder, held, judge, entries)

    def artefacts(self) -> dict[str, str]:
        """Return what is kept with the run, by name."""
        kept: dict[str, str] = {}
        for record in self.records:
            command = f"{shlex.join(record.process.argv)}\n"
            texts = {"stdout": record.stdout, "stderr": record.stderr, "LOG": record.log, "OPTIONS": record.options}
            texts["command"] = command
            kept.update({f"{record.process.name}.{name}": text for name, text in texts.items() if text})
        return kept

    def is_spoiled_by(self, error: OSError) -> bool:
        """Whether what the system refused is not the run's doing: all but room on the disk that it took itself."""
        if error.errno == errno.EDQUOT:  # of a share of a disk nobody tells who took it
            return False
        return error.errno != errno.ENOSPC or self.is_filled_by_others

    def refused(self, error: OSError, *, spoiled: bool) -> Outcome:
        """Return what comes of the run where the system refused it something; `spoiled`: that is not its doing."""
        status = Status.SPOILED if spoiled else Status.FAILED
        return Outcome(status, 0, 0, _disk_reason(error, self.folder), None, None, self.artefacts())

    def _checked(self, record: ProcessRecord, doing: str, spent_s: float | None) -> None:
        """End the run where a process did not end well; `spent_s` is a lower bound of the run's time, if one is."""
        halt = record.stopped
        if halt is not None and halt.kind is HaltKind.HUNG:
            return
        if halt is None and record.returncode == 0:
            return
        self.records = self.records or [record]
        if halt is None:
            if spent_s is not None and (killed := _memory_reason(self.group.taken())):
                raise _Stopped(Status.FAILED, doing + killed)
            spoiled = self._has_no_room_by_others or record.returncode in _STOPPED_BY_OTHERS
            raise _Stopped(Status.SPOILED if spoiled else Status.FAILED, doing + self.bench.failure(record))
        hopeless = halt.kind is HaltKind.HOPELESS
        bound_s = max(spent_s, self.limits.wall_s or 0.0) if hopeless and spent_s is not None else None
        raise _Stopped(_STATUS_OF_HALT[halt.kind], doing + halt.reason, bound_s)

    def _judge(self, process: Process, cap_s: float | None, spent_s: float) -> Judge:
        def judge(glance: Glance) -> Halt | float:
            seen = self.bench.progress(process, glance)
            done = _share_done(process, glance.elapsed_s, seen.operations)
            self.watch(Progress(process.name, done, time.monotonic() - self.began, seen.detail))
            if seen.finished and glance.idle_s > _HUNG_S:
                return Halt(f"it hung: nothing happened for {_HUNG_S:g} s after its last result", HaltKind.HUNG)
            if cap_s is not None:
                reason = _beyond_cap(spent_s, glance.elapsed_s, done if process.alike else None, cap_s)
                if reason and glance.idle_s > _HUNG_S and not seen.finished:
                    return Halt(f"it hung: nothing happened for {_HUNG_S:g} s before its last result", HaltKind.TROUBLE)
                if reason:
                    return Halt(reason, HaltKind.HOPELESS)
            disk = self._disk(glance.space_bytes)
            if isinstance(disk, Halt):
                return disk
            return disk if cap_s is None else min(disk, cap_s - spent_s - glance.elapsed_s)

        return judge

    def _disk(self, space_bytes: int) -> Halt | float:
        """Say what is wrong with the disk; else in how many seconds the run could take all that it may have of it."""
        limit = self.limits.disk_bytes
        if limit is not None and space_bytes > limit:
            reason = f"the data grew to {format_bytes(space_bytes)}, beyond host.max_disk = {format_bytes(limit)}"
            return Halt(reason, HaltKind.TROUBLE)
        free = psutil.disk_usage(str(self.folder)).free
        if free < self.limits.free_bytes:
            free = self._with_loads_dropped(free)
        if free >= self.limits.free_bytes:
            own_room = math.inf if limit is None else limit - space_bytes
            return min(own_room, free - self.limits.free_bytes) / _FASTEST_BYTES_S
        least = format_bytes(self.limits.free_bytes)
        reason = f"{format_bytes(free)} are left on the disk of {self.folder.parent}, below host.min_free = {least}"
        return Halt(reason, HaltKind.SPOILED if self.is_filled_by_others else HaltKind.TROUBLE)

    def _with_loads_dropped(self, free_bytes: int) -> int:
        """Return what is free once no loaded data is kept any more, which is no fault of the run."""
        self.drop_loads()
        free = psutil.disk_usage(str(self.folder)).free
        self._free_before += max(0, free - free_bytes)
        return free


def _share_done(process: Process, elapsed_s: float, operations: int | None) -> float | None:
    if process.duration_s:
        return min(1.0, elapsed_s / process.duration_s)
    if process.operations and operations is not None:
        return min(1.0, operations / process.operations)
    return None


def _beyond_cap(before_s: float, elapsed_s: float, done: float | None, cap_s: float) -> str:
    """Say why a run cannot end within its cap; empty while it may.

    Args:
        before_s: time of its ended processes in s.
        elapsed_s: time of the process that is under way in s.
        done: share of that process; None where it is not known, or does not tell when the process ends.
        cap_s: for all processes.
    """
    if before_s + elapsed_s > cap_s:
        return f"it ran {format_seconds(before_s + elapsed_s)}, beyond its cap of {format_seconds(cap_s)}"
    if done is not None and _LEAST_DONE < done < 1 and before_s + elapsed_s / done > cap_s * _SURE:
        projected = format_seconds(before_s + elapsed_s / done)
        return f"it would take about {projected}, more than {_SURE:g} times its cap of {format_seconds(cap_s)}"
    return ""


@contextmanager
def _private(folder: Path) -> Iterator[None]:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _used(records: Sequence[ProcessRecord], before: OwnUse, after: OwnUse) -> OwnUse:
    """Return what the processes of a run used, and lsmtune meanwhile."""
    return OwnUse(
        sum(record.cpu_s for record in records) + after.cpu_s - before.cpu_s,
        _sum([record.io_read_bytes for record in records], before.read_bytes, after.read_bytes),
        _sum([record.io_written_bytes for record in records], before.written_bytes, after.written_bytes),
    )


def _sum(processes: Sequence[int | None], before: int | None, after: int | None) -> int | None:
    known = [count for count in processes if count is not None]
    if len(known) < len(processes) or before is None or after is None:
        return None
    return sum(known) + after - before


def _clock_ahead_s() -> float:
    """Return how far the clock of this host is ahead of the time that passes, in s: it changes where the clock is set.

    The time that passes leaves out what the host slept.
    """
    return time.time() - time.monotonic()


def _jump_reason(jump_s: float, wall_s: float) -> str:
    """Say that the clock jumped too far for the times of a run that took `wall_s`; empty where it did not."""
    if abs(jump_s) <= max(_JUMP_S, _JUMP_SHARE * wall_s):
        return ""
    way = "forward" if jump_s > 0 else "back"
    return (
        f"the clock of this host jumped {way} by {format_seconds(abs(jump_s))} while it was under way, as it was set "
        "or the host slept, and engines take their times by it"
    )


def _memory_reason(taken: Taken) -> str:
    """Say that the kernel ended a process for want of memory; empty where it did not."""
    if not taken.oom_kills:
        return ""
    return (
        f"the kernel ended it, as it needed more than the {format_bytes(taken.memory_limit_bytes)} that host.memory "
        "leaves a run at this scale"
    )


def _disk_reason(error: OSError, folder: Path) -> str:
    if error.errno == errno.ENOSPC:
        return f"the disk of {folder.parent} is full; free some space or set host.scratch to another disk"
    return f"{error.filename or folder}: {error.strerror}"
