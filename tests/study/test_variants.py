"""Variants of a sweep: options that are set together are one factor, on the fake engine, whose truth is known."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from lsmtune.analysis import pairwise_comparisons
from lsmtune.errors import ExperimentError, UsageError
from lsmtune.experiment import (
    Variants,
    VariantTable,
    competing_factor,
    parse_experiment,
    recorded_experiment,
    variants_of,
)
from lsmtune.model import Purpose, Status, Value
from lsmtune.space import Change, Constraint, Space, catalogue
from lsmtune.study import Budget, SampleSettings
from lsmtune.study._factors import factors_of
from lsmtune.study.plans._designs import design_points
from lsmtune.testing import FakePlan, Noise, Surface, fake_space, fake_study

RATE = "throughput_settled_ops_s"
MIB = 2**20
SETS: dict[str, dict[str, Value]] = {
    "plain": {"compression_type": "snappy", "write_buffer_size": 64 * MIB},
    "raw": {"compression_type": "none", "write_buffer_size": 64 * MIB},
    "roomy": {"compression_type": "snappy", "write_buffer_size": 256 * MIB},
}
STYLE = Variants("variant.style", SETS, "plain")
SURFACE = Surface(0.6, frozenset({"compression_type", "write_buffer_size"}))


def grid() -> Space:
    space = fake_space()
    block = replace(space.by_name["block_size"], choices=(4096, 16384), low=None, high=None, log=False, specials=())
    return replace(space, dimensions=(block, STYLE.dimension()), reference={**space.reference, STYLE.name: "plain"})


def settings() -> SampleSettings:
    return SampleSettings(
        space=grid(),
        design="factorial",
        runs=8,
        test=0,
        replicates=1000,
        repeats=4,
        anchor_every=5,
        noise_runs=3,
        seed=1,
        variants=(STYLE,),
    )


def change(name: str, **values: Value) -> VariantTable:
    return VariantTable.model_validate({"name": name, "set": values})


def test_variants_compete_as_one_factor_and_their_runs_set_their_options(tmp_path: Path) -> None:
    plan = FakePlan(Budget(math.inf, None), SURFACE, Noise(rate=0.02), space=grid(), variants=(STYLE,))
    with fake_study(tmp_path / "study", plan) as study:
        runs = study.sample(settings())
        stored = {each.run.id: each.run.configuration.values for each in study.study.runs() if each.status is Status.OK}
    cells = runs.of(Purpose.SAMPLE)
    assert set(cells.values("variant.style")) == set(SETS)
    reference = fake_space().reference
    for run, name in zip(cells.frame["run"], cells.values("variant.style"), strict=True):
        assert {option: {**reference, **stored[run]}[option] for option in SETS[name]} == SETS[name]
    assert set(runs.of(Purpose.ANCHOR).values("variant.style")) == {"plain"}
    found = pairwise_comparisons(runs, "variant.style", RATE)
    assert len(found) == 2
    for compared in found:
        rates = {name: SURFACE.indicators({**compared.where, **values})[RATE] for name, values in SETS.items()}
        assert compared.winner == max(rates, key=lambda name: rates[name])
        assert compared.certain


def test_a_reopened_study_knows_its_variants(tmp_path: Path) -> None:
    short = FakePlan(Budget(math.inf, 10), SURFACE, Noise(rate=0.02), space=grid(), variants=(STYLE,))
    with fake_study(tmp_path / "study", short) as study:
        first = study.sample(settings()).of(Purpose.SAMPLE)
    with fake_study(tmp_path / "study", replace(short, budget=Budget(math.inf, None))) as study:
        again = study.sample(settings()).of(Purpose.SAMPLE)
    assert 0 < len(first) < len(again) == 24
    assert list(again.values("variant.style"))[: len(first)] == list(first.values("variant.style"))


def test_constraints_see_the_options_of_a_variant() -> None:
    constraint = Constraint.parse("block_size <= 4096 or write_buffer_size > 64 MiB")
    points = design_points(replace(grid(), constraints=(constraint,)), "factorial", 0, 1, (STYLE,))
    assert len(points) == 4
    assert [dict(point.variants)["variant.style"] for point in points if point.values["block_size"] == 16384] == [
        "roomy"
    ]


def test_what_a_variant_leaves_out_stands_at_the_reference() -> None:
    known = catalogue()
    reference: dict[str, Value] = {"compaction_style": "level", "enable_blob_files": False, "min_blob_size": 0}
    listed = [change("leveled", compaction_style="level"), change("blob", enable_blob_files=True, min_blob_size="1KiB")]
    (style,) = variants_of({"style": listed}, "rocksdb", known, reference)
    assert style.name == "variant.style"
    assert style.sets["blob"] == {"compaction_style": "level", "enable_blob_files": True, "min_blob_size": 1024}
    assert style.sets["leveled"] == reference
    assert style.reference == "leveled"
    with pytest.raises(UsageError, match='"leveled" and "default" are the same configuration; take one'):
        variants_of({"style": [*listed, change("default", enable_blob_files=False)]}, "rocksdb", known, reference)


def test_what_runs_elsewhere_stands_at_the_reference_and_is_no_twin_of_it() -> None:
    listed = [
        change("leveled", compaction_style="level"),
        VariantTable.model_validate({"name": "x", "engine": "leveldb"}),
    ]
    (style,) = variants_of({"style": listed}, "rocksdb", catalogue(), {"compaction_style": "level"})
    assert style.elsewhere == {"x"}
    assert style.sets["x"] == style.sets["leveled"]
    assert style.reference == "leveled"
    space = Space((style.dimension(),), {style.name: style.reference})
    (factor,) = factors_of(space, catalogue(), (style,))
    assert factor.change is Change.REBUILD


def test_a_change_of_variants_takes_what_its_hardest_option_takes() -> None:
    reference: dict[str, Value] = {"compaction_style": "level", "write_buffer_size": 64 * MIB}
    listed = [change("a", write_buffer_size="32MiB"), change("b", compaction_style="universal")]
    (style,) = variants_of({"style": listed}, "rocksdb", catalogue(), reference)
    space = Space((style.dimension(),), {**reference, style.name: style.reference})
    (factor,) = factors_of(space, catalogue(), (style,))
    assert (factor.change, factor.column, factor.short) == (Change.REBUILD, "variant.style", "style")
    assert factor.reference == "reference"


HEAD = '[workload]\nbenchmarks = "fillrandom"\nnum = "20k"\n[sweep]\nrival = "style"\n'
GOOD = '{name = "leveled", set = {compaction_style = "level"}}, {name = "blob", set = {enable_blob_files = true}}'


def test_variants_are_read_and_may_compete() -> None:
    text = f"{HEAD}[sweep.variants]\nstyle = [{GOOD}]\n"
    wanted = parse_experiment(text, Path("e.toml")).sweep
    assert wanted is not None
    assert [each.name for each in wanted.variants["style"]] == ["leveled", "blob"]
    assert competing_factor(recorded_experiment(text)) == "variant.style"


@pytest.mark.parametrize(
    ("lines", "part"),
    [
        (f"stile = [{GOOD}]", 'e.toml:5: sweep.rival: "style" is not swept; write "stile"'),
        ('style = [{name = "one", set = {block_size = 4096}}]', "sweep.variants.style lists fewer than two"),
        (f'style = [{GOOD}, {{name = "blob", set = {{min_blob_size = 1}}}}]', '"blob" stands there twice'),
        (f'style = [{GOOD}, {{name = "x", set = {{compaction_style = "lazy"}}}}]', 'cannot be "lazy"'),
        (f'style = [{GOOD}, {{name = "x", set = {{compaction_stile = "level"}}}}]', "did you mean compaction_style?"),
        (f"style = [{GOOD}]\nother = [{GOOD}]", '"compaction_style" is set by two factors of the sweep'),
        (f"style = [{GOOD}]\n[sweep.options]\nenable_blob_files = [true, false]", '"enable_blob_files" is set by two'),
        (f"style = [{GOOD}]\nblock_size = [{GOOD}]", "sweep.variants.block_size is the name of an option"),
        (f"style = [{GOOD}]\n'<b>' = [{GOOD}]", "is a name that tables cannot have"),
        ("style = []", "lists fewer than two"),
        ('style = "leveled"', "sweep.variants.style"),
        (f'style = [{GOOD}, {{name = "x", sets = 3}}]', "sets is not a key"),
        (f'style = [{GOOD}]\n[sweep.options]\nblock_size = [4096]\n[[steps]]\nname = "x"', "steps.set is missing"),
        ('style = [{name = "x", sat = 3, set = {block_size = 4096}}]', "is not a key of [sweep.variants.style]"),
        (f'style = [{GOOD}, {{name = "x"}}]', "style has neither values nor a build; write set = {"),
        (f'style = [{GOOD}, {{name = "x", engine = "pebbles"}}]', '"pebbles" is not "rocksdb" or "leveldb"'),
        (
            f'style = [{GOOD}, {{name = "x", engine = "leveldb", set = {{compaction_style = "level"}}}}]',
            '"compaction_style" is not an option of leveldb',
        ),
        (f'style = [{GOOD}, {{name = "x", driver = "/x"}}]', "is not used by db_bench; write db_bench, or take it out"),
        (
            f'style = [{GOOD}, {{name = "x", db_bench = "/x"}}]\n[sweep.options]\nblock_size = [4096, 8192]',
            '"x" runs on another engine or build, where "block_size" would have to be set too; sweep such',
        ),
        (
            f'style = [{GOOD}, {{name = "x", engine = "leveldb"}}]\n[sweep.axes]\ndisable_wal = [true, false]',
            '"x" runs on LevelDB: disable_wal cannot vary under LevelDB\'s db_bench; take it out',
        ),
        (
            f'style = [{GOOD}, {{name = "x", engine = "leveldb"}}]\n[sweep.axes]\nkey_size = [16, 24]',
            '"x" runs on LevelDB: key_size cannot vary under LevelDB\'s db_bench; take it out',
        ),
        (
            f"style = [{GOOD}]\n[sweep.options]\nblock_size = [4096]\n[reproduce]\nmode = 'sound'",
            "reproduce.of is missing",
        ),
    ],
)
def test_wrong_variants_are_told(lines: str, part: str) -> None:
    with pytest.raises(ExperimentError) as caught:
        parse_experiment(f"{HEAD}[sweep.variants]\n{lines}\n", Path("e.toml"))
    assert part in str(caught.value)
