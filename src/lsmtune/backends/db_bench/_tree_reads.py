"""What the benchmarks of a workload read, as the model of a tree asks for it."""

from collections.abc import Mapping
from fractions import Fraction

from lsmtune.backends.db_bench._benchmarks import BENCHMARKS
from lsmtune.errors import UsageError
from lsmtune.lsm_model.tree import Popularity, Reads
from lsmtune.model import Workload

_LOOKUPS = frozenset({"readrandom", "multireadrandom", "readmissing", "readwhilewriting", "readrandomwriterandom"})
_SEEKS = frozenset({"seekrandom", "seekrandomwhilewriting"})
BESIDE = frozenset({"readwhilewriting", "seekrandomwhilewriting"})
"""Benchmarks in which one more thread writes for as long as the others read."""
_BESIDE_SAID = "what is written beside the reads is left out: how much that is depends on how fast they are"
_SKEWED = frozenset({"readrandom", "multireadrandom", "readwhilewriting"})
_REACH = "read_random_exp_range"
_READ_PERCENT = 90.0
"""readwritepercent of db_bench where nothing is said."""


def tree_reads(workload: Workload, scale: Fraction) -> Reads | None:
    """Return what the measured benchmark reads, or else the last one that reads; None where none does.

    Raises:
        UsageError: it reads what the model does not describe.
    """
    names = [name for name in workload.benchmarks if name in BENCHMARKS and BENCHMARKS[name].reads]
    if not names:
        return None
    name = workload.measure if workload.measure in names else names[-1]
    flags, keys = dict(workload.flags), round(workload.num * scale)
    if name == "mixgraph":
        return _mixgraph(flags, keys)
    if name not in _LOOKUPS | _SEEKS:
        known = ", ".join(sorted(_LOOKUPS | _SEEKS | {"mixgraph"}))
        raise UsageError(f'the model of a tree does not describe what "{name}" reads; it knows {known}')
    reach = number_of(flags, _REACH, 0.0) if name in _SKEWED else 0.0
    read = share_read(workload)
    return Reads(
        keys,
        Popularity.RECIPROCAL if reach > 0 else Popularity.UNIFORM,
        reach=reach,
        absent=float(name == "readmissing"),
        scans=float(name in _SEEKS),
        scan_length=number_of(flags, "seek_nexts", 0.0) if name in _SEEKS else 0.0,
        writes=(1 - read) / read if name == "readrandomwriterandom" else 0.0,
        said=(_BESIDE_SAID,) if name in BESIDE else (),
    )


def share_read(workload: Workload) -> float:
    """Return the share of the operations of ``readrandomwriterandom`` that read.

    Raises:
        UsageError: nothing is read.
    """
    share = number_of(dict(workload.flags), "readwritepercent", _READ_PERCENT) / 100
    if not 0 < share <= 1:
        raise UsageError(f"readwritepercent is {share * 100:g}; the model of reads needs one from 1 to 100")
    return share


def _mixgraph(flags: dict[str, str], keys: int) -> Reads:
    """Return what ``mixgraph`` reads where its keys are drawn evenly.

    Raises:
        UsageError: they follow a law of their own, or it reads nothing.
    """
    ranges = ("keyrange_dist_a", "keyrange_dist_b", "keyrange_dist_c", "keyrange_dist_d")
    for name in ("key_dist_a", "key_dist_b", *ranges, _REACH):
        if number_of(flags, name, 0.0):
            raise UsageError(f'the model of a tree does not describe the keys of "mixgraph" with {name}')
    gets, seeks = number_of(flags, "mix_get_ratio", 1.0), number_of(flags, "mix_seek_ratio", 0.0)
    if gets + seeks <= 0:
        raise UsageError('"mixgraph" reads nothing here: mix_get_ratio and mix_seek_ratio are 0')
    said = "scans of mixgraph are taken to go through 10 pairs: their lengths follow a law of its own"
    return Reads(keys, scans=seeks / (gets + seeks), scan_length=10.0, said=(said,) if seeks else ())


def number_of(flags: Mapping[str, str], name: str, usual: float) -> float:
    """Return a flag that is a number.

    Raises:
        UsageError: it is something else.
    """
    try:
        return float(flags.get(name, usual))
    except ValueError:
        raise UsageError(f'flag "{name}" is "{flags[name]}"; write a number') from None
