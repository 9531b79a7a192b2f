"""What the phases of YCSB write, as the model of a tree asks for it."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from lsmtune.backends.ycsb._phases import Phase, PhaseKind, phases_of
from lsmtune.errors import UsageError
from lsmtune.lsm_model.tree import Order, Writes
from lsmtune.model import Workload

UPDATES = ("updateproportion", "readmodifywriteproportion")
INSERTS = "insertproportion"
DELETES = "lsmtune.deleteproportion"
_ORDERS = {"uniform": Order.UNIFORM, "zipfian": Order.ZIPFIAN}
_SYNC = "lsmtune.sync"
THETA = 0.99
"""The constant of YCSB's ZipfianGenerator."""


def tree_writes(workload: Workload, scale: Fraction) -> tuple[Writes, ...]:
    """Return the phases that write, in order.

    Raises:
        UsageError: a phase writes what the model does not describe.
    """
    common = dict(workload.flags)
    loaded = (Phase("load", PhaseKind.LOAD, may_write=True),) if workload.load else ()
    phases = (*loaded, *phases_of(workload))
    found = (_phase(phase, workload, scale, {**common, **phase.properties}) for phase in phases if phase.may_write)
    return tuple(phase for phase in found if phase is not None)


def _phase(phase: Phase, workload: Workload, scale: Fraction, properties: Mapping[str, str]) -> Writes | None:
    keys = round(workload.num * scale)
    each = Writes(
        keys=keys,
        operations=keys,
        key_bytes=workload.key_size_bytes,
        value_bytes=workload.value_size_bytes,
        order=Order.UNIQUE,
        theta=THETA,
        threads=workload.threads,
        compression_ratio=workload.compression_ratio,
        has_log=not workload.disable_wal,
        is_synced=properties.get(_SYNC, "false").lower() == "true",
    )
    if phase.kind is PhaseKind.LOAD:
        is_ordered = properties.get("insertorder", "hashed") == "ordered"
        return replace(each, order=Order.SEQUENTIAL if is_ordered else Order.UNIQUE)
    if workload.duration_s is not None:
        raise UsageError(f'how much "{phase.name}" writes in {workload.duration_s:g} s is not known; give operations')
    updates = sum(share_of(properties, name, 0.05 if name == UPDATES[0] else 0.0) for name in UPDATES)
    deletes, inserts = share_of(properties, DELETES, 0.0), share_of(properties, INSERTS, 0.0)
    asked = keys if workload.operations is None else round(workload.operations * scale)
    operations = round(asked * (updates + deletes + inserts))
    if operations == 0:
        return None
    if inserts and updates + deletes:
        raise UsageError(f'the model of a tree does not describe inserts beside updates, as in "{phase.name}"')
    if inserts:
        return replace(each, keys=keys + operations, operations=operations)
    law = properties.get("requestdistribution", "uniform")
    if law not in _ORDERS:
        raise UsageError(f'the model of a tree does not describe updates of {law} keys, as in "{phase.name}"')
    return replace(each, operations=operations, order=_ORDERS[law], deletes=deletes / (updates + deletes))


def share_of(properties: Mapping[str, str], name: str, usual: float) -> float:
    """Return a property that is a number.

    Raises:
        UsageError: it is something else.
    """
    try:
        return float(properties.get(name, usual))
    except ValueError:
        raise UsageError(f'property "{name}" is "{properties[name]}"; write a number') from None
