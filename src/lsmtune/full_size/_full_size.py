"""Memory and space of configurations at full size, for one workload on one build."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from lsmtune.backends import Backend
from lsmtune.backends.registry import backend_of, catalogue_of, memory_model_of, options_of
from lsmtune.backends.rocksdb import keeping, with_own_cache
from lsmtune.errors import OptionError, UsageError
from lsmtune.full_size._space import SpaceGrowth, TreeSizes
from lsmtune.indicators import AT_FULL_SIZE, Indicators
from lsmtune.lsm_model.tree import Writes, held_bytes
from lsmtune.memory_model import Load, Memory, MemoryModel, Options
from lsmtune.model import WHOLE, EngineBuild, Value, Workload
from lsmtune.space import library_values


def described_writes(
    backend: Backend, workload: Workload, scale: Fraction, options_file: str | None
) -> tuple[Writes, ...]:
    """Return the phases of a workload that write, as its runs have them; nothing where they are not described.

    Args:
        backend: whose phases they are.
        workload: at full size.
        scale: by which its data shrinks.
        options_file: text of the OPTIONS file that configurations start from; None: there is none.
    """
    try:
        return keeping(backend.tree_writes(workload, scale), options_file, scale)
    except UsageError:
        return ()


@dataclass(frozen=True)
class FullSize:
    """What configurations come to at full size, from what was measured of them at a scale.

    Attributes:
        build: the engine.
        workload: what is asked of it, at full size.
        scale: the factor by which data and tree of the runs shrink.
        reference: value of every option of the reference, at full size.
        shrinks_tree: size options of the tree shrink with the data; else they are those of full size.
        options_file: text of the OPTIONS file that configurations start from; None: there is none.
    """

    build: EngineBuild
    workload: Workload
    scale: Fraction
    reference: Mapping[str, Value]
    shrinks_tree: bool = True
    options_file: str | None = None

    @property
    def untold(self) -> str:
        """Why no model tells how space grows with the size, as the end of a sentence; empty where one does."""
        return self._tree.untold

    def memory(self, values: Mapping[str, Value]) -> Memory | None:
        """Return the memory of a configuration, of a process that fills every memtable; None where no model tells it.

        Args:
            values: of options, at full size; those left out stand at the reference.
        """
        if self._memory_model is None:
            return None
        asked = with_own_cache({**self.reference, **values}, self.options_file, self._library)
        families = backend_of(self.build).vocabulary.families(self.workload)
        options = Options(asked, self._memory_model.defaults)
        return self._memory_model.need(dict.fromkeys(families, options), self._load_of(asked), 1, False)

    def space(self, values: Mapping[str, Value], rung: Fraction = WHOLE) -> SpaceGrowth:
        """Return how much larger space is at full size than in a run.

        Args:
            values: of options, at full size; those left out stand at the reference.
            rung: part of the study's scale at which the run was.
        """
        return self._tree.growth({**self.reference, **values}, self.scale * rung)

    def figures(self, values: Mapping[str, Value], measured: Indicators, rung: Fraction = WHOLE) -> dict[str, float]:
        """Return what stands for memory and space of a run at full size; nothing where its size is the full one.

        Args:
            values: of options, at full size; those left out stand at the reference.
            measured: the run's indicators.
            rung: part of the study's scale at which it was.
        """
        if self.scale * rung == 1:
            return {}
        memory, growth = self.memory(values), self.space(values, rung)
        factors = {
            "space_bytes": growth.steady,
            "space_peak_bytes": growth.peak,
            "space_amp": growth.steady * float(self.scale * rung),
        }
        known = ((AT_FULL_SIZE[name], measured.get(name), factor) for name, factor in factors.items())
        found = {name: value * factor for name, value, factor in known if value is not None}
        room = self._room(values, measured.get("space_bytes"))
        for name in ("space_bytes", "space_peak_bytes"):  # space_amp is that of what is kept
            value = measured.get(name)
            if value is not None:
                found[AT_FULL_SIZE[name]] = min(found[AT_FULL_SIZE[name]], value + room)
        if memory is not None and memory.total_bytes:
            found[AT_FULL_SIZE["memory_peak_bytes"]] = float(memory.total_bytes)
        return found

    def _room(self, values: Mapping[str, Value], space_bytes: float | None) -> float:
        """Return by how much space can grow until FIFO compaction deletes, in B: a limit that shrank grows with it."""
        style = {**self.reference, **values}.get("compaction_style")
        if self.shrinks_tree or style != "fifo" or space_bytes is None or not self._writes:
            return math.inf
        return max(0.0, self._writes[-1].fifo.most_bytes - space_bytes)

    def _load_of(self, values: Mapping[str, Value]) -> Load:
        """Return what is known of the workload, with what FIFO compaction keeps of its data."""
        if values.get("compaction_style") != "fifo":
            return self._load
        held = held_bytes(values, self._writes)
        return self._load if held is None else replace(self._load, data_bytes=held)

    @cached_property
    def _memory_model(self) -> MemoryModel | None:
        try:
            return memory_model_of(self.build.engine)
        except OptionError:
            return None

    @cached_property
    def _library(self) -> Mapping[str, Value]:
        known = catalogue_of(self.build.engine).for_version(self.build.version_tuple)
        return library_values(known, self.build.version_tuple)

    @cached_property
    def _load(self) -> Load:
        words = backend_of(self.build).vocabulary
        reads, writes = words.reads(self.workload), words.writes(self.workload)
        return Load.of(self.workload, Fraction(1), reads=reads, writes=writes)

    @cached_property
    def _writes(self) -> tuple[Writes, ...]:
        return described_writes(backend_of(self.build), self.workload, Fraction(1), self.options_file)

    @cached_property
    def _tree(self) -> TreeSizes:
        return TreeSizes.of(self.build, options_of(self.build).options if self.shrinks_tree else {}, self.workload)
