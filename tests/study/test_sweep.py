"""Grids on the fake engine, whose truth is known."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lsmtune.analysis import Runs, pairwise_comparisons, sweep_cells
from lsmtune.errors import ConstraintError, ExperimentError, UsageError
from lsmtune.experiment import parse_experiment
from lsmtune.model import Purpose, Value
from lsmtune.report import sweep_json
from lsmtune.report.html import sweep_figures
from lsmtune.result import checkpoints
from lsmtune.space import Constraint, Space
from lsmtune.stats import Part, lost_value
from lsmtune.study import Budget, SampleSettings
from lsmtune.study.plans._designs import design_points
from lsmtune.testing import QUIET, FakePlan, FakeStudy, Noise, Surface, fake_space, fake_study

RATE = "throughput_settled_ops_s"
MIB = 2**20
LISTS: dict[str, tuple[Value, ...]] = {
    "compression_type": ("snappy", "lz4", "none"),
    "write_buffer_size": (64 * MIB, 256 * MIB),
    "block_size": (4096, 16384),
}
SURFACE = Surface(0.6, frozenset({"compression_type", "write_buffer_size"}))
PLAN = FakePlan(Budget(math.inf, None), SURFACE, Noise(rate=0.02, drift=0.1))


def listed(space: Space, lists: dict[str, tuple[Value, ...]]) -> Space:
    axes = tuple(
        replace(axis, choices=lists[axis.name], low=None, high=None, log=False, specials=())
        for axis in space.dimensions
        if axis.name in lists
    )
    return replace(space, dimensions=axes)


def settings(space: Space, repeats: int = 4) -> SampleSettings:
    return SampleSettings(
        space=space,
        design="factorial",
        runs=8,
        test=0,
        replicates=1000,
        repeats=repeats,
        anchor_every=5,
        noise_runs=3,
        seed=1,
    )


def swept(folder: Path) -> tuple[FakeStudy, Runs]:
    space = listed(fake_space(), LISTS)
    with fake_study(folder, replace(PLAN, space=space)) as study:
        return study, study.sample(settings(space))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    return swept(tmp_path_factory.mktemp("swept") / "study")[1]


def test_every_block_holds_every_cell_once_in_an_order_of_its_own(runs: Runs) -> None:
    cells = runs.of(Purpose.SAMPLE).frame.sort_values("order")
    orders = [tuple(block["arm"]) for _, block in cells.groupby("block")]
    assert len(orders) == 4
    assert {frozenset(order) for order in orders} == {frozenset(orders[0])}
    assert len(set(orders)) > 1
    assert list(cells["block"]) == sorted(cells["block"])
    assert len(orders[0]) == 12


def test_each_block_loads_its_own_data_and_cells_of_a_block_share_it(tmp_path: Path) -> None:
    space = listed(fake_space(), LISTS)
    with fake_study(tmp_path, replace(PLAN, space=space)) as study:
        study.sample(settings(space, repeats=3))
        made = [stored.run for stored in study.history.runs]
    cells = [run for run in made if run.purpose is Purpose.SAMPLE]
    assert len({(run.block, run.load_seed) for run in cells}) == len({run.load_seed for run in cells}) == 3
    anchors = {run.load_seed for run in made if run.purpose is Purpose.ANCHOR}
    assert anchors <= {run.load_seed for run in cells}  # each that of the block in which it stands
    first = [run.load_seed for run in made if run.purpose is Purpose.BASELINE]
    assert len(set(first)) == len(first)


def test_cells_have_the_means_of_their_runs(runs: Runs) -> None:
    cells = sweep_cells(runs, (RATE,))
    assert len(cells) == 12
    assert {cell.runs for cell in cells} == {4}
    for cell in cells:
        truth = SURFACE.indicators(cell.values)[RATE]
        assert cell.levels[RATE] == pytest.approx(truth, rel=0.25)  # drift stays in a mean


def test_pairs_within_blocks_find_the_true_winner_although_the_machine_drifts(runs: Runs) -> None:
    found = pairwise_comparisons(runs, "compression_type", RATE)
    assert len(found) == 4
    for compared in found:
        rates = {
            codec: SURFACE.indicators({**compared.where, "compression_type": codec})[RATE]
            for codec in LISTS["compression_type"]
        }
        first, second, _ = sorted(rates, key=lambda codec: -rates[codec])
        assert (compared.winner, compared.second) == (first, second)
        assert compared.certain
        assert compared.lead is not None
        assert compared.lead.low < rates[first] / rates[second] < compared.lead.high


def test_what_does_not_matter_has_no_certain_winner(runs: Runs) -> None:
    assert sum(compared.certain for compared in pairwise_comparisons(runs, "block_size", RATE)) <= 1


def test_a_map_is_drawn_over_two_other_factors(runs: Runs) -> None:
    figures = sweep_figures(runs, (RATE, "waf"), "compression_type")
    assert {f"winner-{RATE}.svg", "winner-waf.svg", f"levels-{RATE}.svg"} <= set(figures)
    assert "Who wins in write amplification" in figures["winner-waf.svg"]
    assert sweep_json(runs, (RATE,), "compression_type")["duels"][RATE][0]["certain"] is True


def test_what_is_not_swept_is_told(runs: Runs) -> None:
    with pytest.raises(UsageError, match='"bloom_bits" is not swept; take one of'):
        pairwise_comparisons(runs, "bloom_bits", RATE)
    with pytest.raises(UsageError, match="so nobody wins in it"):
        pairwise_comparisons(runs, "block_size", "operations")
    with pytest.raises(UsageError, match="no run of a sweep"):
        sweep_cells(runs.of(Purpose.ANCHOR), (RATE,))


def test_combinations_that_break_a_constraint_are_left_out_and_ranges_are_refused() -> None:
    space = listed(fake_space(), LISTS)
    tied = replace(space, constraints=(Constraint.parse("block_size <= 4096 or write_buffer_size > 64 MiB"),))
    points = design_points(tied, "factorial", 0, 1)
    assert len(points) == 9
    with pytest.raises(ConstraintError, match="has a range; list its values"):
        design_points(fake_space(), "factorial", 0, 1)


@pytest.mark.parametrize(
    ("noise", "least", "most"), [(QUIET, 3, 3), (Noise(rate=0.06), 4, 10), (Noise(rate=0.4), 10, 10)]
)
def test_blocks_are_as_many_as_the_noise_asks_for(tmp_path: Path, noise: Noise, least: int, most: int) -> None:
    space = listed(fake_space(), LISTS)
    plan = replace(PLAN, noise=noise, space=space)
    wanted = replace(settings(space), repeats=None, noise_runs=8)
    with fake_study(tmp_path, plan) as study:
        frame = study.sample(wanted).of(Purpose.SAMPLE).frame
        kept = study.study.saved(checkpoints.REPEATS)
    assert set(frame.groupby("arm").size()) == {kept}
    assert isinstance(kept, int)
    assert least <= kept <= most
    with fake_study(tmp_path, plan) as again:  # decided once
        assert len(again.sample(wanted).of(Purpose.SAMPLE).frame) == len(frame)


def test_a_fraction_keeps_every_value_and_all_competing_values_of_the_cells_that_it_runs(tmp_path: Path) -> None:
    space = listed(fake_space(), LISTS)
    wanted = replace(settings(space), part=Part(2, "compression_type"))
    with fake_study(tmp_path, replace(PLAN, space=space)) as study:
        runs = study.sample(wanted)
    cells = sweep_cells(runs, (RATE,))
    assert len(cells) == 6
    for name, values in LISTS.items():
        assert {cell.values[name] for cell in cells} == set(values)
    assert len(pairwise_comparisons(runs, "compression_type", RATE)) == 2
    assert f"winner-{RATE}.svg" in sweep_figures(runs, (RATE,), "compression_type")


@pytest.mark.parametrize(
    ("sizes", "of", "lost"),
    [
        ((2, 2), 2, None),
        ((2, 2, 2), 2, None),
        ((3, 3, 3), 3, None),
        ((2, 3, 4), 2, None),
        ((4,), 2, (0, 1)),
        ((2, 2), 3, (0, 1)),
        ((2, 2, 2), 4, (0, 1)),
    ],
)
def test_a_fraction_that_loses_a_value_is_known(sizes: tuple[int, ...], of: int, lost: tuple[int, int] | None) -> None:
    assert lost_value(sizes, of) == lost


def test_half_of_a_two_level_grid_is_orthogonal() -> None:
    space = listed(fake_space(), {**LISTS, "compression_type": ("snappy", "none")})
    points = design_points(space, "factorial", 0, 1, part=Part(2))
    signs = np.array(
        [
            [space.dimensions[i].choices.index(p.values[axis.name]) * 2 - 1 for i, axis in enumerate(space.dimensions)]
            for p in points
        ]
    )
    assert signs.shape == (4, 3)
    assert (signs.T @ signs == 4 * np.eye(3)).all()


@pytest.mark.parametrize(
    ("fraction", "part"),
    [
        ('"1/2"', ""),
        ('"1/3"', 'sweep.fraction: "1/3" of the cells leaves out block_size = 16384; take a larger part'),
        ('"2/3"', 'sweep.fraction: "2/3" is no part; write it like "1/2" or "1/3"'),
        ("0.5", "sweep.fraction: 0.5 is no part"),
        ('"1/1"', "is no part"),
    ],
)
def test_a_fraction_that_cannot_be_is_told_before_a_run(fraction: str, part: str) -> None:
    text = (
        f'[workload]\nbenchmarks = "fillrandom"\nnum = "20k"\n'
        f'[sweep]\nrival = "compaction_style"\nfraction = {fraction}\n'
        '[sweep.options]\ncompaction_style = ["level", "universal"]\nblock_size = [4096, 16384]\n'
        "[sweep.axes]\nvalue_size = [100, 200]\n"
    )
    if not part:
        wanted = parse_experiment(text, Path("e.toml")).sweep
        assert wanted is not None
        assert wanted.fraction == 2
        return
    with pytest.raises(ExperimentError) as caught:
        parse_experiment(text, Path("e.toml"))
    assert part in str(caught.value)


def test_a_fraction_of_the_competing_factor_alone_is_refused() -> None:
    text = (
        '[workload]\nbenchmarks = "fillrandom"\nnum = "20k"\n[sweep]\nrival = "block_size"\nfraction = "1/2"\n'
        "[sweep.options]\nblock_size = [4096, 16384]\n"
    )
    with pytest.raises(ExperimentError, match=r"sweep\.fraction has no factor beside the rival to thin out"):
        parse_experiment(text, Path("e.toml"))
