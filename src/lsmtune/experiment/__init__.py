"""Experiment files: what a user asks for, read, checked and resolved against an engine's options.

Nothing here runs an engine or looks for one; `lsmtune.study` lets an experiment meet a machine.
"""

from lsmtune.experiment._axes import axis_dimensions, competing_factor
from lsmtune.experiment._by_flags import resized, searching_with
from lsmtune.experiment._changes import NamedChange
from lsmtune.experiment._experiment import Experiment
from lsmtune.experiment._guards import read_guard
from lsmtune.experiment._names import (
    DEFAULT,
    changes_of,
    chosen_without,
    fixed_values,
    nothing_searched,
    overrides,
    own_values,
    searched_options,
    still_option,
)
from lsmtune.experiment._parse import experiment_schema, load_experiment, parse_experiment
from lsmtune.experiment._property_files import without_property_files
from lsmtune.experiment._recorded import recorded_experiment
from lsmtune.experiment._tables import ChangeTable, CompareTable, SampleTable, SearchTable, SpaceTable, VariantTable
from lsmtune.experiment._template import starting_engines, starting_experiment, starting_needs
from lsmtune.experiment._variants import Variants, chosen, variants_of

__all__ = [
    "DEFAULT",
    "ChangeTable",
    "CompareTable",
    "Experiment",
    "NamedChange",
    "SampleTable",
    "SearchTable",
    "SpaceTable",
    "VariantTable",
    "Variants",
    "axis_dimensions",
    "changes_of",
    "chosen",
    "chosen_without",
    "competing_factor",
    "experiment_schema",
    "fixed_values",
    "load_experiment",
    "nothing_searched",
    "overrides",
    "own_values",
    "parse_experiment",
    "read_guard",
    "recorded_experiment",
    "resized",
    "searched_options",
    "searching_with",
    "starting_engines",
    "starting_experiment",
    "starting_needs",
    "still_option",
    "variants_of",
    "without_property_files",
]
