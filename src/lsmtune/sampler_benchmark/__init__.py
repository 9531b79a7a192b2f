"""Samplers against each other on recorded runs: an emulator stands for the engine, and each searches several times."""

from lsmtune.sampler_benchmark._benchmark import (
    Answer,
    SamplerBenchmark,
    Stand,
    benchmark_questions,
    benchmark_samplers,
)
from lsmtune.sampler_benchmark._outside import OUTSIDE, OutsideProblem, benchmark_outside
from lsmtune.sampler_benchmark._paired import Difference, differences
from lsmtune.sampler_benchmark._questions import RecordedSet, Use, read_sets
from lsmtune.sampler_benchmark._recorded import RecordedPoints, recorded_points
from lsmtune.sampler_benchmark._report import (
    sampler_benchmark_card,
    sampler_benchmark_figure,
    sampler_benchmark_json,
)
from lsmtune.sampler_benchmark._search import TOTAL_TIME, BenchmarkedSearch, Question, benchmark_sampler, best_known
from lsmtune.sampler_benchmark._table import questions_card, questions_json, searches_table

__all__ = [
    "OUTSIDE",
    "TOTAL_TIME",
    "Answer",
    "BenchmarkedSearch",
    "Difference",
    "OutsideProblem",
    "Question",
    "RecordedPoints",
    "RecordedSet",
    "SamplerBenchmark",
    "Stand",
    "Use",
    "benchmark_outside",
    "benchmark_questions",
    "benchmark_sampler",
    "benchmark_samplers",
    "best_known",
    "differences",
    "questions_card",
    "questions_json",
    "read_sets",
    "recorded_points",
    "sampler_benchmark_card",
    "sampler_benchmark_figure",
    "sampler_benchmark_json",
    "searches_table",
]
