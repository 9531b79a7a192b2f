"""What a configuration comes to at full size: computed, and extrapolated from what runs at a scale measured."""

from lsmtune.full_size._full_size import FullSize, described_writes
from lsmtune.full_size._space import SpaceGrowth

__all__ = ["FullSize", "SpaceGrowth", "described_writes"]
