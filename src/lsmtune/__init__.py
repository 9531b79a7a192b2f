"""Find, tune and prove the options of an LSM-tree storage engine."""

__all__ = ["__version__"]

__version__ = "0.1.0"
