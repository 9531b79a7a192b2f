"""Private control groups for runs: where this host lets them be made, found by trying, and none left behind."""

import itertools
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from lsmtune.errors import UsageError
from lsmtune.executors._cgroup_files import FILES, IO, MEMORY, put
from lsmtune.executors._disturbance import disk_number
from lsmtune.executors._resources import ResourceLimits, Taken

_PROBE = ResourceLimits(memory_bytes=64 << 20, read_bytes_s=1 << 30, write_bytes_s=1 << 30)
_NAME = re.compile(r"lsmtune-(\d+)-\d+")
_OLD_NAMES = {MEMORY: "memory", IO: "blkio"}
_SUBTREE = "cgroup.subtree_control"
_NUMBERS = itertools.count(1)
_PATIENCE_S = 2.0  # for processes that were killed to be gone


@dataclass(frozen=True)
class Kernel:
    """How folders of groups are made and removed, and where the kernel says which there are; tests have one of theirs.

    Attributes:
        proc: where processes are shown.
        make, remove: a folder of a group; the kernel fills it, and removes it with its files.
    """

    proc: Path = Path("/proc")
    make: Callable[[Path], None] = Path.mkdir
    remove: Callable[[Path], None] = Path.rmdir


@dataclass(frozen=True)
class _Place:
    """Where groups can be made: under `parent`, in a version, with some of the controllers."""

    version: int
    parent: Path
    controllers: frozenset[str]


@dataclass(frozen=True)
class _Mount:
    """A hierarchy: where it is seen, and the group of this process in it."""

    version: int
    names: frozenset[str]
    top: Path
    own: Path


class ControlGroup:
    """The groups of one run, one for each hierarchy that is needed; none where nothing is limited.

    Attributes:
        entries: files that a process writes its number to in order to enter.
    """

    def __init__(self, folders: "Mapping[Path, _Place] | None" = None) -> None:
        """`folders` exist."""
        self._folders = folders or {}
        self.entries: Sequence[Path] = tuple(folder / "cgroup.procs" for folder in self._folders)

    def limit(self, limits: ResourceLimits, memory_bytes: int | None, device: str) -> None:
        """Hold the processes of the groups to `limits`.

        Raises:
            OSError: the kernel refuses it.
        """
        for folder, place in self._folders.items():
            files = FILES[place.version]
            if MEMORY in place.controllers and memory_bytes is not None:
                files.limit_memory(folder, memory_bytes)
            if IO in place.controllers and limits.limits_io:
                files.limit_io(folder, device, limits)

    def taken(self) -> Taken:
        """Return what was counted so far."""
        seen = Taken()
        for folder, place in self._folders.items():
            files = FILES[place.version]
            counted = [files.memory_taken(folder)] if MEMORY in place.controllers else []
            counted += [files.io_taken(folder)] if IO in place.controllers else []
            for each in counted:
                seen = replace(seen, **{name: value for name, value in vars(each).items() if value is not None})
        return seen


