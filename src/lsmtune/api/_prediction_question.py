"""What predictions are of: a workload on an engine and a host, asked about once for each configuration."""

import difflib
import math
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType

from lsmtune.backends.registry import backend_of, memory_model_of
from lsmtune.backends.rocksdb import keeping, with_own_cache
from lsmtune.errors import OptionError, UsageError
from lsmtune.executors import host_facts
from lsmtune.forecast import (
    Calibration,
    Prediction,
    Readers,
    at_size,
    kept,
    predicted,
    predicted_without_rates,
    with_memory,
)
from lsmtune.lsm_model.tree import Costs, Machine, Reads, held_bytes, run_phases
from lsmtune.memory_model import Load, Memory, Options
from lsmtune.model import EngineBuild, HostFacts, Value, Workload
from lsmtune.space import Catalogue, Option, library_values, read_value
from lsmtune.study import Prepared
from lsmtune.units import parse_bytes, parse_count

_NOTHING: Mapping[str, Value] = MappingProxyType({})
_DOUBLINGS = range(-3, 4)


@dataclass(frozen=True)
class Subject:
    """What predictions are of.

    Attributes:
        build: of the engine.
        catalogue: its options.
        workload: that is asked of it, at full size.
        reference: values of its options that are changed from, at full size.
        host: that it runs on.
        options_file: text of the OPTIONS file that the reference starts from; None: there is none.
    """

    build: EngineBuild
    catalogue: Catalogue
    workload: Workload
    reference: Mapping[str, Value]
    host: HostFacts
    options_file: str | None = None

    @classmethod
    def of(cls, prepared: Prepared) -> "Subject":
        """Return what an experiment is about, on this host."""
        here = host_facts(Path(tempfile.gettempdir()))
        reference, file = prepared.space.reference, prepared.rules.start.options_file
        return cls(prepared.build, prepared.catalogue, prepared.workload, reference, here, file)


