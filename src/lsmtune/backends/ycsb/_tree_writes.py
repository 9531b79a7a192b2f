"""What the phases of YCSB write, as the model of a tree asks for it."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from lsmtune.backends.ycsb._phases import RATES, Phase, PhaseKind, flag_of, phases_of
from lsmtune.errors import UsageError
from lsmtune.lsm_model.tree import Fifo, Order, Writes
from lsmtune.model import Workload

READS, SCANS, INSERTS, DELETES = "readproportion", "scanproportion", "insertproportion", "lsmtune.deleteproportion"
UPDATES = ("updateproportion", "readmodifywriteproportion")
_USUAL = {READS: 0.95, UPDATES[0]: 0.05}
"""Proportions where nothing is said; those of the others are 0."""
_ORDERS = {"uniform": Order.UNIFORM, "zipfian": Order.ZIPFIAN}
_SYNC = "lsmtune.sync"
_THETA = 0.99
"""The constant of YCSB's ZipfianGenerator, unless ``zipfian_const`` says another."""
RANKS = 10_000_000_000
"""Of YCSB's ScrambledZipfianGenerator, which hashes them onto the records."""


def tree_writes(workload: Workload, scale: Fraction) -> tuple[Writes, ...]:
    """Return the phases that write, in order.

    Raises:
        UsageError: a phase writes what the model does not describe.
    """
    common = dict(workload.flags)
    measured = [
        found
        for phase in phases_of(workload)
        if phase.may_write and (found := _phase(phase, workload, scale, {**common, **phase.properties})) is not None
    ]
    if not workload.load:
        return tuple(measured)
    return replace(_load(workload, scale, common), threads=1, is_measured=False), *measured


def _load(workload: Workload, scale: Fraction, properties: Mapping[str, str]) -> Writes:
    """Return a phase that inserts all records."""
    keys = round(workload.num * scale)
    offered = next((number_of(properties, name, 0.0) for name in RATES if name in properties), 0.0)
    return Writes(
        keys=keys,
        operations=keys,
        key_bytes=workload.key_size_bytes,
        value_bytes=workload.value_size_bytes,
        order=Order.SEQUENTIAL if properties.get("insertorder", "hashed") == "ordered" else Order.UNIQUE,
        theta=theta_of(properties),
        threads=workload.threads,
        rate=offered if offered > 0 else None,
        compression_ratio=workload.compression_ratio,
        has_log=not workload.disable_wal,
        is_synced=flag_of(properties, _SYNC),
        fifo=Fifo().at_scale(scale),
    )


def _phase(phase: Phase, workload: Workload, scale: Fraction, properties: Mapping[str, str]) -> Writes | None:
    """Return what a phase writes; None where that is nothing."""
    load = _load(workload, scale, properties)
    if phase.kind is PhaseKind.LOAD:
        return load
    if phase.kind is PhaseKind.MAX_RATE:
        raise UsageError(f'how much "{phase.name}" writes while a rate is sought is not known; take max_rate out')
    if workload.duration_s is not None:
        raise UsageError(f'how much "{phase.name}" writes in {workload.duration_s:g} s is not known; give operations')
    shares = shares_of(properties)
    updates, deletes, inserts = sum(shares[name] for name in UPDATES), shares[DELETES], shares[INSERTS]
    asked = load.keys if workload.operations is None else round(workload.operations * scale)
    writing = updates + deletes + inserts
    operations = round(asked * writing)
    if operations == 0:
        return None
    if inserts and updates + deletes:
        raise UsageError(f'the model of a tree does not describe inserts beside updates, as in "{phase.name}"')
    each = replace(load, operations=operations, rate=None if load.rate is None else load.rate * writing)
    if inserts:
        return replace(each, keys=load.keys + operations, order=Order.UNIQUE)
    law = properties.get("requestdistribution", "uniform")
    if law not in _ORDERS:
        raise UsageError(f'the model of a tree does not describe updates of {law} keys, as in "{phase.name}"')
    ranks = RANKS if law == "zipfian" else None
    return replace(each, order=_ORDERS[law], ranks=ranks, deletes=deletes / (updates + deletes))


def theta_of(properties: Mapping[str, str]) -> float:
    """Return the exponent of zipfian and latest orders.

    Raises:
        UsageError: the property is no number.
    """
    return number_of(properties, "zipfian_const", _THETA)


def shares_of(properties: Mapping[str, str]) -> Mapping[str, float]:
    """Return the share of each kind of operation in a phase that has some: its proportion over their sum.

    Raises:
        UsageError: a property is no number.
    """
    names = (READS, SCANS, INSERTS, DELETES, *UPDATES)
    found = {name: number_of(properties, name, _USUAL.get(name, 0.0)) for name in names}
    total = sum(found.values())
    return {name: proportion / total for name, proportion in found.items()}


def number_of(properties: Mapping[str, str], name: str, usual: float) -> float:
    """Return a property that is a number.

    Raises:
        UsageError: it is something else.
    """
    try:
        return float(properties.get(name, usual))
    except ValueError:
        raise UsageError(f'property "{name}" is "{properties[name]}"; write a number') from None
