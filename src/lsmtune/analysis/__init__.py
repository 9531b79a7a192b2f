"""Which options matter: surrogates, importance and analysis of variance over the runs of a study."""

from lsmtune.analysis._runs import FORMAT_VERSION, RUN_COLUMNS, Change, Factor, Runs

__all__ = ["FORMAT_VERSION", "RUN_COLUMNS", "Change", "Factor", "Runs"]
