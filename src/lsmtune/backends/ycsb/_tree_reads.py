"""What the phases of YCSB read, as the model of a tree asks for it."""

from collections.abc import Mapping
from fractions import Fraction

from lsmtune.backends.ycsb._phases import BLIND, Phase, flag_of, phases_of
from lsmtune.backends.ycsb._tree_writes import (
    DELETES,
    INSERTS,
    RANKS,
    READS,
    SCANS,
    UPDATES,
    number_of,
    shares_of,
    theta_of,
)
from lsmtune.errors import UsageError
from lsmtune.lsm_model.tree import Popularity, Reads
from lsmtune.model import Workload

_POPULARITIES = {"uniform": Popularity.UNIFORM, "zipfian": Popularity.ZIPFIAN, "latest": Popularity.LATEST}
_LONGEST = 1000
"""maxscanlength where nothing is said."""


def tree_reads(workload: Workload, scale: Fraction) -> Reads | None:
    """Return what the measured phase reads, or else the last one that reads; None where none does.

    Raises:
        UsageError: it reads what the model does not describe.
    """
    phases = [phase for phase in phases_of(workload) if phase.may_read]
    if not phases:
        return None
    phase = next((each for each in phases if each.name == workload.measure), phases[-1])
    return _reads(phase, {**dict(workload.flags), **phase.properties}, round(workload.num * scale))


def _reads(phase: Phase, properties: Mapping[str, str], keys: int) -> Reads | None:
    law = properties.get("requestdistribution", "uniform")
    if law not in _POPULARITIES:
        raise UsageError(f'the model of a tree does not describe reads of {law} keys, as in "{phase.name}"')
    shares = shares_of(properties)
    lookups, scans, (updates, modified) = shares[READS], shares[SCANS], (shares[name] for name in UPDATES)
    others = shares[DELETES] + shares[INSERTS]
    is_blind = flag_of(properties, BLIND)
    reads = lookups + modified + scans + (0.0 if is_blind else updates)
    if reads <= 0:
        return None
    if scans and properties.get("scanlengthdistribution", "uniform") != "uniform":
        raise UsageError(f'the model of a tree describes scans of evenly drawn lengths alone, unlike "{phase.name}"')
    length = (number_of(properties, "minscanlength", 1) + number_of(properties, "maxscanlength", _LONGEST)) / 2
    said = (
        "the second look for a record that is read, modified and written finds its block in the cache, and is left out"
    )
    return Reads(
        keys,
        _POPULARITIES[law],
        theta=theta_of(properties),
        ranks=RANKS if law == "zipfian" else None,
        scans=scans / reads,
        scan_length=length if scans else 0.0,
        writes=(updates + modified + others) / reads,
        said=(said,) if modified and not is_blind else (),
    )
