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
settle = "none"
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
shrink = "{shrink}"
[budget]
runs = 36
[host]
disturbed = "use"
min_free = "16MiB"
"""


def _commands(folder: Path, shrink: str) -> tuple[ClimbOutcome, list[str], int]:
    """Tune, and return what came of the larger scale, the commands of its runs, and how many runs were made."""
    path = folder / "fill.toml"
    path.write_text(FILL.format(shrink=shrink))
    prepared = prepare(parse_experiment(path.read_text(), path)).searching()
    executor = LocalExecutor(prepared.bench(), folder / "scratch")
    with open_or_create(prepared, folder / "study") as study:
        runner = Runner(study, executor, prepared.rules, prepared.policy(prepared.budget), Listener())
        tune(runner, prepared.search_settings())
        result = summarise(study)
        assert result.climb is not None
        (seen,) = result.climb.seen
        climbed = [stored.run.id for stored in study.runs() if stored.run.purpose is Purpose.CLIMB]
        return seen.outcome, [study.artefact(run, "measure.command") for run in climbed], result.summary.runs


def test_a_fill_is_verified_again_with_four_times_the_data_and_a_tree_in_proportion(tmp_path: Path) -> None:
    outcome, commands, runs = _commands(tmp_path, "tree")
    assert outcome is ClimbOutcome.HOLDS
    assert len(commands) == 12
    assert runs <= 36
    for command in commands:
        assert "--num=40000" in command.split()
        assert f"--write_buffer_size={(16 << 20) // 64}" in command.split()


def test_production_options_stand_at_their_full_size_beside_less_data(tmp_path: Path) -> None:
    _, commands, _ = _commands(tmp_path, "data")
    for command in commands:
        assert "--num=40000" in command.split()
        assert f"--write_buffer_size={16 << 20}" in command.split()
