"""Studies: an experiment file becomes stages of runs, and goes on where it stopped."""

from lsmtune.study._budget import Budget
from lsmtune.study._builds import comparing
from lsmtune.study._compare import compare_configurations
from lsmtune.study._conductor import Conduct, Conductor, Slot
from lsmtune.study._doctor import MachineNoise, measure_noise
from lsmtune.study._experiment import Experiment
from lsmtune.study._experiment_file import experiment_schema, load_experiment, parse_experiment, recorded_workload
from lsmtune.study._experiment_template import starting_experiment
from lsmtune.study._factors import factor_facts
from lsmtune.study._jin2022 import Jin2022Settings, reproduce_jin2022
from lsmtune.study._listener import Listener
from lsmtune.study._prepare import Prepared, find_again, prepare
from lsmtune.study._recorded import recorded_reproduction, recorded_rival
from lsmtune.study._runs import knowledge_of, runs_of, space_of
from lsmtune.study._sample import SampleSettings, sample
from lsmtune.study._sampler_bench import SamplerBench, race_samplers
from lsmtune.study._search import SearchSettings
from lsmtune.study._session import open_described, open_or_create, scratch_of
from lsmtune.study._steps import NamedChange, NamedChanges, tune_by_steps
from lsmtune.study._tune import tune
from lsmtune.study._variants import Variants

__all__ = [
    "Budget",
    "Conduct",
    "Conductor",
    "Experiment",
    "Jin2022Settings",
    "Listener",
    "MachineNoise",
    "NamedChange",
    "NamedChanges",
    "Prepared",
    "SampleSettings",
    "SamplerBench",
    "SearchSettings",
    "Slot",
    "Variants",
    "compare_configurations",
    "comparing",
    "experiment_schema",
    "factor_facts",
    "find_again",
    "knowledge_of",
    "load_experiment",
    "measure_noise",
    "open_described",
    "open_or_create",
    "parse_experiment",
    "prepare",
    "race_samplers",
    "recorded_reproduction",
    "recorded_rival",
    "recorded_workload",
    "reproduce_jin2022",
    "runs_of",
    "sample",
    "scratch_of",
    "space_of",
    "starting_experiment",
    "tune",
    "tune_by_steps",
]