class ControlGroups:
    """Makes groups on this host. What it allows is tried once for each set of controllers that somebody asks for."""

    def __init__(self, kernel: Kernel | None = None) -> None:
        """`kernel` is this machine's unless given."""
        self._kernel = kernel or Kernel()
        self._found: dict[tuple[frozenset[str], str], tuple[_Place, ...] | str] = {}

    def trouble(self, controllers: frozenset[str], folder: Path) -> str:
        """Say why runs with data in `folder` cannot be held by `controllers`, as a clause; empty where they can."""
        found = self._places(controllers, folder)
        return found if isinstance(found, str) else ""

    def versions(self, controllers: frozenset[str], folder: Path) -> tuple[int, ...]:
        """Return the versions of the interface that hold `controllers`; empty where none does."""
        found = self._places(controllers, folder)
        return () if isinstance(found, str) else tuple(sorted({place.version for place in found}))

    @contextmanager
    def of_run(self, limits: ResourceLimits | None, rung: Fraction, folder: Path) -> Iterator[ControlGroup]:
        """Make the groups of a run with its data in `folder`, and remove them when it has ended.

        Raises:
            UsageError: this host does not allow what the limits need.
            OSError: the kernel refuses it now, although it allowed it before.
        """
        wanted = _controllers(limits)
        if limits is None or not wanted:
            yield ControlGroup()
            return
        places = self._places(wanted, folder)
        if isinstance(places, str):
            raise UsageError(
                f"[host]: the {_words(wanted)} of runs cannot be limited here, as {places}; {_advice(wanted)}"
            )
        with self._made(places) as group:
            group.limit(limits, limits.memory_at(rung), disk_number(folder) or "")
            yield group

    def clear(self) -> None:
        """Remove the groups of processes of lsmtune that are gone; those that still hold a process stay."""
        for mount in _mounts(self._kernel.proc):
            for path, names, _ in os.walk(mount.top):
                for name in names:
                    match = _NAME.fullmatch(name)
                    if match is not None and not (self._kernel.proc / match[1]).exists():
                        _remove(self._kernel, Path(path, name))

    def _places(self, wanted: frozenset[str], folder: Path) -> tuple[_Place, ...] | str:
        device = disk_number(folder) if IO in wanted else ""
        if device is None:
            return f"{folder} is on no disk of its own that the kernel names"
        key = wanted, device
        if key not in self._found:
            self._found[key] = self._search(wanted, device)
        return self._found[key]

    def _search(self, wanted: frozenset[str], device: str) -> tuple[_Place, ...] | str:
        mounts = _mounts(self._kernel.proc)
        if not mounts:
            return "no control groups are mounted"
        chosen: list[_Place] = []
        left = set(wanted)
        for mount in mounts:  # what an old hierarchy has, the new one has not
            held = frozenset(name for name in left if mount.version == 1 and _OLD_NAMES[name] in mount.names)
            if held:
                place = _Place(1, mount.own, held)
                if trouble := self._tried((place,), device):
                    return trouble
                chosen.append(place)
                left -= held
        if not left:
            return tuple(chosen)
        found = self._search_new(frozenset(left), [mount for mount in mounts if mount.version == 2], device)
        return found if isinstance(found, str) else (*chosen, found)

    def _search_new(self, wanted: frozenset[str], mounts: Sequence[_Mount], device: str) -> _Place | str:
        """Return the nearest group of version 2, from this process's own upwards, in which groups can be made."""
        reasons = []
        for mount in mounts:
            for parent in (mount.own, *mount.own.parents):
                if not parent.is_relative_to(mount.top):
                    break
                place = _Place(2, parent, wanted)
                trouble = self._tried((place,), device)
                if not trouble:
                    return place
                reasons.append(trouble)
        return reasons[0] if reasons else f"no hierarchy has the controller {' and '.join(sorted(wanted))}"

    def _tried(self, places: tuple[_Place, ...], device: str) -> str:
        """Make groups, limit them, let a process enter, and say what the kernel refused."""
        try:
            with self._made(places) as group:
                group.limit(_PROBE, _PROBE.memory_at(Fraction(1)), device)
                return _entered(group)
        except (OSError, subprocess.SubprocessError) as error:
            named = getattr(error, "filename", None) or places[0].parent
            return f"{named}: {getattr(error, 'strerror', None) or error}"

    @contextmanager
    def _made(self, places: tuple[_Place, ...]) -> Iterator[ControlGroup]:
        folders: dict[Path, _Place] = {}
        switched: list[tuple[Path, str]] = []
        try:
            for place in places:
                _switch_on(place, switched)
                folder = place.parent / f"lsmtune-{os.getpid()}-{next(_NUMBERS)}"
                self._kernel.make(folder)
                folders[folder] = place
            yield ControlGroup(folders)
        finally:
            for folder in folders:
                _remove(self._kernel, folder)
            for path, controller in switched:
                if not any(path.parent.glob("lsmtune-*")):  # the kernel would take the limits of another's run away
                    with suppress(OSError):
                        put(path, f"-{controller}")


