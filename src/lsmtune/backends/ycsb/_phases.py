"""The phases of a workload, as the driver runs them."""

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from lsmtune.backends.ycsb._core import CORE_WORKLOADS
from lsmtune.errors import UsageError
from lsmtune.model import MaxRate, Workload

LOAD = "load"
"""The phase that inserts all records."""
SETTLE = "settle"
"""The phase that flushes, and waits until the engine has nothing left to do."""
TARGET = "target"
"""The property of YCSB with the rate at which operations are due, over all threads."""
RATES = (TARGET, "limit.ops")
"""Its names, YCSB's before YCSB-cpp's."""

_WRITING = {
    "updateproportion": 0.05,
    "insertproportion": 0.0,
    "readmodifywriteproportion": 0.0,
    "lsmtune.deleteproportion": 0.0,
}
"""Shares of the operations that write, with YCSB's defaults."""
_READING = {
    "readproportion": 0.95,
    "updateproportion": 0.05,
    "scanproportion": 0.0,
    "readmodifywriteproportion": 0.0,
}
"""The same of those that read; the driver reads the record that it updates."""
BLIND = "lsmtune.blindupdates"
"""The property with which updates do not look for the record first."""
FLAGS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
"""The words that the driver takes for true and false."""
_NAME = re.compile(r"[\w.-]+")


class PhaseKind(StrEnum):
    """What the driver does in a phase, in its own words."""

    LOAD = "load"
    RUN = "run"
    MAX_RATE = "max_rate"
    SETTLE = "settle"


@dataclass(frozen=True)
class Phase:
    """A phase, as the driver runs it.

    Attributes:
        name: its name, and its label in the driver's output.
        kind: see `PhaseKind`.
        properties: what is written into the property file of a phase that runs a mix; empty for the others.
        may_write: whether it changes the database, so that debt can be left behind.
        may_read: whether it looks for records, so that caches and filters matter.
    """

    name: str
    kind: PhaseKind
    properties: Mapping[str, str] = field(default_factory=dict)
    may_write: bool = False
    may_read: bool = False


MIXING = (PhaseKind.RUN, PhaseKind.MAX_RATE)
"""What runs a mix of operations."""

SETTLING = Phase(SETTLE, PhaseKind.SETTLE)
LOADING = Phase(LOAD, PhaseKind.LOAD, may_write=True)


def phases_of(workload: Workload) -> tuple[Phase, ...]:
    """Return the phases of the workload's benchmarks, in order.

    Raises:
        UsageError: a phase is neither load nor settle, a core workload or one of the workload's own phases, or its name
            has characters that the driver's list of phases cannot hold.
    """
    return tuple(_phase(phase, workload) for phase in workload.benchmarks)


def _phase(name: str, workload: Workload) -> Phase:
    """Return a phase: its own properties win over the common ones, those over a core workload's."""
    if name == SETTLE:
        return SETTLING
    if name == LOAD:
        return LOADING
    common, own = dict(workload.flags), dict(workload.phases)
    if name in own:
        properties = dict(own[name])
    elif name in CORE_WORKLOADS:
        core = CORE_WORKLOADS[name]
        properties = {**core, **{each: value for each, value in common.items() if each in core}}
    else:
        raise UsageError(_unknown(name, own))
    if not _NAME.fullmatch(name):
        raise UsageError(f'the name of phase "{name}" may hold letters, digits, "_", "." and "-" alone; rename it')
    mix = {**common, **properties}
    kind = PhaseKind.RUN
    if workload.max_rate is not None and name == workload.measure:
        kind = PhaseKind.MAX_RATE
        properties = {**properties, **_search_properties(workload.max_rate)}
    elif workload.target_ops_s is not None and name == workload.measure:
        properties = {**properties, TARGET: f"{workload.target_ops_s:.12g}"}
    reading = dict(_READING)
    if flag_of(mix, BLIND):
        del reading["updateproportion"]
    return Phase(name, kind, properties, _does_any(_WRITING, mix), _does_any(reading, mix))


def flag_of(properties: Mapping[str, str], name: str) -> bool:
    """Return whether a property is true, in a word that the driver takes for it; nothing said is false."""
    return FLAGS.get(properties.get(name, ""), False)


def _search_properties(wanted: MaxRate) -> dict[str, str]:
    return {
        "lsmtune.max_rate.limit_s": f"{wanted.limit_s:g}",
        "lsmtune.max_rate.percentile": f"{wanted.percentile:g}",
        "lsmtune.max_rate.hold_s": f"{wanted.hold_s:g}",
        "lsmtune.max_rate.precision": f"{wanted.precision:g}",
        "lsmtune.max_rate.steps": str(wanted.most),
    }


def _does_any(shares: Mapping[str, float], properties: Mapping[str, str]) -> bool:
    return any(_share(properties.get(name), usual) > 0 for name, usual in shares.items())


def _share(text: str | None, usual: float) -> float:
    """Return a proportion; what is no number counts as one, the driver will say what is wrong with it."""
    try:
        return usual if text is None else float(text)
    except ValueError:
        return 1.0


def _unknown(name: str, own: Mapping[str, object]) -> str:
    known = (LOAD, SETTLE, *CORE_WORKLOADS, *own)
    close = difflib.get_close_matches(name, known, n=3)
    hint = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(known)}"
    return f'"{name}" is not a phase of YCSB; {hint}'
