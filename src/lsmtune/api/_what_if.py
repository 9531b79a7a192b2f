"""What a study's reference and result come to at full size, for its report."""

from collections.abc import Mapping

from lsmtune.api._prediction_question import PredictionQuestion, Subject, values_around
from lsmtune.backends.registry import backend_of, catalogue_of
from lsmtune.errors import LsmtuneError
from lsmtune.experiment import recorded_experiment
from lsmtune.model import Value
from lsmtune.report.html import WhatIf, WhatIfCurve
from lsmtune.result import TuneResult

_MOST_CURVES, _POINTS = 6, 9
"""Curves of a report, and values of one, about."""
_MOST_FLUSHES = 150_000
"""Flushes that the model goes through for a report, each with what follows from it: 1 to 2 s."""
_RUNS_OF_RATES = 18
"""Of the model, for the rates of reference and result."""


def what_if(result: TuneResult) -> WhatIf | None:
    """Return what is predicted at full size; None where the model does not describe the workload or the options.

    Of the host that the study ran on; rates where a calibration of it is kept here. Curves have no rates, which would
    take most of the time; of a store of many memtables there are fewer of them, and no rates at all.
    """
    reference, description = result.facts.reference_values, result.description
    if result.decisions.plan.has_design or reference is None or not backend_of(result.build).has_workload:
        return None
    try:
        workload = recorded_experiment(description.experiment).workload()
        known = catalogue_of(result.build.engine)
        file = result.facts.rules.start.options_file
        question = PredictionQuestion(Subject(result.build, known, workload, reference, description.host, file))
        changed = {
            name: value
            for name, value in result.final.values.items()
            if name in known.options and value != reference.get(name)
        }
        flushes = max(question.flushes(values) for values in ({}, changed))
        rates = _RUNS_OF_RATES * flushes <= _MOST_FLUSHES
        before = question.answer(rates=rates)
        after = question.answer(changed, rates=rates) if changed else None
        if not before.quantities:
            return None
        known_before = [name for name in changed if name in reference and after is not None and after.quantities]
        most = min(_MOST_CURVES, int(_MOST_FLUSHES / (_POINTS * flushes)))
        curves = tuple(_curve(question, name, reference[name], changed) for name in known_before[:most])
    except (LsmtuneError, ValueError):
        return None
    return WhatIf(before, after, curves, tuple(known_before[most:]))


def _curve(question: PredictionQuestion, name: str, before: Value, changed: Mapping[str, Value]) -> WhatIfCurve:
    """Return the curve of an option through its values in reference and result."""
    after = changed[name]
    values = list(dict.fromkeys([*values_around(question.option(name), after), before, after]))
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        values.sort()
    points = ((value, question.answer({**changed, name: value}, rates=False)) for value in values)
    return WhatIfCurve(name, before, after, tuple(points))
