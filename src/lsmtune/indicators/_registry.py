"""The explicit list of all indicators, and the look-up by name."""

import difflib
from collections.abc import Mapping
from types import MappingProxyType

from lsmtune.errors import UsageError
from lsmtune.indicators._amplification import AMPLIFICATION
from lsmtune.indicators._full_size import FULL_SIZE
from lsmtune.indicators._indicator import Indicator
from lsmtune.indicators._speed import SPEED
from lsmtune.indicators._trial import TRIAL
from lsmtune.indicators._work import WORK

INDICATORS: Mapping[str, Indicator] = MappingProxyType(
    {indicator.name: indicator for indicator in (*SPEED, *AMPLIFICATION, *WORK, *FULL_SIZE, *TRIAL)}
)
"""All indicators by name, in the order in which they are shown."""


def indicator(name: str) -> Indicator:
    """Return the declaration of the indicator `name`, also for the value of another phase (``name@phase``).

    Raises:
        UsageError: there is no such indicator, or the phase after ``@`` is empty.
    """
    base, at, phase = name.partition("@")
    if at and not phase:
        raise UsageError(f'"{name}" names no phase after "@"; write "{base}" or "{base}@readrandom"')
    found = INDICATORS.get(base)
    if found is None:
        close = difflib.get_close_matches(base, INDICATORS, n=3)
        hint = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(INDICATORS)}"
        raise UsageError(f'"{base}" is not an indicator; {hint}')
    return found
