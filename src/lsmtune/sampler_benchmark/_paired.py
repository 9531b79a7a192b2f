"""Whether one sampler finds more than others: differences of searches that began alike, and their p-values."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from lsmtune.analysis import PValue, adjusted
from lsmtune.errors import StatisticsError

FloatArray: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Difference:
    """One sampler against another in one question.

    Attributes:
        question: its name.
        rival: the other sampler.
        median: of the differences of shares of the best-known gain, above 0 where the first found more.
        quartiles: of the same.
        p: of a signed-rank test (Wilcoxon 1945) on the pairs, two-sided, adjusted over all questions and rivals.
    """

    question: str
    rival: str
    median: float
    quartiles: tuple[float, float]
    p: PValue


def differences(pairs: Sequence[tuple[str, str, FloatArray]]) -> tuple[Difference, ...]:
    """Return what pairs of searches say, with p-values adjusted over all of them.

    Args:
        pairs: question, rival, and for each seed the share that the first sampler found minus that of the rival.
    """
    levels = adjusted([_log10_p(gaps) for _, _, gaps in pairs])
    return tuple(
        Difference(
            question,
            rival,
            float(np.median(gaps)),
            (float(np.quantile(gaps, 0.25)), float(np.quantile(gaps, 0.75))),
            level,
        )
        for (question, rival, gaps), level in zip(pairs, levels, strict=True)
    )


def _log10_p(gaps: FloatArray) -> float:
    """Return log10 of the p-value that differences lie evenly around 0, in size as in sign; 0 where none differs."""
    from scipy.stats import wilcoxon

    if not np.isfinite(gaps).all():
        raise StatisticsError("a difference of a pair is not known; compare searches of the same seeds")
    if not np.any(gaps):
        return 0.0
    p = float(np.asarray(wilcoxon(gaps, zero_method="zsplit").pvalue))
    return min(0.0, float(np.log10(p)))
