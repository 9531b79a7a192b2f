"""What an experiment file asks of a tool, as far as the tool has a say in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from lsmtune.backends._problems import KeyPath
from lsmtune.model import MaxRate, Settle, Value


@dataclass(frozen=True)
class Request:
    """What the table [workload] says, and what else of the file depends on the tool; all at full size.

    Attributes:
        tool, engine: the names under which the backend is registered.
        benchmarks, load: phases in the tool's names, in order.
        measure: the phase whose result counts; None where the file names none.
        num: number of keys.
        key_size_bytes, value_size_bytes: sizes of a pair.
        threads: client threads.
        duration_s: length of timed phases in s.
        operations: operations of a phase where it is not `num`.
        compression_ratio: share of a value that remains when compressed; None where the file says nothing.
        disable_wal: writes skip the write-ahead log.
        settle: what happens before sizes are read; None where the file says nothing.
        statistics: let the engine count.
        flags, properties, phases: what is passed on as it is; see the tables of the file.
        max_rate: the measured phase is a search for the largest rate that keeps this.
        reopen: the database is closed and opened between phases.
        said: the keys that stand under [workload].
        scale: the factor by which data and tree shrink.
        values: values of options that are fixed or searched, each with its place, which ends in the option's name.
    """

    tool: str
    engine: str
    benchmarks: tuple[str, ...]
    num: int
    load: tuple[str, ...] = ()
    measure: str | None = None
    key_size_bytes: int = 16
    value_size_bytes: int = 100
    threads: int = 1
    duration_s: float | None = None
    operations: int | None = None
    compression_ratio: float | None = None
    disable_wal: bool = False
    settle: Settle | None = None
    statistics: bool = True
    flags: Mapping[str, str] = field(default_factory=dict)
    properties: Mapping[str, str] = field(default_factory=dict)
    phases: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    max_rate: MaxRate | None = None
    reopen: bool = False
    said: frozenset[str] = frozenset()
    scale: Fraction = Fraction(1)
    values: tuple[tuple[KeyPath, Value], ...] = ()
