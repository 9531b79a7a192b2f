"""How many levels leveled compaction fills, from the sizes of the levels alone."""

from dataclasses import dataclass

_MOST_LEVELS = 64  # a multiplier of 1 would need any number


@dataclass(frozen=True)
class LevelSizes:
    """What the sizes of levels follow from.

    Attributes:
        base_bytes: ``max_bytes_for_level_base``.
        multiplier: ``max_bytes_for_level_multiplier``.
        most: levels below level 0 that there may be: ``num_levels`` - 1.
        dynamic: ``level_compaction_dynamic_level_bytes``.
    """

    base_bytes: float
    multiplier: float
    most: int
    dynamic: bool

    def filled(self, stored_bytes: float) -> int:
        """Return how many levels below level 0 hold `stored_bytes`, at least 1.

        Static targets are filled from the first level on; with dynamic ones the last level holds nearly everything,
        and there are as many above it as it takes to come down to the base (db/version_set.cc: CalculateBaseBytes).
        """
        levels, target, room = 1, self.base_bytes, self.base_bytes
        while stored_bytes > room and levels < min(self.most, _MOST_LEVELS):
            levels += 1
            target *= max(1.0, self.multiplier)
            room = target if self.dynamic else room + target
        return levels
