"""The table behind the figures: Pareto fronts and places on axes."""

import itertools
import random

import pytest

from lsmtune.errors import UsageError
from lsmtune.report.html._chart import Axis, Chart, Mark, Scale, Series
from lsmtune.report.html._columns import Column, pareto_front
from lsmtune.report.html._plotly import plotly_figure
from lsmtune.report.html._run_charts import position


def column(values: list[float | None], better: str = "lower") -> Column:
    return Column("waf", "write amplification", "ratio", "indicator", tuple(values), better=better)


@pytest.mark.parametrize("values", [(0.0, 0.0), (0.0, 20.0, 500.0)])
def test_a_logarithmic_axis_has_a_figure_also_where_values_are_0(values: tuple[float, ...]) -> None:
    points = Series("b", Mark.LINE, tuple(range(len(values))), values)
    axis = plotly_figure(Chart("a", "a", "a", Axis("x"), Axis("y", log=True), (points,)))["layout"]["yaxis"]
    assert axis["type"] == "log"
    assert min(axis.get("tickvals", [1.0])) > 0


def test_the_front_is_what_no_other_run_beats_by_definition() -> None:
    rng = random.Random(3)
    for ways in itertools.product(("lower", "higher"), repeat=2):
        points = [(rng.randrange(8), rng.randrange(8)) for _ in range(60)]
        signs = [1 if way == "lower" else -1 for way in ways]

        def beats(one: tuple[int, int], other: tuple[int, int], signs: list[int] = signs) -> bool:
            gaps = [sign * (b - a) for sign, a, b in zip(signs, one, other, strict=True)]
            return min(gaps) >= 0 and max(gaps) > 0

        by_definition = {n for n, point in enumerate(points) if not any(beats(other, point) for other in points)}
        first, second = (column([float(p[axis]) for p in points], ways[axis]) for axis in (0, 1))
        assert set(pareto_front(first, second, [True] * 60)) == by_definition


def test_runs_that_did_not_go_well_or_lack_a_value_are_on_no_front() -> None:
    first, second = column([1.0, 2.0, None, 0.5]), column([1.0, 0.5, 0.1, None])
    assert pareto_front(first, second, [True, False, True, True]) == (0,)


def test_places_on_linear_logarithmic_and_named_axes() -> None:
    assert position(column([2.0, 6.0, 4.0]), 4.0) == pytest.approx(0.5)
    sizes = Column("s", "s", "B", "option", (1.0, 1024.0), log=True)
    assert position(sizes, 32.0) == pytest.approx(0.5)
    names = Column("c", "c", "", "option", (0.0, 2.0), names=("lz4", "none", "zstd"))
    assert position(names, 1.0) == pytest.approx(0.5)
    assert position(column([3.0, 3.0]), 3.0) == pytest.approx(0.5)
    assert position(column([1.0, 2.0]), None) is None


def test_a_scale_suits_the_largest_value() -> None:
    assert Scale.of("space_bytes", [3 * 2**20]) == Scale("space on disk [MiB]", 2.0**20)
    assert Scale.of("latency_p99_s", [2e-3, 5e-6]) == Scale("p99 latency [ms]", 1e-3)
    assert Scale.of("waf", [3.0]) == Scale("write amplification", 1.0)


def test_the_table_of_a_chart_has_every_point_with_its_interval() -> None:
    series = Series("gain", Mark.ESTIMATE, (1.25, None), (0.0, 1.0), ((1.0, 1.5), (0.0, 0.0)))
    chart = Chart("x", "x", "x", Axis("ratio", suffix="x"), Axis("", ("first", "second")), (series,))
    assert chart.table() == (("", "ratio", ""), ("gain", "1.25x [1, 1.5]", "first"), ("gain", "", "second"))


def test_series_whose_parts_differ_in_length_are_refused() -> None:
    with pytest.raises(UsageError, match=r'series "s" has parts of \[1, 2\] points'):
        Series("s", Mark.DOT, (1.0,), (1.0, 2.0))
