"""Experiments of NNI, run as they are: on db_bench directly, or with their own trial command through a small shim."""

from lsmtune.nni._config import NniConfig, load_config
from lsmtune.nni._experiments import (
    ExperimentOutline,
    TrialOutline,
    experiments_in,
    folder_of_experiment,
    trials_as_csv,
    trials_as_json,
    trials_of,
)
from lsmtune.nni._kept import Started
from lsmtune.nni._search_space import Parameter, nested_values, read_search_space
from lsmtune.nni._study import Trials, final_parameters, read_own_values
from lsmtune.nni._translation import Asked, experiment_text, runs_db_bench
from lsmtune.nni._tuners import TUNERS, Counterpart, counterpart

__all__ = [
    "TUNERS",
    "Asked",
    "Counterpart",
    "ExperimentOutline",
    "NniConfig",
    "Parameter",
    "Started",
    "TrialOutline",
    "Trials",
    "counterpart",
    "experiment_text",
    "experiments_in",
    "final_parameters",
    "folder_of_experiment",
    "load_config",
    "nested_values",
    "read_own_values",
    "read_search_space",
    "runs_db_bench",
    "trials_as_csv",
    "trials_as_json",
    "trials_of",
]
