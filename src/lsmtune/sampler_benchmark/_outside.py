"""Problems that others made for comparing optimisers: the mixed-integer functions of COCO."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

import numpy as np

from lsmtune.extras import need
from lsmtune.model import Value
from lsmtune.sampler_benchmark._benchmark import PROCESSES, Answer
from lsmtune.sampler_benchmark._search import BenchmarkedSearch, FloatArray, asked_in_turn
from lsmtune.samplers import Outlook, Sampler, Trial, make_sampler
from lsmtune.space import Dimension, Kind, Space
from lsmtune.study import startup_runs

_SUITE = "bbob-mixint"
_DRAWS = 200


@dataclass(frozen=True)
class OutsideProblem:
    """One function of the suite bbob-mixint: a fifth each of its variables has 2, 4, 8 and 16 values or is continuous.

    Tušar, Brockhoff and Hansen, 2019, "Mixed-integer benchmark problems for single- and bi-objective optimization".

    Attributes:
        function: its number, 1 to 24.
        dimension: number of variables: 5, 10, 20 and more.
        instance: which of its shifted and turned copies.
    """

    function: int
    dimension: int
    instance: int = 1

    @property
    def name(self) -> str:
        """What it is called in tables."""
        return f"{_SUITE} f{self.function}, {self.dimension} variables"

    def search(self, sampler: str, seed: int, runs: int) -> BenchmarkedSearch:
        """Search with one sampler, without noise.

        The response is the function's value against that of the middle of the space, in widths of the values of random
        points and squeezed by an inverse hyperbolic sine, as values of these functions span many orders of magnitude.
        """
        import cocoex

        suite = cocoex.Suite(_SUITE, f"instances: {self.instance}", f"dimensions: {self.dimension}")
        problem = suite.get_problem_by_function_dimension_instance(self.function, self.dimension, self.instance)
        space = _space_of(problem)
        level, width = _scale(problem, space)

        def make() -> Sampler:
            return make_sampler(sampler, space, seed, startup_runs(space))

        def begin(values: Mapping[str, Value], *_: object) -> tuple[Trial, float]:
            return Trial(values, float(np.arcsinh((_value(problem, space, values) - level) / width))), 1.0

        made, asking_s = asked_in_turn(make, Outlook(trials=runs), begin, runs)
        trials = [each.trial for each in made]
        gains = np.maximum.accumulate([max(0.0, -(trial.response or 0.0)) for trial in trials])
        best = [int(np.argmin([trial.response or 0.0 for trial in trials[: number + 1]])) for number in range(runs)]
        changed = np.array([len(space.canonical(trials[place].values)) for place in best])
        return BenchmarkedSearch(
            sampler,
            seed,
            gains,
            np.ones(runs, dtype=np.bool_),
            changed,
            np.array([each.ends for each in made]),
            asking_s / runs,
        )


OUTSIDE = tuple(OutsideProblem(function, 20) for function in (1, 3, 6, 8, 11, 15, 17, 21))
"""Separable and not, well and badly conditioned, with one valley and with many; about as many variables as options."""


def benchmark_outside(
    problems: Sequence[OutsideProblem],
    samplers: Sequence[str],
    runs: int,
    seeds: Sequence[int],
    tell: Callable[[str, int, int], None] = lambda *_: None,
) -> tuple[Answer, ...]:
    """Let each sampler search each problem once with each seed; the best that is known is the best of all searches.

    Raises:
        MissingLibraryError: COCO is not installed.
        UsageError: there is no such sampler.
    """
    need("lsmtune bench-samplers --outside", "cocoex")
    for name in samplers:
        make_sampler(name, Space((Dimension("x", Kind.FLOAT, 0.0, low=0.0, high=1.0),), {"x": 0.0}), 0)
    jobs = [(each, name, seed) for each in problems for name in samplers for seed in seeds]
    found: dict[OutsideProblem, list[BenchmarkedSearch]] = {each: [] for each in problems}
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        waiting = {pool.submit(each.search, name, seed, runs): each for each, name, seed in jobs}
        for number, done in enumerate(as_completed(waiting), start=1):
            found[waiting[done]].append(done.result())
            tell(done.result().sampler, number, len(jobs))
    return tuple(
        Answer(
            each.name,
            "function",
            runs,
            len(seeds),
            tuple(sorted(own, key=lambda one: (samplers.index(one.sampler), one.seed))),
            max(float(one.gains.max()) for one in own),
        )
        for each, own in found.items()
    )


def _space_of(problem: Any) -> Space:
    """Return a problem's variables as a space around its middle."""
    axes = []
    for number, (low, high) in enumerate(zip(problem.lower_bounds, problem.upper_bounds, strict=True)):
        is_whole = number < problem.number_of_integer_variables
        middle = (low + high) / 2
        kind, default = (Kind.INT, int(middle)) if is_whole else (Kind.FLOAT, float(middle))
        axes.append(Dimension(f"x{number}", kind, default, low=float(low), high=float(high)))
    return Space(tuple(axes), {axis.name: axis.default for axis in axes})


def _value(problem: Any, space: Space, values: Mapping[str, Value]) -> float:
    known = {**space.reference, **values}
    return float(problem([float(known[name]) for name in space.names]))


def _scale(problem: Any, space: Space) -> tuple[float, float]:
    """Return the value of the middle, and by how much the values of random points differ in the middle half of them."""
    rng = np.random.default_rng(0)
    drawn: FloatArray = np.array([_value(problem, space, space.sample(rng)) for _ in range(_DRAWS)])
    low, high = np.quantile(drawn, [0.25, 0.75])
    return _value(problem, space, {}), float(high - low) or 1.0
