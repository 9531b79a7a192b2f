"""What a configuration needs at full size, computed: a ratio that was measured at a scale does not carry."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from lsmtune.backends.registry import backend_of, memory_model_of
from lsmtune.errors import OptionError, UsageError
from lsmtune.experiment import recorded_experiment
from lsmtune.memory_model import Load, Options
from lsmtune.model import EngineBuild, Value
from lsmtune.result._facts import StudyFacts


@dataclass(frozen=True)
class FullSizeMemory:
    """Memory at its peak of the reference and of the configuration that is handed over, at full size, computed.

    Attributes:
        reference_bytes, final_bytes: of each, in B, as `lsmtune memory` has it.
        largest: names of the parts that take most of the final one, at most two, the largest first.
    """

    reference_bytes: float
    final_bytes: float
    largest: tuple[str, ...]

    @property
    def ratio(self) -> float:
        """Final over reference."""
        return self.final_bytes / self.reference_bytes


def full_size_memory(
    facts: StudyFacts, experiment: str, build: EngineBuild, final: Mapping[str, Value]
) -> FullSizeMemory | None:
    """Return the memory of reference and final configuration at full size; None where nothing computes it.

    Args:
        facts: of the study.
        experiment: its text.
        build: the engine of the final configuration.
        final: what it sets, at full size.
    """
    load = _load(experiment, build)
    if load is None or facts.reference_values is None:
        return None
    try:
        model = memory_model_of(build.engine)
    except OptionError:
        return None
    reference, changed = (
        model.need({"default": Options(values, model.defaults)}, load, 1, False)
        for values in (facts.reference_values, {**facts.reference_values, **final})
    )
    if not (reference.total_bytes and changed.total_bytes):
        return None
    parts = sorted(changed.parts, key=lambda part: -(part.total_bytes or 0))
    return FullSizeMemory(reference.total_bytes, changed.total_bytes, tuple(part.name for part in parts[:2]))


def _load(experiment: str, build: EngineBuild) -> Load | None:
    """Return what the workload does to memory at full size; None where the study has no workload."""
    try:
        workload = recorded_experiment(experiment).workload()
        words = backend_of(build).vocabulary
        return Load.of(workload, Fraction(1), reads=words.reads(workload), writes=words.writes(workload))
    except (UsageError, ValueError):
        return None
