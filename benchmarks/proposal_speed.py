"""How long a proposal of agp takes with 30 options, against its goal.

    python benchmarks/proposal_speed.py [repeats]

Goal: 0.2 s with 400 trials, space guarded. Each proposal is that of a new sampler which is told all trials first, as a
study asks for it. Prints the median and the longest in s, of first proposals, which the prior chooses, and of those
that models choose, and the slowest median over the goal; exit code 1 where it misses the goal.
"""

import sys
import time
from statistics import median

import numpy as np

from lsmtune.indicators import Guard, Objective
from lsmtune.model import Workload
from lsmtune.samplers import Outlook, Prior, Trial, make_sampler
from lsmtune.space import Space, build_space, catalogue, library_values
from lsmtune.study import prior_of

GOAL_S = 0.2
_VERSION = (7, 8, 3)
_OPTIONS, _TRIALS, _NOISE, _ROOM = 30, 400, 0.05, 1.10
_FILL = Workload(("fillrandom",), "fillrandom", num=64_000_000, key_size_bytes=16, value_size_bytes=1024)


def space() -> Space:
    """Return 30 options of RocksDB, those of a repetition of Jin et al. 2022 and two more."""
    known = catalogue("rocksdb").for_version(_VERSION)
    names = list(dict.fromkeys([*known.preset("jin2022").options, "max_background_jobs", "delayed_write_rate"]))
    return build_space(known, names[:_OPTIONS], library_values(known, _VERSION))


def told(searched: Space, prior: Prior) -> list[Trial]:
    """Return random configurations, of which half of what is expected comes true."""
    rng, trials = np.random.default_rng(0), []
    weights = rng.normal(0, 0.3, len(searched))
    for _ in range(_TRIALS):
        values = searched.sample(rng)
        expected = prior.response({name: np.array([value]) for name, value in values.items()})[0]
        moved = float(weights @ (searched.to_unit(values) - 0.5))
        slack = float(np.log(_ROOM) - moved)
        response = 0.5 * float(expected) + moved + float(rng.normal(0, _NOISE))
        trials.append(Trial(values, response, max(0.0, -slack), slacks={"space_bytes": slack}))
    return trials


def seconds(searched: Space, trials: list[Trial], outlook: Outlook, seed: int) -> float:
    """Wall time of a new sampler, all it is told, and one proposal."""
    began = time.perf_counter()
    sampler = make_sampler("agp", searched, seed)
    sampler.expect(outlook)
    for trial in trials:
        sampler.tell(trial)
    sampler.ask()
    return time.perf_counter() - began


def main(repeats: int) -> int:
    """Measure and print."""
    searched, objective = space(), Objective({"throughput_settled_ops_s": 1.0})
    prior = prior_of("rocksdb", _FILL, searched.reference, objective, (Guard("space_bytes", _ROOM),))
    assert prior is not None
    trials, worst = told(searched, prior), 0.0
    outlook = Outlook(_NOISE, {"space_bytes": _NOISE}, 500, {"space_bytes": float(np.log(_ROOM))}, prior)
    for words, known in (("the first, from the prior", trials[:0]), (f"with {_TRIALS} trials", trials)):
        seconds(searched, known, outlook, 1)  # imports
        times = [seconds(searched, known, outlook, seed) for seed in range(2, repeats + 2)]
        worst = max(worst, median(times))
        sys.stdout.write(f"{words:<26} {median(times):.3f} s, at most {max(times):.3f} s, {repeats} proposals\n")
    sys.stdout.write(f"{'slowest':<26} {worst / GOAL_S:.2f} of {GOAL_S} s\n")
    return 0 if worst <= GOAL_S else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 9))
