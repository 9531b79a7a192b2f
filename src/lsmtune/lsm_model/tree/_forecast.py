"""What a tree comes to under writes: amplifications, space, times and stalls."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lsmtune.extras import need
from lsmtune.lsm_model.tree._costs import Costs
from lsmtune.lsm_model.tree._plan import Machine, plan_of
from lsmtune.lsm_model.tree._shape import Shape, shape_of
from lsmtune.lsm_model.tree._state import (
    BYTES,
    FIFO,
    GIVEN_UP,
    LEVELDB,
    LEVELED,
    MOST_LEVELS,
    STUCK,
    TIME,
    Tree,
    empty_tree,
)
from lsmtune.lsm_model.tree._writes import Order, Writes
from lsmtune.model import Value

_LEAST = 1e-12
_ELSEWHERE, _TWO_CORES = Costs(), Machine(2)


@dataclass(frozen=True)
class Outcome:
    """What a phase of writes comes to.

    Attributes:
        waf: bytes that flushes and compactions write for each byte of a user, in all phases that are measured; in the
            last one where none is.
        space_bytes: stored once all that is due is done, in B.
        space_peak_bytes: most that was stored in these phases, with what running compactions had written, in B.
        load_s, total_s: until the last write, and until nothing is due.
        delayed, stopped: shares of the load in which writes were held back, and stood still.
        runs: files of level 0, or sorted runs, on average over the load.
        level_bytes: stored by level at the end; of universal compaction all as one.
        level_files: files by level at the end.
        flushes, compactions, moves: how many there were.
        is_stuck: writes stood still for ever, as nothing was left to compact.
        is_given_up: more happened than the model follows, so nothing here is what a phase comes to.
        shape: the tree at the end, for those who read it.
        dropped_bytes: stored bytes of table files that FIFO compaction deleted, in B.
        lost_keys: keys that this phase or what was there before had set, and that no file has any more.
        blob_bytes: of the space, in blob files.
    """

    waf: float
    space_bytes: float
    space_peak_bytes: float
    load_s: float
    total_s: float
    delayed: float
    stopped: float
    runs: float
    level_bytes: tuple[float, ...]
    level_files: tuple[int, ...]
    flushes: int
    compactions: int
    moves: int
    is_stuck: bool
    shape: Shape
    dropped_bytes: float = 0.0
    lost_keys: float = 0.0
    blob_bytes: float = 0.0
    is_given_up: bool = False

    @property
    def stalls(self) -> bool:
        """Whether writes were held back or stood still at all."""
        return self.is_stuck or self.delayed + self.stopped > 0


def run_phases(
    options: Mapping[str, Value], phases: Sequence[Writes], costs: Costs = _ELSEWHERE, machine: Machine = _TWO_CORES
) -> Outcome:
    """Run phases of writes on one tree, the first on an empty one, and return what they come to.

    Times, rates and counts are those of the last phase. All keys of a phase are those of the phases before it. Takes 1
    to 50 ms.

    Args:
        options: values by name, in base units, at the scale of the phases.
        phases: at least one, at that scale.
        costs: of the host and build.
        machine: that runs it.
    """
    return _outcome(*_written(options, phases, costs, machine), phases)


def sustained_rate(
    options: Mapping[str, Value], phases: Sequence[Writes], costs: Costs = _ELSEWHERE, machine: Machine = _TWO_CORES
) -> float:
    """Return the largest rate of writes at which the last phase stalls for less than 0.1 % of its time, in 1/s.

    Luo and Carey, "On Performance Stability in LSM-based Storage Systems", VLDB 2019: first the largest rate, by
    writing as fast as it goes, then the rate below it that a tree keeps up with.
    """
    fastest = run_phases(options, phases, costs, machine)
    if fastest.is_stuck or fastest.is_given_up:
        return 0.0
    before = _written(options, phases[:-1], costs, machine, phases[-1]) if phases[1:] else None
    high = phases[-1].operations / max(fastest.load_s, _LEAST)
    low = phases[-1].operations / max(fastest.total_s, _LEAST) / 4
    for _ in range(8):
        middle = float(np.sqrt(low * high))
        offered = (*phases[:-1], replace(phases[-1], rate=middle))
        found = _outcome(*_further(before, options, offered, costs, machine), offered)
        if found.is_stuck or found.is_given_up or found.delayed + found.stopped > 1e-3:
            high = middle
        else:
            low = middle
    return low


@dataclass(frozen=True)
class _Sums:
    """What measured phases wrote and stored; the last phase, where none is measured.

    Attributes:
        is_measured: whether they are.
        user: bytes of their users.
        written: bytes that flushes and compactions wrote.
        peak: most that was stored, in B.
    """

    is_measured: bool = False
    user: float = 0.0
    written: float = 0.0
    peak: float = 0.0

    def beside(self, tree: Tree, phase: Writes) -> "_Sums":
        """Return them with one phase more, which left the tree as it is."""
        clock = tree.clock[0]
        written = float(clock["flushed"] + clock["blobs_written"] + clock["written"].sum())
        peak = max(float(clock["peak"]), float(clock["blobs"]) + sum(_level_bytes(tree)))
        before = self if self.is_measured else _Sums()
        return _Sums(
            phase.is_measured, before.user + phase.user_bytes, before.written + written, max(before.peak, peak)
        )


def _written(
    options: Mapping[str, Value], phases: Sequence[Writes], costs: Costs, machine: Machine, last: Writes | None = None
) -> tuple[Tree, _Sums]:
    """Return a tree after phases, with the classes of keys of `last`, or of the last of them, and what they wrote."""
    tree = empty_tree(plan_of(options, phases[0], costs, machine), *(last or phases[-1]).classes())
    sums = _Sums()
    for number, phase in enumerate(phases):
        if number:
            tree.plan[:] = plan_of(options, phase, costs, machine)
            _forget(tree)
        _run(tree, phase)
        sums = sums.beside(tree, phase)
        if tree.clock[0]["end"]:
            break
    return tree, sums


def _further(
    before: tuple[Tree, _Sums] | None,
    options: Mapping[str, Value],
    phases: Sequence[Writes],
    costs: Costs,
    machine: Machine,
) -> tuple[Tree, _Sums]:
    """Return the same after the last of phases, from a copy of what those before it left; None: there are none."""
    if before is None:
        return _written(options, phases, costs, machine)
    tree = before[0].copy()
    tree.plan[:] = plan_of(options, phases[-1], costs, machine)
    _forget(tree)
    _run(tree, phases[-1])
    return tree, before[1].beside(tree, phases[-1])


def _run(tree: Tree, phase: Writes) -> None:
    need("the model of a tree", "numba")
    from lsmtune.lsm_model.tree._events import run_load

    if not phase.is_unique:
        run_load(tree)
        return
    tree.plan["is_in_order"] = (
        phase.order is Order.SEQUENTIAL and tree.counts.sum() == 0 and tree.plan[0]["style"] != FIFO
    )
    # Each key once: classes are filled in proportion to their keys, whatever is asked of them later.
    weights = tree.weights.copy()
    tree.weights[:] = tree.keys / tree.keys.sum()
    run_load(tree)
    tree.weights[:] = weights


def _forget(tree: Tree) -> None:
    """Set the clock to 0, and keep what the tree holds."""
    tree.files[0, : tree.counts[0], TIME] -= tree.clock[0]["time"]
    tree.lost[:] = 0.0
    kept = {name: tree.clock[0][name].copy() for name in ("blobs", "slots", "number", "age", "cursor")}
    tree.clock[:] = np.zeros_like(tree.clock)
    for name, value in kept.items():
        tree.clock[0][name] = value


def _level_bytes(tree: Tree) -> tuple[float, ...]:
    """Return the stored bytes of table files by level."""
    return tuple(float(tree.files[level, : tree.counts[level], BYTES].sum()) for level in range(MOST_LEVELS))


def _outcome(tree: Tree, sums: _Sums, phases: Sequence[Writes]) -> Outcome:
    clock, plan, phase = tree.clock[0], tree.plan[0], phases[-1]
    sizes, blobs = _level_bytes(tree), float(clock["blobs"])
    load = max(float(clock["load_end"]), _LEAST)
    return Outcome(
        waf=sums.written / sums.user,
        space_bytes=sum(sizes) + blobs,
        space_peak_bytes=sums.peak,
        load_s=load * 1e-6,
        total_s=max(float(clock["time"]), load) * 1e-6,
        delayed=float(clock["delayed"]) / load,
        stopped=float(clock["stopped"]) / load,
        runs=float(clock["run_time"]) / load,
        level_bytes=sizes if plan["style"] in (LEVELED, LEVELDB) else (sum(sizes),),
        level_files=tuple(int(count) for count in tree.counts),
        flushes=int(clock["count_flushes"]),
        compactions=int(clock["count_compactions"]),
        moves=int(clock["count_moves"]),
        is_stuck=bool(clock["end"] == STUCK),
        is_given_up=bool(clock["end"] == GIVEN_UP),
        shape=shape_of(tree, phase.key_bytes, phase.operations, is_once=all(each.is_unique for each in phases)),
        dropped_bytes=float(clock["dropped"]),
        lost_keys=float(clock["lost"]),
        blob_bytes=blobs,
    )
