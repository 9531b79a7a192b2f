"""What the scale of a study does to its runs, for the rules of the linter that ask for it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from lsmtune.backends.registry import catalogue_of
from lsmtune.errors import UsageError
from lsmtune.experiment import Experiment, recorded_experiment
from lsmtune.lint import (
    DataRead,
    Finding,
    Merges,
    PageCache,
    cache_sized_data,
    cached_at_scale,
    fewer_levels,
    memtable_in_cache,
    no_merges,
)
from lsmtune.lsm_model import LevelSizes
from lsmtune.model import Measurement, Value
from lsmtune.result._facts import StudyFacts
from lsmtune.result._run_values import run_values
from lsmtune.space import Option, scaled_value
from lsmtune.store import StoredRun, Study

_DISTINCT = 0.6  # of the keys, at least, are there after as many random writes
_FILLED = re.compile(r"L(\d+) (\d+) files")
_LIMIT = "group_memory_limit_bytes"


def scale_findings(study: Study, stored: StoredRun, measurement: Measurement) -> Iterator[Finding]:
    """Yield what is found in a run that has all of its study's data, where the study has a scale below 1.

    Whether reads are served from memory is asked at every scale.
    """
    facts = StudyFacts.of(study.description)
    scale = facts.scale
    experiment = _recorded(study.description.experiment)
    found = [_in_memory(study, measurement, experiment, scale)]
    if scale is not None and scale < 1 and facts.reference_values is not None and experiment is not None:
        other, own = facts.builds.get(stored.run.arm), study.description.build
        options = catalogue_of(own.engine if other is None else other.build.engine).options
        run = _Run(experiment, scale, run_values(facts, own, stored.run), measurement, options)
        found += [run.memtable(study.description.host.processor_cache_bytes), *run.tree()]
    yield from (finding for finding in found if finding is not None)


def _recorded(text: str) -> Experiment | None:
    try:
        return recorded_experiment(text)
    except (UsageError, ValueError):  # a command of the user's own, or a workload that is none any more
        return None


def _in_memory(
    study: Study, measurement: Measurement, experiment: Experiment | None, scale: Fraction | None
) -> Finding | None:
    """Return what is found of reads in memory: the same at full size, or at the scale alone."""
    read = DataRead.of(measurement.facts)
    if read is None:
        return None
    room_bytes = here_bytes = study.description.host.memory_bytes
    whose = "the machine's memory"
    if _LIMIT in measurement.facts:
        process_bytes = measurement.indicators.get("memory_peak_bytes") or 0
        room_bytes = max(0, int(measurement.facts[_LIMIT]) - round(process_bytes))
        whose = "the memory that its control group leaves"
    said = None if experiment is None else experiment.host.memory_bytes
    if not read.direct and read.cache_bytes < read.data_bytes and scale is not None:
        full_bytes, memory_bytes = float(read.data_bytes / scale), said or here_bytes
        at_scale = PageCache(read.data_bytes, full_bytes, room_bytes, memory_bytes, said is not None)
        if finding := cached_at_scale(at_scale):
            return finding
    return cache_sized_data(read, room_bytes, whose)


@dataclass(frozen=True)
class _Run:
    """A run with what was asked of it: values of options at full size, as they are deployed and as the engine ran."""

    experiment: Experiment
    scale: Fraction
    asked: Mapping[str, Value]
    measurement: Measurement
    options: Mapping[str, Option]

    def memtable(self, cache_bytes: int | None) -> Finding | None:
        full_bytes = self._number("write_buffer_size")
        if not full_bytes or not self.measurement.indicators.get("flush_count"):
            return None
        return memtable_in_cache(self._number("write_buffer_size", at_scale=True), full_bytes, cache_bytes)

    def tree(self) -> Iterator[Finding | None]:
        """Yield what is found of a tree that is written to."""
        seen = self.measurement.indicators
        style = self.asked.get("compaction_style", "level")
        if not seen.get("flush_count") or style == "fifo" or not self._number("write_buffer_size"):
            return
        workload = self.experiment.workload()
        full_levels = self._levels(at_scale=False) if style == "level" else None
        at_scale = self._levels(at_scale=True) if style == "level" else None
        fewer = None if full_levels is None or at_scale is None else fewer_levels(at_scale, full_levels)
        yield fewer
        merged = self._number("write_buffer_size") * max(1.0, self._number("min_write_buffer_number_to_merge"))
        yield no_merges(
            Merges(
                compactions=seen.get("compaction_count"),
                moved_files=seen.get("trivial_move_count"),
                levels_below=_levels_below(self.measurement),
                full_flushes=max(workload.num, workload.operations or 0) * workload.pair_bytes / merged,
                trigger=max(1.0, self._number("level0_file_num_compaction_trigger")),
                full_levels=None if fewer is not None else full_levels,
            )
        )

    def _levels(self, *, at_scale: bool) -> int | None:
        """Return the levels below level 0 that are filled; None where the size of the tree or of levels is unknown."""
        base_bytes = self._number("max_bytes_for_level_base", at_scale=at_scale)
        stored_bytes, levels = self.measurement.indicators.get("space_bytes"), self._number("num_levels")
        if not base_bytes or not stored_bytes or not levels:
            return None
        sizes = LevelSizes(
            base_bytes,
            self._number("max_bytes_for_level_multiplier"),
            max(1, round(levels) - 1),
            self.asked.get("level_compaction_dynamic_level_bytes") is True,
        )
        return sizes.filled(stored_bytes if at_scale else self._full_stored_bytes(stored_bytes))

    def _full_stored_bytes(self, stored_bytes: float) -> float:
        """Return what the tree takes at full size: as many times this one's, or that for most of the keys if more."""
        workload, operations = self.experiment.workload(), self.measurement.indicators.get("operations")
        in_proportion = float(stored_bytes / float(self.scale))
        if workload.load or not operations:
            return in_proportion
        return max(in_proportion, _DISTINCT * workload.num * stored_bytes / operations)

    def _number(self, name: str, *, at_scale: bool = False) -> float:
        """Return the number of an option, 0 where there is none: as it is deployed, or as the engine had it."""
        value = self.asked.get(name)
        if at_scale:
            ran = self.measurement.effective.get(name, value)
            value = (
                scaled_value(self.options[name], ran, self.scale) if ran is not None and name in self.options else ran
            )
        return float(value) if isinstance(value, int | float) else 0.0


def _levels_below(measurement: Measurement) -> int | None:
    """Return how many levels below level 0 hold files at the end; None where the tool does not tell them apart."""
    levels = {int(level): int(files) for level, files in _FILLED.findall(measurement.facts.get("levels", ""))}
    return sum(files > 0 for level, files in levels.items() if level > 0) if levels else None
