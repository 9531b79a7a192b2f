"""Samplers against each other on recorded runs: an emulator stands for the engine, and each searches several times."""

from lsmtune.sampler_benchmark._benchmark import SamplerBenchmark, benchmark_samplers
from lsmtune.sampler_benchmark._report import (
    sampler_benchmark_card,
    sampler_benchmark_figure,
    sampler_benchmark_json,
)
from lsmtune.sampler_benchmark._search import TOTAL_TIME, BenchmarkedSearch, Question, benchmark_sampler, best_known

__all__ = [
    "TOTAL_TIME",
    "BenchmarkedSearch",
    "Question",
    "SamplerBenchmark",
    "benchmark_sampler",
    "benchmark_samplers",
    "best_known",
    "sampler_benchmark_card",
    "sampler_benchmark_figure",
    "sampler_benchmark_json",
]
