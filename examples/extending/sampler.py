"""A sampler of one's own: it changes one option of the best trial, and keeps all promises of a sampler."""

import math
from collections.abc import Mapping

import numpy as np

from lsmtune.model import Value
from lsmtune.samplers import RandomSampler, Sampler, Trial, losses
from lsmtune.space import Dimension, Kind, Space
from lsmtune.testing.sampler_conformance import check_sampler

_TRIALS, _STARTUP = 40, 10


class OneChangeSampler(Sampler):
    """Draws one option of the best trial anew; the first `startup` proposals are independent draws.

    This is a random local search, as in Rastrigin (1963), "The convergence of the random search method in the extremal
    control of a many parameter system", along single coordinates.
    """

    def propose(self, index: int, attempt: int) -> Mapping[str, Value]:
        """Return the best trial with one option drawn anew; see `Sampler`."""
        rng = np.random.default_rng([self.seed, index, attempt])
        drawn = self.space.from_unit(rng.random(len(self.space)))
        if index < self.startup or not self.trials or attempt > len(self.space):
            return drawn
        order = losses(self.trials)
        best = min(range(len(order)), key=order.__getitem__)
        changed = list(drawn)[int(rng.integers(len(drawn)))]
        return {**drawn, **self.space.reference, **self.trials[best].values, changed: drawn[changed]}


def gain(values: Mapping[str, Value]) -> float:
    """Return the true log gain of a configuration: the best has 6 jobs and memtables of 256 MiB."""
    jobs, memtable = float(values.get("jobs", 2)), float(values.get("memtable", 64 << 20))
    return 0.5 - 0.1 * (jobs - 6) ** 2 / 16 - 0.1 * (math.log2(memtable / (256 << 20))) ** 2


def best_of(sampler: Sampler) -> float:
    """Return the best gain that a sampler finds."""
    found = list[float]()
    for _ in range(_TRIALS):
        values = sampler.ask()
        found.append(gain(values))
        sampler.tell(Trial(values, -found[-1]))  # of a response less is better
    return max(found)


def main() -> None:
    """Check the promises, then search beside independent draws."""
    check_sampler(OneChangeSampler)
    print("OneChangeSampler keeps the promises of lsmtune.testing.check_sampler")
    axes = (
        Dimension("jobs", Kind.INT, 2, low=1, high=16),
        Dimension("memtable", Kind.INT, 64 << 20, low=4 << 20, high=1 << 30, log=True),
    )
    space = Space(axes, {"jobs": 2, "memtable": 64 << 20})
    own, drawn = (
        float(np.mean([best_of(kind(space, seed, _STARTUP)) for seed in range(1, 11)]))
        for kind in (OneChangeSampler, RandomSampler)
    )
    print(f"best of {_TRIALS} trials, mean of 10 searches: {own:.3f}, independent draws {drawn:.3f}, the optimum 0.500")


if __name__ == "__main__":
    main()
