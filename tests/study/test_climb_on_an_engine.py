"""A real db_bench climbs: a tiny fill at 1/256, and again at 1/64."""

from pathlib import Path

from lsmtune.executors import LocalExecutor
from lsmtune.experiment import parse_experiment
from lsmtune.model import Purpose
from lsmtune.result import ClimbOutcome, summarise
from lsmtune.study import Listener, Runner, open_or_create, prepare, tune

FILL = """
scale = "1/256"
[workload]
benchmarks = "fillrandom"
num = "2560k"
[engine.options]
compression_type = "none"
write_buffer_size = "16MiB"
[space]
options = ["compression_type"]
[space.ranges.compression_type]
values = ["none", "zstd"]
[objective]
space_bytes = 1.0
[search]
sampler = "random"
noise_runs = 3
finalists = 1
[verify]
scales = ["1/64"]
share = 0.34
[budget]
runs = 36
[host]
disturbed = "use"
min_free = "16MiB"
"""


def test_a_fill_is_verified_again_with_four_times_the_data_and_a_tree_in_proportion(tmp_path: Path) -> None:
    path = tmp_path / "fill.toml"
    prepared = prepare(parse_experiment(FILL, path)).searching()
    executor = LocalExecutor(prepared.bench(), tmp_path / "scratch")
    with open_or_create(prepared, tmp_path / "study") as study:
        runner = Runner(study, executor, prepared.rules, prepared.policy(prepared.budget), Listener())
        tune(runner, prepared.search_settings())
        result = summarise(study)
        climbed = [stored.run.id for stored in study.runs() if stored.run.purpose is Purpose.CLIMB]
        commands = [study.artefact(run, "measure.command").split() for run in climbed]
    assert result.climb is not None
    (seen,) = result.climb.seen
    assert seen.outcome is not ClimbOutcome.LOST  # where others use the machine it may stay open whether it is steady
    assert seen.comparison is not None
    assert seen.comparison.claim.gain is not None
    assert seen.comparison.claim.gain > 1.3
    assert result.summary.runs <= 36
    assert len(commands) >= 12
    for command in commands:
        assert "--num=40000" in command
        assert f"--write_buffer_size={(16 << 20) // 64}" in command
