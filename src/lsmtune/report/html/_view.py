"""What a report is made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from lsmtune.analysis import Runs
from lsmtune.forecast import Prediction
from lsmtune.model import Purpose, Run, Status, Value
from lsmtune.report._values import NO_UNITS
from lsmtune.report.html._blocks import Drawing
from lsmtune.result import (
    Comparison,
    History,
    Ranked,
    RunTimeline,
    TuneResult,
    fit_reference,
    rank,
    run_values,
    score,
)


@dataclass(frozen=True)
class SweepView:
    """What a report shows of a sweep beside all else.

    Attributes:
        runs: of the sweep.
        competing: the factor whose values compete; None: nobody competes.
        first: indicators that decide, which are shown first.
    """

    runs: Runs
    competing: str | None
    first: tuple[str, ...] = ()


@dataclass(frozen=True)
class WhatIfCurve:
    """What is predicted as one option takes other values, the others as the result has them.

    Attributes:
        option: its name.
        reference, result: its values there, both among the points.
        points: values, ascending where they are numbers, each with what is predicted.
    """

    option: str
    reference: Value
    result: Value
    points: tuple[tuple[Value, Prediction], ...]


@dataclass(frozen=True)
class WhatIf:
    """What is predicted at full size.

    Attributes:
        reference: of the reference.
        result: of what was found; None where that is the reference.
        curves: of the options that it changed.
        without_curve: names of those of which there is none, as it would take too long.
    """

    reference: Prediction
    result: Prediction | None
    curves: tuple[WhatIfCurve, ...] = ()
    without_curve: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReportView:
    """A study as a report needs it.

    Attributes:
        result: what it says.
        history: its runs, with every indicator that the report shows.
        commands: what repeats it, one a line.
        measured_phase: the phase of the workload whose indicators have no ``@phase``.
        analysis: what `analysis_json` returned of its runs; None where there is none.
        analysis_trouble: why there is none, in a sentence.
        option_units: unit by option, from the catalogue.
        inside: what happened inside a few runs, from their LOGs.
        inside_trouble: why that of others is not known, in a sentence.
        sweep: the grid that was run; None where none was.
        what_if: what is predicted at full size; None where nothing is.
        drawings: the figures of a work that is repeated.
    """

    result: TuneResult
    history: History
    commands: tuple[str, ...]
    measured_phase: str = ""
    analysis: Mapping[str, Any] | None = None
    analysis_trouble: str = ""
    option_units: Mapping[str, str] = field(default_factory=lambda: NO_UNITS)
    inside: tuple[RunTimeline, ...] = ()
    inside_trouble: str = ""
    sweep: SweepView | None = None
    what_if: WhatIf | None = None
    drawings: tuple[Drawing, ...] = ()

    @property
    def sampled(self) -> bool:
        """Whether it runs a design, which is not verified."""
        return self.result.decisions.plan.has_design

    @cached_property
    def trials(self) -> tuple[Ranked, ...]:
        """The trials with a gain, in the order in which they ran."""
        found = [each for each in rank(self.history, self.result.rules) if each.log_gain is not None]
        return tuple(sorted(found, key=lambda each: each.stored.run.id))

    @cached_property
    def references(self) -> tuple[Ranked, ...]:
        """The reference's own runs, each against the level fitted through all of them."""
        rules, history = self.result.rules, self.history
        fitted = fit_reference(history, rules)
        runs = history.select((Purpose.BASELINE, Purpose.ANCHOR), rules.reference)
        scored = [score(history, rules, fitted, stored) for stored in runs]
        return tuple(each for each in scored if each.log_gain is not None)

    @cached_property
    def ended(self) -> History:
        """The runs that ended, in order."""
        left_out = (Status.PLANNED, Status.RUNNING, Status.LOST)
        return replace(
            self.history, runs=tuple(stored for stored in self.history.runs if stored.status not in left_out)
        )

    @cached_property
    def engine_time_s(self) -> Mapping[int, float]:
        """Wall time of all runs up to and with each, by run."""
        total, found = 0.0, {}
        for stored in self.ended.runs:
            total += stored.elapsed_s or 0.0
            found[stored.run.id] = total
        return found

    @cached_property
    def indicators(self) -> tuple[str, ...]:
        """Names of the indicators of which a run has a value, those that decide first."""
        return tuple(name for name, column in self.history.columns.items() if column)

    @property
    def comparison(self) -> Comparison | None:
        """What speaks for the final configuration, where the study verifies."""
        return None if self.sampled else self.result.verdict

    def values_of(self, run: Run) -> dict[str, Value]:
        """Return what was set in a run, options that nothing sets included, and its scenario."""
        scenario = {f"workload.{name}": value for name, value in run.scenario}
        return {**run_values(self.result.facts, self.result.description.build, run), **scenario}
