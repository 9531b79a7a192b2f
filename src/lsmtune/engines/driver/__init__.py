"""lsmtune's own driver, lsmtune-ycsb: where it is, and which engines it drives."""

from lsmtune.engines.driver._build import ENVIRONMENT_VARIABLE, OUTPUT_FORMAT, discover_driver, find_driver

__all__ = ["ENVIRONMENT_VARIABLE", "OUTPUT_FORMAT", "discover_driver", "find_driver"]
