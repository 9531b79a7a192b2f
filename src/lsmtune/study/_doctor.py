"""The noise of this machine: one default run, repeated."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lsmtune.backends.registry import backend_of
from lsmtune.errors import RunError, StatisticsError
from lsmtune.executors import Limits, LocalExecutor
from lsmtune.model import Configuration, EngineBuild, Outcome, Purpose, Run, Status
from lsmtune.result import SHOWN_INDICATORS
from lsmtune.space import Catalogue
from lsmtune.stats import LOOKS, Detectable, NoiseFloor, noise_floor
from lsmtune.study._listener import Listener


@dataclass(frozen=True)
class MachineNoise:
    """How much identical runs differ on this machine.

    Attributes:
        runs: repeats that gave a value.
        run_s: mean wall time of one of them.
        floors: spread by indicator.
        detectable: smallest gain that could be shown, by indicator and number of pairs.
    """

    runs: int
    run_s: float
    floors: dict[str, NoiseFloor]
    detectable: dict[str, dict[int, Detectable]]


def measure_noise(
    build: EngineBuild, catalogue: Catalogue, scratch: Path, runs: int, listener: Listener
) -> MachineNoise:
    """Run the default `runs` times with fresh seeds and return the spread of its indicators.

    Args:
        build: what runs; its backend says what is repeated.
        catalogue: the options that it can set.
        scratch: folder for the data.
        runs: number of repeats.
        listener: hears of each.

    Raises:
        RunError: fewer than two runs gave a value, or the tool has nothing to repeat.
    """
    backend = backend_of(build)
    asked = backend.noise_workload()
    if asked is None:
        raise RunError(f"the noise of {backend.name(build)} is not measured: its backend has no workload for it")
    executor = LocalExecutor(backend.bench(build, catalogue, *asked), scratch)
    outcomes = []
    try:
        for number in range(1, runs + 1):
            run = Run(number, Purpose.BASELINE, backend.program, number, Configuration(), seed=number, load_seed=1)
            listener.started(run, f"default, repeat {number} of {runs}", None)
            outcomes.append(executor.run(run, Limits(free_bytes=1 << 30), listener.progress))
    finally:
        executor.close()
    usable = [each for each in outcomes if each.status in (Status.OK, Status.DISTURBED) and each.measurement]
    if len(usable) < 2:
        reason = next((each.reason for each in outcomes if each.reason), "too few repeats")
        raise RunError(f"the noise of this machine cannot be measured: {reason}")
    floors = {name: floor for name in SHOWN_INDICATORS if (floor := _floor(usable, name)) is not None}
    detectable = {
        name: {pairs: Detectable.of(floor.of_pairs, pairs) for pairs in LOOKS} for name, floor in floors.items()
    }
    return MachineNoise(len(usable), sum(each.elapsed_s for each in usable) / len(usable), floors, detectable)


def _floor(outcomes: Sequence[Outcome], name: str) -> NoiseFloor | None:
    values = [each.measurement.indicators.get(name) for each in outcomes if each.measurement is not None]
    try:
        return noise_floor([value for value in values if value is not None])
    except StatisticsError:
        return None
