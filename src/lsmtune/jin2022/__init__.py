"""Jin et al. (2022) repeated: the stages of the paper, what came of them, and its published numbers beside it.

What users write by name is elsewhere: the sampler `ga-jin2022` and its fitness in `lsmtune.samplers`, the fields of the
table `[reproduce]` in `lsmtune.experiment`.
"""

from lsmtune.jin2022._figures import JIN2022_FIGURES, jin2022_figures
from lsmtune.jin2022._levels import Level, Reading, levels_jin2022, nearest_reading
from lsmtune.jin2022._paper import JIN2022_PAPER, PAPER_NAMES, Paper, PaperTest
from lsmtune.jin2022._plan import Jin2022Settings, jin2022_settings, recorded_reproduction, reproduce_jin2022
from lsmtune.jin2022._report import jin2022_card, jin2022_json, what_is_left
from lsmtune.jin2022._result import (
    JIN2022_FOUND,
    JIN2022_FROZEN,
    Generation,
    Jin2022Result,
    rank_jin2022,
    summarise_jin2022,
)

__all__ = [
    "JIN2022_FIGURES",
    "JIN2022_FOUND",
    "JIN2022_FROZEN",
    "JIN2022_PAPER",
    "PAPER_NAMES",
    "Generation",
    "Jin2022Result",
    "Jin2022Settings",
    "Level",
    "Paper",
    "PaperTest",
    "Reading",
    "jin2022_card",
    "jin2022_figures",
    "jin2022_json",
    "jin2022_settings",
    "levels_jin2022",
    "nearest_reading",
    "rank_jin2022",
    "recorded_reproduction",
    "reproduce_jin2022",
    "summarise_jin2022",
    "what_is_left",
]
