"""What is asked of an engine build, at a scale."""

from dataclasses import dataclass
from fractions import Fraction

from lsmtune.model import EngineBuild, Workload
from lsmtune.space import Catalogue


@dataclass(frozen=True)
class ScaledWorkload:
    """A workload for a build with its options; what builds commands of it is derived from this.

    Attributes:
        build: of the engine.
        catalogue: its options.
        workload: at full size.
        scale: the factor by which its data and operations shrink, and its options with them; see `option_scale`.
    """

    build: EngineBuild
    catalogue: Catalogue
    workload: Workload
    scale: Fraction = Fraction(1)

    @property
    def option_scale(self) -> Fraction:
        """The factor by which the size options of the tree shrink."""
        return Fraction(1) if self.workload.full_size_options else self.scale

    @property
    def keys(self) -> int:
        """The number of keys that are used, after the scale."""
        return max(1, round(self.workload.num * self.scale))

    @property
    def operations(self) -> int:
        """The number of operations that are asked for, after the scale."""
        asked = self.workload.operations
        return self.keys if asked is None else max(1, round(asked * self.scale))
