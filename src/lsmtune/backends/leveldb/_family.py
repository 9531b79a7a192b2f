"""What is known of families of LevelDB-style db_benches, for what a binary cannot be asked.

Flags are asked for (see `_build`); defaults and the shape of the tree cannot be. No family prints its name: all print
"LevelDB: version". Sources, read in 2026: ``db_bench.cc`` and ``util/options.cc`` of google/leveldb 1.22 and 1.23,
utsaslab/pebblesdb and DICL/BoLT. BoLT's LevelDB has the flags of LevelDB 1.21 and looks the same, although its
own max_file_size is 1 MiB.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from lsmtune.model import Value

DEFAULTS: Mapping[str, str] = MappingProxyType({"leveldb": "LevelDB's default"})
"""The one baseline of its tools, with what it is called in sentences."""
ONE_SIZE = "the sizes of LevelDB's levels are compiled in, so that a smaller tree has another shape"
"""Why a tree of LevelDB does not shrink with its data."""


@dataclass(frozen=True)
class Family:
    """What is known of a family.

    Attributes:
        name: in words.
        own_defaults: defaults of its db_bench that are not LevelDB's, by the catalogue's name of the option.
        knows_levels: whether the limits of its levels are LevelDB's, so that debt can be computed from their sizes.
    """

    name: str
    own_defaults: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))
    knows_levels: bool = True


LEVELDB = Family("LevelDB")
PEBBLESDB = Family("PebblesDB", MappingProxyType({"filter_bits": 10}), knows_levels=False)
"""Guards in place of disjoint files; db_bench builds a filter of 10 bits and compresses nothing."""
UNSIZED = Family("LevelDB before 1.19, or HyperLevelDB", knows_levels=False)
"""Without the flag max_file_size, among them HyperLevelDB and the one of BoLT, whose levels need not be LevelDB's."""

MARKS = ("write_threads", "read_threads")
"""Flags that only PebblesDB has."""


def family_of(flags: Iterable[str]) -> Family:
    """Return the family of a db_bench by the flags that it knows."""
    known = frozenset(flags)
    if known.issuperset(MARKS):
        return PEBBLESDB
    return LEVELDB if "max_file_size" in known else UNSIZED
