"""How bounds on memory and space are held at full size, and how far what is extrapolated can be off."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from lsmtune.codec import JSON, Object, number, text
from lsmtune.indicators import AT_FULL_SIZE
from lsmtune.model import Configuration

_STYLE = "compaction_style"
_Z90 = 1.645
_MEMORY = AT_FULL_SIZE["memory_peak_bytes"]
_HALF_WIDTH: Mapping[str, float] = MappingProxyType({"level": 0.06, "universal": 0.25})
"""Half of a 90 % interval of the logarithm of extrapolated space, by compaction style: the largest errors of fills
at 1/64 and 1/16 that were extrapolated from 1/256 and 1/64, rounded up (decision 0056)."""


@dataclass(frozen=True)
class BoundsAtFullSize:
    """What guards and limits on memory and space rest on, fixed before the first run.

    Attributes:
        factor: how many times larger the data is at full size than in the runs.
        style: compaction style of the reference.
        untold: why space is carried over in proportion to the data, as the end of a sentence; empty where a model of
            the tree tells how it grows.
    """

    factor: float
    style: str
    untold: str = ""

    def untold_of(self, configuration: Configuration) -> str:
        """Return why space of a configuration is carried over in proportion; empty where a model tells how it grows."""
        style = self._style_of(configuration)
        unjudged = f'no runs at several scales show how far the model of a tree is off with {_STYLE} = "{style}"'
        return self.untold or ("" if style in _HALF_WIDTH else unjudged)

    def log_half_width(self, name: str, *configurations: Configuration) -> float:
        """Return half of the 90 % interval of the logarithm of an indicator at full size, or of a ratio of two.

        It is that of the extrapolation alone: 0 for memory, whose bounds are on what is computed, and where space is
        carried over in proportion, so that nothing tells how far it is off.
        """
        if name == _MEMORY or any(self.untold_of(each) for each in configurations):
            return 0.0
        return math.hypot(*(_HALF_WIDTH[self._style_of(each)] for each in configurations))

    def noise(self, name: str, sd_log: float, configuration: Configuration) -> float:
        """Return how much, as a standard deviation of logarithms, one run leaves open of a bound.

        Args:
            name: the indicator with the bound, as an experiment names it.
            sd_log: spread of that indicator between runs.
            configuration: one like those that are judged.
        """
        held_by = AT_FULL_SIZE.get(name)
        if held_by is None:
            return sd_log
        if held_by == _MEMORY:
            return 0.0  # computed from the options: it is the same in each run
        return math.hypot(sd_log, self.log_half_width(held_by, configuration) / _Z90)

    def _style_of(self, configuration: Configuration) -> str:
        return str(configuration.values.get(_STYLE, self.style))

    @classmethod
    def from_json(cls, value: Any) -> "BoundsAtFullSize":
        """Return what `to_json` wrote.

        Raises:
            MisreadError: the value is none.
        """
        fields = Object(value)
        return cls(fields.need("factor", number), fields.need("style", text), fields.get("untold", text, ""))

    def to_json(self) -> dict[str, JSON]:
        """Return it as JSON values."""
        return {"factor": self.factor, "style": self.style, "untold": self.untold}
