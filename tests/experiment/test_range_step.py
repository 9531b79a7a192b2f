"""A range with a step: only values at that distance are tried."""

from pathlib import Path

import pytest

from lsmtune.errors import ExperimentError
from lsmtune.experiment import overrides, parse_experiment
from lsmtune.space import catalogue, library_values
from lsmtune.space._build import build_space

BEGIN = '[workload]\nbenchmarks = "fillrandom"\nnum = "1M"\n[space]\noptions = ["write_buffer_size"]\n'


def test_values_stand_at_the_distance_of_the_step_from_the_low_end() -> None:
    text = BEGIN + '[space.ranges]\nwrite_buffer_size = { low = "2MiB", high = "5MiB", log = false, step = "1MiB" }\n'
    experiment, known = parse_experiment(text, Path("e.toml")), catalogue()
    space = build_space(
        known, ["write_buffer_size"], library_values(known, (11, 8)), overrides(experiment, known), (), None
    )
    (axis,) = space.dimensions
    assert {axis.from_unit(place / 100) for place in range(101)} == {count << 20 for count in (2, 3, 4, 5)}


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ('[space.ranges]\nwrite_buffer_size = { values = ["2MiB"], step = 1 }\n', "either low and high, or values"),
        ('[space.ranges]\nwrite_buffer_size = { low = "2MiB", high = "3MiB", step = "8MiB" }\n', "fit into the range"),
        ("[sample.axes]\nthreads = { low = 1, high = 4, step = 2 }\n", "takes no step"),
    ],
)
def test_a_step_that_cannot_be_meant_is_refused(text: str, part: str) -> None:
    with pytest.raises(ExperimentError, match=part):
        parse_experiment(BEGIN + text, Path("e.toml"))
