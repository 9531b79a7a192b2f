"""Typed options, the axes of a search over them, conditions, constraints and the scale."""

from lsmtune.space._build import build_space
from lsmtune.space._catalogue import (
    CATALOGUE_VERSION,
    OLDEST_VERSION,
    Catalogue,
    ChangedDefault,
    EngineConstraint,
    Preset,
    catalogue,
    changed_defaults,
    default_of,
    library_values,
    missing_flags,
    mutability_of,
    read_catalogue,
)
from lsmtune.space._computed import ComputedLimit
from lsmtune.space._constraint import Constraint
from lsmtune.space._dimension import Dimension, Override
from lsmtune.space._effects import Effects, effects_of
from lsmtune.space._expression import Expression
from lsmtune.space._factor import VARIANT_PREFIX, WORKLOAD_PREFIX, Change, Factor
from lsmtune.space._option import Format, Kind, Mutability, Option
from lsmtune.space._scale import scale_values, scaled_value, unscaled_value
from lsmtune.space._space import Space
from lsmtune.space._value import read_value

__all__ = [
    "CATALOGUE_VERSION",
    "OLDEST_VERSION",
    "VARIANT_PREFIX",
    "WORKLOAD_PREFIX",
    "Catalogue",
    "Change",
    "ChangedDefault",
    "ComputedLimit",
    "Constraint",
    "Dimension",
    "Effects",
    "EngineConstraint",
    "Expression",
    "Factor",
    "Format",
    "Kind",
    "Mutability",
    "Option",
    "Override",
    "Preset",
    "Space",
    "build_space",
    "catalogue",
    "changed_defaults",
    "default_of",
    "effects_of",
    "library_values",
    "missing_flags",
    "mutability_of",
    "read_catalogue",
    "read_value",
    "scale_values",
    "scaled_value",
    "unscaled_value",
]
