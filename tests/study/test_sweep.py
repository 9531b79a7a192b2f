"""Grids on the fake engine, whose truth is known."""

import math
from collections import Counter
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from lsmtune import sweep
from lsmtune.analysis import Runs, pairwise_comparisons, sweep_cells
from lsmtune.errors import ConstraintError, ExperimentError, UsageError
from lsmtune.experiment import parse_experiment
from lsmtune.model import Configuration, Purpose, Status, StudyKind, Value
from lsmtune.report import sweep_card, sweep_json
from lsmtune.report.html import sweep_figures
from lsmtune.result import checkpoints
from lsmtune.space import Constraint, Space
from lsmtune.stats import Part, lost_value
from lsmtune.study import Budget, RunKey, SampleSettings
from lsmtune.study.plans._designs import design_points
from lsmtune.testing import (
    QUIET,
    FakePlan,
    FakeStudy,
    Fault,
    Noise,
    Surface,
    at_runs,
    fake_db_bench,
    fake_rules,
    fake_space,
    fake_study,
)

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


@pytest.mark.parametrize(
    ("levels", "mean", "said"),
    [
        ((4.0, 1.0), 2.0, "Cells: geometric means"),
        ((6.0, 0.0), 3.0, "Cells: geometric means, arithmetic ones where a run has 0"),
    ],
)
def test_the_card_says_which_means_cells_have(runs: Runs, levels: tuple[float, float], mean: float, said: str) -> None:
    name, frame, stream = "l0_files_load_end", runs.frame.copy(), StringIO()
    frame[f"indicator.{name}"] = frame["block"].map({block: levels[block % 2] for block in range(4)})
    changed = replace(runs, frame=frame)
    cells = sweep_cells(changed, (RATE, name))
    assert [cell.levels[name] for cell in cells] == pytest.approx([mean] * 12)
    Console(file=stream, width=120).print(sweep_card(changed, (RATE, name), None))
    assert stream.getvalue().splitlines()[0].rstrip() == said


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


def test_a_value_that_lacks_the_block_in_which_all_were_quick_may_win(runs: Runs) -> None:
    rates = {"snappy": (100.0, 50.0, 50.1, 49.9), "lz4": (math.nan, 52.5, 52.6, 52.4), "none": (20.0, 10.0, 10.1, 9.9)}
    frame = runs.frame.copy()
    cells = (frame["purpose"] == "sample") & (frame["option.block_size"] == 4096)
    for codec, blocks in rates.items():
        for block, rate in enumerate(blocks):
            here = cells & (frame["option.compression_type"] == codec) & (frame["block"] == block)
            frame.loc[here, f"indicator.{RATE}"] = rate
    found = [
        compared
        for compared in pairwise_comparisons(replace(runs, frame=frame), "compression_type", RATE)
        if compared.where["block_size"] == 4096
    ]
    assert {(compared.winner, compared.second, compared.certain) for compared in found} == {("lz4", "snappy", True)}
    assert {compared.lead.n for compared in found if compared.lead is not None} == {3}


@pytest.mark.parametrize(("name", "size"), [("l0_files_load_end", 1), ("waf_table", 0.1)])
def test_equal_small_numbers_of_a_coarse_indicator_in_two_blocks_show_nothing(
    runs: Runs, name: str, size: float
) -> None:
    def found_with(unit: float) -> list[bool]:
        frame = runs.frame.copy()
        levels = frame["option.compression_type"].map({"snappy": 4.0, "lz4": 2.0, "none": 8.0}) * unit
        frame[f"indicator.{name}"] = levels.where((frame["purpose"] == "sample") & (frame["block"] < 2))
        found = pairwise_comparisons(replace(runs, frame=frame), "compression_type", name)
        assert {compared.winner for compared in found} == {"lz4"}
        assert {compared.lead.n for compared in found if compared.lead is not None} == {2}
        return [compared.certain for compared in found]

    assert not any(found_with(size))
    assert all(found_with(1000 * size)), "large numbers tell more"


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


def test_combinations_that_do_the_same_are_one_cell() -> None:
    allowed = {"block_size": {"compression_type": ("snappy", "lz4")}}
    space = replace(listed(fake_space(), LISTS), conditions=allowed)
    points = design_points(space, "factorial", 0, 1)
    assert len(points) == 10
    uncompressed = [point.values for point in points if point.values["compression_type"] == "none"]
    assert [values["write_buffer_size"] for values in uncompressed] == [64 * MIB, 256 * MIB]


def test_no_run_is_lost_where_two_arms_of_a_record_did_the_same(runs: Runs) -> None:
    frame = runs.frame.copy()
    frame.loc[frame["option.block_size"] == 16384, "option.block_size"] = 4096
    merged = replace(runs, frame=frame)
    cells = sweep_cells(merged, (RATE,))
    assert {(cell.runs, cell.lost) for cell in cells} == {(8, 0)}
    same = pairwise_comparisons(merged, "compression_type", RATE)
    assert {each.lead.n for each in same if each.lead is not None} == {4}


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


def grid(repeats: int | None = 3) -> SampleSettings:
    return replace(settings(listed(fake_space(), LISTS)), kind=StudyKind.SWEEP, repeats=repeats, noise_runs=5)


def with_own(**lists: tuple[Value, ...]) -> FakePlan:
    """A plan with a second starting point, which nobody asked for."""
    rules = replace(fake_rules(), baselines={"mine": Configuration.of({"block_size": 8192}), "stock": Configuration()})
    return replace(PLAN, space=listed(fake_space(), lists or LISTS), rules=rules)