def _controllers(limits: ResourceLimits | None) -> frozenset[str]:
    if limits is None:
        return frozenset()
    wanted = {MEMORY: limits.memory_bytes is not None, IO: limits.limits_io}
    return frozenset(name for name, is_wanted in wanted.items() if is_wanted)


def _words(wanted: frozenset[str]) -> str:
    return " and ".join(word for name, word in ((MEMORY, "memory"), (IO, "bandwidth")) if name in wanted)


def _advice(wanted: frozenset[str]) -> str:
    memory = 'write page_cache = "direct" or "free"' if MEMORY in wanted else ""
    disk = "take the limits of bandwidth and requests out" if IO in wanted else ""
    return f"{' and '.join(part for part in (memory, disk) if part)}, or see what lsmtune doctor says"


def _switch_on(place: _Place, changed: list[tuple[Path, str]]) -> None:
    """Let children of a group have the controllers of a place, and add to `changed` what was changed for that."""
    if place.version == 1:
        return
    path = place.parent / _SUBTREE
    offered = (place.parent / "cgroup.controllers").read_text().split()
    is_on = path.read_text().split()
    for name in sorted(place.controllers):
        if name not in offered:
            raise OSError(0, f"the controller {name} is not offered there", str(place.parent))
        if name not in is_on:
            put(path, f"+{name}")
            changed.append((path, name))


def _entered(group: ControlGroup) -> str:
    """Let a process enter and say what went wrong, if anything did."""
    with entering(group.entries) as enter:
        child = subprocess.Popen(["sleep", "60"], preexec_fn=enter)  # noqa: PLW1509 - all it does is a few writes
    try:
        for path in group.entries:
            if str(child.pid) not in path.read_text().split():
                return f"{path}: a process did not stay there"
        return ""
    finally:
        child.kill()
        child.wait()


@contextmanager
def entering(entries: Sequence[Path]) -> Iterator[Callable[[], None]]:
    """Yield what a child calls between fork and exec in order to enter groups; their files are opened before.

    Raises:
        OSError: a file cannot be opened.
    """
    descriptors: list[int] = []
    try:
        descriptors.extend(os.open(path, os.O_WRONLY | os.O_CLOEXEC) for path in entries)

        def enter() -> None:
            for descriptor in descriptors:
                os.write(descriptor, b"%d" % os.getpid())

        yield enter
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def _remove(kernel: Kernel, folder: Path) -> None:
    """Remove a group; one that still holds a process after a while stays for the next start."""
    until = time.monotonic() + _PATIENCE_S
    while True:
        try:
            kernel.remove(folder)
        except FileNotFoundError:
            return
        except OSError:
            if time.monotonic() > until:
                return
            time.sleep(0.02)
        else:
            return


def _mounts(proc: Path) -> list[_Mount]:
    """Return the hierarchies that this process sees and that can hold memory or disks."""
    groups: dict[str, str] = {}
    for line in _lines(proc / "self" / "cgroup"):
        _, controllers, path = line.split(":", 2)
        groups |= dict.fromkeys(controllers.split(","), path)
    found = []
    for line in _lines(proc / "self" / "mountinfo"):
        before, _, after = line.partition(" - ")
        root, top = (part.encode().decode("unicode_escape") for part in before.split()[3:5])
        kind, _, options = after.split()[:3]
        version = {"cgroup": 1, "cgroup2": 2}.get(kind)
        names = frozenset(options.split(",")) & frozenset(groups) & frozenset(_OLD_NAMES.values())
        if version == 1 and names:
            found.append(_Mount(1, names, Path(top), _below(Path(top), root, groups[next(iter(names))])))
        elif version == 2 and "" in groups:
            found.append(_Mount(2, frozenset(), Path(top), _below(Path(top), root, groups[""])))
    return found


def _below(top: Path, root: str, path: str) -> Path:
    """Return where a group is seen below a mount that shows the hierarchy from `root` on."""
    inside = path.removeprefix(root) if root != "/" and path.startswith(root) else path
    inside = inside if root == "/" or path.startswith(root) else "/"
    return top / inside.lstrip("/")


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(errors="replace").splitlines()  # a disk is mounted under whatever name
    except OSError:
        return []
