"""Studies: an experiment becomes stages of runs, and goes on where it stopped."""

from lsmtune.study._budget import Budget
from lsmtune.study._builds import comparing
from lsmtune.study._doctor import MachineNoise, measure_noise
from lsmtune.study._doctor_hosts import examine_hosts
from lsmtune.study._factors import bundles_of, factors_of
from lsmtune.study._figures import Figures, bounds_at_full_size
from lsmtune.study._hosts import Spread, hosts_executor, take_back
from lsmtune.study._listener import Listener
from lsmtune.study._memory import fit_computed_memory
from lsmtune.study._prepare import Prepared, find_again, prepare, startup_runs
from lsmtune.study._prior import prior_of
from lsmtune.study._runner import RunKey, Runner, RunPolicy, RunRequest, mirrored_order
from lsmtune.study._runs import full_size_of, knowledge_of, runs_of, space_of
from lsmtune.study._session import open_or_create
from lsmtune.study._setup import Setup
from lsmtune.study.plans._compare import compare_configurations
from lsmtune.study.plans._designs import point_of
from lsmtune.study.plans._sample import SampleSettings, sample
from lsmtune.study.plans._search import SearchSettings
from lsmtune.study.plans._stages import measure_baselines
from lsmtune.study.plans._steps import NamedChanges, tune_by_steps
from lsmtune.study.plans._trials import trial_history
from lsmtune.study.plans._tune import tune

__all__ = [
    "Budget",
    "Figures",
    "Listener",
    "MachineNoise",
    "NamedChanges",
    "Prepared",
    "RunKey",
    "RunPolicy",
    "RunRequest",
    "Runner",
    "SampleSettings",
    "SearchSettings",
    "Setup",
    "Spread",
    "bounds_at_full_size",
    "bundles_of",
    "compare_configurations",
    "comparing",
    "examine_hosts",
    "factors_of",
    "find_again",
    "fit_computed_memory",
    "full_size_of",
    "hosts_executor",
    "knowledge_of",
    "measure_baselines",
    "measure_noise",
    "mirrored_order",
    "open_or_create",
    "point_of",
    "prepare",
    "prior_of",
    "runs_of",
    "sample",
    "space_of",
    "startup_runs",
    "take_back",
    "trial_history",
    "tune",
    "tune_by_steps",
]
