"""A simulation of an LSM tree under writes, and what it and plain arithmetic say of a configuration."""

from lsmtune.lsm_model._levels import LevelSizes
from lsmtune.lsm_model._ready import make_ready
from lsmtune.lsm_model._tree_features import tree_features
from lsmtune.lsm_model._tree_known import TREE_OPTIONS

__all__ = ["TREE_OPTIONS", "LevelSizes", "make_ready", "tree_features"]
