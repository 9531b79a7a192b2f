"""How far an analysis is: its steps, and what share of its time each takes."""

from collections.abc import Callable
from typing import TypeAlias

Tell: TypeAlias = Callable[[str, float], None]
"""Hears in a few words what is being computed, and what share of the whole is done, from 0 to 1."""

_MODELS = {
    "choosing a model": 25,
    "judging it on the test runs": 20,
    "importance by permutation": 20,
    "importance of shadow features": 15,
    "Sobol indices": 5,
    "Shapley values": 8,
}
_VARIANCE = {"analysis of variance": 4}
_CURVES = {"effect curves": 3}
"""Steps in their order, and what each takes for an indicator in percent of the time. They are made for each indicator,
then for all at once, then again for each. In between what 885 runs of jin2022/paper-sample took, modelled by kernels
and without test points, and what benchmarks/analyze_2000.py took with 1,000 (2-core VM, AMD EPYC, 2026-11-28); the two
differ by up to three times."""


class Steps:
    """Tells what begins, and what is done by then; a step that is left out counts as done."""

    def __init__(self, tell: Tell, indicators: int) -> None:
        self._tell, self._indicators = tell, max(1, indicators)

    def begin(self, step: str, indicator: str = "", place: int = 0) -> None:
        """Tell that a step begins.

        Args:
            step: one of those above.
            indicator: whose it is; "" for all at once.
            place: of the indicator among all, from 0.
        """
        done, whole = 0.0, 0.0
        for steps in (_MODELS, _VARIANCE, _CURVES):
            of_each = sum(steps.values())
            if step in steps:
                names = list(steps)
                before = sum(steps[name] for name in names[: names.index(step)])
                done = whole + place * of_each + before
            whole += self._indicators * of_each
        self._tell(f"{indicator}: {step}" if indicator else step, done / whole)
