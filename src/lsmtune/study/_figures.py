"""What is computed beside the runs of a study at a scale: memory and space at full size."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from lsmtune.full_size import FullSize
from lsmtune.indicators import AT_FULL_SIZE
from lsmtune.model import FULL_SIZE_OPTIONS, Outcome, Run
from lsmtune.result import ArmBuild, BoundsAtFullSize, Rules

_MEMORY = "memory_peak_bytes"


@dataclass(frozen=True)
class Figures:
    """Computes what stands for memory and space of runs at full size.

    Attributes:
        own: of the study's build.
        others: of arms on other builds; None where nothing is computed for them.
        options_file: the OPTIONS file that the reference starts from; of runs on another one nothing is computed.
    """

    own: FullSize
    others: Mapping[str, FullSize | None]
    options_file: str | None

    @classmethod
    def of(cls, own: FullSize, builds: Mapping[str, ArmBuild], rules: Rules) -> "Figures | None":
        """Return what computes them for a study with these other builds, by arm; None where runs have full size."""
        if rules.full_size is None:
            return None
        others = {
            arm: replace(own, build=each.build, reference=each.reference_values)
            if each.build.engine == own.build.engine
            else None
            for arm, each in builds.items()
        }
        return cls(own, others, rules.start.options_file)

    def added(self, run: Run, outcome: Outcome) -> Outcome:
        """Return the outcome of a run with what is computed among its indicators."""
        measured, full_size = outcome.measurement, self.others.get(run.arm, self.own)
        scenario = dict(run.scenario)
        shrinks_tree = not scenario.pop(FULL_SIZE_OPTIONS, False)
        foreign = scenario or run.configuration.options_file != self.options_file
        if measured is None or full_size is None or foreign:
            return outcome
        if not shrinks_tree:  # a copy knows none of the trees that were computed already
            full_size = replace(full_size, shrinks_tree=False)
        figures = full_size.figures(run.configuration.values, measured.indicators, run.rung)
        return replace(outcome, measurement=replace(measured, indicators={**measured.indicators, **figures}))


def bounds_at_full_size(full_size: FullSize) -> BoundsAtFullSize | None:
    """Return how bounds on memory and space are held at full size; None where the runs have it."""
    if full_size.scale == 1:
        return None
    style = str(full_size.reference.get("compaction_style", "level"))
    return BoundsAtFullSize(float(1 / full_size.scale), style, full_size.untold)


def bounds_words(rules: Rules) -> Iterator[str]:
    """Yield what bounds on memory and space rest on, where a study has such."""
    bounded = {each.indicator for each in rules.bounds}.intersection(AT_FULL_SIZE)
    held = rules.full_size
    if held is None or not bounded:
        return
    factor = f"{held.factor:g} times the data of a run"
    if _MEMORY in bounded:
        yield f"bounds on memory are of full size, {factor}, as computed from the options (lsmtune memory)"
    if bounded - {_MEMORY} and held.untold:
        yield (
            f"bounds on space are those of the scaled runs, in proportion to {factor}, and not computed for full size: "
            f"{held.untold}"
        )
    elif bounded - {_MEMORY}:
        yield f"bounds on space are of full size, {factor}: as measured, and from there as a model of the tree grows"