class PredictionQuestion:
    """What is asked about a workload on an engine and a host, whatever the options are."""

    def __init__(
        self,
        subject: Subject,
        *,
        size: str | int | None = None,
        rate: str | float | None = None,
        host: str | Path | None = None,
        memory: str | int | None = None,
    ) -> None:
        """Take what `predict` takes.

        Raises:
            UsageError: the model does not describe what the workload writes, or a value is wrong.
        """
        self._subject = subject
        self._backend = backend_of(subject.build)
        phases = keeping(self._backend.tree_writes(subject.workload, Fraction(1)), subject.options_file, Fraction(1))
        if not phases:
            raise UsageError(
                "this workload writes nothing, and the model of a tree needs the writes that the data comes from"
            )
        self._phases = phases if size is None else at_size(phases, parse_bytes(size))
        self._rate = None if rate is None else _offered(rate)
        found = Calibration.read(Path(host)) if host is not None else kept(subject.host, subject.build)
        self._costs = None if found is None else found.costs
        self._cores = subject.host.cores if found is None else found.cores
        self._memory = subject.host.memory_bytes if host is None else None
        if memory is not None:
            self._memory = parse_bytes(memory)
        self._other = ""
        if found is not None and found.build != subject.build.fingerprint:
            self._other = f"costs were measured with another build, {found.version}, on {found.host_name}"
        self._untold = ""
        self._library = library_values(subject.catalogue, subject.build.version_tuple)
        self._reads = self._read(self._phases[-1].keys / phases[-1].keys)

    def option(self, name: str) -> Option:
        """Return an option of the engine.

        Raises:
            OptionError: there is none of that name.
        """
        known = self._subject.catalogue
        if name not in known.options and name not in known.aliases:
            close = difflib.get_close_matches(name, known.options, n=1)
            meant = f'; did you mean "{close[0]}"?' if close else "; see lsmtune options"
            raise OptionError(f'"{name}" is no option of this engine{meant}')
        return known.option(name)

    def answer(self, options: Mapping[str, Value] = _NOTHING, *, rates: bool = True) -> Prediction:
        """Return what is predicted of the reference with some options changed; without `rates`, quickly and none."""
        values = dict(self._subject.reference)
        for name, value in options.items():
            option = self.option(name)
            values[option.name] = read_value(option, value)
        values = dict(with_own_cache(values, self._subject.options_file, self._library))
        need = self._need(values)
        readers = None
        if self._reads is not None:
            room = None if self._memory is None or need is None else max(self._memory - need.total_bytes, 0)
            readers = Readers(self._reads, room)
        if rates:
            found = predicted(values, self._phases, self._costs, self._cores, self._rate, readers)
        else:
            found = predicted_without_rates(values, self._phases, self._costs, self._cores, readers)
        if need is not None:
            found = with_memory(found, need)
        if self._untold and found.quantities:
            found = replace(found, unknown=(*found.unknown, self._untold))
        return replace(found, assumptions=(self._other, *found.assumptions)) if self._other else found

    def flushes(self, options: Mapping[str, Value]) -> float:
        """Return how many memtables the writes fill with some options changed: what a prediction costs, about."""
        buffer = float({**self._subject.reference, **options}.get("write_buffer_size", 64 << 20))
        return sum(phase.operations * phase.pair_bytes for phase in self._phases) / max(buffer, 1.0) + 1

    def curve(self, vary: str, options: Mapping[str, Value] = _NOTHING) -> list[tuple[Value, Prediction]]:
        """Return what is predicted for several values of an option, ascending."""
        option = self.option(vary)
        fixed = {self.option(name).name: value for name, value in options.items()}
        centre = read_value(option, fixed.get(option.name, self._subject.reference[option.name]))
        return [(value, self.answer({**fixed, option.name: value})) for value in values_around(option, centre)]

    def _read(self, factor: float) -> Reads | None:
        """Return what is read, at the size that was asked for; what the model does not describe it says in the end."""
        try:
            reads = self._backend.tree_reads(self._subject.workload, Fraction(1))
        except UsageError as error:
            self._untold = f"reads: {error}"
            return None
        return None if reads is None else replace(reads, keys=max(1, round(reads.keys * factor)))

    def _need(self, values: Mapping[str, Value]) -> Memory | None:
        """Return the memory that the process needs; None where the engine has no model of it."""
        workload, words = self._subject.workload, self._backend.vocabulary
        load = replace(
            Load.of(workload, Fraction(1), reads=words.reads(workload), writes=words.writes(workload)),
            data_bytes=self._held_bytes(values),
        )
        try:
            model = memory_model_of(self._subject.build.engine)
        except OptionError:
            return None
        return model.need({"default": Options(values, model.defaults)}, load, 1, False)

    def _held_bytes(self, values: Mapping[str, Value]) -> int:
        """Return the user bytes that tables hold: each key once, of FIFO compaction all that it keeps of it."""
        last = self._phases[-1]
        if values.get("compaction_style") != "fifo":
            return last.keys * last.pair_bytes
        ran = run_phases(values, self._phases, self._costs or Costs(), Machine(self._cores))
        return held_bytes(values, self._phases, ran) or 0


def _offered(rate: str | float) -> float:
    """Return a rate of writes, ops/s.

    Raises:
        UsageError: it is none.
    """
    found = float(parse_count(rate)) if isinstance(rate, str) else float(rate)
    if not 0 < found < math.inf:
        raise UsageError(f"a rate of {rate} offers no writes; give one above 0")
    return found


def values_around(option: Option, centre: Value) -> list[Value]:
    """Return the values of an option that a curve goes through, ascending."""
    if option.choices:
        return list(option.choices)
    if isinstance(centre, bool):
        return [False, True]
    if isinstance(centre, str):
        return [centre]
    found: list[Value] = []
    most = 1.0 if option.high is not None and option.high <= 1 else math.inf  # a share, of which there is no more
    for power in _DOUBLINGS:
        value = centre * 2.0**power if isinstance(centre, float) else round(centre * 2.0**power)
        if 0 < value <= most and value not in found:
            found.append(value)
    return found or [centre]
