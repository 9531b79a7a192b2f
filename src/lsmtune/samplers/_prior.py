"""What knowledge of the engine expects of configurations before any of them is run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from lsmtune.errors import SamplerError

Floats: TypeAlias = npt.NDArray[np.float64]
Columns: TypeAlias = Mapping[str, npt.NDArray[Any]]
"""Values by option, each of shape (n,); an option that is left out stands at the reference."""


@dataclass(frozen=True, eq=False)
class Prior:
    """Expectations that a sampler may start from, and has to correct by what comes of its trials.

    Attributes:
        trends: from the values of options to k simulated quantities, shape (n, k): logarithms, 0 for the reference.
        response: by how much each of them is expected to move the response, shape (k,).
        slacks: the same for the slack of a guard or limit, by its indicator; some may be left out.

    Raises:
        SamplerError: there is no quantity, or the shapes differ.
    """

    trends: Callable[[Columns], Floats]
    response: Floats
    slacks: Mapping[str, Floats]

    def __post_init__(self) -> None:
        shapes = {self.response.shape, *(weights.shape for weights in self.slacks.values())}
        if len(shapes) > 1 or self.response.ndim != 1 or not self.response.size:
            raise SamplerError(f"the weights of a prior have the shapes {sorted(shapes)}; give one for each quantity")