def purposes(study: FakeStudy) -> Counter[tuple[Purpose, str]]:
    return Counter(
        (stored.run.purpose, stored.run.arm)
        for stored in study.history.runs
        if stored.run.purpose is not Purpose.SAMPLE
    )


def test_a_sweep_that_holds_the_reference_runs_it_once_before_its_blocks(tmp_path: Path) -> None:
    with fake_study(tmp_path, with_own()) as study:
        runs = study.sample(grid())
        assert purposes(study) == {(Purpose.BASELINE, "stock"): 1, (Purpose.ANCHOR, "stock"): 9}
        assert study.decisions.done
        caps = [stored.status for stored in study.history.runs]
    assert len(runs.of(Purpose.SAMPLE).frame) == 36
    assert set(caps) == {Status.OK}
    assert len(pairwise_comparisons(runs, "compression_type", RATE)) == 4


def test_a_sweep_without_the_reference_repeats_it_first_and_no_other_starting_point(tmp_path: Path) -> None:
    lists = {**LISTS, "block_size": (8192, 16384)}
    with fake_study(tmp_path, with_own(**lists)) as study:
        study.sample(replace(grid(), space=listed(fake_space(), lists)))
        assert purposes(study) == {(Purpose.BASELINE, "stock"): 5, (Purpose.ANCHOR, "stock"): 9}


def test_a_run_of_the_first_block_has_the_cap_of_the_first_run(tmp_path: Path) -> None:
    slow = replace(with_own(), surface=Surface(30.0, frozenset({"compression_type"})), noise=QUIET)
    with fake_study(tmp_path, slow) as study:
        study.sample(grid(2))
        first = [stored for stored in study.history.runs if stored.run.purpose is Purpose.SAMPLE][:12]
    stopped = [stored for stored in first if stored.status is Status.CENSORED]
    assert 0 < len(stopped) < 12
    assert max(stored.elapsed_s or 0.0 for stored in stopped) < 3600


@pytest.mark.parametrize(
    ("noise", "least", "most"), [(QUIET, 3, 3), (Noise(rate=0.07), 4, 10), (Noise(rate=0.4), 10, 10)]
)
def test_blocks_of_a_sweep_follow_from_the_noise_of_the_first_ones(
    tmp_path: Path, noise: Noise, least: int, most: int
) -> None:
    plan = replace(with_own(), noise=noise)
    with fake_study(tmp_path / "whole", plan) as study:
        study.sample(grid(None))
        kept = study.study.saved(checkpoints.REPEATS)
        asked = [(run.run.purpose, run.run.arm, run.run.block, run.run.seed) for run in study.history.runs]
        assert study.decisions.done
    assert isinstance(kept, int)
    assert least <= kept <= most
    cells = Counter(arm for purpose, arm, _, _ in asked if purpose is Purpose.SAMPLE)
    assert set(cells.values()) == {kept}
    for stop in (1, 20, 40):
        folder = tmp_path / str(stop)
        with (
            pytest.raises(KeyboardInterrupt),
            fake_study(folder, replace(plan, faults=at_runs({stop: Fault.INTERRUPT}))) as study,
        ):
            study.sample(grid(None))
        with fake_study(folder, plan) as study:
            study.sample(grid(None))
            again = [run.run for run in study.runner.runs_by_key.values()]
        assert [(run.purpose, run.arm, run.block, run.seed) for run in again] == asked


def test_a_sweep_that_an_earlier_lsmtune_began_goes_on_as_it_began(tmp_path: Path) -> None:
    plan = with_own()
    with fake_study(tmp_path, plan) as study:  # as it was: five runs of the reference, then the blocks
        study.study.begin(StudyKind.SWEEP)
        for block in range(5):
            for arm in ("stock", "mine")[: 2 if block < 2 else 1]:
                study.runner.make(RunKey(Purpose.BASELINE, arm, block), plan.rules.baselines[arm], arm)
    with fake_study(tmp_path, plan) as study:
        study.sample(grid(None))
        assert purposes(study)[Purpose.BASELINE, "stock"] == 5
        assert purposes(study)[Purpose.BASELINE, "mine"] == 2
        assert study.study.saved(checkpoints.REPEATS) is not None
        assert study.decisions.done


def test_a_cell_with_the_usual_workload_is_the_reference(tmp_path: Path) -> None:
    asked: dict[str, Any] = {
        "name": "fill",
        "workload": {"benchmarks": "fillrandom", "num": "1M", "value_size": 100},
        "sweep": {"repeats": 2, "options": {"compression_type": ["snappy", "lz4"]}, "axes": {"value_size": [100, 200]}},
        "search": {"noise_runs": 3, "cap": 50},
        "host": {"disturbed": "use", "min_free": "16MiB"},
    }
    bench = fake_db_bench.install(tmp_path)
    runs = sweep(asked, study=tmp_path / "own", db_bench=bench, quiet=True).runs()
    assert list(runs[runs["purpose"] == "baseline"]["arm"]) == ["db_bench"]
    asked["sweep"] = {**asked["sweep"], "axes": {"value_size": [150, 200]}}
    runs = sweep(asked, study=tmp_path / "others", db_bench=bench, quiet=True).runs()
    assert list(runs[runs["purpose"] == "baseline"]["arm"]) == ["db_bench"] * 3
